#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carom/output/figure.hpp>
#include <carom/papers/printed.hpp>

/// The reference papers, number by number: what is printed beside what carom computes.
///
/// How to add a paper:
///  1. `papers/<key>/published.toml` holds what the paper prints (format: PublishedPaper below and
///     any of the existing files), what each number rests on, and the reasons for differences. It
///     is compiled in.
///  2. `papers/<key>/README.md` says for people what is reproduced and under which conventions;
///     `papers/README.md` lists every equation, figure, table and claim and where it is.
///  3. `src/papers/<key>.cpp` has `void reproduce_<key>(Reproduction&)`, which computes and calls
///     `set` for every number listed, `add` for numbers the paper does not print, `check` for every
///     reason, and `draw` for the figures. Verdicts follow from the numbers; there is no way to
///     state one.
///  4. One line in src/papers/registry.cpp, one declaration in src/papers/registry.hpp, the key and
///     the source in src/papers/CMakeLists.txt.
///  5. `tests/papers/<key>_test.cpp` with one test that makes a CheckedPaper (each number computed,
///     each difference with a reason that holds, JSON whole) and expects its counts.
namespace carom {

/// What a published number is, which decides what agreement with it is worth.
enum class Basis {
  printed,     ///< the paper's result, computed here from what the paper states
  inferred,    ///< the same, with a convention that was inferred; the note says from what
  recomputed,  ///< the paper's numbers against each other, or inputs recovered from this number
  claim,       ///< words of the paper; the number is our criterion for them
  time,        ///< a computing time
};

/// One number of a paper: a cell of a table, a constant, a claim.
struct PublishedNumber {
  std::string quantity;                       ///< for a table cell: "<column> <row>"
  std::optional<PrintedNumber> printed = {};  ///< none: the paper shows it only as a curve, or not
  std::string unit = {};                      ///< for people; empty when the quantity says it
  std::string note = {};     ///< what to know about it: the convention, the words of a claim
  std::string because = {};  ///< id of the reason why ours differs or does not come out
  Basis basis = Basis::printed;
  bool reproducible = true;  ///< false: known not to come out
};

/// Why numbers differ. Its code tests it: Reproduction::check.
struct PublishedReason {
  std::string id, text;
};

/// A table, figure or equation of a paper, with its numbers in reading order.
struct PublishedItem {
  std::string name;   ///< "Table II(b)", "Fig. 5", "eq. 17"
  std::string title;  ///< one line
  std::string text;   ///< what it shows and the conventions behind it; empty lines part paragraphs
  std::vector<std::string> columns = {}, rows = {};  ///< of a table; empty for a list of numbers
  std::vector<PublishedNumber> numbers = {};
  bool timed = false;  ///< has computing times of this machine
};

/// papers/<key>/published.toml, read:
///   [paper] key, title, authors, source, summary, bibtex
///   [[reason]] id, text
///   [[item]] name, title, text, timed, and for a table: columns, rows, published = rows of cell
///   texts ("" where the table is empty, "?" where only we have a number; left out when all are
///   "?"). basis, note and because hold for all its published numbers that do not say otherwise.
///   [[item.number]] quantity, unit, published or claim, and any of basis, note, because,
///   reproducible, last_digit
///   [[item.note]] cells = quantities of the table the same keys hold for
/// `claim` is a criterion in the notation of `published` ("<0.1", ">2", "3..4"), basis claim.
/// last_digit is for numbers whose text does not show how well they are known.
struct PublishedPaper {
  std::string key, title, authors, source, summary, bibtex;
  std::vector<PublishedReason> reasons;
  std::vector<PublishedItem> items;
};
PublishedPaper read_published(std::string_view toml);

/// One line of the result.
struct PaperItem {
  std::string paper, item, quantity;
  std::optional<double> published = {}, ours = {};
  Verdict verdict = Verdict::no_published_number;
  std::string reason = {};     ///< the note, and the reason of a difference
  std::string evidence = {};   ///< what the code found when it tested the reason
  bool reason_holds = false;   ///< it was tested in this run, and holds
  std::string printed = {};    ///< the published number as it stands on paper
  std::string criterion = {};  ///< of a claim: our number for the paper's words
  std::string unit = {};
};

/// How many lines have each verdict, in the order of Verdict.
using VerdictCounts = std::array<int, verdict_count>;
VerdictCounts count_verdicts(const std::vector<PaperItem>& items);

struct PaperFigure {
  std::string item, caption;
  Figure figure;
};

struct PaperSound {
  std::string item, caption;
  double rate;  ///< [Hz]
  std::vector<double> samples;
};

/// What a paper's code fills, and the verdicts that follow.
class Reproduction {
 public:
  /// quick: only what takes a few seconds; numbers that are not set are then left out.
  Reproduction(PublishedPaper paper, bool quick, std::function<void(double)> progress = {});

  bool quick() const noexcept { return quick_; }
  const PublishedPaper& paper() const noexcept { return paper_; }

  /// Says how far the computation is, 0..1.
  void report(double fraction) const {
    if (progress_) progress_(fraction);
  }
  void stop_reporting() { progress_ = nullptr; }  ///< done; who listened may be gone

  /// Our value of a number that published.toml lists. NaN: we have none either, and the verdict is
  /// not-reproducible. Throws std::logic_error when the number is not listed.
  void set(const std::string& item, const std::string& quantity, double ours);
  /// A number that the paper does not print.
  void add(const std::string& item, const std::string& quantity, double ours,
           const std::string& note = {}, const std::string& unit = {});
  /// What the code found about a reason of published.toml: whether it holds, and the numbers it
  /// was decided by. Every number that differs must name a reason that holds.
  void check(const std::string& reason, bool holds, const std::string& evidence);
  /// The number as printed, of an item that has it.
  const PrintedNumber& published(const std::string& item, const std::string& quantity) const;
  double printed(const std::string& item, const std::string& quantity) const {
    return published(item, quantity).value;
  }

  /// A picture of ours for the item; an item can have several.
  void draw(const std::string& item, const std::string& caption, Figure figure);

  /// A few seconds of sound for the item, in any unit.
  void hear(const std::string& item, const std::string& caption, double rate,
            std::vector<double> samples);

  /// In the order of published.toml, the numbers of `add` behind those of their item.
  /// Throws std::logic_error when a listed number was not set (unless quick).
  std::vector<PaperItem> items() const;
  const std::vector<PaperFigure>& figures() const noexcept { return figures_; }
  const std::vector<PaperSound>& sounds() const noexcept { return sounds_; }

 private:
  struct Value {
    std::string item, quantity, note, unit;
    double ours;
  };
  struct Check {
    std::string reason, evidence;
    bool holds;
  };
  const PublishedItem& find(const std::string& item) const;
  PaperItem judged(const PublishedItem& item, const PublishedNumber& number, double ours) const;

  PublishedPaper paper_;
  bool quick_;
  std::function<void(double)> progress_;
  std::vector<Value> values_, additions_;
  std::vector<Check> checks_;
  std::vector<PaperFigure> figures_;
  std::vector<PaperSound> sounds_;
};

}  // namespace carom
