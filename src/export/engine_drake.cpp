#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"

// Drake (compliant point contact): f = k x (1 + d v), both >= 0. A continuous plant integrates just
// that. A discrete one solves f = k (x + h v') (1 + d v') for the velocity v' at the end of the
// step (sap_hunt_crossley_constraint.h; "lagged" and "similar" are the same in the normal
// direction).

namespace carom {
namespace {

EngineStep lagged_hunt_crossley(double K, double d, double h) {
  return [=](double& x, double& v) {
    bool force = false;
    if (x > 0) {
      const double least = d > 0 ? std::max(-x / h, -1 / d) : -x / h;
      if (v > least) {
        // h K (x + h v') (1 + d v') + v' - v = 0: the larger root, where both factors are positive.
        const double a = h * h * K * d, b = 1 + h * K * (h + d * x), c = h * K * x - v;
        v = -2 * c / (b + std::sqrt(std::max(0.0, b * b - 4 * a * c)));
        force = true;
      }
    }
    x += h * v;
    return force;
  };
}

}  // namespace

static EngineSetting drake_setting(const Wanted& wanted) {
  require_contact_time(wanted, "Drake");
  const double m = wanted.mass;
  const HuntCrossley law = as_hunt_crossley(wanted, 1.0);
  EngineSetting setting;
  setting.name = "law";
  double k = law.stiffness, d = law.mu;
  if (wanted.timestep) {
    const double h = wanted.step(), T = wanted.contact_time;
    const auto at = [=](double K, double loss, double speed) {
      return over_phases(lagged_hunt_crossley(K, loss, h), h, speed, T);
    };
    setting.naive =
        Naive{.parameters = {{"hunt_crossley_dissipation", d}, {"point_contact_stiffness", k}},
              .outcome = [=](double speed) { return at(k / m, d, speed); },
              .what = "stiffness and dissipation of the continuous law"};
    // The step itself loses energy: less dissipation, and the stiffness that keeps the time.
    for (int i = 0; i < 8; ++i) {
      d = loss_with_restitution(
          [&](double loss) { return at(k / m, loss, wanted.speed).restitution; },
          wanted.restitution, std::max(law.mu, 1e-3 / wanted.speed));
      const double ratio = at(k / m, d, wanted.speed).contact_time / T;
      k *= ratio * ratio;
      if (std::abs(ratio - 1) < 1e-3) break;
    }
    setting.outcome = [=](double speed) { return at(k / m, d, speed); };
    if (d == 0)
      setting.warnings.push_back(
          "at this step even without dissipation too much is lost: shorten the time step");
  } else {
    setting.outcome = exact_outcome(law, m);
    setting.warnings.push_back(
        "for a continuous plant; for a discrete one give its --timestep: the step itself loses "
        "energy");
  }
  setting.parameters = {{"hunt_crossley_dissipation", d}, {"point_contact_stiffness", k}};
  setting.snippet = fmt::format(
      "<!-- SDF and URDF; two such bodies: stiffness 2 k on both, the same dissipation -->\n"
      "<drake:proximity_properties>\n"
      "  <drake:hunt_crossley_dissipation>{0}</drake:hunt_crossley_dissipation>\n"
      "  <drake:point_contact_stiffness>{1}</drake:point_contact_stiffness>\n"
      "</drake:proximity_properties>\n"
      "# Python\n"
      "props.AddProperty(\"material\", \"hunt_crossley_dissipation\", {0})\n"
      "props.AddProperty(\"material\", \"point_contact_stiffness\", {1})\n",
      digits(d), digits(k));
  setting.kept = is_hunt_crossley(wanted, 1.0) ? "the law itself, f = k x (1 + mu v)"
                                               : "restitution that falls with speed, as of "
                                                 "Hunt-Crossley with exponent 1";
  setting.warnings.push_back(
      "k is that of the pair: stiffnesses of two compliant bodies are in series, dissipations are "
      "weighted by them; a rigid partner leaves them as they are");
  return setting;
}

Engine drake_engine() {
  return {{"drake", "Drake", "1.3x", false, false,
           "Hunt-Crossley with exponent 1, SDF, URDF and Python"},
          drake_setting};
}

}  // namespace carom
