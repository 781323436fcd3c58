// Bouncing ball, column of three balls and the bar by carom's Moreau-Jean, as JSON for
// siconos_compare.py, which runs the same by Siconos.

#include <cstdio>
#include <ctime>
#include <numbers>

#include <carom/steppers/moreau_jean.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/small_systems.hpp>

namespace {

using namespace carom;

template <class S>
void run(const char* name, const S& system, double e, const MotionState& start, double step,
         double until, const char* end) {
  MoreauJean stepper(system, {NewtonRestitution{e}}, start, {.common = {.step = step}});
  const std::clock_t begin = std::clock();
  long steps = 0;
  march(stepper, until - 0.5 * step, [&](const auto&) { ++steps; });
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("\"%s\": {\"steps\": %ld, \"us_per_step\": %.6g", name, steps,
              1e6 * seconds / static_cast<double>(steps));
  const auto list = [](const char* key, const Eigen::VectorXd& values) {
    std::printf(", \"%s\": [", key);
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      std::printf("%s%.17g", i > 0 ? ", " : "", values[i]);
    }
    std::printf("]");
  };
  list("position", stepper.position());
  list("velocity", stepper.velocity());
  std::printf("}%s\n", end);
}

}  // namespace

int main() {
  std::printf("{\n");
  run("ball", BouncingPoint{}, 0.9, {Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Zero(1)},
      1e-4, 2.0, ",");
  const BallColumn column{.masses = Eigen::Vector3d(1.0, 2.0, 3.0), .radius = 0.01};
  run("column", column, 0.0, {Eigen::Vector3d(0.02, 0.05, 0.08), Eigen::VectorXd::Zero(3)}, 1e-4,
      0.3, ",");
  const BarPairs bar;
  for (const double e : {0.0, 0.5}) {
    for (const int angle : {30, 45, 60, 70, 80}) {
      for (const double step : {1e-7, 5e-8}) {
        char name[80];
        std::snprintf(name, sizeof name, "bar %d %.1f %.1e", angle, e, step);
        run(name, bar, e,
            bar.at({.angle = angle * std::numbers::pi / 180, .height = 0.0064535, .speed = 1.0342}),
            step, 1.6e-4, ",");
      }
    }
  }
  run("bar", bar, 0.0,
      bar.at({.angle = 0.5 * std::numbers::pi, .height = 0.0064535, .speed = 1.0342}), 1e-7, 6e-4,
      "");
  std::printf("}\n");
}
