#include <boost/math/quadrature/gauss.hpp>

#include <carom/contacts/response_table.hpp>
#include <carom/core/double_double.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

using Real = DoubleDouble;  // the tables shall be good to a double

std::array<Real, M> chebyshev_points() {
  std::array<Real, M> at{};
  for (int q = 0; q < M; ++q) {
    const Real half = sin(pi_of_two_doubles * q / (2 * (M - 1)));
    at[q] = half * half;  // (1 - cos)/2 without cancellation
  }
  return at;
}

/// Lagrange's polynomials of the given points, all of them at t.
template <std::size_t N>
std::array<Real, N> lagrange(const std::array<Real, N>& at, Real t) {
  std::array<Real, N> values{};
  for (std::size_t i = 0; i < N; ++i) {
    values[i] = 1;
    for (std::size_t k = 0; k < N; ++k) {
      if (k != i) values[i] *= (t - at[k]) / (at[i] - at[k]);
    }
  }
  return values;
}

ResponseTable make(const Collocation& clock) {
  const std::array<Real, M> points = chebyshev_points();
  std::array<Real, S> nodes{};
  for (int j = 0; j < S; ++j) nodes[j] = Real(clock.sigma[j]);
  const auto g = [&](Real sigma) -> Real {
    Real y = clock.kind == ClockKind::release ? 1 - sigma : sigma;
    if (clock.power > 1) y *= y;
    if (clock.power == 4) y *= y;
    return clock.kind == ClockKind::release ? 1 - y : y;
  };
  static const GaussLegendre<30> gauss(boost::math::quadrature::gauss<double, 30>::abscissa());
  ResponseTable table{};
  for (int k = 0; k <= S; ++k) {
    const Real end = k < S ? nodes[k] : Real(1);
    std::array<std::array<Real, S>, M> sum{};
    // 30 nodes on each half are exact for a clock of power 2, and to rounding for power 4.
    for (const Real from : {Real(0), end / 2}) {
      for (int i = 0; i < 30; ++i) {
        const auto n = static_cast<std::size_t>(i / 2);
        const Real side = i % 2 == 0 ? 1 : -1;
        const Real sigma = from + end / 4 * (1 + side * gauss.nodes[n]);
        const Real weight = end / 4 * gauss.weights[n];
        const auto response = lagrange(points, g(end) - g(sigma));
        const auto force = lagrange(nodes, sigma);
        for (int q = 0; q < M; ++q) {
          for (int j = 0; j < S; ++j) sum[q][j] += weight * response[q] * force[j];
        }
      }
    }
    for (int q = 0; q < M; ++q) {
      for (int j = 0; j < S; ++j) {
        const auto value = static_cast<double>(sum[q][j] * Real(clock.slope[j]));
        (k < S ? table.kernel[q][j][k] : table.end[q][j]) = value;
      }
    }
    if (k == S) break;
    const auto interpolated = lagrange(points, g(end));
    for (int q = 0; q < M; ++q) table.at_node[q][k] = static_cast<double>(interpolated[q]);
  }
  return table;
}

}  // namespace

const ResponseTable& ResponseTable::of(const Collocation& clock) {
  static const ResponseTable plain = make(Collocation::of(ClockKind::plain, 1));
  if (clock.kind == ClockKind::plain) return plain;
  if (clock.kind == ClockKind::onset) {
    static const ResponseTable onset_2 = make(Collocation::of(ClockKind::onset, 2));
    if (clock.power == 2) return onset_2;
    static const ResponseTable onset_4 = make(Collocation::of(ClockKind::onset, 4));
    return onset_4;
  }
  static const ResponseTable release_2 = make(Collocation::of(ClockKind::release, 2));
  if (clock.power == 2) return release_2;
  static const ResponseTable release_4 = make(Collocation::of(ClockKind::release, 4));
  return release_4;
}

const ResponseTable::Points& ResponseTable::fractions() {
  static const Points values = [] {
    Points all{};
    const auto exact = chebyshev_points();
    for (int q = 0; q < M; ++q) all[q] = static_cast<double>(exact[q]);
    return all;
  }();
  return values;
}

// The barycentric formula; Chebyshev-Lobatto points have the weights +-1, halved at both ends.
ResponseTable::Points ResponseTable::weights_at(double fraction) noexcept {
  const Points& at = fractions();
  Points weights{};
  double sum = 0;
  for (int q = 0; q < M; ++q) {
    const double apart = fraction - at[q];
    if (apart == 0) {
      weights.fill(0);
      weights[q] = 1;
      return weights;
    }
    weights[q] = (q % 2 == 0 ? 1.0 : -1.0) * (q == 0 || q == M - 1 ? 0.5 : 1.0) / apart;
    sum += weights[q];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace carom
