// Modes of bars, plates, discs and bells against closed forms and published tables.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/modal_structures.hpp>

namespace carom {
namespace {

/// omega a^2 sqrt(rho h/D), of plates with a = D = rho h = 1.
std::vector<double> parameters(const ModalBody& body) {
  std::vector<double> all;
  for (const Mode& mode : body.modes) all.push_back(2 * M_PI * mode.frequency);
  return all;
}

RectangularPlate unit_plate(PlateEdge edge, int modes, double height = 1.0) {
  return {.width = 1,
          .height = height,
          .area_density = 1,
          .bending_stiffness = 1,
          .modes = modes,
          .edge = edge};
}

CircularPlate unit_disc(PlateEdge edge, int modes, double poisson) {
  return {.radius = 1,
          .area_density = 1,
          .bending_stiffness = 1,
          .modes = modes,
          .edge = edge,
          .poisson = poisson};
}

TEST(Bars, HaveTheRootsOfTheTextbooks) {
  // Blevins, Formulas for Natural Frequency and Mode Shape (1979), table 8-1.
  const ThinBar bar{.length = 1, .linear_density = 1, .bending_stiffness = 1, .modes = 3};
  const auto roots = [&](BarEnds ends) {
    ThinBar other = bar;
    other.ends = ends;
    std::vector<double> all;
    for (const double omega : parameters(modal_body(other, {}))) all.push_back(std::sqrt(omega));
    return all;
  };
  const std::vector<double> clamped = roots(BarEnds::clamped), one = roots(BarEnds::cantilever);
  EXPECT_NEAR(clamped[0], 4.73004074, 1e-8);
  EXPECT_NEAR(clamped[2], 10.9956079, 1e-7);
  EXPECT_NEAR(one[0], 1.87510407, 1e-8);
  EXPECT_NEAR(one[1], 4.69409113, 1e-8);
  EXPECT_NEAR(one[2], 7.85475744, 1e-8);
}

TEST(Bars, AreHeldWhereTheyAreHeld) {
  // Places on both sides of the end give its slope; the free end has 1 in size.
  const double h = 1e-5;
  const std::vector<double> x{0, h, 1 - h, 1};
  ThinBar bar{.length = 1, .modes = 30, .ends = BarEnds::clamped};
  ModalBody body = modal_body(bar, x);
  for (int j = 0; j < bar.modes; ++j) {
    // w = w'' h^2/2 next to a clamped end, and |w''| = 2 k^2 shape units / 2.
    const double k = (j + 1.5) * M_PI;
    EXPECT_NEAR(body.shapes(0, j), 0, 1e-12);
    EXPECT_NEAR(body.shapes(3, j), 0, 1e-9);
    EXPECT_NEAR(std::abs(body.shapes(1, j)), k * k * h * h / 2, 0.02 * k * k * h * h);
    EXPECT_NEAR(std::abs(body.shapes(2, j)), k * k * h * h / 2, 0.02 * k * k * h * h);
  }
  bar.ends = BarEnds::cantilever;
  body = modal_body(bar, x);
  for (int j = 0; j < bar.modes; ++j) {
    EXPECT_NEAR(body.shapes(0, j), 0, 1e-12);
    EXPECT_NEAR(std::abs(body.shapes(3, j)), 1, 1e-9);
  }
}

TEST(Plates, FreeSquareAsPublished) {
  const std::vector<double> ours = parameters(modal_body(unit_plate(PlateEdge::free, 8), {}));
  // Leissa 1973, table C21, 36 beam functions: upper bounds within 1 %.
  const double leissa[] = {13.489, 19.789, 24.432, 35.024, 35.024, 61.526};
  // Converged values, e.g. Gorman, Free Vibration Analysis of Rectangular Plates (1982).
  const double converged[] = {13.468, 19.596, 24.270, 34.801, 34.801, 61.093};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(ours[i], leissa[i]);
    EXPECT_GT(ours[i], 0.988 * leissa[i]);
    EXPECT_NEAR(ours[i], converged[i], 1e-3);  // their digits
  }
}

TEST(Plates, ClampedSquareAsPublished) {
  const std::vector<double> ours = parameters(modal_body(unit_plate(PlateEdge::clamped, 6), {}));
  const double leissa[] = {35.992, 73.413, 73.413, 108.27, 131.64, 132.24};  // 1973, table C1
  const double converged[] = {35.985, 73.394, 73.394, 108.22, 131.58, 132.20};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(ours[i], leissa[i]);
    EXPECT_NEAR(ours[i], converged[i], 1e-4 * converged[i]);
  }
}

// With nu = 0 a free plate bends along one side exactly as a bar does: an exact answer at any mode.
TEST(Plates, WithoutPoissonsRatioContainTheModesOfBars) {
  for (const double height : {1.0, 0.37, 0.05}) {
    RectangularPlate plate = unit_plate(PlateEdge::free, 200, height);
    plate.poisson = 0;
    const std::vector<double> ours = parameters(modal_body(plate, {}));
    const ModalBody bar = modal_body(
        ThinBar{.length = 1, .linear_density = 1, .bending_stiffness = 1, .modes = 12}, {});
    int found = 0;
    for (const double wanted : parameters(bar)) {
      if (wanted > ours.back()) break;
      const auto near = std::min_element(ours.begin(), ours.end(), [&](double a, double b) {
        return std::abs(a - wanted) < std::abs(b - wanted);
      });
      EXPECT_NEAR(*near, wanted, 1e-11 * wanted) << height;
      ++found;
    }
    EXPECT_GE(found, 8);
  }
}

TEST(Plates, ShapesAreOrthogonalWithTheirMasses) {
  const int n = 60, modes = 25;
  std::vector<Place> grid;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) grid.push_back({(i + 0.5) / n, 0.8 * (j + 0.5) / n});
  }
  for (const PlateEdge edge : {PlateEdge::free, PlateEdge::clamped}) {
    const ModalBody body = modal_body(unit_plate(edge, modes, 0.8), grid);
    const Eigen::MatrixXd gram = body.shapes.transpose() * body.shapes * 0.8 / (n * n);
    for (int a = 0; a < modes; ++a) {
      for (int b = 0; b <= a; ++b) {
        const double mass = body.modes[static_cast<std::size_t>(a)].mass;
        EXPECT_NEAR(gram(a, b), a == b ? mass : 0.0, 0.02);  // the midpoint rule, (k dx)^2/24
      }
    }
  }
}

TEST(Discs, HaveTheParametersOfLeissa) {
  // NASA SP-160 (1969): tables 2.1 (clamped), 2.5 (free, nu = 0.33); 2.2 supported by its own
  // equation J1/J0 + I1/I0 = 2 k/(1 - nu).
  const auto first_of_pairs = [](const ModalBody& body) {
    std::vector<double> all;
    for (const double value : parameters(body)) {
      if (all.empty() || value > all.back() * (1 + 1e-9)) all.push_back(value);
    }
    return all;
  };
  const auto clamped = first_of_pairs(modal_body(unit_disc(PlateEdge::clamped, 12, 0.3), {}));
  const double published[] = {10.2158, 21.26, 34.88, 39.771, 51.04, 60.82};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(clamped[i], published[i], 2e-4 * published[i]);
  const auto free = first_of_pairs(modal_body(unit_disc(PlateEdge::free, 9, 0.33), {}));
  const double bare[] = {5.253, 9.084, 12.23, 20.52};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(free[i], bare[i], 2e-2);  // three digits, old
  const auto supported = first_of_pairs(modal_body(unit_disc(PlateEdge::supported, 3, 0.3), {}));
  const double k = std::sqrt(supported[0]);
  EXPECT_NEAR(std::cyl_bessel_j(1, k) / std::cyl_bessel_j(0, k) +
                  std::cyl_bessel_i(1, k) / std::cyl_bessel_i(0, k),
              2 * k / 0.7, 1e-9);
}

TEST(Discs, MassesAreTheIntegralsOfTheShapes) {
  const int n = 400;
  std::vector<Place> grid;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = 2 * (i + 0.5) / n - 1, y = 2 * (j + 0.5) / n - 1;
      if (std::hypot(x, y) < 1) grid.push_back({x, y});
    }
  }
  const ModalBody body = modal_body(unit_disc(PlateEdge::free, 14, 0.3), grid);
  const Eigen::MatrixXd gram = body.shapes.transpose() * body.shapes * 4.0 / (n * n);
  for (int a = 0; a < 14; ++a) {
    const double mass = body.modes[static_cast<std::size_t>(a)].mass;
    EXPECT_NEAR(gram(a, a), mass, 0.01 * mass);  // the staircase at the edge
    for (int b = 0; b < a; ++b) EXPECT_NEAR(gram(a, b), 0, 0.01 * mass);
  }
}

TEST(Discs, LeaveNoModeOut) {
  // Weyl: N = (k a)^2/4 and an edge term of order k a.
  const ModalBody body = modal_body(unit_disc(PlateEdge::clamped, 300, 0.3), {});
  const double k = std::sqrt(parameters(body).back());
  EXPECT_NEAR((k * k / 4 - k) / 300, 1, 0.05);
}

TEST(Bells, ComeInPairsThatMayBeSplit) {
  const ModalBody body = modal_body(Bell{.frequency = 500, .split = 0.01}, std::vector{0.0, 0.3});
  EXPECT_NEAR(body.modes[2].frequency, 500 * 0.995, 1e-9);
  EXPECT_NEAR(body.modes[3].frequency, 500 * 1.005, 1e-9);
  EXPECT_NEAR(body.shapes(1, 4), std::cos(0.9), 1e-15);  // the tierce, m = 3
  EXPECT_EQ(body.shapes(0, 5), 0);
}

TEST(Plates, RefuseWhatTheyCannotDo) {
  EXPECT_THROW(modal_body(unit_plate(PlateEdge::free, 401), {}), InvalidInput);
  EXPECT_THROW(modal_body(unit_plate(PlateEdge::free, 4, 0.01), {}), InvalidInput);
  EXPECT_THROW(modal_body(unit_disc(PlateEdge::free, 4, 0.7), {}), InvalidInput);
  EXPECT_THROW(modal_body(Bell{.modes = 25}, {}), InvalidInput);
}

}  // namespace
}  // namespace carom
