#pragma once

#include <algorithm>
#include <cmath>

namespace carom {

/// The zero of `f` between a and b, where its sign changes: Illinois, with a bisection now and
/// then.
template <class F>
double zero_between(double a, double b, F&& f) noexcept {
  double fa = f(a), fb = f(b);
  const double width = std::abs(b - a);
  for (int i = 0; i < 100 && fb != 0; ++i) {
    if (!(std::abs(b - a) > 1e-16 * std::max(std::abs(b), 1e-3 * width))) break;
    double c = b - fb * (b - a) / (fb - fa);
    if (!(c >= std::min(a, b) && c <= std::max(a, b)) || i % 4 == 3) c = 0.5 * (a + b);
    const double fc = f(c);
    if ((fc > 0) != (fb > 0)) {
      a = b, fa = fb;
    } else {
      fa *= 0.5;
    }
    b = c, fb = fc;
  }
  return b;
}

}  // namespace carom
