#include "recurrence.hpp"

#include <algorithm>
#include <cmath>

namespace carom {

int phases_of(double steps) { return steps < 1e3 ? 64 : steps < 1e5 ? 8 : 1; }

Outcome over_phases(const EngineStep& step, double timestep, double speed, double contact_time) {
  const double steps = contact_time / timestep;
  const int phases = phases_of(steps);
  const auto longest = static_cast<long>(20 * steps) + 1000;
  Outcome out{.lowest = 1e300, .highest = -1e300};
  for (int i = 0; i < phases; ++i) {
    double x = -(i + 0.5) / phases * timestep * speed, v = speed, deepest = 0;
    long touching = 0;
    bool left = false;
    for (long n = 0; n < longest && !left; ++n) {
      const bool force = step(x, v);
      touching += force;
      deepest = std::max(deepest, x);
      left = !force && v < 0;
      if (!std::isfinite(x)) break;
    }
    const double e = left ? -v / speed : 0;
    out.restitution += e / phases;
    out.lowest = std::min(out.lowest, e);
    out.highest = std::max(out.highest, e);
    out.contact_time += static_cast<double>(touching) * timestep / phases;
    out.max_compression += deepest / phases;
  }
  return out;
}

EngineStep explicit_spring(double K, double B, double timestep) {
  return [=](double& x, double& v) {
    const double f = x > 0 ? std::max(0.0, K * x + B * v) : 0.0;
    v -= timestep * f;
    x += timestep * v;
    return f > 0;
  };
}

EngineStep implicit_spring(double K, double B, double timestep) {
  const double h = timestep;
  return [=](double& x, double& v) {
    bool force = false;
    if (x > 0) {
      const double after = (v - h * K * x) / (1 + h * B + h * h * K);
      force = after < v;  // a constraint pushes only
      if (force) v = after;
    }
    x += h * v;
    return force;
  };
}

EngineStep impulse(double restitution, double timestep, double threshold) {
  return [=](double& x, double& v) {
    const bool turns = x > 0 && v > 0;
    if (turns) v = v > threshold ? -restitution * v : 0.0;
    x += timestep * v;
    return turns;
  };
}

}  // namespace carom
