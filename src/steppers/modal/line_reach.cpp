#include "line_reach.hpp"

#include <algorithm>
#include <cmath>

namespace carom::modal {

// A sinusoid in the number of the contact, phi_c = A sin(kappa c + delta), satisfies
// phi_{c+1} + phi_{c-1} = 2 cos(kappa) phi_c. The cosine by least squares, then the check.
LineReach::LineReach(const Modes& modes, int contacts) : count_(contacts), modes_(modes.count) {
  if (contacts < 3) return;
  for (int j = 0; j < modes.count; ++j) {
    double product = 0, square = 0, largest = 0;
    for (int c = 1; c + 1 < contacts; ++c) {
      const double here = modes.row(c)[j];
      product += here * (modes.row(c + 1)[j] + modes.row(c - 1)[j]);
      square += here * here;
      largest = std::max(largest, std::abs(here));
    }
    const double cosine = square > 0 ? product / (2 * square) : 2.0;
    if (!(std::abs(cosine) < 1)) return;
    for (int c = 1; c + 1 < contacts; ++c) {
      const double left = modes.row(c + 1)[j] + modes.row(c - 1)[j];
      if (std::abs(left - 2 * cosine * modes.row(c)[j]) > 1e-10 * largest) return;
    }
    const double sine = std::sqrt(1 - cosine * cosine);
    const double a_sin = modes.row(0)[j], a_cos = (modes.row(1)[j] - a_sin * cosine) / sine;
    const double amplitude2 = a_sin * a_sin + a_cos * a_cos;
    cosine_.push_back(cosine);
    half_square_.push_back(amplitude2 / 2);
    // cos and sin of 2 delta
    phase_cos_.push_back((a_cos * a_cos - a_sin * a_sin) / amplitude2);
    phase_sin_.push_back(2 * a_sin * a_cos / amplitude2);
  }
  valid_ = true;
  difference_.assign(static_cast<std::size_t>(contacts), 0.0);
  sum_.assign(static_cast<std::size_t>(2 * contacts), 0.0);
}

void LineReach::take(const std::vector<double>& weights) {
  const auto n = static_cast<std::size_t>(modes_);
  std::vector<double> now(n), before(n), weight(n);
  double scale = 0;
  for (std::size_t j = 0; j < n; ++j) {
    weight[j] = weights[j] * half_square_[j];
    scale += std::abs(weight[j]);
  }
  // The cosines by their recursion; its rounding, 1e-16 a step and growing with its square, is far
  // inside the margin.
  const double margin = 1e-8 * scale;
  const auto run = [&](std::vector<double>& bounds) {
    for (double& bound : bounds) {
      double total = 0;
      for (std::size_t j = 0; j < n; ++j) {
        total += weight[j] * now[j];
        const double next = 2 * cosine_[j] * now[j] - before[j];
        before[j] = now[j];
        now[j] = next;
      }
      bound = std::max(bound, std::abs(total) + margin);
    }
  };
  for (std::size_t j = 0; j < n; ++j) {
    now[j] = 1;
    before[j] = cosine_[j];
  }
  run(difference_);
  for (std::size_t j = 0; j < n; ++j) {
    // cos(2 delta) and cos(2 delta - kappa)
    now[j] = phase_cos_[j];
    before[j] = phase_cos_[j] * cosine_[j] + phase_sin_[j] * std::sqrt(1 - cosine_[j] * cosine_[j]);
  }
  run(sum_);
}

}  // namespace carom::modal
