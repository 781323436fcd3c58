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

/// CPU seconds per simulated second of the scheme as it is written, every mode in every step, and
/// the share of its steps with an impulse.
struct PlainRun {
  double cost, touched;
};

PlainRun run_plain(const ModalProblem& problem, long long steps) {
  ModalPlain plain(problem);
  long long touched = 0;
  const double begin = cpu_now();
  for (long long n = 0; n < steps; ++n) {
    plain.step();
    touched += plain.touched();
  }
  const double count = static_cast<double>(steps);
  return {(cpu_now() - begin) / count * problem.rate, static_cast<double>(touched) / count};
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

/// The string on the obstacle, 2 ms after the start, and how many of the steps of 10 ms have an
/// impulse.
struct Pressed {
  ModalState state;
  double touched = 0;
};

Pressed pressed(const ModalProblem& problem) {
  ModalPlain plain(problem);
  Pressed result;
  const auto at = [&](double time) { return std::llround(time * problem.rate); };
  long long touched = 0;
  while (plain.steps() < at(0.01)) {
    plain.step();
    touched += plain.touched();
    if (plain.steps() == at(0.002)) {
      result.state = {plain.position(), plain.difference() * problem.rate};
    }
  }
  result.touched = static_cast<double>(touched) / static_cast<double>(plain.steps());
  return result;
}

/// Total and contact part of one scheme, in CPU seconds per second of sound. The contact part is
/// what the obstacle adds to the same steps out of its reach, measured on the obstacle and weighted
/// with how many steps touch it; not a number where it is less than such times are good for.
struct Cost {
  double total, contact;
  double known() const { return std::isnan(contact) ? 0 : contact; }
};

Cost cost_of(ModalProblem problem, const Pressed& pressed, long long steps, int turns) {
  problem.start = pressed.state;
  double with_contact = std::numeric_limits<double>::infinity(), free = with_contact, touched = 0;
  for (int turn = 0; turn < turns; ++turn) {  // whatever else the machine does can only add
    const PlainRun run = run_plain(problem, steps);
    with_contact = std::min(with_contact, run.cost);
    touched = run.touched;
    free = std::min(free, run_plain(out_of_reach(problem), steps).cost);
  }
  constexpr double good_for = 0.02;  // the smallest of a few turns
  const double added = with_contact - free;
  if (added < good_for * free || touched == 0) {
    return {free, std::numeric_limits<double>::quiet_NaN()};
  }
  const double contact = added * pressed.touched / touched;
  return {free + contact, contact};
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
    const auto millisecond = std::max<long long>(1, std::llround(1e-3 * rate));
    const int turns = paper.quick() ? 3 : 15;
    const Pressed soft = pressed(compliant);
    const Cost grid = cost_of(full_grid(string, compliant), soft, 30, paper.quick() ? 1 : 3);
    set("compliant, full grid: Newton-Raphson", grid.contact);
    set("compliant, full grid: other", grid.total - grid.known());
    set("compliant, full grid: total", grid.total);
    const Cost point = cost_of(compliant, soft, millisecond, turns);
    set("compliant, obstacle only: Newton-Raphson", point.contact);
    set("compliant, obstacle only: other", point.total - point.known());
    set("compliant, obstacle only: total", point.total);
    const Cost hard = cost_of(nonsmooth, pressed(nonsmooth), millisecond, turns);
    const double velocities = std::min(free_velocities_cost(nonsmooth), hard.total);
    set("nonsmooth: LCP", hard.contact);
    set("nonsmooth: (27)", velocities);
    set("nonsmooth: other", std::max(0.0, hard.total - hard.known() - velocities));
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
    share = std::max(share, point.known() / point.total);
    ratios += fmt::format("{}{:.2f}", ratios.empty() ? "" : ", ", point.total / hard.total);
    if (rate == 1e6) {
      paper.set("Table III, ratios", "gain of taking the obstacle only, 1000 kHz",
                grid.total / point.total);
      const auto slower = [&](const char* row, double ours) {
        return paper.printed("Table III", fmt::format("{} {}", column, row)) / ours;
      };
      const double full = slower("compliant, full grid: total", grid.total),
                   single = slower("compliant, obstacle only: total", point.total);
      paper.check("overhead", single > 10 * full,
                  fmt::format("the printed times at 1000 kHz are {:.0f} times ours with one point, "
                              "{:.0f} times with the full grid",
                              single, full));
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
            run_plain(low.problem, paper.quick() ? 1000 : 10000).cost * 0.1 / seconds);
  paper.add(
      "Sect. IV B, times", "share of steps that the fast engine leaps over",
      100.0 * static_cast<double>(march.statistics().leapt) / static_cast<double>(march.steps()),
      "Contact is provably impossible there.", "%");
}

}  // namespace carom::issanchou
