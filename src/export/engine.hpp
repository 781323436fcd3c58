#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <carom/export/engine_export.hpp>

#include "recurrence.hpp"
#include "spring_match.hpp"

/// What an engine's file provides; engine_NAME.cpp has its formulas, catalogue.cpp its line.
namespace carom {

/// The impact that the engine shall reproduce.
struct Wanted {
  LawChoice law;
  double mass, speed, restitution;
  double contact_time;  ///< NaN: Newton's law has none
  std::optional<double> timestep, radius;
  ExportSetting setting;

  const AnyLaw* compliant() const { return std::get_if<AnyLaw>(&law); }
  double step() const { return timestep.value(); }
  double steps() const { return contact_time / step(); }
};

/// How an engine answers at another speed.
using OutcomeAt = std::function<Outcome(double speed)>;

/// What people usually type, for comparison.
struct Naive {
  Json parameters;
  OutcomeAt outcome;
  std::string what;  ///< one phrase
};

struct EngineSetting {
  std::string name;  ///< "spring", "restitution", "law"
  Json parameters;   ///< as the engine spells them
  std::string snippet;
  OutcomeAt outcome;
  std::string kept = {};  ///< beyond restitution and contact time
  std::vector<std::string> warnings = {};
  std::optional<Naive> naive = {};
};

struct Engine {
  EngineInfo info;
  EngineSetting (*setting)(const Wanted&);
};

const std::vector<Engine>& engines();

/// Whether the contact goes to the engine as a spring: as asked for, else where at least
/// `fewest_steps` steps resolve it. Throws InvalidInput where a spring was asked for and the law
/// has no contact time.
bool as_spring(const Wanted& wanted);
inline constexpr double fewest_steps = 3;  ///< below it the phase decides about the rebound

/// A restitution typed as a number, turned within one step above a threshold [m/s].
EngineSetting number_setting(const Wanted& wanted, Json parameters, std::string snippet,
                             double threshold = 0);
/// The same as shipped: a threshold [m/s] below which nothing rebounds.
Naive shipped_number(const Wanted& wanted, Json parameters, double threshold);

/// Springs of unit mass by a scheme, matched and as the textbook has them.
struct MatchedSpring {
  UnitSpring spring;
  OutcomeAt outcome;
  Naive textbook;  ///< without its parameters
};
MatchedSpring matched_spring(const Wanted& wanted, Scheme scheme);

/// The exact impact of a law in continuous time, for engines that choose their steps themselves.
OutcomeAt exact_outcome(const AnyLaw& law, double mass);

/// The law as f = k x^n + c x^p v where it is one: power law, Hunt-Crossley, dampers.
struct PowerTerms {
  double k, n, c, p;
};
std::optional<PowerTerms> power_terms(const AnyLaw& law);

/// Hunt-Crossley with this exponent and the wanted restitution and contact time; the law itself
/// where it is one.
HuntCrossley as_hunt_crossley(const Wanted& wanted, double exponent);
bool is_hunt_crossley(const Wanted& wanted, double exponent);

/// Throws InvalidInput where the law has no contact time but the engine needs one.
void require_contact_time(const Wanted& wanted, std::string_view engine);

/// Throws InvalidInput where a spring was asked for and the engine takes a restitution only.
void refuse_spring(const Wanted& wanted, std::string_view engine);

/// A spring with a damper that is evaluated at the beginning of the step and never pulls, as
/// programs for grains have it. `spelled` makes their parameters of it.
EngineSetting grain_setting(const Wanted& wanted, std::string_view engine,
                            const std::function<Json(const UnitSpring&)>& spelled);

// Phrases that several engines need.
std::string per_mass(const Wanted& wanted);
std::string matched_text(std::string_view what, double exponent);
/// Warns that a time step was given to an integrator that chooses its own.
void note_own_steps(const Wanted& wanted, EngineSetting& setting);

/// Numbers of snippets: shortest text with 9 digits.
std::string digits(double value);

// Each from its own file.
Engine mujoco_engine();
Engine drake_engine();
Engine bullet_engine();
Engine ode_engine();
Engine sdf_engine();
Engine simbody_engine();
Engine chrono_engine();
Engine physx_engine();
Engine rapier_engine();
Engine jolt_engine();
Engine box2d_engine();
Engine exudyn_engine();
Engine dart_engine();
Engine yade_engine();
Engine lammps_engine();
Engine adams_engine();
Engine modelica_engine();

}  // namespace carom
