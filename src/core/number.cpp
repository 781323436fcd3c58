#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/number.hpp>

namespace carom {

#if defined(__cpp_lib_to_chars)

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return {};
  return value;
}

static std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

#else  // a library without them for doubles: libc++ 14, which the browser's build uses

std::optional<double> parse_number(std::string_view text) {
  // What strtod takes and from_chars does not: blanks, a plus sign, hexadecimal digits.
  if (text.empty() || text.find_first_of(" \t\n\v\f\rxX") != text.npos || text.front() == '+')
    return {};
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return {};
  if (std::isinf(value) && text.find_first_of("iI") == text.npos) return {};  // out of range
  return value;
}

static std::string shortest(double value) {
  char buffer[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
}

#endif

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return shortest(value);
}

}  // namespace carom
