#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/clock.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>

#include "issanchou_strings.hpp"

namespace carom::issanchou {
namespace {

/// CPU seconds per simulated second of the fast engine.
double cost(const ModalProblem& problem, double duration) {
  ModalMarch march(problem);
  const double begin = cpu_now();
  march.advance(std::llround(duration * problem.rate));
  return (cpu_now() - begin) / duration;
}

/// The scheme with the whole spatial grid in S: every grid point a contact, all but one far below.
/// A step costs the same wherever the string is, so a few of them tell; the quickest few, because
/// whatever else the machine does can only add.
double full_grid_cost(const Case& string, ModalProblem problem) {
  std::vector<double> grid;
  for (int i = 1; i <= string.model.modes; ++i) {
    grid.push_back(i * string.model.length / (string.model.modes + 1));
  }
  problem.body.shapes = string_shapes(string.model.length, string.model.modes, grid);
  problem.heights.assign(grid.size(), -0.5);
  problem.heights[5] = 0.0;
  ModalPlain plain(problem);
  constexpr int steps = 10;
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 5; ++turn) {
    const double begin = cpu_now();
    for (int n = 0; n < steps; ++n) plain.step();
    least = std::min(least, cpu_now() - begin);
  }
  return least / steps * problem.rate;
}

}  // namespace

void reproduce_times(Reproduction& paper) {
  const Case string = point_bridge();
  for (const double rate : {44100.0, 88200.0, 176400.0, 1e6}) {
    const std::string column =
        rate == 1e6 ? "1000 kHz" : fmt::format("{:.4g} kHz", rate == 176400.0 ? 176 : rate / 1e3);
    ModalProblem compliant = string.problem;
    compliant.rate = rate;
    compliant.law = PowerLaw{.stiffness = 1e13, .exponent = 1.5};
    ModalProblem nonsmooth = compliant;
    nonsmooth.law = NewtonRestitution{.restitution = 1};
    const double duration = rate == 1e6 ? 0.1 : 1.0;
    paper.set("Table III", column + " compliant, full grid", full_grid_cost(string, compliant));
    paper.set("Table III", column + " compliant, obstacle only", cost(compliant, duration));
    paper.set("Table III", column + " nonsmooth", cost(nonsmooth, duration));
  }
  const Case low = bass();
  ModalMarch march(low.problem);
  const double begin = cpu_now();
  march.advance(100000);
  const double seconds = cpu_now() - begin;
  paper.set("Sect. IV B, times", "with MATLAB", seconds);
  paper.set("Sect. IV B, times", "with Siconos", seconds);
  paper.add(
      "Sect. IV B, times", "share of steps leapt over",
      100.0 * static_cast<double>(march.statistics().leapt) / static_cast<double>(march.steps()),
      "contact is provably impossible there", "%");
}

}  // namespace carom::issanchou
