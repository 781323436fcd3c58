#include <algorithm>
#include <cmath>
#include <functional>

#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>

#include <carom/identify/formula.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>

#include "on_all_cores.hpp"
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

/// ln c over ln value.
Series log_curve(const Sweep& sweep, double n) {
  Series curve{fmt::format("n = {}", n), {}, {}};
  for (const double value : sweep.values) {
    curve.x.push_back(std::log(value));
    curve.y.push_back(std::log(sweep.damping(value, n)));
  }
  return curve;
}

/// Its slope by least squares.
double slope_of(const Series& curve) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double x = curve.x[i], y = curve.y[i];
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double count = double(curve.x.size());
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

void run(Reproduction& paper, const Sweep& sweep, double from) {
  Panel lines{
      .title = "(a)", .x_label = fmt::format("ln {}", sweep.symbol), .y_label = "ln c [kg/s]"};
  std::vector<double> exponents = evenly(1, 2, paper.quick() ? 11 : 50);
  const std::size_t count = exponents.size();
  for (const double n : {1.0, 1.5, 2.0}) exponents.push_back(n);  // drawn, and in the table
  std::vector<Series> curves(exponents.size());
  on_all_cores(paper, from, from + 0.1, exponents.size(),
               [&](std::size_t i) { curves[i] = log_curve(sweep, exponents[i]); });
  Series found{"found", {}, {}, Series::Style::points}, exact{"exponent of (35)", {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    found.x.push_back(exponents[i]);
    found.y.push_back(slope_of(curves[i]));
    exact.x.push_back(exponents[i]);
    exact.y.push_back(sweep.exponent(exponents[i]));
  }
  for (std::size_t i = count; i < exponents.size(); ++i) {
    paper.set(sweep.item, fmt::format("slope at n = {}", exponents[i]), slope_of(curves[i]));
    lines.series.push_back(curves[i]);
  }
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    worst = std::max(worst, std::abs(found.y[i] - exact.y[i]));
  }
  paper.set(sweep.item, "largest |slope - exponent| over all n", worst);
  paper.draw(
      sweep.item,
      "(a) Optimal damping, e = 0.7. (b) The slopes and the exponent that scaling gives.",
      {.title = "",
       .panels = {lines,
                  {.title = "(b)", .x_label = "n", .y_label = "slope", .series = {exact, found}}}});
}

/// The bounds (27) to (34) on exact impacts with k = m = v = 1, and the slack variable lambda.
void bounds(Reproduction& paper) {
  const auto deepest = [](double n) { return std::pow((n + 1) / 2, 1 / (n + 1)); };  // (27)
  const auto slack = [&](double c, double e, double n) { return c * e / std::pow(deepest(n), n); };
  double off = 0, depth = 0, low = 1, high = 0, apart = 0;
  Panel panel{.title = "", .x_label = "restitution e", .y_label = "slack variable λ"};
  for (const double n : evenly(1, 2, paper.quick() ? 5 : 21)) {
    off = std::max(off,
                   std::abs(impact(PowerLaw{.stiffness = 1, .exponent = n}, {.mass = 1, .speed = 1})
                                    .max_compression /
                                deepest(n) -
                            1));
    const bool drawn = n == 1 || n == 1.5 || n == 2;
    const int colour = int(panel.series.size()) / 2;
    Series exact{fmt::format("exact, n = {}", n), {}, {}, Series::Style::line, colour},
        fitted{fmt::format("(48), n = {}", n), {}, {}, Series::Style::dashes, colour};
    for (const double e : evenly(0.01, 0.99, paper.quick() ? 25 : 99)) {
      const double c = damping_of_restitution(e, n);
      const Impact hit =
          impact(HertzDamper{.stiffness = 1, .exponent = n, .damping = c}, {.mass = 1, .speed = 1});
      depth = std::max(depth, hit.separation_compression / deepest(n));
      const double lambda = slack(c, e, n), by_48 = slack(poursina_damping(e, n), e, n);
      low = std::min(low, lambda), high = std::max(high, lambda);
      apart = std::max(apart, std::abs(by_48 - lambda));
      exact.x.push_back(e), exact.y.push_back(lambda);
      fitted.x.push_back(e), fitted.y.push_back(by_48);
    }
    if (!drawn) continue;
    panel.series.push_back(exact);
    panel.series.push_back(fitted);
  }
  paper.set("eqs. 25-35", "(27) against the undamped impact, largest relative difference", off);
  paper.set("eqs. 25-35", "(28): penetration at separation over (27), largest", depth);
  paper.set("eqs. 25-35", "(31)-(34): slack variable lambda, largest", high);
  paper.set("eqs. 25-35", "(34): slack variable lambda, smallest", low);
  paper.set("eq. 48", "largest |lambda of (48) - exact|", apart);
  paper.draw("eq. 48", "The slack variable: exact, and with (48).",
             {.title = "", .panels = {panel}, .panel_width = 760, .panel_height = 400});

  // lambda of impacts in physical units: of masses, stiffnesses and speeds it knows nothing.
  double spread = 0;
  const double n = 1.5, e = 0.7, reference = slack(damping_of_restitution(e, n), e, n);
  for (const double m : {1e-5, 1.0, 100.0}) {
    for (const double k : {1e5, 1e10}) {
      for (const double v : {1e-3, 100.0}) {
        const double bound =
            std::pow(std::pow((n + 1) / 2, n) * k * std::pow(v, n - 1) * std::pow(m, n),
                     1 / (n + 1)) /
            e;  // (33)
        spread = std::max(spread, std::abs(optimal_damping(m, v, k, n, e) / bound / reference - 1));
      }
    }
  }
  paper.set("eqs. 25-35", "lambda over masses, stiffnesses and speeds, largest relative change",
            spread);
}

void figure_2(Reproduction& paper) {
  constexpr double e = 0.5, n = 1.5;
  const double damping = damping_of_restitution(e, n), epsilon = epsilon_of_restitution(e);
  const Collision collision{.mass = 1, .speed = 1};
  const ImpactHistory damper(HertzDamper{.stiffness = 1, .exponent = n, .damping = damping},
                             collision);
  const ImpactHistory crossley(HuntCrossley{.stiffness = 1, .exponent = n, .mu = epsilon},
                               collision);
  Panel panel{
      .title = "", .x_label = "penetration", .y_label = "contact force", .y_range = Range{0, 1.15}};
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
  const int count = paper.quick() ? 5 : 200;
  run(paper,
      {.item = "Fig. 3",
       .symbol = "m [kg]",
       .values = evenly(1e-5, 50, count),
       .damping = [](double m, double n) { return optimal_damping(m, 1, 1, n, e); },
       .exponent = [](double n) { return n / (n + 1); }},
      0.0);
  run(paper,
      {.item = "Fig. 4",
       .symbol = "v [m/s]",
       .values = evenly(0.01, 50, count),
       .damping = [](double v, double n) { return optimal_damping(1, v, 1, n, e); },
       .exponent = [](double n) { return (n - 1) / (n + 1); }},
      0.1);
  run(paper,
      {.item = "Fig. 5",
       .symbol = "k [N/m^n]",
       .values = evenly_in_log(1e5, 1e10, count),
       .damping = [](double k, double n) { return optimal_damping(1, 1, k, n, e); },
       .exponent = [](double n) { return 1 / (n + 1); }},
      0.2);
  bounds(paper);
}

}  // namespace carom::poursina
