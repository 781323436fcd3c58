// The same impact by Simbody, a general multibody code, for scale: a sphere hits a plane under its
// Hunt-Crossley force with gravity switched off. Prints error and CPU time at several accuracies.

#include <cmath>
#include <cstdio>
#include <ctime>

#include <carom/impact/hunt_crossley.hpp>
#include <carom/laws/conversions.hpp>

#include "simbody_sphere.hpp"

namespace {

constexpr SimbodySphere sphere{
    .mass = 0.01, .speed = 1.0, .radius = 0.01, .stiffness = 1e9, .dissipation = 0.3};

/// Simbody's force is 4/3 sqrt(R) E x^(3/2) (1 + 3/2 c v), where two equal bodies with the
/// stiffness parameter E_0 combine as E^(2/3) = E_0^(2/3)/2.
carom::HuntCrossley same_law() {
  return {.stiffness = 4.0 / 3 * std::sqrt(sphere.radius) * sphere.stiffness / std::pow(2, 1.5),
          .exponent = 1.5,
          .mu = carom::mu_of_simbody_dissipation(sphere.dissipation)};
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main() {
  const carom::HuntCrossley law = same_law();
  constexpr int exact_runs = 20'000;
  double begin = cpu_seconds();
  carom::Impact hit{};
  for (int i = 0; i < exact_runs; ++i) {
    hit = carom::impact(law, {.mass = sphere.mass, .speed = sphere.speed});
  }
  const double exact_time = (cpu_seconds() - begin) / exact_runs;
  std::printf("%-18s %22s %12s %14s %10s\n", "method", "rebound speed", "error", "CPU time [us]",
              "ratio");
  std::printf("%-18s %22.15g %12s %14.3g %10s\n", "exact", hit.rebound_speed, "-", 1e6 * exact_time,
              "1");
  for (const double accuracy : {1e-2, 1e-4, 1e-6, 1e-8}) {
    constexpr int runs = 5;
    double rebound = 0;
    begin = cpu_seconds();
    for (int i = 0; i < runs; ++i)
      rebound = rebound_by_simbody(sphere, accuracy, 1.02 * hit.contact_time);
    const double time = (cpu_seconds() - begin) / runs;
    std::printf("simbody %-10.0e %22.15g %12.2e %14.3g %10.0f\n", accuracy, rebound,
                rebound / hit.rebound_speed - 1, 1e6 * time, time / exact_time);
  }
  return 0;
}
