#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/clock.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>

#include "issanchou_signals.hpp"

namespace carom::issanchou {
namespace {

/// CPU seconds per simulated second of the fast engine.
double fast_cost(const ModalProblem& problem, double duration) {
  ModalMarch march(problem);
  const double begin = cpu_now();
  march.advance(std::llround(duration * problem.rate));
  return (cpu_now() - begin) / duration;
}

/// CPU seconds per simulated second of the scheme as it is written, every mode in every step.
double plain_cost(const ModalProblem& problem, double duration) {
  ModalPlain plain(problem);
  const auto steps = std::max<long long>(1, std::llround(duration * problem.rate));
  const double begin = cpu_now();
  for (long long n = 0; n < steps; ++n) plain.step();
  return (cpu_now() - begin) / static_cast<double>(steps) * problem.rate;
}

/// The scheme with the whole spatial grid in S: every grid point a contact, all but one far below.
ModalProblem full_grid(const Case& string, ModalProblem problem) {
  std::vector<double> grid;
  for (int i = 1; i <= string.model.modes; ++i) {
    grid.push_back(i * string.model.length / (string.model.modes + 1));
  }
  problem.body.shapes = string_shapes(string.model.length, string.model.modes, grid);
  problem.heights.assign(grid.size(), -0.5);
  problem.heights[5] = 0.0;
  return problem;
}

ModalProblem out_of_reach(ModalProblem problem) {
  problem.heights.assign(problem.heights.size(), -0.5);
  return problem;
}

/// (27) alone, the free velocities of all modes, per simulated second.
double free_velocities_cost(const ModalProblem& problem) {
  std::vector<ModeStep> steps;
  for (const Mode& mode : problem.body.modes) {
    steps.push_back(mode_step(mode, 1 / problem.rate, problem.scaling));
  }
  Eigen::VectorXd q = problem.start.position, w = Eigen::VectorXd::Zero(q.size()), next = w;
  constexpr int repetitions = 2000;
  const double begin = cpu_now();
  for (int i = 0; i < repetitions; ++i) {
    for (Eigen::Index j = 0; j < q.size(); ++j) {
      const ModeStep& c = steps[static_cast<std::size_t>(j)];
      next[j] = c.decay * w[j] - c.stiffness * q[j];
    }
    w.swap(next);
  }
  const double seconds = cpu_now() - begin;
  return (std::isfinite(w.sum()) ? seconds : 0) / repetitions * problem.rate;
}

/// Total and contact part of one scheme: the contact part is what the obstacle adds to the same
/// steps out of its reach.
struct Cost {
  double total, contact;
};

Cost cost_of(const ModalProblem& problem, double duration) {
  double total = std::numeric_limits<double>::infinity(), free = total;
  for (int turn = 0; turn < 3; ++turn) {  // whatever else the machine does can only add
    total = std::min(total, plain_cost(problem, duration));
    free = std::min(free, plain_cost(out_of_reach(problem), duration));
  }
  return {total, std::max(0.0, total - free)};
}

void table_3(Reproduction& paper) {
  const Case string = point_bridge();
  double share = 0;
  std::string ratios;
  for (const double rate : {44100.0, 88200.0, 176400.0, 1e6}) {
    const std::string column =
        rate == 1e6 ? "1000 kHz" : fmt::format("{:.4g} kHz", rate == 176400.0 ? 176 : rate / 1e3);
    const ModalProblem compliant = with(string.problem, rate, stiff_contact(string)),
                       nonsmooth = with(string.problem, rate, NewtonRestitution{.restitution = 1});
    const auto set = [&](const char* row, double value) {
      paper.set("Table III", column + " " + row, value);
    };
    const double part = paper.quick() ? 0.002 : 0.01;  // [s] of sound
    const Cost grid = cost_of(full_grid(string, compliant), 30 / rate);
    set("compliant, full grid: Newton-Raphson", grid.contact);
    set("compliant, full grid: other", grid.total - grid.contact);
    set("compliant, full grid: total", grid.total);
    const Cost point = cost_of(compliant, part);
    set("compliant, obstacle only: Newton-Raphson", point.contact);
    set("compliant, obstacle only: other", point.total - point.contact);
    set("compliant, obstacle only: total", point.total);
    const Cost hard = cost_of(nonsmooth, part);
    const double velocities = std::min(free_velocities_cost(nonsmooth), hard.total);
    set("nonsmooth: LCP", hard.contact);
    set("nonsmooth: (27)", velocities);
    set("nonsmooth: other", std::max(0.0, hard.total - hard.contact - velocities));
    set("nonsmooth: total", hard.total);
    const auto ratio = [&](const char* name, double value) {
      paper.set("Table III, ratios", column + " " + name, value);
    };
    ratio("full grid over obstacle only", grid.total / point.total);
    ratio("compliant, obstacle only, over nonsmooth", point.total / hard.total);
    ratio("compliant, full grid, over nonsmooth", grid.total / hard.total);
    paper.add("Table III, ratios", column + ", fast engine: nonsmooth",
              fast_cost(nonsmooth, rate == 1e6 ? 0.1 : 1.0), "Seconds for one second of sound.",
              "s");
    paper.add("Table III, ratios", column + ", fast engine: compliant, obstacle only",
              fast_cost(compliant, rate == 1e6 ? 0.1 : 1.0), "Seconds for one second of sound.",
              "s");
    share = std::max(share, point.contact / point.total);
    ratios += fmt::format("{}{:.2g}", ratios.empty() ? "" : ", ", point.total / hard.total);
    if (rate == 1e6) {
      paper.set("Table III, ratios", "gain of taking the obstacle only, 1000 kHz",
                grid.total / point.total);
      paper.set("Table III, ratios", "gain of the nonsmooth method, 1000 kHz",
                point.total / hard.total);
      paper.check(
          "scalar", share < 0.5,
          fmt::format("the contact takes at most {:.0f} % of a step of ours; compliant over "
                      "nonsmooth {}",
                      100 * share, ratios));
    }
  }
}

}  // namespace

void reproduce_times(Reproduction& paper) {
  table_3(paper);
  const Case low = bass();
  ModalMarch march(low.problem);
  const double begin = cpu_now();
  march.advance(100000);
  const double seconds = cpu_now() - begin;
  paper.set("Sect. IV B, times", "with MATLAB", seconds);
  paper.set("Sect. IV B, times", "with Siconos", seconds);
  paper.set("Sect. IV B, times", "MATLAB over Siconos, from the printed times",
            paper.printed("Sect. IV B, times", "with MATLAB") /
                paper.printed("Sect. IV B, times", "with Siconos"));
  paper.set("Sect. IV B, times", "the scheme as written over the fast engine",
            plain_cost(low.problem, paper.quick() ? 0.001 : 0.01) * 0.1 / seconds);
  paper.add(
      "Sect. IV B, times", "share of steps leapt over",
      100.0 * static_cast<double>(march.statistics().leapt) / static_cast<double>(march.steps()),
      "contact is provably impossible there", "%");
}

}  // namespace carom::issanchou
