#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/modal_structures.hpp>

namespace {

using carom::Place;

// Shapes on a fine grid must be orthogonal with the modal masses on the diagonal.
TEST(ModalStructures, FreeBarShapesAreOrthogonal) {
  const int n = 4000, modes = 12;
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) x.push_back(0.4 * i / n);
  const carom::ThinBar bar{.length = 0.4, .linear_density = 0.9, .modes = modes};
  const carom::ModalBody body = modal_body(bar, x);
  for (int a = 0; a < modes; ++a) {
    for (int b = 0; b <= a; ++b) {
      double sum = 0;
      for (int i = 0; i <= n; ++i) {
        sum += (i == 0 || i == n ? 0.5 : 1.0) * body.shapes(i, a) * body.shapes(i, b);
      }
      sum *= 0.9 * 0.4 / n;
      // The trapezoidal rule errs by (k dx)^2/12 of the end values.
      EXPECT_NEAR(sum, a == b ? body.modes[static_cast<std::size_t>(a)].mass : 0.0, 2e-5);
    }
  }
}

TEST(ModalStructures, FreeBarFrequenciesAreTheTextbooks) {
  const carom::ThinBar bar{.length = 1, .linear_density = 1, .bending_stiffness = 1, .modes = 3};
  const carom::ModalBody body = modal_body(bar, {});
  // k L = 4.730041, 7.853205, 10.995608
  EXPECT_NEAR(std::sqrt(2 * M_PI * body.modes[0].frequency), 4.730040744862704, 1e-12);
  EXPECT_NEAR(std::sqrt(2 * M_PI * body.modes[1].frequency), 7.853204624095838, 1e-12);
  EXPECT_NEAR(std::sqrt(2 * M_PI * body.modes[2].frequency), 10.995607838001671, 1e-12);
}

TEST(ModalStructures, FreeBarShapesStayBoundedAtHighModes) {
  std::vector<double> x;
  for (int i = 0; i <= 500; ++i) x.push_back(i / 500.0);
  const carom::ModalBody body = modal_body(carom::ThinBar{.length = 1, .modes = 400}, x);
  EXPECT_LE(body.shapes.cwiseAbs().maxCoeff(), 1 + 1e-9);
  for (int j = 0; j < 400; ++j) {
    EXPECT_NEAR(std::abs(body.shapes(0, j)), 1, 1e-9);
    EXPECT_NEAR(std::abs(body.shapes(500, j)), 1, 1e-9);
  }
}

TEST(ModalStructures, PlateAndMembraneListTheirLowestModes) {
  const carom::RectangularPlate plate{.width = 0.5, .height = 0.4, .modes = 60};
  const carom::ModalBody a = modal_body(plate, std::vector<Place>{{0.1, 0.2}});
  const carom::RectangularMembrane membrane{.modes = 60};
  const carom::ModalBody b = modal_body(membrane, {});
  for (std::size_t j = 1; j < 60; ++j) {
    EXPECT_GE(a.modes[j].frequency, a.modes[j - 1].frequency);
    EXPECT_GE(b.modes[j].frequency, b.modes[j - 1].frequency);
  }
  // Weyl's law: omega of mode N of a plate is near 4 pi N/area sqrt(D/rho h), edges apart.
  const double weyl = 4 * M_PI * 60 / 0.2 * std::sqrt(plate.bending_stiffness / plate.area_density);
  EXPECT_NEAR(2 * M_PI * a.modes[59].frequency / weyl, 1.2, 0.15);
  EXPECT_NEAR(a.shapes(0, 0), std::sin(M_PI * 0.2) * std::sin(M_PI * 0.5), 1e-15);
}

TEST(ModalStructures, DrumHeadHasBesselZeros) {
  const carom::CircularMembrane drum{
      .radius = 0.2, .area_density = 0.25, .tension = 2500, .modes = 80};
  const carom::ModalBody body = modal_body(drum, std::vector<Place>{{0, 0}, {0.1, 0.0}});
  const double first = 2 * M_PI * body.modes[0].frequency * 0.2 / 100;  // c = 100 m/s
  EXPECT_NEAR(first, 2.404825557695773, 1e-13);
  EXPECT_NEAR(2 * M_PI * body.modes[1].frequency * 0.2 / 100, 3.831705970207512, 1e-13);
  EXPECT_EQ(body.modes[1].frequency, body.modes[2].frequency);
  EXPECT_NEAR(body.shapes(0, 0), 1, 1e-15);
  EXPECT_NEAR(body.shapes(0, 1), 0, 1e-15);
  // Nothing is left out: Weyl's count for a disc, N = (k a)^2/4 - k a/2.
  const double ka = 2 * M_PI * body.modes[79].frequency * 0.2 / 100;
  EXPECT_NEAR(ka * ka / 4 - ka / 2, 80, 5);
}

TEST(ModalStructures, RefuseWhatIsNotThere) {
  EXPECT_THROW(modal_body(carom::ThinBar{.modes = 0}, {}), carom::InvalidInput);
  EXPECT_THROW(modal_body(carom::ThinBar{}, std::vector{0.5}), carom::InvalidInput);
  EXPECT_THROW(modal_body(carom::CircularMembrane{}, std::vector<Place>{{0.2, 0.0}}),
               carom::InvalidInput);
  EXPECT_THROW(modal_body(carom::RectangularPlate{.loss = {.constant = -1}}, {}),
               carom::InvalidInput);
}

}  // namespace
