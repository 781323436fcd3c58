#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <carom/identify/formula.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "curve_fit.hpp"
#include "points.hpp"
#include "ramaswamy.hpp"

namespace carom::ramaswamy {
namespace {

constexpr double printed_alpha = 1.381, printed_beta = 0.451;
constexpr double lowest_restitution = 0.01;  // the paper's range 0.01 <= c_r <= 1

/// Eq. (14).
double curvature(double restitution, double alpha, double beta) {
  return alpha * (std::exp(-beta * restitution) - std::exp(-beta));
}

/// Eq. (17).
double damping_of(double restitution, double alpha, double beta) {
  return damping_ratio(restitution, curvature(restitution, alpha, beta));
}

/// epsilon = (1-c)/c g(1-c) with a polynomial g that has the exact value and slope at c = 0
/// (epsilon = 1/c to all orders) and the exact value, slope and curvature at c = 1 (series of
/// eq. (11)). Two constants are free, as many as in eq. (17).
double better_damping_of(double restitution, double a3, double a4) {
  const double q = 1 - restitution;
  // g(1) = 1 and g'(1) = -1 fix a5 and a6.
  const double value = -0.35 - a3 - a4, slope = -0.7 - 3 * a3 - 4 * a4;
  const double a6 = slope - 5 * value, a5 = value - a6;
  const double g = 1.5 + q * q * (-0.15 + q * (a3 + q * (a4 + q * (a5 + q * a6))));
  return q / restitution * g;
}

/// phi(z) = z - ln(1 + z), the integral of the motion.
double phi(double z) { return z - std::log1p(z); }

/// The exact velocity-deformation curve: v from 1 to -c, and 1 - (delta/delta_m)^(n+1).
struct VelocityCurve {
  double restitution;
  std::vector<double> velocity, depth_left;
};

VelocityCurve velocity_curve(double epsilon, int count) {
  VelocityCurve curve{
      .restitution = restitution_of_epsilon(epsilon), .velocity = {}, .depth_left = {}};
  curve.velocity = evenly(1, -curve.restitution, count);
  for (const double v : curve.velocity) curve.depth_left.push_back(phi(epsilon * v) / phi(epsilon));
  return curve;
}

/// Eq. (13).
double velocity_model(double depth_left, bool compressing, double restitution, double p) {
  return compressing ? std::pow(depth_left, 0.5 + p) : -restitution * std::pow(depth_left, 0.5 - p);
}

/// p that fits eq. (13) best to both branches, in least squares of velocity at points even in it.
CurveFit best_curvature(double epsilon) {
  const VelocityCurve curve = velocity_curve(epsilon, 401);
  const auto residuals = [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double v = curve.velocity[i];
      out[i] = velocity_model(curve.depth_left[i], v > 0, curve.restitution, p[0]) - v;
    }
  };
  return fit_least_squares(residuals, curve.velocity.size(), {0.1});
}

void figure_1(Reproduction& paper) {
  constexpr double epsilon = 5, exponent = 1.5;
  const VelocityCurve curve = velocity_curve(epsilon, 401);
  const CurveFit fit = best_curvature(epsilon);
  paper.set("Fig. 1", "c_r at eps = 5", curve.restitution);
  paper.set("Fig. 1", "best p at eps = 5", fit.parameters[0]);
  paper.set("Fig. 1", "rms error of (13) with it", fit.rms);
  const auto residual_of_12 = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < curve.velocity.size(); ++i) {
      const double v = curve.velocity[i];
      sum += std::pow(velocity_model(curve.depth_left[i], v > 0, curve.restitution, 0) - v, 2);
    }
    return std::sqrt(sum / double(curve.velocity.size()));
  };
  paper.set("Fig. 1", "rms error of (12)", residual_of_12());
  paper.set("Fig. 1", "rms error of (13) over that of (12)", fit.rms / residual_of_12());
  double compression = INFINITY, return_path = INFINITY;  // by how much |v| of (12) is wrong
  for (std::size_t i = 1; i + 1 < curve.velocity.size(); ++i) {
    const double v = curve.velocity[i];
    if (v == 0) continue;
    const double off =
        std::abs(velocity_model(curve.depth_left[i], v > 0, curve.restitution, 0)) - std::abs(v);
    if (v > 0) compression = std::min(compression, off);
    if (v < 0) return_path = std::min(return_path, -off);
  }
  paper.set("Fig. 1", "|velocity| of (12) less the exact one in compression, smallest",
            compression);
  paper.set("Fig. 1", "exact |velocity| less that of (12) in restitution, smallest", return_path);

  Figure figure{.title = "", .panels = {}};
  for (const double p : {0.0, fit.parameters[0]}) {
    Series exact{"exact", {}, {}},
        model{p == 0 ? "eq. (12)" : "eq. (13), best p", {}, {}, Series::Style::dashes};
    for (std::size_t i = 0; i < curve.velocity.size(); ++i) {
      const double v = curve.velocity[i];
      const double depth = std::pow(std::max(0.0, 1 - curve.depth_left[i]), 1 / (exponent + 1));
      exact.x.push_back(depth);
      exact.y.push_back(v);
      model.x.push_back(depth);
      model.y.push_back(velocity_model(curve.depth_left[i], v > 0, curve.restitution, p));
    }
    figure.panels.push_back({.title = p == 0 ? "(a)" : "(b)",
                             .x_label = "deformation / its maximum",
                             .y_label = "velocity / incidence velocity",
                             .series = {exact, model}});
  }
  paper.draw("Fig. 1",
             "epsilon = 5, drawn for n = 1.5 (the curves against (delta/delta_m)^(n+1) do "
             "not depend on n).",
             figure);
}

/// The p > 0 that makes eq. (16) exact: with s = 3 + 2p a quadratic, s(6-s) = r (s + c(6-s)).
double exact_curvature(double c, double epsilon) {
  const double r = 2 * c * epsilon / (1 - c * c), half = (6 - r * (1 - c)) / 2;
  const double s = half + std::sqrt(std::max(0.0, half * half - 6 * c * r));
  return (s - 3) / 2;
}

void equation_14(Reproduction& paper) {
  paper.set("eq. 14", "p(0) with the printed constants", curvature(0, printed_alpha, printed_beta));
  paper.set("eq. 14", "error of eq. 17 as c_r goes to 0",
            100 * (1e-9 * damping_of(1e-9, printed_alpha, printed_beta) - 1));
  Series fitted{"best fit of (13)", {}, {}, Series::Style::points};
  Series needed{"p that makes (16) exact", {}, {}};
  Series printed{"eq. (14), printed constants", {}, {}, Series::Style::dashes};
  for (const double c : evenly(0.03, 0.97, 48)) {
    const double epsilon = epsilon_of_restitution(c);
    fitted.x.push_back(c);
    fitted.y.push_back(best_curvature(epsilon).parameters[0]);
    needed.x.push_back(c);
    needed.y.push_back(exact_curvature(c, epsilon));
    printed.x.push_back(c);
    printed.y.push_back(curvature(c, printed_alpha, printed_beta));
  }
  paper.draw("eq. 14",
             "The curvature exponent: fitted to the velocity curves, needed for the exact damping, "
             "and the paper's formula.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "restitution c_r",
                          .y_label = "p",
                          .series = {needed, fitted, printed}}},
              .panel_width = 760});
}

/// The exact curve on the two grids that matter, and how far a formula is from it.
struct DampingGrid {
  std::vector<double> restitution, epsilon;
};

DampingGrid even_in_restitution(int count) {
  DampingGrid grid{.restitution = evenly(lowest_restitution, 1, count), .epsilon = {}};
  for (const double c : grid.restitution) grid.epsilon.push_back(epsilon_of_restitution(c));
  return grid;
}

DampingGrid even_in_epsilon(int count) {
  DampingGrid grid{.restitution = {}, .epsilon = evenly(0, 1 / lowest_restitution, count)};
  for (const double epsilon : grid.epsilon) {
    grid.restitution.push_back(restitution_of_epsilon(epsilon));
  }
  return grid;
}

template <class Formula>
CurveResiduals relative_residuals(const DampingGrid& grid, Formula formula) {
  return [&grid, formula](std::span<const double> parameters, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = formula(grid.restitution[i], parameters[0], parameters[1]) / grid.epsilon[i] - 1;
    }
  };
}

/// Constants of (17) by least squares of epsilon on a grid.
CurveFit refit_17(const DampingGrid& grid) {
  const auto absolute = [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = damping_of(grid.restitution[i], p[0], p[1]) - grid.epsilon[i];
    }
  };
  return fit_least_squares(absolute, grid.epsilon.size(), {printed_alpha, printed_beta});
}

double two_norm_ratio(const DampingGrid& grid) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < grid.epsilon.size(); ++i) {
    error +=
        std::pow(damping_of(grid.restitution[i], printed_alpha, printed_beta) - grid.epsilon[i], 2);
    norm += std::pow(grid.epsilon[i], 2);
  }
  return std::sqrt(error / norm);
}

void error_norms(Reproduction& paper) {
  const DampingGrid by_c = even_in_restitution(9901), by_epsilon = even_in_epsilon(10001);
  double largest = 0, at = 0, mean = 0, square = 0, in_restitution = 0;
  for (std::size_t i = 0; i + 1 < by_c.epsilon.size(); ++i) {  // c = 1, epsilon = 0 left out
    const double c = by_c.restitution[i];
    const double formula = damping_of(c, printed_alpha, printed_beta);
    const double error = std::abs(formula / by_c.epsilon[i] - 1);
    if (error > largest) largest = error, at = c;
    mean += error;
    square += error * error;
    in_restitution = std::max(in_restitution, std::abs(restitution_of_epsilon(formula) - c));
  }
  const double count = double(by_c.epsilon.size() - 1);
  paper.set("eq. 17", "relative error", 100 * two_norm_ratio(by_epsilon));
  paper.set("eq. 17", "largest pointwise error", 100 * largest);
  paper.set("eq. 17", "at c_r", at);
  paper.set("eq. 17", "mean pointwise error", 100 * mean / count);
  paper.set("eq. 17", "rms pointwise error", 100 * std::sqrt(square / count));
  paper.set("eq. 17", "ratio of 2-norms, points even in c_r", 100 * two_norm_ratio(by_c));
  paper.set("eq. 17", "largest error in the restitution delivered", in_restitution);
  double apart = 0;
  for (const double c : evenly(0.01, 0.99, 99)) {
    apart = std::max(apart, std::abs(damping_ratio(c, 0) / epsilon_by(Formula::hu_guo, c) - 1));
  }
  paper.set("eq. 17", "(16) with p = 0 against the formula of Hu and Guo, relative", apart);
}

/// Why the constants and the error of (17) differ: how far they move with a grid that the paper
/// does not state, and how little the fit cares.
void check_grids(Reproduction& paper, const CurveFit& best, const DampingGrid& grid) {
  double low = INFINITY, high = -INFINITY, low_error = INFINITY, high_error = -INFINITY;
  std::vector<DampingGrid> grids;
  for (const int count : {11, 21, 51, 101, 201, 501, 1001, 10001}) {
    grids.push_back(even_in_epsilon(count));
    grids.push_back(even_in_restitution(count));
  }
  for (const DampingGrid& each : grids) {
    const double alpha = refit_17(each).parameters[0], error = 100 * two_norm_ratio(each);
    low = std::min(low, alpha), high = std::max(high, alpha);
    low_error = std::min(low_error, error), high_error = std::max(high_error, error);
  }
  // Error of the printed constants against the best ones, both in the norm of the fit.
  double norm = 0;
  for (const double epsilon : grid.epsilon) norm += epsilon * epsilon;
  const double best_ratio = best.rms * std::sqrt(double(grid.epsilon.size()) / norm);
  const double loss = two_norm_ratio(grid) / best_ratio - 1;
  paper.check(
      "valley", low < printed_alpha && printed_alpha < high && loss < 0.1,
      fmt::format("over 16 grids alpha lies between {:.3f} and {:.3f}; the printed constants "
                  "cost {:.1f} % more than the best ones",
                  low, high, 100 * loss));
  paper.check(
      "norm", low_error < 0.062 && 0.062 < high_error,
      fmt::format("over 16 grids it lies between {:.4f} and {:.4f} %", low_error, high_error));
  paper.check(
      "limit", std::abs(curvature(0, printed_alpha, printed_beta) - 0.5) > 1e-3,
      fmt::format("alpha (1 - exp(-beta)) = {:.5f}", curvature(0, printed_alpha, printed_beta)));
}

void refits(Reproduction& paper) {
  const DampingGrid by_epsilon = even_in_epsilon(1001);
  const CurveFit same = refit_17(by_epsilon);
  paper.set("eq. 17", "alpha", same.parameters[0]);
  paper.set("eq. 17", "beta", same.parameters[1]);
  check_grids(paper, same, by_epsilon);

  DampingGrid by_c = even_in_restitution(991);
  by_c.restitution.pop_back();
  by_c.epsilon.pop_back();
  const CurveFit minimax =
      fit_minimax(relative_residuals(by_c, damping_of), by_c.epsilon.size(), {0.7, 1.3});
  paper.set("Better fits of eps(c_r)", "alpha of (17), smallest largest error",
            minimax.parameters[0]);
  paper.set("Better fits of eps(c_r)", "beta of (17), smallest largest error",
            minimax.parameters[1]);
  paper.set("Better fits of eps(c_r)", "largest error of (17) with these", 100 * minimax.largest);
  const CurveFit better =
      fit_minimax(relative_residuals(by_c, better_damping_of), by_c.epsilon.size(), {-0.5, 2.0});
  paper.set("Better fits of eps(c_r)", "a3 of g", better.parameters[0]);
  paper.set("Better fits of eps(c_r)", "a4 of g", better.parameters[1]);
  paper.set("Better fits of eps(c_r)", "largest error of (1-c)/c g(1-c)", 100 * better.largest);

  Series exact{"exact", {}, {}}, printed{"eq. (17)", {}, {}, Series::Style::dashes};
  Series error{"eq. (17), printed", {}, {}}, refit{"eq. (17), refitted", {}, {}},
      ours{"(1-c)/c g(1-c)", {}, {}};
  for (std::size_t i = 0; i < by_c.epsilon.size(); i += 3) {
    const double c = by_c.restitution[i], epsilon = by_c.epsilon[i];
    exact.x.push_back(c);
    exact.y.push_back(epsilon);
    printed.x.push_back(c);
    printed.y.push_back(damping_of(c, printed_alpha, printed_beta));
    const auto percent = [&](double value) { return 100 * (value / epsilon - 1); };
    error.x.push_back(c);
    error.y.push_back(percent(damping_of(c, printed_alpha, printed_beta)));
    refit.x.push_back(c);
    refit.y.push_back(percent(damping_of(c, minimax.parameters[0], minimax.parameters[1])));
    ours.x.push_back(c);
    ours.y.push_back(percent(better_damping_of(c, better.parameters[0], better.parameters[1])));
  }
  paper.draw(
      "Fig. 2",
      "On a linear scale, as printed, any error hides behind epsilon near 100; beside it, the "
      "relative error.",
      {.title = "",
       .panels = {{.title = "as printed",
                   .x_label = "restitution c_r",
                   .y_label = "ε",
                   .series = {exact, printed}},
                  {.title = "error of eq. (17)",
                   .x_label = "restitution c_r",
                   .y_label = "relative error [%]",
                   .series = {error},
                   .key = Panel::Key::off}}});
  paper.set("Fig. 2", "epsilon at c_r = 0.01, exact", epsilon_of_restitution(0.01));
  paper.set("Fig. 2", "epsilon at c_r = 0.01, eq. 17",
            damping_of(0.01, printed_alpha, printed_beta));
  paper.draw("Better fits of eps(c_r)", "Relative error of the formulas.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "restitution c_r",
                          .y_label = "error [%]",
                          .series = {error, refit, ours}}},
              .panel_width = 760});
}

void delivered(Reproduction& paper) {
  Panel panel{.title = "all", .x_label = "restitution asked for", .y_label = "delivered - asked"},
      closer{.title = "all but the first two of 1975 and 1990",
             .x_label = "restitution asked for",
             .y_label = "delivered - asked"};
  const std::string item = "Cost of the formulas";
  for (const Formula formula : all_formulas) {
    if (formula == Formula::poursina) continue;  // of another law
    const auto deliver = [&](double e) { return restitution_of_epsilon(epsilon_by(formula, e)); };
    const std::string name(formula_name(formula));
    for (const double e : {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}) {
      paper.set(item, fmt::format("{} e = {}", name, e), deliver(e));
    }
    Series curve{name, evenly(0.02, 1, 99), {}};
    for (const double e : curve.x) curve.y.push_back(deliver(e) - e);
    curve.colour = int(panel.series.size());
    panel.series.push_back(curve);
    const bool early = formula == Formula::hunt_crossley || formula == Formula::lankarani_nikravesh;
    if (!early) closer.series.push_back(curve);
  }
  paper.draw(item, "What comes back, less what was asked for.",
             {.title = "", .panels = {panel, closer}, .panel_height = 400});
}

}  // namespace

void reproduce_damping(Reproduction& paper) {
  figure_1(paper);
  equation_14(paper);
  error_norms(paper);
  refits(paper);
  delivered(paper);
}

}  // namespace carom::ramaswamy
