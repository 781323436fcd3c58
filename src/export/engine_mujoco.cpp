#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"

// MuJoCo 2.2 and later (engine_core_constraint.c: mj_makeImpedance; documentation, "Solver
// parameters"). With solref = (-K, -B) and a constant impedance d the contact accelerates the body
// by K r + B v per unit mass, whatever d, mass, condim and cone; forces act on the state at the
// beginning of the step. An impedance d(r) that varies makes it d (K d r/dmax^2 + B v/dmax).

namespace carom {
namespace {

/// solimp as shipped: 0.9 0.95 0.001 0.5 2.
double shipped_impedance(double r) {
  const double u = std::min(1.0, std::abs(r) / 0.001);
  const double y = u <= 0.5 ? 2 * u * u : 1 - 2 * (1 - u) * (1 - u);
  return 0.9 + 0.05 * y;
}

Naive mujoco_textbook(const Wanted& wanted) {
  const double h = wanted.step(), T = wanted.contact_time;
  const UnitSpring book = textbook_spring(wanted.restitution, T);
  const EngineStep step = [=](double& x, double& v) {
    constexpr double most = 0.95;
    const double d = shipped_impedance(x);
    const double f =
        x > 0 ? std::max(0.0, d * (book.K * d * x / (most * most) + book.B * v / most)) : 0.0;
    v -= h * f;
    x += h * v;
    return f > 0;
  };
  return {.parameters = {{"solref", {-book.K, -book.B}}, {"solimp", {0.9, 0.95, 0.001}}},
          .outcome = [=](double speed) { return over_phases(step, h, speed, T); },
          .what = "the textbook's spring with the default solimp"};
}

std::string mjcf(double K, double B, const Wanted& wanted) {
  return fmt::format(
      "<!-- restitution {:.4g} at {:g} m/s; valid for this time step only -->\n"
      "<option timestep=\"{}\"/>\n"
      "<contact>\n"
      "  <pair geom1=\"a\" geom2=\"b\" solref=\"{} {}\" solimp=\"0.9999 0.9999 0.001\"/>\n"
      "</contact>\n",
      wanted.restitution, wanted.speed, digits(wanted.step()), digits(-K), digits(-B));
}

}  // namespace

static EngineSetting mujoco_setting(const Wanted& wanted) {
  const double h = wanted.step(), e = wanted.restitution;
  EngineSetting setting;
  double K, B;
  if (as_spring(wanted)) {
    const MatchedSpring matched = matched_spring(wanted, Scheme::at_begin);
    K = matched.spring.K;
    B = matched.spring.B;
    setting.name = "spring";
    setting.outcome = matched.outcome;
  } else {
    // Within one step: v' = -(e - s/2) v - s x/h, and x/h is between 0 and v; s > 0 pushes out
    // what is left of the overlap.
    const double s = std::min(0.01, std::max(1 - e, 1e-9));
    K = s / (h * h);
    B = (1 + e - s / 2) / h;
    setting.name = "restitution";
    setting.outcome = [=](double speed) {
      return over_phases(explicit_spring(K, B, h), h, speed, h);
    };
  }
  setting.parameters = {{"solref", {-K, -B}}, {"solimp", {0.9999, 0.9999, 0.001}}, {"timestep", h}};
  setting.snippet = mjcf(K, B, wanted);
  if (!std::isnan(wanted.contact_time)) setting.naive = mujoco_textbook(wanted);
  setting.warnings = {
      "set it on a <pair>, or on one geom with priority=\"1\": two geoms without priority take the "
      "smaller of each entry",
      "integrator Euler or implicit; RK4 evaluates the contact four times a step and gives another "
      "restitution"};
  return setting;
}

Engine mujoco_engine() {
  return {{"mujoco", "MuJoCo", "2.2.2, 3.14", true, true, "spring or restitution, MJCF"},
          mujoco_setting};
}

}  // namespace carom
