#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/theta_scheme.hpp>

#include "issanchou_signals.hpp"
#include "points.hpp"

// What the exact scheme is for: the dispersion of the theta-scheme that Moreau-Jean time stepping
// is generally used with (Sect. III).
namespace carom::issanchou {
namespace {

constexpr double theta = 0.5;

double cents(double ratio) { return 1200 * std::log2(ratio); }

/// The frequency of one mode by its zero crossings in a run of the free string.
double measured_frequency(const Case& string, double rate, std::size_t mode) {
  ModalProblem problem = with(string.problem, rate, NewtonRestitution{});
  problem.body = theta_scheme(problem.body, rate, theta);
  problem.heights = {-1.0};  // out of reach
  problem.start.position.setZero();
  problem.start.position[static_cast<Eigen::Index>(mode)] = 1e-3;
  ModalMarch march(problem);
  double first = -1, last = 0, before = 1, crossings = 0;
  const auto steps = static_cast<long long>(0.05 * rate);
  for (long long n = 1; n <= steps; ++n) {
    march.advance(1);
    const double now = march.position()[static_cast<Eigen::Index>(mode)];
    if (now * before < 0) {
      const double t = (double(n) - now / (now - before)) / rate;
      if (first < 0) first = t;
      last = t;
      ++crossings;
    }
    before = now;
  }
  return (crossings - 1) / (2 * (last - first));
}

}  // namespace

void reproduce_theta(Reproduction& paper) {
  const Case string = point_bridge();
  const auto& modes = string.problem.body.modes;
  const std::string item = "theta-scheme";
  const std::size_t seventh = 34;  // the 35th partial, near 7 kHz
  for (const double rate : {44100.0, 176400.0, 1e6}) {
    const std::string row = fmt::format("{:.5g} kHz", rate / 1e3);
    for (const std::size_t mode : {std::size_t{9}, seventh}) {
      const double f = modes[mode].frequency;
      paper.set(item, fmt::format("partial {} {}", mode + 1, row),
                cents(theta_frequency(f, rate, theta) / f));
    }
  }
  const double rate = 176400;
  const double found = measured_frequency(string, rate, seventh),
               formula = theta_frequency(modes[seventh].frequency, rate, theta);
  paper.set(item, "partial 35 at 176.4 kHz: simulated against the formula", cents(found / formula));
  Panel panel{
      .title = "", .x_label = "frequency [kHz]", .y_label = "too low by [cent]", .log_y = true};
  for (const double each : {44100.0, 176400.0, 1e6}) {
    Series curve{fmt::format("θ = 1/2, {:.5g} kHz", each / 1e3), {}, {}};
    for (const double f : evenly(50, 12000, 200)) {
      curve.x.push_back(f / 1e3);
      curve.y.push_back(-cents(theta_frequency(f, each, theta) / f));
    }
    panel.series.push_back(curve);
  }
  paper.draw(
      item,
      "Dispersion: by how much the theta-scheme lowers a partial. The exact scheme does not, "
      "at any rate.",
      {.panels = {panel}, .columns = 1, .panel_width = 760});

  // With the bridge, over the first 20 ms: the formant descends otherwise.
  for (const double each : {44100.0, 176400.0, 1e6}) {
    ModalProblem exact = with(string.problem, each, bounces), stepped = exact;
    stepped.body = theta_scheme(exact.body, each, theta);
    paper.set(item, fmt::format("output over 20 ms, theta against exact, {:.5g} kHz", each / 1e3),
              difference_percent(play(string, stepped, 0.02, 1 / each),
                                 play(string, exact, 0.02, 1 / each)));
  }
}

}  // namespace carom::issanchou
