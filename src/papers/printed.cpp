#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <carom/papers/printed.hpp>

namespace carom {
namespace {

double read_value(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0') {
    throw std::logic_error("'" + copy + "' is not a printed number");
  }
  return value;
}

/// One unit of the last digit of "+1.95", "2e-5", "300".
double last_digit_of(std::string_view text) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  double exponent =
      exponent_at == std::string_view::npos ? 0 : read_value(text.substr(exponent_at + 1));
  const std::size_t point = mantissa.find('.');
  if (point != std::string_view::npos) exponent -= double(mantissa.size() - point - 1);
  return std::pow(10.0, exponent);
}

}  // namespace

std::string_view verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::inferred:
      return "reproduced-by-inferred-convention";
    case Verdict::consistent:
      return "consistent";
    case Verdict::differs:
      return "differs";
    case Verdict::not_reproducible:
      return "not-reproducible";
    case Verdict::recomputed:
      return "recomputed";
    case Verdict::not_judged:
      return "not-judged";
    case Verdict::no_published_number:
      break;
  }
  return "no published number";
}

PrintedNumber read_printed(const std::string& text) {
  PrintedNumber printed{.text = text};
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos) {
    printed.kind = PrintedNumber::Kind::range;
    printed.value = read_value(std::string_view(text).substr(0, dots));
    printed.high = read_value(std::string_view(text).substr(dots + 2));
  } else if (text.starts_with('<') || text.starts_with('>')) {
    printed.kind = text.starts_with('<') ? PrintedNumber::Kind::below : PrintedNumber::Kind::above;
    printed.value = read_value(std::string_view(text).substr(1));
  } else if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
    printed.value = read_value(std::string_view(text).substr(0, slash)) /
                    read_value(std::string_view(text).substr(slash + 1));
    if (!std::isfinite(printed.value)) throw std::logic_error("'" + text + "' is not a number");
    printed.last_digit = 1e-12 * std::abs(printed.value);
  } else {
    printed.value = read_value(text);
    printed.last_digit = last_digit_of(text);
  }
  return printed;
}

bool agrees(const PrintedNumber& printed, double ours) noexcept {
  switch (printed.kind) {
    case PrintedNumber::Kind::below:
      return std::abs(ours) < printed.value;
    case PrintedNumber::Kind::above:
      return ours > printed.value;
    case PrintedNumber::Kind::range:
      return printed.value <= ours && ours <= printed.high;
    case PrintedNumber::Kind::value:
      break;
  }
  // The slack is rounding of the decimal texts, far below any printed digit.
  return std::abs(ours - printed.value) <= 0.5 * printed.last_digit * (1 + 1e-9);
}

}  // namespace carom
