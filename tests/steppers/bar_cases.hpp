#pragma once

#include <numbers>

#include <carom/steppers/bar_drop.hpp>

/// The bar of paoli2007 for tests.
namespace carom::cases {

constexpr double degree = std::numbers::pi / 180;

/// The bar of the paper, except that it starts 0.1 ms before it lands: in undisturbed fall nothing
/// happens before, and the time is better spent on impacts. Times count from the paper's start.
struct Late {
  double offset;  ///< [s]
  BarStart start;
};
inline Late late_start(double angle_degrees, double before = 1e-4) {
  const double speed = 1.0351874226438418, first = 0.0035868932358656246;
  const double v = speed - 9.81 * before;
  return {first - before,
          {.angle = angle_degrees * degree,
           .height = 0.00635 + v * before + 0.5 * 9.81 * before * before,
           .speed = v}};
}

inline BarDrop paper_drop(int model, BarMethod method, double e, double angle) {
  BarDrop drop;
  drop.model = model == 1 ? BarModel::spiral : BarModel::pairs;
  drop.method = method;
  drop.law = NewtonRestitution{e};
  drop.start = late_start(angle).start;
  return drop;
}

}  // namespace carom::cases
