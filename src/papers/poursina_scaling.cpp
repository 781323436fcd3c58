#include <cmath>
#include <functional>

#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>

#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>

#include "points.hpp"
#include "poursina2020.hpp"

namespace carom::poursina {
namespace {

/// Eq. (23) in physical units: the damping c for which the impact of this mass, speed and spring
/// has restitution e. Solved on the impact itself, so that nothing is assumed of how c scales.
double optimal_damping(double mass, double speed, double stiffness, double n, double e) {
  const auto misfit = [&](double log_damping) {
    const HertzDamper law{.stiffness = stiffness, .exponent = n, .damping = std::exp(log_damping)};
    return impact(law, {.mass = mass, .speed = speed}).restitution - e;
  };
  // The damping of a linear contact with the same period brackets the root within a factor e^4.
  const double guess = std::log(
      impact(PowerLaw{.stiffness = stiffness, .exponent = n}, {.mass = mass, .speed = speed})
          .max_force /
      speed);
  std::uintmax_t iterations = 60;
  const auto bracket = boost::math::tools::toms748_solve(
      misfit, guess - 4, guess + 4, boost::math::tools::eps_tolerance<double>(44), iterations);
  return std::exp((bracket.first + bracket.second) / 2);
}

/// One of the three sweeps: which parameter, over which values, and the exponent found.
struct Sweep {
  std::string item, symbol;
  std::vector<double> values;
  std::function<double(double value, double n)> damping;
  std::function<double(double n)> exponent;
};

/// Slope of ln c over ln value, by least squares.
double log_slope(const Sweep& sweep, double n, Series* points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const double value : sweep.values) {
    const double x = std::log(value), y = std::log(sweep.damping(value, n));
    if (points != nullptr) {
      points->x.push_back(x);
      points->y.push_back(y);
    }
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double count = double(sweep.values.size());
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

void run(Reproduction& paper, const Sweep& sweep) {
  Panel lines{.title = "(a)",
              .x_label = fmt::format("ln {}", sweep.symbol),
              .y_label = "ln c",
              .key = "top left"};
  Series found{"found", {}, {}, Series::Style::points}, exact{"exact exponent", {}, {}};
  for (const double n : evenly(1, 2, 11)) {
    const bool shown = n == 1 || n == 1.5 || n == 2;
    Series line{fmt::format("n = {}", n), {}, {}, Series::Style::line_points};
    const double slope = log_slope(sweep, n, shown ? &line : nullptr);
    if (shown) {
      lines.series.push_back(line);
      paper.set(sweep.item, fmt::format("slope at n = {}", n), slope);
    }
    found.x.push_back(n);
    found.y.push_back(slope);
    exact.x.push_back(n);
    exact.y.push_back(sweep.exponent(n));
  }
  paper.draw(sweep.item,
             "(a) Optimal damping, e = 0.7. (b) The slopes and the exponent that scaling gives.",
             {.title = "",
              .panels = {lines,
                         {.title = "(b)",
                          .x_label = "n",
                          .y_label = "slope",
                          .series = {exact, found},
                          .key = "top left"}}});
}

void figure_2(Reproduction& paper) {
  constexpr double e = 0.5, n = 1.5;
  const double damping = damping_of_restitution(e, n), epsilon = epsilon_of_restitution(e);
  const Collision collision{.mass = 1, .speed = 1};
  const ImpactHistory damper(HertzDamper{.stiffness = 1, .exponent = n, .damping = damping},
                             collision);
  const ImpactHistory crossley(HuntCrossley{.stiffness = 1, .exponent = n, .mu = epsilon},
                               collision);
  Panel panel{.title = "",
              .x_label = "penetration",
              .y_label = "contact force",
              .y_range = Range{0, 1.5},
              .key = "top left"};
  for (const auto& [label, history] :
       {std::pair{"Hertz spring and linear damper, eq. (7)", &damper},
        std::pair{"Hunt-Crossley, eq. (9)", &crossley}}) {
    Series loop{label, {}, {}};
    // An end point of the contact belongs to the free motion on its other side: stay inside.
    const double duration = history->summary().contact_time;
    for (const double t : evenly(1e-9 * duration, (1 - 1e-9) * duration, 300)) {
      const ImpactState state = history->at(t);
      loop.x.push_back(state.compression);
      loop.y.push_back(state.force);
    }
    panel.series.push_back(loop);
  }
  const Impact& hit = damper.summary();
  paper.set("Fig. 2", "force at first touch (point A)", damping);
  paper.set("Fig. 2", "penetration at separation (point C)", hit.separation_compression);
  paper.draw("Fig. 2", "Drawn for e = 0.5, n = 3/2, k = m = v = 1.",
             {.title = "", .panels = {panel}, .panel_width = 760});
}

void equations_18_19(Reproduction& paper) {
  for (const double e : {0.1, 0.3, 0.5, 0.9}) {
    const double d = e * epsilon_of_restitution(e);
    paper.set("eqs. 18, 19", fmt::format("d at e = {}", e), d);
    if (e == 0.3) {
      paper.set("eqs. 18, 19", "residual of (19) at e = 0.3",
                std::log1p(d / e) - std::log1p(-d) - d * (1 + 1 / e));
    }
  }
}

}  // namespace

void reproduce_scaling(Reproduction& paper) {
  figure_2(paper);
  equations_18_19(paper);
  constexpr double e = 0.7;
  const int count = paper.quick() ? 5 : 20;
  run(paper, {.item = "Fig. 3",
              .symbol = "m",
              .values = evenly(1e-5, 50, count),
              .damping = [](double m, double n) { return optimal_damping(m, 1, 1, n, e); },
              .exponent = [](double n) { return n / (n + 1); }});
  run(paper, {.item = "Fig. 4",
              .symbol = "v",
              .values = evenly(0.01, 50, count),
              .damping = [](double v, double n) { return optimal_damping(1, v, 1, n, e); },
              .exponent = [](double n) { return (n - 1) / (n + 1); }});
  run(paper, {.item = "Fig. 5",
              .symbol = "k",
              .values = evenly_in_log(1e5, 1e10, count),
              .damping = [](double k, double n) { return optimal_damping(1, 1, k, n, e); },
              .exponent = [](double n) { return 1 / (n + 1); }});
}

}  // namespace carom::poursina
