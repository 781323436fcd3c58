#pragma once

#include <array>
#include <cmath>

namespace carom {

/// The unevaluated sum of two doubles: 106 bits, for tables that shall be good to the last bit of a
/// double. In place of long double, which has 64 bits on one machine, 113 slow ones on another and
/// 53 on a third: this is additions and multiplications alone, and so the same bits everywhere.
/// Dekker 1971, Numer. Math. 18; errors of a few units in the 105th bit.
struct DoubleDouble {
  double high = 0.0, low = 0.0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // NOLINT(google-explicit-constructor)
  constexpr DoubleDouble(int value) : high(value) {}     // NOLINT(google-explicit-constructor)
  constexpr DoubleDouble(double big, double small) : high(big + small) {
    low = small - (high - big);
  }
  constexpr explicit operator double() const { return high; }

  friend constexpr DoubleDouble operator-(const DoubleDouble& a) {
    DoubleDouble c;
    c.high = -a.high;
    c.low = -a.low;
    return c;
  }
  friend constexpr DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const double s = a.high + b.high, part = s - a.high;
    const double lost = (a.high - (s - part)) + (b.high - part);
    const double t = a.low + b.low, low_part = t - a.low;
    const double low_lost = (a.low - (t - low_part)) + (b.low - low_part);
    const DoubleDouble first(s, lost + t);
    return {first.high, first.low + low_lost};
  }
  friend constexpr DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
    return a + -b;
  }
  friend constexpr DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const double p = a.high * b.high;
    const auto [a1, a2] = halves(a.high);
    const auto [b1, b2] = halves(b.high);
    const double error = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
    return {p, error + (a.high * b.low + a.low * b.high)};
  }
  friend constexpr DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    const DoubleDouble rest = a - b * first;
    const double second = rest.high / b.high;
    const double third = (rest - b * second).high / b.high;
    return DoubleDouble(first, second) + third;
  }
  constexpr DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }
  constexpr DoubleDouble& operator-=(const DoubleDouble& b) { return *this = *this - b; }
  constexpr DoubleDouble& operator*=(const DoubleDouble& b) { return *this = *this * b; }
  constexpr DoubleDouble& operator/=(const DoubleDouble& b) { return *this = *this / b; }
  friend constexpr bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend constexpr bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }

 private:
  /// Veltkamp's splitting: two halves of 26 bits.
  static constexpr std::array<double, 2> halves(double value) {
    const double big = 134217729.0 * value, upper = big - (big - value);
    return {upper, value - upper};
  }
};

constexpr DoubleDouble abs(const DoubleDouble& a) { return a < 0.0 ? -a : a; }

inline DoubleDouble sqrt(const DoubleDouble& a) {
  if (!(a.high > 0)) return 0.0;
  const double root = std::sqrt(a.high);
  return DoubleDouble(root) + (a - DoubleDouble(root) * root).high / (2 * root);
}

inline constexpr DoubleDouble pi_of_two_doubles{3.141592653589793116, 1.224646799147353207e-16};

/// By its series, for |x| < 2.
constexpr DoubleDouble sin(const DoubleDouble& x) {
  const DoubleDouble square = x * x;
  DoubleDouble term = x, sum = x;
  for (int n = 1; n < 24; ++n) {
    term = -term * square / (2.0 * n * (2 * n + 1));
    sum += term;
  }
  return sum;
}

/// The positive zeros of Legendre's polynomial of an even degree, from the middle outwards, and the
/// weights of Gauss's quadrature there: Newton's method from the doubles `near`.
template <int degree>
struct GaussLegendre {
  std::array<DoubleDouble, degree / 2> nodes, weights;

  template <class Near>
  explicit GaussLegendre(const Near& near) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      DoubleDouble x = static_cast<double>(near[i]), slope;
      for (int turn = 0; turn < 3; ++turn) {
        DoubleDouble before = 1, now = x;
        for (int k = 1; k < degree; ++k) {
          const DoubleDouble next = (x * now * (2.0 * k + 1) - before * double(k)) / (k + 1.0);
          before = now;
          now = next;
        }
        slope = (before - x * now) * double(degree) / (1.0 - x * x);
        x -= now / slope;
      }
      nodes[i] = x;
      weights[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
  }
};

}  // namespace carom
