#pragma once

#include <array>

namespace carom::detail {

/// Integrals of y^(a-1) F(y) from 0 to any y in [0, 1], for smooth F and any a > 0.
///
/// F is sampled at Gauss-Legendre nodes and expanded in Legendre polynomials of 2y - 1. With
///     y^a G(y) = integral of s^(a-1) F(s) ds from 0 to y
/// G obeys a G + y G' = F, which is a triangular recursion between the two expansions, because
/// y d/dy P_k = k P_k + sum over j < k of (2j + 1) P_j. So the singular weight is integrated
/// exactly, one table of nodes serves every exponent, and the running integral comes at no extra
/// cost.
class LegendrePanel {
 public:
  static constexpr int size = 28;

  /// The nodes in (0, 1), increasing.
  static const std::array<double, size>& nodes();

  LegendrePanel() = default;
  LegendrePanel(const std::array<double, size>& samples, double a);

  double at(double y) const noexcept;              ///< G(y)
  double at_end() const noexcept { return end_; }  ///< G(1), the whole integral

 private:
  std::array<double, size> coefficients_{};
  double end_ = 0;
};

}  // namespace carom::detail
