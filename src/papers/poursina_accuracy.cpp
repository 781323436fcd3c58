#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/identify/formula.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>

#include "paper_sweep.hpp"
#include "points.hpp"
#include "poursina2020.hpp"

namespace carom::poursina {
namespace {

double delivered(double e, double n) {
  return hertz_damper_rebound(poursina_damping(e, n), n).restitution;
}

struct Bound {
  double error, exponent;
};

/// Largest |e_out - e| over n in [1, 2]: all that Fig. 8 can depend on.
Bound upper_bound(double e, int exponents) {
  Bound bound{0, 1};
  for (const double n : evenly(1, 2, exponents)) {
    const double error = std::abs(delivered(e, n) - e);
    if (error > bound.error) bound = {error, n};
  }
  return bound;
}

/// The paper's own experiment, in physical units: the largest |e_out - e| of random systems for
/// each restitution asked for, beside the bound over n.
void figure_8(Reproduction& paper) {
  const PaperSweep sweep(paper, {0.4, 0.9}, sweeps::poursina2020_fig8, sweeps::poursina2020_impact);
  const std::vector<double> asked = sweep.numbers("contact.restitution"),
                            found = sweep.numbers("results.restitution");
  Series bound{"largest over n", {}, {}}, drawn{"random draws", {}, {}, Series::Style::points};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (drawn.x.empty() || drawn.x.back() != asked[i]) {
      drawn.x.push_back(asked[i]);
      drawn.y.push_back(0);
    }
    drawn.y.back() = std::max(drawn.y.back(), std::abs(found[i] - asked[i]));
  }
  double top = 0, top_e = 0, top_n = 0, beyond = -1;
  for (std::size_t i = 0; i < drawn.x.size(); ++i) {
    const Bound here = upper_bound(drawn.x[i], 101);
    bound.x.push_back(drawn.x[i]);
    bound.y.push_back(here.error);
    if (here.error > top) top = here.error, top_e = drawn.x[i], top_n = here.exponent;
    beyond = std::max(beyond, drawn.y[i] / here.error - 1);
  }
  paper.set("Fig. 8", "largest |e_out - e|", top);
  paper.set("Fig. 8", "at e", top_e);
  paper.set("Fig. 8", "at n", top_n);
  paper.set("Fig. 8", "random draws beyond the bound, relative", beyond);
  paper.draw("Fig. 8",
             "Upper bound of the absolute error of (49) and the paper's experiment with random "
             "parameters.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "restitution asked for",
                          .y_label = "|e_out - e|",
                          .series = {bound, drawn}}},
              .panel_width = 760});
}

/// Eq. (57) for Kelvin-Voigt, with its own printed constants.
double damping_57(double e) { return 1.4181 * (std::pow(e, -0.44) - 1); }

void figure_9(Reproduction& paper) {
  Series curve{"e_exact", {}, {}}, diagonal{"e", {0, 1}, {0, 1}, Series::Style::dashes, 5};
  Series error{"", {}, {}};
  double worst = 0, at = 0;
  for (const double e : evenly(1e-4, 1, 401)) {
    const double exact = kelvin_voigt_rebound(damping_57(e) / 2).restitution;
    curve.x.push_back(e);
    curve.y.push_back(exact);
    error.x.push_back(e);
    error.y.push_back(std::abs(exact - e));
    if (error.y.back() > worst) worst = error.y.back(), at = e;
  }
  paper.set("Fig. 9", "largest |e_exact - e|", worst);
  paper.set("Fig. 9", "at e", at);
  paper.draw(
      "Fig. 9", "(a) e_exact against e, (b) the absolute error.",
      {.title = "",
       .panels = {
           {.title = "(a)", .x_label = "e", .y_label = "e_exact", .series = {curve, diagonal}},
           {.title = "(b)",
            .x_label = "e",
            .y_label = "|e_exact - e|",
            .series = {error},
            .key = Panel::Key::off}}});
}

void equation_55(Reproduction& paper) {
  // As printed: one-argument arctangent below xi = 1, exponent 2 xi s/(2 xi^2 - 1) above.
  const auto printed = [](double xi) {
    const double s = std::sqrt(std::abs(1 - xi * xi));
    if (xi < 1) return std::exp(-xi / s * std::atan(2 * xi * s / (2 * xi * xi - 1)));
    return std::pow((xi - s) / (xi + s), 2 * xi * s / (2 * xi * xi - 1));
  };
  for (const double xi : {0.3, 0.5, 0.8, 1.5, 3.0}) {
    const std::string column = fmt::format("xi = {}", xi);
    paper.set("eq. 55", column + " exact", kelvin_voigt_rebound(xi).restitution);
    paper.set("eq. 55", column + " as printed", printed(xi));
  }
}

void limits(Reproduction& paper) {
  for (const double n : {1.0, 1.5, 2.0}) {
    const std::string column = fmt::format("n = {}", n);
    const auto percent = [&](double e) {
      return 100 * (poursina_damping(e, n) / damping_of_restitution(e, n) - 1);
    };
    const auto percent_delivered = [&](double e) { return 100 * (delivered(e, n) / e - 1); };
    paper.set("eq. 49", column + " error of e delivered at e = 1e-4 [%]", percent_delivered(1e-4));
    paper.set("eq. 49", column + " error of e delivered at e = 0.01 [%]", percent_delivered(0.01));
    paper.set("eq. 49", column + " error of c at e = 1e-4 [%]", percent(1e-4));
    paper.set("eq. 49", column + " error of c at e = 0.01 [%]", percent(0.01));
    paper.set("eq. 49", column + " c/(1-e) as e goes to 1, exact",
              damping_of_restitution(1 - 1e-10, n) / 1e-10);
    const PoursinaConstants constants = poursina_constants(n);
    paper.set("eq. 49", column + " c/(1-e) as e goes to 1, (49)",
              -constants.alpha * constants.beta);
    const double c = damping_of_restitution(1e-9, n), c_above = damping_of_restitution(2e-9, n);
    paper.set("eq. 49", column + " exponent of e in c as e goes to 0, exact",
              std::log(c_above / c) / std::log(2.0));
    paper.set("eq. 49", column + " exponent of e in c as e goes to 0, (49)", constants.beta);
  }
}

void special_cases(Reproduction& paper) {
  const PoursinaConstants hertz = poursina_constants(1.5), linear = poursina_constants(1);
  paper.set("eqs. 52, 57", "factor, n = 3/2", hertz.alpha);
  paper.set("eqs. 52, 57", "power of e, n = 3/2", hertz.beta);
  paper.set("eqs. 52, 57", "power of k, n = 3/2", 1 / 2.5);
  paper.set("eqs. 52, 57", "power of v, n = 3/2", 0.5 / 2.5);
  paper.set("eqs. 52, 57", "power of m, n = 3/2", 1.5 / 2.5);
  paper.set("eqs. 52, 57", "factor, n = 1", linear.alpha);
  paper.set("eqs. 52, 57", "power of e, n = 1", linear.beta);

  // Eq. (51) at e = 0.3, n = 3/2, with k = m = v = 1, and the spring energy that is left there.
  const double c = damping_of_restitution(0.3, 1.5);
  const Impact hit =
      impact(HertzDamper{.stiffness = 1, .exponent = 1.5, .damping = c}, {.mass = 1, .speed = 1});
  paper.set("eq. 51", "penetration at separation by (51), e = 0.3, n = 3/2",
            poursina_separation(0.3, poursina_damping(0.3, 1.5), 1, 1.5, 1));
  paper.set("eq. 51", "exact", hit.separation_compression);
  paper.set("eq. 51", "spring energy left at separation",
            100 * std::pow(hit.separation_compression, 2.5) / 2.5 / hit.energy_in);
}

void cost(Reproduction& paper) {
  for (const double n : {1.0, 1.25, 1.5, 1.75, 2.0}) {
    for (const double e : {0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}) {
      paper.set("Cost of eq. 49", fmt::format("n = {} e = {}", n, e), delivered(e, n));
    }
  }
}

}  // namespace

void reproduce_accuracy(Reproduction& paper) {
  limits(paper);
  special_cases(paper);
  figure_8(paper);
  equation_55(paper);
  figure_9(paper);
  cost(paper);
}

}  // namespace carom::poursina
