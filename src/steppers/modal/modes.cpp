#include "modes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <carom/core/double_double.hpp>

namespace carom::modal {
namespace {

/// Some number of steps of free flight of one mode, (q, dq) to (q, dq).
struct Power {
  DoubleDouble qq, qd, dq_q, dd;
};
Power product(const Power& a, const Power& b) {
  return {.qq = a.qq * b.qq + a.qd * b.dq_q,
          .qd = a.qq * b.qd + a.qd * b.dd,
          .dq_q = a.dq_q * b.qq + a.dd * b.dq_q,
          .dd = a.dq_q * b.qd + a.dd * b.dd};
}
Power raised(Power step, int exponent) {
  Power result{.qq = 1, .qd = 0, .dq_q = 0, .dd = 1};
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = product(result, step);
    step = product(step, step);
  }
  return result;
}

}  // namespace

Modes::Modes(const ModalProblem& problem)
    : count(static_cast<int>(problem.body.modes.size())), n(padded(count)) {
  const std::vector<Mode>& modes = problem.body.modes;
  order.resize(modes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
    return modes[static_cast<std::size_t>(x)].frequency <
           modes[static_cast<std::size_t>(y)].frequency;
  });
  for (Array* array : {&scale, &e, &d, &a, &inertia, &elasticity, &loss, &start_q, &start_dq}) {
    array->assign(static_cast<std::size_t>(n), 0.0);
  }
  const auto contacts = static_cast<int>(problem.heights.size());
  unit_shape = contacts == 1;
  const ShapeMatrix signed_rows = signed_shapes(problem);
  const double largest = signed_rows.size() > 0 ? signed_rows.cwiseAbs().maxCoeff() : 0.0;
  unit_shape = unit_shape && largest > 0;
  const Eigen::VectorXd difference = start_difference(problem);
  for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
    const int from = order[j];
    scale[j] = 1;
    if (unit_shape) {
      // A mode with a node at the contact keeps a shape that is not zero but too small to matter,
      // so that its motion is not lost.
      scale[j] = signed_rows(0, from);
      if (std::abs(scale[j]) < 1e-30 * largest) scale[j] = 1e-30 * largest;
    }
    const ModeStep step =
        mode_step(modes[static_cast<std::size_t>(from)], 1 / problem.rate, problem.scaling);
    const double squared = scale[j] * scale[j];
    e[j] = step.decay;
    d[j] = step.stiffness;
    a[j] = step.admittance * squared;
    inertia[j] = step.inertia / squared;
    elasticity[j] = step.elasticity / squared;
    loss[j] = step.loss / squared;
    start_q[j] = problem.start.position[from] * scale[j];
    start_dq[j] = difference[from] * scale[j];
  }
  // d = 4 sin^2(theta/2) without damping. Padding is not fast.
  const auto block_is_fast = [&](int from) {
    const auto begin = d.begin() + from;
    return std::all_of(begin, begin + lanes, [](double x) { return x >= 0.25; });
  };
  while (fast_from < n && !block_is_fast(fast_from)) fast_from += lanes;
  fast_to = fast_from;
  while (fast_to < n && block_is_fast(fast_to)) fast_to += lanes;
  rows = shapes(signed_rows);
  if (unit_shape) std::fill(rows.begin(), rows.begin() + count, 1.0);
  const Eigen::VectorXd signed_g = signed_heights(problem);
  heights.assign(signed_g.begin(), signed_g.end());
  if (unit_shape) {  // the kernel that assumes shape 1 also sums the padding, which stays zero
    for (int j = count; j < n; ++j) a[static_cast<std::size_t>(j)] = 0;
  }
}

Array Modes::shapes(const ShapeMatrix& points) const {
  Array padded_rows(static_cast<std::size_t>(points.rows()) * static_cast<std::size_t>(n), 0.0);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (int j = 0; j < count; ++j) {
      padded_rows[static_cast<std::size_t>(i * n + j)] =
          points(i, order[static_cast<std::size_t>(j)]) / scale[static_cast<std::size_t>(j)];
    }
  }
  return padded_rows;
}

// By squaring and in extended precision, so that a leap equals its steps to rounding.
Leap Modes::leap(int steps) const {
  Leap result;
  for (Array* array : {&result.qq, &result.qd, &result.dq_q, &result.dd}) {
    array->assign(static_cast<std::size_t>(n), 0.0);
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
    const DoubleDouble ee = e[j], dd = d[j];
    const Power power = raised({.qq = 1.0 - dd, .qd = ee, .dq_q = -dd, .dd = ee}, steps);
    result.qq[j] = static_cast<double>(power.qq);
    result.qd[j] = static_cast<double>(power.qd);
    result.dq_q[j] = static_cast<double>(power.dq_q);
    result.dd[j] = static_cast<double>(power.dd);
  }
  return result;
}

}  // namespace carom::modal
