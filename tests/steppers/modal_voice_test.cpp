#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_voice.hpp>
#include <carom/systems/obstacles.hpp>
#include <carom/systems/stiff_string.hpp>

#include "allocations.hpp"

namespace {

carom::ModalProblem sitar(double rate, carom::ModalContactLaw law) {
  const carom::StiffString string{.length = 0.9,
                                  .linear_density = 6e-4,
                                  .tension = 50,
                                  .modes = 100,
                                  .inharmonicity = 1e-5,
                                  .thermoelastic = 2e-4};
  const auto points = carom::bridge({.width = 0.015, .radius = 0.4, .points = 8});
  std::vector<double> positions;
  carom::ModalProblem problem;
  for (const auto& point : points) {
    positions.push_back(point.position);
    problem.heights.push_back(point.height);
  }
  problem.body = modal_body(string, positions);
  problem.start = pluck(string, problem.body, {.position = 0.2, .height = 2e-3});
  problem.law = law;
  problem.rate = rate;
  return problem;
}

TEST(ModalVoice, BlocksOfAnySizeGiveTheSameSound) {
  const carom::ModalProblem problem = sitar(88200, carom::NewtonRestitution{.restitution = 0.2});
  const carom::ShapeMatrix point = carom::string_shapes(0.9, 100, std::array{0.85});
  carom::ModalVoice one(problem, point, {.oversampling = 2, .largest_block = 64});
  carom::ModalVoice other(problem, point, {.oversampling = 2, .largest_block = 441});
  std::vector<double> a(4410), b(4410);
  for (std::size_t i = 0; i < a.size(); i += 63) {
    one.process(std::span(a).subspan(i, std::min<std::size_t>(63, a.size() - i)));
  }
  for (std::size_t i = 0; i < b.size(); i += 441) other.process(std::span(b).subspan(i, 441));
  double deviation = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    deviation = std::max(deviation, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  EXPECT_GT(one.statistics().impulses, 100);
  EXPECT_EQ(one.statistics().impulses, other.statistics().impulses);
  EXPECT_LE(deviation, 1e-11 * largest);
}

#if defined(CAROM_COUNTS_ALLOCATIONS)
TEST(ModalVoice, ProcessDoesNotAllocate) {
  const carom::ShapeMatrix point = carom::string_shapes(0.9, 100, std::array{0.85});
  for (const carom::ModalContactLaw& law :
       {carom::ModalContactLaw{carom::NewtonRestitution{.restitution = 0.0}},
        carom::ModalContactLaw{carom::HuntCrossley{.stiffness = 1e8, .mu = 0.1}}}) {
    for (const double rate : {44100.0, 1e6}) {  // the gate shut, and open
      carom::ModalVoice voice(sitar(rate, law), point, {.largest_block = 64});
      std::array<double, 64> out{};
      const long long before = support::allocations();
      for (int block = 0; block < 400; ++block) voice.process(out);
      EXPECT_EQ(support::allocations(), before) << rate;
      EXPECT_GT(voice.statistics().impulses, 10);
    }
  }
}
#endif

TEST(ModalVoice, RefusesEmptyBlocks) {
  const carom::ShapeMatrix point = carom::string_shapes(0.9, 100, std::array{0.85});
  const auto problem = sitar(44100, carom::NewtonRestitution{});
  EXPECT_THROW(carom::ModalVoice(problem, point, {.oversampling = 0}), carom::InvalidInput);
  EXPECT_THROW(carom::ModalVoice(problem, point, {.largest_block = 0}), carom::InvalidInput);
}

}  // namespace
