#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/obstacles.hpp>
#include <carom/systems/stiff_string.hpp>

#include "../steppers/string_cases.hpp"

namespace {

using carom::StiffString;

#define NEED_STRING_DATA()                                                            \
  if (cases::string_data().empty() || !std::filesystem::exists(cases::string_data())) \
  GTEST_SKIP() << "the measured strings are not here (set CAROM_SHARED)"

// 1e-12: the recovered laws hold to the rounding of the tables.
void expect_model(const StiffString& string, const char* folder, int first, int last) {
  const auto table = cases::read_table(cases::string_data() / folder / "modes.csv");
  const carom::ModalBody body = modal_body(string);
  for (int j = first; j <= last; ++j) {
    const auto i = static_cast<std::size_t>(j - 1);
    const double nu = table.at("frequency_Hz")[i], sigma = table.at("sigma_1_per_s")[i];
    ASSERT_NEAR(body.modes[i].frequency, nu, 1e-12 * nu) << j;
    ASSERT_NEAR(body.modes[i].damping, sigma, 1e-12 * sigma) << j;
  }
}

TEST(StiffString, SquareRootLawGivesTheGuitarTable) {
  NEED_STRING_DATA();
  expect_model({.length = 1.002,
                .linear_density = 1.17e-3,
                .tension = 180.5,
                .modes = 1001,
                .inharmonicity = 1.78e-5,
                .air_diameter = 0.43e-3,
                .viscoelastic = 4.5e-3,
                .thermoelastic = 2.03e-4},
               "one_contact", 37, 1000);
}

TEST(StiffString, AppendixGivesTheBassTable) {
  NEED_STRING_DATA();
  expect_model({.length = 0.863,
                .linear_density = 0.0067,
                .tension = 191.6,
                .modes = 862,
                .inharmonicity = 3.5e-5,
                .air_diameter = carom::wound_diameter((1.14e-3 - 0.43e-3) / 2, 0.43e-3),
                .viscoelastic = 0.01,
                .thermoelastic = 6e-6,
                .model = carom::StringModel::appendix},
               "bass_fretted", 91, 800);
}

TEST(StiffString, TriangleGivesTheAuthorsAmplitudes) {
  NEED_STRING_DATA();
  const StiffString string{
      .length = 1.002, .linear_density = 1.17e-3, .tension = 180.5, .modes = 1001};
  const auto table = cases::read_table(cases::string_data() / "one_contact" / "initial_modal.csv");
  const carom::ModalState state =
      pluck(string, modal_body(string), {.position = 0.501, .height = 1.8e-3});
  for (int j = 0; j < 1001; ++j) {
    EXPECT_NEAR(state.position[j], table.at("q0_triangle_1p8mm_m32")[static_cast<std::size_t>(j)],
                1e-16);
  }
}

TEST(StiffString, PlucksAreHighestWhereTheyShouldBe) {
  const StiffString string{.modes = 300, .inharmonicity = 1e-4};
  const carom::ModalBody body = modal_body(string, std::array{0.3});
  for (const auto shape :
       {carom::PluckShape::triangle, carom::PluckShape::point, carom::PluckShape::moving}) {
    const carom::ModalState state =
        pluck(string, body, {.shape = shape, .position = 0.3, .height = 2e-3, .duration = 0.05});
    // 300 modes of a sharp corner miss height/300 of it.
    EXPECT_NEAR(body.shapes.row(0).dot(state.position), 2e-3, 1e-5);
  }
}

TEST(StiffString, ASlowPullIsAPointForce) {
  const StiffString string{.modes = 50, .inharmonicity = 1e-4, .viscoelastic = 0.01};
  const carom::ModalBody body = modal_body(string);
  const carom::ModalState rest =
      pluck(string, body, {.shape = carom::PluckShape::point, .position = 0.3, .height = 2e-3});
  const carom::ModalState moved =
      pluck(string, body,
            {.shape = carom::PluckShape::moving, .position = 0.3, .height = 2e-3, .duration = 100});
  // What is left over is of order 1/(omega T): 100 s against periods of milliseconds.
  EXPECT_LT((moved.position - rest.position).norm(), 1e-4 * rest.position.norm());
}

TEST(StiffString, AMovingPluckIsTheForcedMotion) {
  // An independent integration of m (q'' + 2 sigma q' + omega^2 q) = phi t/T with tiny steps.
  const StiffString string{.modes = 3, .inharmonicity = 1e-4, .thermoelastic = 0.02};
  const carom::ModalBody body = modal_body(string);
  const double T = 7e-3;
  const carom::ModalState state =
      pluck(string, body,
            {.shape = carom::PluckShape::moving, .position = 0.3, .height = 1e-3, .duration = T});
  Eigen::VectorXd q(3), v(3);
  for (int j = 0; j < 3; ++j) {
    const carom::Mode& mode = body.modes[static_cast<std::size_t>(j)];
    const double omega = 2 * M_PI * mode.frequency;
    const double phi = std::sqrt(2.0) * std::sin((j + 1) * M_PI * 0.3);
    double x = 0, w = 0;
    const int steps = 200000;
    const double h = T / steps;
    const auto force = [&](double t, double y, double z) {
      return phi / mode.mass * t / T - 2 * mode.damping * z - omega * omega * y;
    };
    for (int n = 0; n < steps; ++n) {  // midpoint rule: error (omega h)^2
      const double t = n * h, xm = x + h / 2 * w, wm = w + h / 2 * force(t, x, w);
      x += h * wm;
      w += h * force(t + h / 2, xm, wm);
    }
    q[j] = x;
    v[j] = w;
  }
  // The force is the one that brings the string to its height at the plectrum at the time T.
  double displacement = 0;
  for (int j = 0; j < 3; ++j)
    displacement += std::sqrt(2.0) * std::sin((j + 1) * M_PI * 0.3) * q[j];
  const double scale = 1e-3 / displacement;
  EXPECT_LT((state.position - scale * q).norm(), 1e-7 * state.position.norm());
  EXPECT_LT((state.velocity - scale * v).norm(), 1e-7 * state.velocity.norm());
}

TEST(StiffString, ASupportThatGivesWayDamps) {
  StiffString string{.modes = 20, .air_diameter = 0};
  const carom::ModalBody rigid = modal_body(string);
  string.support = {{.frequency = 400, .damping = 50, .mass = 0.1}};
  const carom::ModalBody soft = modal_body(string);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_GT(soft.modes[j].damping, rigid.modes[j].damping);
  // Below its resonance a support acts as a spring, above as a mass: the first lowers, the second
  // raises frequencies.
  EXPECT_NE(soft.modes[0].frequency, rigid.modes[0].frequency);
}

TEST(StiffString, AStrikeGivesItsVelocity) {
  const StiffString string{.linear_density = 2e-3, .modes = 399};
  const carom::ModalState state = velocity_strike(string, 0.4, 0.05, 3.0);
  const carom::ModalBody body = modal_body(string, std::array{0.4, 0.6});
  // Both points lie on the grid of 400 intervals, where the transform interpolates.
  EXPECT_NEAR(body.shapes.row(0).dot(state.velocity), 3.0, 1e-12);
  EXPECT_NEAR(body.shapes.row(1).dot(state.velocity), 0.0, 1e-12);
  EXPECT_EQ(state.position.norm(), 0);
}

TEST(StiffString, RefusesWhatIsNoString) {
  EXPECT_THROW(modal_body(StiffString{.tension = 0}), carom::InvalidInput);
  EXPECT_THROW(modal_body(StiffString{.modes = 0}), carom::InvalidInput);
  EXPECT_THROW(modal_body(StiffString{}, std::array{1.5}), carom::InvalidInput);
  const StiffString string;
  EXPECT_THROW(pluck(string, modal_body(string), {.position = 0}), carom::InvalidInput);
}

TEST(Obstacles, FretsFollowEqualTemperament) {
  const auto points =
      carom::frets({.frets = 24, .nut = 0.5e-3, .action = 2e-3, .relief = 0}, 0.864);
  ASSERT_EQ(points.size(), 24u);
  EXPECT_NEAR(points[11].position, 0.432, 1e-15);
  EXPECT_NEAR(points[11].height, -2e-3, 1e-15);
  EXPECT_NEAR(points[23].position, 0.648, 1e-15);
  for (std::size_t k = 1; k < points.size(); ++k) {
    // Fretted lengths fall by a semitone.
    EXPECT_NEAR((0.864 - points[k].position) / (0.864 - points[k - 1].position),
                std::exp2(-1.0 / 12), 1e-13);
  }
  const auto bowed =
      carom::frets({.frets = 24, .nut = 0.5e-3, .action = 2e-3, .relief = 3e-4}, 0.864);
  EXPECT_EQ(bowed.front().height, points.front().height);
  EXPECT_NEAR(bowed.back().height, points.back().height, 1e-16);
  EXPECT_LT(bowed[8].height, points[8].height);
}

TEST(Obstacles, ProfilesInterpolate) {
  const auto points = carom::profile(std::array{0.0, 1.0, 3.0}, std::array{0.0, 1.0, -1.0}, 7);
  ASSERT_EQ(points.size(), 7u);
  EXPECT_DOUBLE_EQ(points[1].height, 0.5);
  EXPECT_DOUBLE_EQ(points[4].height, 0.0);
  EXPECT_DOUBLE_EQ(points[6].height, -1.0);
  EXPECT_THROW(carom::profile(std::array{0.0, 0.0}, std::array{0.0, 1.0}, 3), carom::InvalidInput);
}

TEST(Obstacles, ABridgeCurvesAway) {
  const auto points = carom::bridge({.width = 0.02, .apex = 0.0, .radius = 0.5, .points = 10});
  ASSERT_EQ(points.size(), 10u);
  EXPECT_DOUBLE_EQ(points.back().height, -0.02 * 0.02 / 1.0);
  for (std::size_t i = 1; i < points.size(); ++i) EXPECT_LT(points[i].height, points[i - 1].height);
}

}  // namespace
