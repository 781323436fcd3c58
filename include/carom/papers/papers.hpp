#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carom/papers/reproduction.hpp>
#include <carom/scenario/json.hpp>

namespace carom {

/// The papers that can be reproduced, in the order of the reports.
std::span<const std::string_view> paper_keys() noexcept;

/// Computes everything a paper shows; `progress` hears how far it is, 0..1. Throws InvalidInput for
/// an unknown key.
Reproduction reproduce(std::string_view key, bool quick = false,
                       std::function<void(double)> progress = {});

/// The list of contract `carom papers --json`.
Json to_json(std::span<const PaperItem> items);

/// A paper with its figures drawn by gnuplot, in their order.
struct DrawnPaper {
  Reproduction paper;
  std::vector<std::string> figures;  ///< SVG

  explicit DrawnPaper(Reproduction reproduction);
  /// "papetti2011_fig_5.svg": a name for a figure, unique among those of the paper.
  std::string file_name(std::size_t figure) const;
};

/// One self-contained page about a paper, figures inside. `site`: the keys of all papers that have
/// a page beside it, for the way there.
std::string paper_page(const DrawnPaper& paper, std::span<const std::string> site = {});

/// The front page: what was reproduced, paper by paper.
std::string paper_index(std::span<const Reproduction> papers);

/// "Of 80 printed numbers ...": the counts in a sentence or two that can be quoted.
std::string paper_summary(const Reproduction& paper);

/// The papers and carom itself, for a bibliography. `key`: one of paper_keys(), "carom" or "all".
/// Throws InvalidInput for an unknown key.
std::string bibtex(std::string_view key);

/// Processor, compiler and version behind the times of a page.
std::string machine_text();

}  // namespace carom
