#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/impact_contacts.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/systems/bar.hpp>

namespace carom {

enum class BarModel { spiral, pairs };  ///< models 1 and 2 of paoli2007
enum class BarMethod {
  paoli_schatzman,  ///< of Newton's law
  moreau_jean,      ///< of Newton's law
  event_driven,     ///< any: NewmarkImpacts for Newton's law, collocation for a compliant one
  passive,          ///< of a compliant law: collocation that closes the energy
  rk4,              ///< of a compliant law, as all that follow: one step a sample
  heun,
  verlet,
  trapezoid,
};

/// A vibration of the bar before it lands, paoli2007 Sect. 5.4.
struct BarExcitation {
  double fraction = 0.0;  ///< eta: its energy over the initial kinetic energy, >= 0
  double phase = 0.0;     ///< [rad]; 0 is largest displacement at the start
  int mode = 0;           ///< bending mode, 0 the lowest
};

/// The experiment of paoli2007: a bar dropped on a rigid floor. Only the hemisphere can touch.
struct BarDrop {
  BarModel model = BarModel::pairs;
  BarSettings bar = {};
  BarStart start = {};
  BarExcitation excitation = {};
  LawChoice law = NewtonRestitution{};
  BarMethod method = BarMethod::paoli_schatzman;
  /// [s], > 0; collocation chooses its own steps and is looked at this often.
  double step = 1e-7;
  ImpactInstant instant = ImpactInstant::resolved;  ///< of the event-driven method
  FlightRule flight = FlightRule::midpoint;         ///< of the event-driven method
  double theta = 0.5;                               ///< of Moreau-Jean, 1/2..1
  /// Without a duration the run ends when the bar has been off the floor for `averaging`.
  std::optional<double> duration;  ///< [s], > 0
  double averaging = 2.5e-3;       ///< over which the rebound speed is averaged [s], > 0
  double longest = 0.1;            ///< a run without rebound ends here [s], > 0
  double separation = 50e-6;       ///< contacts further apart are different intervals [s], > 0
};

/// Throws InvalidInput.
void validate(const BarDrop& drop);

struct BarContactInterval {
  double begin;    ///< [s]
  double end;      ///< [s]
  double impulse;  ///< [N s]
  int impacts;
};

/// Energy in all steps after the first impact, as in paoli2007 Tables 2-5.
struct BarEnergy {
  double expected = 0.0;   ///< W_exp, at the start [J]
  double highest = 0.0;    ///< [J]
  double lowest = 0.0;     ///< [J]
  double mean = 0.0;       ///< [J]
  double deviation = 0.0;  ///< standard deviation [J]
};

struct BarDropResult {
  /// Mean upward speed of the tip over `averaging` after the last contact, over the impact speed;
  /// empty if the run ended before that.
  std::optional<double> apparent_restitution;
  std::optional<double> first_impact_time;  ///< [s]
  double last_contact_time = 0.0;           ///< [s]
  double impact_speed = 0.0;                ///< of the tip in undisturbed fall [m/s]
  /// Touches of a compliant law and impacts of the event-driven method; for the others runs of
  /// consecutive steps with an impulse.
  int impacts = 0;
  std::vector<double> impact_times;  ///< [s], the first 1000
  std::vector<BarContactInterval> intervals;
  BarEnergy energy;
  Ledger ledger;
  StepReport report;
  double time = 0.0;  ///< simulated [s]
  long long steps = 0;
};

/// What a recorder sees.
struct BarSample {
  double time;               ///< [s]
  const Eigen::VectorXd& q;  ///< x0, y0, angles, extensions
  const Eigen::VectorXd& v;
  double impulse;     ///< of the floor since the last sample [N s]
  double kinetic;     ///< [J]
  double energy;      ///< kinetic and potential [J]
  double dissipated;  ///< so far [J]
};

struct BarRecorder {
  int every = 100;                               ///< steps between samples, >= 1
  std::function<bool(const BarSample&)> sample;  ///< false ends the run
  ResumeRun resume = {};                         ///< its state may be used within sample()
};

/// 1/(G M^-1 G^T) of the tip at the start [kg].
double tip_mass(const BarDrop& drop);
/// Of the tip in undisturbed fall [m/s].
double impact_speed(const BarDrop& drop);

/// Why the method cannot step the law; empty if it can.
std::string refusal(BarMethod method, const LawChoice& law);

BarDropResult drop_bar(const BarDrop& drop, const BarRecorder& recorder = {});

/// Tip, joints and far end of the bar, for drawing: 2 x (n + 1).
Eigen::Matrix2Xd bar_outline(const BarDrop& drop, const Eigen::VectorXd& q);

/// The longest stable step of the explicit schemes, 2/omega of the fastest vibration [s].
double stable_step(const BarDrop& drop);

}  // namespace carom
