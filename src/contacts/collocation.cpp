#include <cassert>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>

#include <carom/contacts/collocation.hpp>
#include <carom/core/double_double.hpp>

namespace carom {
namespace {

// Polynomials in u on -1..1, lowest power first. In two doubles: the tables shall be good to a
// double.
using Poly = std::vector<DoubleDouble>;

Poly product(const Poly& a, const Poly& b) {
  Poly c(a.size() + b.size() - 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  }
  return c;
}

DoubleDouble value(const Poly& a, DoubleDouble u) {
  DoubleDouble sum = 0;
  for (std::size_t i = a.size(); i-- > 0;) sum = sum * u + a[i];
  return sum;
}

/// int_0^sigma, sigma = (1 + u)/2.
Poly integral(const Poly& a) {
  Poly c(a.size() + 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    c[i + 1] = a[i] / (2 * static_cast<double>(i + 1));
  }
  c[0] = -value(c, -1);
  return c;
}

Poly legendre(int degree) {
  Poly before{1}, now{0, 1};
  if (degree == 0) return before;
  for (int k = 1; k < degree; ++k) {
    Poly next(static_cast<std::size_t>(k) + 2, 0);
    for (std::size_t i = 0; i < now.size(); ++i) next[i + 1] += (2 * k + 1) * now[i] / (k + 1);
    for (std::size_t i = 0; i < before.size(); ++i) next[i] -= k * before[i] / (k + 1);
    before = now;
    now = next;
  }
  return now;
}

/// g' as a polynomial in u.
Poly clock_rate(ClockKind kind, int power) {
  if (kind == ClockKind::plain) return {1};
  const DoubleDouble sign = kind == ClockKind::onset ? 1 : -1;
  Poly rate{DoubleDouble(power)};
  for (int i = 1; i < power; ++i) rate = product(rate, {0.5, sign * 0.5});
  return rate;
}

Collocation make(ClockKind kind, int power) {
  constexpr int S = Collocation::nodes;
  static const GaussLegendre<S> gauss(boost::math::quadrature::gauss<double, S>::abscissa());
  std::array<DoubleDouble, S> u{}, b{};
  for (int i = 0; i < S / 2; ++i) {  // Boost lists the positive half, from the middle outwards
    const auto at = static_cast<std::size_t>(i);
    u[S / 2 + i] = gauss.nodes[at];
    u[S / 2 - 1 - i] = -gauss.nodes[at];
    b[S / 2 + i] = b[S / 2 - 1 - i] = gauss.weights[at] / 2;
  }
  const Poly slope = clock_rate(kind, power), clock = integral(slope);
  Collocation t{};
  t.kind = kind;
  t.power = power;
  for (int j = 0; j < S; ++j) {
    Poly basis{1};
    for (int i = 0; i < S; ++i) {
      if (i != j) basis = product(basis, {-u[i] / (u[j] - u[i]), 1 / (u[j] - u[i])});
    }
    const DoubleDouble dg = value(slope, u[j]);
    DoubleDouble product_of_distances = 1;
    for (int i = 0; i < S; ++i) {
      if (i != j) product_of_distances *= (u[j] - u[i]) / 2;
    }
    t.barycentric[j] = static_cast<double>(1 / product_of_distances);
    const Poly rate = integral(basis), place = integral(product(slope, rate));
    t.sigma[j] = static_cast<double>((1 + u[j]) / 2);
    t.time[j] = static_cast<double>(value(clock, u[j]));
    t.slope[j] = static_cast<double>(dg);
    t.weight[j] = static_cast<double>(b[j] * dg);
    t.end_place[j] = static_cast<double>(value(place, 1) * dg);
    for (int i = 0; i < S; ++i) {
      t.rate[j][i] = static_cast<double>(value(rate, u[i]) * dg);
      t.place[j][i] = static_cast<double>(value(place, u[i]) * dg);
    }
    for (int k = 0; k < 3; ++k) {
      const int degree = S - 1 - k;
      t.tail[k][j] =
          static_cast<double>((2 * degree + 1) * b[j] * dg * value(legendre(degree), u[j]));
    }
    for (std::size_t k = 0; k < t.dense_rate.size(); ++k) {
      t.dense_rate[k][j] = static_cast<double>(rate[k] * dg);
    }
    for (std::size_t k = 0; k < t.dense_place.size(); ++k) {
      t.dense_place[k][j] = k < place.size() ? static_cast<double>(place[k] * dg) : 0.0;
    }
  }
  return t;
}

}  // namespace

const Collocation& Collocation::of(ClockKind kind, int power) {
  static const Collocation plain = make(ClockKind::plain, 1);
  static const Collocation onset_2 = make(ClockKind::onset, 2);
  static const Collocation onset_4 = make(ClockKind::onset, 4);
  static const Collocation release_2 = make(ClockKind::release, 2);
  static const Collocation release_4 = make(ClockKind::release, 4);
  if (kind == ClockKind::plain) return plain;
  assert(power == 2 || power == 4);
  if (kind == ClockKind::onset) return power == 2 ? onset_2 : onset_4;
  return power == 2 ? release_2 : release_4;
}

}  // namespace carom
