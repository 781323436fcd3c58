#pragma once

#include <string>
#include <string_view>

namespace carom {

/// What can be said of a number of ours. In JSON by the names of verdict_name.
enum class Verdict {
  reproduced,           ///< half a unit of the last printed digit, or the paper's own accuracy
  inferred,             ///< the same, under a convention the paper does not state
  consistent,           ///< a claim without a printed number, checked and found to hold
  differs,              ///< for a reason that the code checks
  not_reproducible,     ///< known not to come out
  recomputed,           ///< the paper against itself, or from inputs recovered from the same number
  not_judged,           ///< a computing time
  no_published_number,  ///< ours alone
};
inline constexpr int verdict_count = 8;

/// "reproduced", "reproduced-by-inferred-convention", "consistent", "differs", "not-reproducible",
/// "recomputed", "not-judged", "no published number".
std::string_view verdict_name(Verdict verdict) noexcept;

/// A number as it stands on paper. Its last digit says how well it is known, so that agreement can
/// be judged from the text alone: "0.255" is known to 0.001, "+2e-5" to 1e-5, "19" to 1.
/// Also understood: "44/135" (exact: equal to 1e-12), "<1e-7" (a bound on the magnitude), ">2" (a
/// lower bound) and "15..40" (a range).
struct PrintedNumber {
  enum class Kind { value, below, above, range };
  std::string text;
  Kind kind = Kind::value;
  double value = 0.0;       ///< the number; the bound of "<" and ">"; the lower end of a range
  double high = 0.0;        ///< the upper end of a range
  double last_digit = 0.0;  ///< one unit of the last printed digit
};

/// Throws std::logic_error when the text is none of the above: data files are our own.
PrintedNumber read_printed(const std::string& text);

/// Within half a unit of the last printed digit; beyond the bound; inside the range.
bool agrees(const PrintedNumber& printed, double ours) noexcept;

}  // namespace carom
