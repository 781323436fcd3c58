#pragma once

#include <vector>

#include "modes.hpp"

namespace carom::modal {

/// Bounds on how far an impulse at one contact can be felt at another, for many contacts in a
/// regular row on a body whose shapes are sinusoids along it, as on a string. Then the response is
///   G_k(a, b) = sum_j w_kj phi_j(a) phi_j(b) = T_k(a - b) - H_k(a + b),
/// two functions of one argument each, and so are the bounds over k. Whether the shapes are
/// sinusoids is read off the shapes themselves.
class LineReach {
 public:
  LineReach() = default;
  LineReach(const Modes& modes, int contacts);

  /// Adds the responses w_j of one more time to the bounds.
  void take(const std::vector<double>& weights);
  bool valid() const { return valid_; }
  double operator()(int a, int b) const {
    return difference_[static_cast<std::size_t>(a < b ? b - a : a - b)] +
           sum_[static_cast<std::size_t>(a + b)];
  }

 private:
  bool valid_ = false;
  int count_ = 0, modes_ = 0;
  std::vector<double> cosine_, half_square_, phase_cos_, phase_sin_;  // per mode
  std::vector<double> difference_, sum_;
};

}  // namespace carom::modal
