#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>
#include <carom/steppers/modal_recorder.hpp>

#include "string_cases.hpp"

namespace {

using carom::ModalProblem;

ModalProblem buzzing_string(std::vector<double> positions) {
  ModalProblem problem;
  for (int j = 1; j <= 50; ++j) {
    problem.body.modes.push_back(
        {.frequency = 150.0 * j, .damping = 1 + 0.02 * j * j, .mass = 1e-3});
  }
  problem.body.shapes = cases::string_shapes(positions, 1.0, 50);
  problem.heights.assign(positions.size(), -2e-5);
  problem.start.position.resize(50);
  for (int j = 1; j <= 50; ++j) {
    problem.start.position[j - 1] = 2e-3 * std::sin(j * M_PI * 0.3) / (j * j);
  }
  problem.law = carom::NewtonRestitution{.restitution = 0.7};
  problem.rate = 192000;
  return problem;
}

TEST(ModalRecorder, ReplaysTheMotionOfThePlainScheme) {
  for (const auto& positions : {std::vector{0.02}, std::vector{0.1, 0.37, 0.8}}) {
    const ModalProblem problem = buzzing_string(positions);
    const carom::ShapeMatrix points = cases::string_shapes({0.25, 0.9}, 1.0, 50);
    for (const int every : {1, 2, 3, 7, 40}) {
      carom::ModalMarch march(problem);
      carom::ModalRecorder recorder(problem, points, every);
      std::vector<double> rows;
      for (const long long until : {1000LL, 1003LL, 5000LL}) {  // in pieces that fit nothing
        march.advance(until - march.steps());
        recorder.record(until, march.impulses(), rows);
        march.clear_impulses();
      }
      ASSERT_EQ(rows.size(), 2 * static_cast<std::size_t>(5000 / every));
      EXPECT_GT(march.statistics().impulses, 20);
      carom::ModalPlain plain(problem);
      std::size_t row = 0;
      double deviation = 0;
      while (plain.steps() < 5000) {
        plain.step();
        if (plain.steps() % every != 0) continue;
        const Eigen::VectorXd u = points * plain.position();
        deviation = std::max(
            {deviation, std::abs(u[0] - rows[2 * row]), std::abs(u[1] - rows[2 * row + 1])});
        ++row;
      }
      EXPECT_LT(deviation, 1e-11 * 2e-3) << "every " << every;
    }
  }
}

TEST(ModalRecorder, RefusesShapesThatDoNotFit) {
  const ModalProblem problem = buzzing_string({0.1});
  EXPECT_THROW(carom::ModalRecorder(problem, carom::ShapeMatrix::Zero(1, 49), 1),
               carom::InvalidInput);
  EXPECT_THROW(carom::ModalRecorder(problem, carom::ShapeMatrix::Zero(1, 50), 0),
               carom::InvalidInput);
}

}  // namespace
