#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <carom/contacts/response_table.hpp>

namespace carom::detail {

// What the files of this room share.

inline constexpr int S = Collocation::nodes, M = ResponseTable::points;
inline constexpr double rounding = 2.3e-16;
inline constexpr double noise = 1e-9;     ///< an iteration that stagnates below has met rounding
inline constexpr double on_edge = 1e-13;  ///< of the length of a contact: no way to its edge

inline double square(double x) { return x * x; }

/// sum_k coefficients_k u^k with coefficients_k = sum_j table_kj f_j.
template <std::size_t Terms>
double dense(const std::array<Collocation::Nodes, Terms>& table, const Collocation::Nodes& f,
             double u) noexcept {
  double sum = 0;
  for (std::size_t k = Terms; k-- > 0;) {
    double coefficient = 0;
    for (int j = 0; j < S; ++j) coefficient += table[k][j] * f[j];
    sum = sum * u + coefficient;
  }
  return sum;
}

/// What the sum over a step misses of f, known at the nodes: the polynomial of degree S - 1 cannot
/// follow the last of its Legendre coefficients, and Gauss nodes miss those from 2 S on. These are
/// smaller by as much again where the series converges geometrically. A singularity that the clock
/// does not remove shows in coefficients that hardly fall from one to the next: `cautious` counts
/// on no more than that.
template <class F>
double unfollowed(const Collocation& table, bool cautious, const F& f) {
  double largest = 1e-300;
  std::array<double, 3> last{};
  for (int k = 0; k < S; ++k) {
    largest = std::max(largest, std::abs(f(k) * table.slope[k]));
    for (int d = 0; d < 3; ++d) last[d] += table.tail[d][k] * f(k);
  }
  const double a = std::abs(last[0]), b = std::abs(last[1]), c = std::abs(last[2]);
  const double tail = std::max({a, 0.5 * b, 0.2 * c});
  if (!cautious) return tail * (tail / largest);
  if (tail <= 1e-14 * largest) return 0.0;  // rounding
  const double ratio = std::min(1.0, std::max(a, b) / std::max({b, c, 1e-300}));
  return tail * std::max(tail / largest, ratio * ratio * ratio);
}

}  // namespace carom::detail
