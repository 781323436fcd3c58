#pragma once

#include <vector>

#include <carom/steppers/modal_problem.hpp>

#include "aligned.hpp"
#include "kernels.hpp"

namespace carom::modal {

/// Several steps of free flight at once: q = qq q + qd dq, dq = dq_q q + dd dq.
struct Leap {
  Array qq, qd, dq_q, dd;
};

/// The modes of a problem as the kernels want them: sorted by frequency, padded to whole lanes, in
/// a normalisation of our choice. With a single contact it is the one in which that contact's shape
/// is 1 for every mode, so that its displacement is a plain sum; q = position/scale.
struct Modes {
  explicit Modes(const ModalProblem& problem);

  int count = 0;  ///< real modes
  int n = 0;      ///< padded
  bool unit_shape = false;
  /// These turn by half a radian in a step or more; multiples of the lanes.
  int fast_from = 0, fast_to = 0;
  std::vector<int> order;  ///< original index of each mode
  Array scale;             ///< our position = scale * original position
  Array e, d, a, inertia, elasticity, loss;
  Array start_q, start_dq;
  Array rows;     ///< signed contact shapes, one padded row per contact
  Array heights;  ///< signed

  const double* row(int contact) const {
    return rows.data() + static_cast<std::ptrdiff_t>(contact) * n;
  }

  /// Shapes of other points in our normalisation and order, padded rows.
  Array shapes(const ShapeMatrix& points) const;

  Leap leap(int steps) const;
};

/// The modes first..last - 1 of (q, dq) through a leap, into (to_q, to_dq), which may be the same.
/// Multiples of the lanes.
inline void fly(const Kernels& kernels, const Leap& leap, int first, int last, const double* q,
                const double* dq, double* to_q, double* to_dq) {
  kernels.leap(q + first, dq + first, leap.qq.data() + first, leap.qd.data() + first,
               leap.dq_q.data() + first, leap.dd.data() + first, last - first, to_q + first,
               to_dq + first);
}

}  // namespace carom::modal
