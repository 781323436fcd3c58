#include "result_unit.hpp"

namespace carom {

std::string_view result_unit(std::string_view path) noexcept {
  const std::string_view name = path.substr(path.rfind('.') + 1);
  const auto ends = [name](std::string_view word) {
    return name.ends_with(word) &&
           (name.size() == word.size() || name[name.size() - word.size() - 1] == '_');
  };
  if (ends("percent")) return "%";
  if (ends("db")) return "dB";
  if (ends("time") || ends("seconds")) return "s";
  if (ends("speed") || name.starts_with("speed_")) return "m/s";
  if (path.find(".velocities") != std::string_view::npos) return "m/s";
  if (ends("force")) return "N";
  if (ends("impulse")) return "N s";
  if (ends("compression")) return "m";
  if (ends("frequency")) return "Hz";
  if (ends("mass")) return "kg";
  if (name.starts_with("energy_")) return "J";
  if (name == "relative_residual") return "";
  const bool ledger = path.starts_with("energy.") || path.starts_with("results.energy.");
  if (ledger && (ends("initial") || ends("final") || ends("injected") || ends("dissipated") ||
                 ends("residual")))
    return "J";
  return "";
}

}  // namespace carom
