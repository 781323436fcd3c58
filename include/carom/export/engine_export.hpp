#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/scenario/json.hpp>

namespace carom {

/// A physics engine that laws can be exported to.
struct EngineInfo {
  std::string_view name;     ///< as people write it: "mujoco"
  std::string_view title;    ///< "MuJoCo"
  std::string_view version;  ///< what the mapping was checked with
  bool run;                  ///< checked by running it; false: by its sources only
  bool needs_timestep;       ///< its parameters depend on the time step
  std::string_view summary;  ///< what it can be given, one phrase
};

std::vector<EngineInfo> engine_catalogue();

/// How the contact is given to an engine that knows several ways.
enum class ExportSetting {
  automatic,    ///< a spring where the time step resolves it, else a restitution
  spring,       ///< stiffness and damping: keeps the contact time
  restitution,  ///< a number that acts within one step
};

struct ExportRequest {
  LawChoice law;
  Collision collision;                  ///< the impact that the engine shall reproduce
  std::optional<double> timestep = {};  ///< of the engine [s]
  std::optional<double> radius = {};    ///< of the ball [m], for engines that want moduli
  ExportSetting setting = ExportSetting::automatic;
};

/// The law as parameters of an engine: {"engine", "version_checked", "checked", "setting",
/// "parameters", "snippet", "expected", "naive", "kept", "lost", "warnings"}. What the engine will
/// give is found by running its own recurrence in a contact, at many phases between the onset and
/// the time grid. Throws InvalidInput where the engine has no place for such a law.
Json export_law(std::string_view engine, const ExportRequest& request);

}  // namespace carom
