#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <carom/contacts/collocation.hpp>

namespace carom {
namespace {

/// int_0^h and the double integral of f(t) = t^a by the tables.
struct Moments {
  double rate = 0, place = 0;
};
Moments moments(const Collocation& table, double a) {
  Moments sum;
  for (int j = 0; j < Collocation::nodes; ++j) {
    const double f = std::pow(table.time[j], a);
    sum.rate += table.weight[j] * f;
    sum.place += table.end_place[j] * f;
  }
  return sum;
}

TEST(Collocation, IntegratesPolynomialsExactly) {
  const Collocation& plain = Collocation::of(ClockKind::plain, 1);
  for (int a = 0; a <= 19; ++a) {  // Gauss: degree 2 S - 1; the double integral one less
    EXPECT_NEAR(moments(plain, a).rate, 1.0 / (a + 1), 2e-15) << a;
    if (a == 19) continue;
    EXPECT_NEAR(moments(plain, a).place, 1.0 / ((a + 1) * (a + 2)), 2e-15) << a;
  }
}

TEST(Collocation, ClocksIntegrateThePowersOfAContactAtItsEdge) {
  // t^1.5 is a polynomial of degree 3 in sigma for p = 2; t^1.3 nearly one of degree 5 for p = 4.
  for (const auto& [power, exponent, tolerance] :
       {std::tuple{2, 1.5, 2e-15}, {2, 0.5, 2e-15}, {4, 1.25, 2e-15}, {4, 1.3, 1e-11}}) {
    const Collocation& onset = Collocation::of(ClockKind::onset, power);
    EXPECT_NEAR(moments(onset, exponent).rate, 1 / (exponent + 1), tolerance) << exponent;
    EXPECT_NEAR(moments(onset, exponent).place, 1 / ((exponent + 1) * (exponent + 2)), tolerance);
  }
}

TEST(Collocation, PolynomialsBetweenNodesMeetTheSumsAtThem) {
  for (const auto& [kind, power] : {std::pair{ClockKind::plain, 1},
                                    {ClockKind::onset, 2},
                                    {ClockKind::onset, 4},
                                    {ClockKind::release, 2},
                                    {ClockKind::release, 4}}) {
    const Collocation& table = Collocation::of(kind, power);
    for (int j = 0; j < Collocation::nodes; ++j) {
      EXPECT_NEAR(table.time_at(table.sigma_at(table.time[j])), table.time[j], 1e-15);
      EXPECT_NEAR(table.time_at(table.sigma[j]), table.time[j], 1e-15);
      for (int i = 0; i < Collocation::nodes; ++i) {
        const double u = 2 * table.sigma[i] - 1;
        double rate = 0, place = 0;
        for (std::size_t k = table.dense_rate.size(); k-- > 0;) {
          rate = rate * u + table.dense_rate[k][j];
        }
        for (std::size_t k = table.dense_place.size(); k-- > 0;) {
          place = place * u + table.dense_place[k][j];
        }
        EXPECT_NEAR(rate, table.rate[j][i], 1e-12);  // powers of u cancel to a thousandth
        EXPECT_NEAR(place, table.place[j][i], 1e-12);
      }
    }
  }
}

/// x'' = -x in one plain step of length h, the forces at the nodes by one linear system: what it
/// misses of the rotation by h.
double error_of_a_step(double h) {
  constexpr int S = Collocation::nodes;
  const Collocation& table = Collocation::of(ClockKind::plain, 1);
  Eigen::Matrix<double, S, S> matrix = Eigen::Matrix<double, S, S>::Identity();
  for (int j = 0; j < S; ++j) {
    for (int k = 0; k < S; ++k) matrix(k, j) += h * h * table.place[j][k];
  }
  const Eigen::PartialPivLU<Eigen::Matrix<double, S, S>> lu(matrix);
  double sum = 0;
  for (const auto& [x0, v0] : {std::pair{1.0, 0.0}, {0.0, 1.0}}) {
    Eigen::Matrix<double, S, 1> f;
    for (int k = 0; k < S; ++k) f[k] = x0 + h * table.time[k] * v0;
    f = lu.solve(f);
    double x = x0 + h * v0, v = v0;
    for (int k = 0; k < S; ++k) {
      x -= h * h * table.end_place[k] * f[k];
      v -= h * table.weight[k] * f[k];
    }
    sum += std::pow(x - (x0 * std::cos(h) + v0 * std::sin(h)), 2) +
           std::pow(v - (v0 * std::cos(h) - x0 * std::sin(h)), 2);
  }
  return std::sqrt(sum);
}

/// Two S, what `passive` and `event-driven` declare on a wall and in a strike: the error of one
/// step goes with the power above. Steps of two thirds of an oscillation, where rounding does not
/// hide it, still show half a power less.
TEST(Collocation, HasTheOrderThatItsMethodsDeclare) {
  const double small = 4, large = 4.5;
  const double slope =
      std::log(error_of_a_step(large) / error_of_a_step(small)) / std::log(large / small);
  EXPECT_NEAR(slope, 2 * Collocation::nodes + 1, 0.6);
}

}  // namespace
}  // namespace carom
