#pragma once

#include <string>
#include <string_view>

namespace carom {

/// How a number of ours compares with one a paper prints.
enum class Verdict { reproduced, differs, not_reproducible, no_published_number };

/// "reproduced", "differs", "not-reproducible", "no published number".
std::string_view verdict_name(Verdict verdict) noexcept;

/// A number as it stands on paper. Its last digit says how well it is known, so that agreement can
/// be judged from the text alone: "0.255" is known to 0.001, "+2e-5" to 1e-5, "19" to 1.
/// Also understood: "44/135" (exact: equal to 1e-12), "<1e-7" (a bound on the magnitude) and
/// "15..40" (a range).
struct PrintedNumber {
  enum class Kind { value, below, range };
  std::string text;
  Kind kind = Kind::value;
  double value = 0.0;       ///< the number; the bound of "<"; the lower end of a range
  double high = 0.0;        ///< the upper end of a range
  double last_digit = 0.0;  ///< one unit of the last printed digit
};

/// Throws std::logic_error when the text is none of the above: data files are our own.
PrintedNumber read_printed(const std::string& text);

/// Within one unit of the last printed digit; below the bound; inside the range.
bool agrees(const PrintedNumber& printed, double ours) noexcept;

}  // namespace carom
