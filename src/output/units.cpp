#include "units.hpp"

#include <cmath>

#include <fmt/format.h>

namespace carom {

ScaledUnit unit_for(double size, const std::string& unit) {
  struct Prefix {
    double factor;
    const char* sign;
  };
  static constexpr Prefix prefixes[] = {{1e9, "G"},  {1e6, "M"},  {1e3, "k"},  {1, ""},
                                        {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}};
  const bool scaled =
      unit == "s" || unit == "m" || unit == "N" || unit == "J" || unit == "Hz" || unit == "N s";
  if (!scaled || !(std::abs(size) > 0)) return {1, unit};
  for (const Prefix& prefix : prefixes) {
    if (unit == "m" && prefix.factor > 1) continue;  // kilometres are no help here
    if (std::abs(size) >= prefix.factor * 0.9995) return {prefix.factor, prefix.sign + unit};
  }
  return {1, unit};
}

std::pair<std::string, std::string> for_people(double value, const std::string& unit) {
  if (!std::isfinite(value)) return {"–", unit};
  if (unit.empty() && value == std::round(value) && std::abs(value) < 1e7) {
    return {fmt::format("{:.0f}", value), unit};  // a count
  }
  const ScaledUnit scaled = unit_for(value, unit);
  return {fmt::format("{:.4g}", value / scaled.factor), scaled.name};
}

double round_tick(double range, int max_ticks) {
  if (!(range > 0) || !std::isfinite(range)) return 1;
  const double raw = range / max_ticks, decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * decade >= raw) return step * decade;
  }
  return 10 * decade;
}

}  // namespace carom
