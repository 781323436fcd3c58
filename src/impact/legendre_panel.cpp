#include "legendre_panel.hpp"

#include <boost/math/special_functions/legendre.hpp>

#include <carom/core/double_double.hpp>

namespace carom::detail {
namespace {

constexpr int size = LegendrePanel::size;

/// Gauss-Legendre nodes and the matrix that takes samples to Legendre coefficients.
struct Rule {
  std::array<double, size> nodes;                           // on (0, 1)
  std::array<std::array<double, size>, size> coefficients;  // [k][j]: (2k+1) w_j/2 P_k(t_j)

  Rule() {
    static_assert(size % 2 == 0);
    const GaussLegendre<size> gauss(boost::math::legendre_p_zeros<double>(size));
    for (int j = 0; j < size; ++j) {
      const auto i = static_cast<std::size_t>(j < size / 2 ? size / 2 - 1 - j : j - size / 2);
      const DoubleDouble t = j < size / 2 ? -gauss.nodes[i] : gauss.nodes[i];
      nodes[j] = static_cast<double>((1 + t) / 2);
      DoubleDouble before = 0, now = 1;  // P_{k-1}, P_k
      for (int k = 0; k < size; ++k) {
        coefficients[k][j] = static_cast<double>((2 * k + 1) * gauss.weights[i] / 2 * now);
        const DoubleDouble next = ((2 * k + 1) * t * now - k * before) / (k + 1);
        before = now;
        now = next;
      }
    }
  }
};

const Rule& rule() {
  static const Rule instance;
  return instance;
}

}  // namespace

const std::array<double, size>& LegendrePanel::nodes() { return rule().nodes; }

LegendrePanel::LegendrePanel(const std::array<double, size>& samples, double a) {
  const Rule& r = rule();
  double above = 0;  // sum of the coefficients of higher degree
  for (int k = size - 1; k >= 0; --k) {
    std::array<double, 4> f{};
    for (int j = 0; j < size; j += 4) {
      for (int lane = 0; lane < 4; ++lane)
        f[lane] += r.coefficients[k][j + lane] * samples[j + lane];
    }
    coefficients_[k] = ((f[0] + f[1]) + (f[2] + f[3]) - (2 * k + 1) * above) / (a + k);
    above += coefficients_[k];
  }
  end_ = above;
}

double LegendrePanel::at(double y) const noexcept {
  const double t = 2 * y - 1;
  double older = 1, newer = t;
  double sum = coefficients_[0] + coefficients_[1] * t;
  for (int k = 1; k + 1 < size; ++k) {
    const double next = newer * t + (newer * t - older) * (k / (k + 1.0));
    older = newer;
    newer = next;
    sum += coefficients_[k + 1] * newer;
  }
  return sum;
}

}  // namespace carom::detail
