#include "poursina_fits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>

#include <carom/identify/formula.hpp>
#include <carom/identify/single_impact.hpp>

#include "curve_fit.hpp"
#include "points.hpp"
#include "poursina2020.hpp"

namespace carom::poursina {
namespace {

struct DampingCurve {
  std::vector<double> restitution, damping;
};

/// The exact damping c(e) of one exponent for e from 0.03 to 1. Each exact value is a search for a
/// root whose every trial is an exact motion, and the fits ask for thousands: a polynomial through
/// 32 of them (at Chebyshev's points) gives the others to rounding. It is one in y = (ln e/ln
/// 0.03)^(1/4): next to e = 1 c is not a smooth function of e, its powers of 1 - e are not whole.
/// By how little it is off is an item of the page.
class ExactDamping {
 public:
  static constexpr double lowest = 0.03;

  explicit ExactDamping(double exponent) : exponent_(exponent) {
    constexpr double pi = std::numbers::pi;
    for (int i = 0; i < nodes; ++i) {
      const double angle = pi * (i + 0.5) / nodes;
      const double y = 0.5 * (1 + std::cos(angle));
      at_.push_back(y);
      value_.push_back(damping_of_restitution(std::pow(lowest, y * y * y * y), exponent));
      weight_.push_back((i % 2 == 0 ? 1 : -1) * std::sin(angle));
    }
  }

  double operator()(double e) const {
    // Evenly spaced points may end a rounding error beyond 1.
    const double y = std::sqrt(std::sqrt(std::log(std::min(e, 1.0)) / std::log(lowest)));
    double over = 0, under = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const double apart = y - at_[i];
      if (apart == 0) return value_[i];
      over += weight_[i] / apart * value_[i];
      under += weight_[i] / apart;
    }
    return over / under;
  }

  DampingCurve curve(double from, int count) const {
    DampingCurve curve{.restitution = evenly(from, 1, count), .damping = {}};
    for (const double e : curve.restitution) curve.damping.push_back((*this)(e));
    return curve;
  }

  double largest_error() const {
    double worst = 0;
    for (const double e : {0.031, 0.05, 0.2, 0.63, 0.999}) {
      worst = std::max(worst, std::abs((*this)(e)-damping_of_restitution(e, exponent_)));
    }
    return worst;
  }

 private:
  static constexpr int nodes = 32;
  double exponent_;
  std::vector<double> at_, value_, weight_;
};

/// alpha and beta of eq. (45) by least squares of c.
CurveFit fit_power(const DampingCurve& curve) {
  const auto residuals = [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = p[0] * (std::pow(curve.restitution[i], p[1]) - 1) - curve.damping[i];
    }
  };
  return fit_least_squares(residuals, curve.damping.size(), {1.9, -0.3});
}

/// Where our fits begin when nothing says otherwise: near the middle of the starts that the
/// printed constants need (item "Fit range").
constexpr double usual_start = 0.05;

/// The smallest e of a fit whose beta is the given one.
double start_of_beta(const ExactDamping& exact, double beta, int points) {
  const auto misfit = [&](double start) {
    return fit_power(exact.curve(start, points)).parameters[1] - beta;
  };
  std::uintmax_t iterations = 60;
  const auto bracket = boost::math::tools::toms748_solve(
      misfit, ExactDamping::lowest, 0.1, boost::math::tools::eps_tolerance<double>(30), iterations);
  return (bracket.first + bracket.second) / 2;
}

void figure_6(Reproduction& paper, int points) {
  Panel panel{.title = "",
              .x_label = "restitution e",
              .y_label = "optimal damping c [kg/s]",
              .log_y = true},
      apart{.title = "printed fit less exact",
            .x_label = "restitution e",
            .y_label = "difference of c [kg/s]"};
  for (const double n : {1.2, 1.8}) {
    const ExactDamping exact(n);
    const double beta = paper.printed("Fig. 6", fmt::format("beta at n = {}", n)),
                 alpha = paper.printed("Fig. 6", fmt::format("alpha at n = {}", n));
    const double start = start_of_beta(exact, beta, points);
    const DampingCurve curve = exact.curve(start, points);
    const CurveFit fit = fit_power(curve);
    paper.set("Fig. 6", fmt::format("alpha at n = {}", n), fit.parameters[0]);
    paper.set("Fig. 6", fmt::format("beta at n = {}", n), fit.parameters[1]);
    paper.set("Fig. 6", fmt::format("smallest e of the fit, n = {}", n), start);
    Series dots{fmt::format("exact, n = {}", n), {}, {}, Series::Style::points};
    Series line{fmt::format("printed fit, n = {}", n), {}, {}},
        difference{fmt::format("n = {}", n), {}, {}};
    for (std::size_t i = 0; i < curve.damping.size(); i += std::size_t(points / 60)) {
      const double e = curve.restitution[i];
      dots.x.push_back(e);
      dots.y.push_back(curve.damping[i]);
      line.x.push_back(e);
      line.y.push_back(alpha * (std::pow(e, beta) - 1));
      difference.x.push_back(e);
      difference.y.push_back(line.y.back() - dots.y.back());
    }
    dots.colour = line.colour = difference.colour = int(apart.series.size());
    panel.series.push_back(dots);
    panel.series.push_back(line);
    apart.series.push_back(difference);
  }
  paper.draw("Fig. 6",
             "Exact optimal damping and the printed fits of the form (45), for k = m = v = 1.",
             {.title = "", .panels = {panel, apart}});
}

void fit_range(Reproduction& paper, int points) {
  double off = 0;
  for (const double n : {1.0, 1.2, 1.5, 1.8}) {
    const ExactDamping exact(n);
    off = std::max(off, exact.largest_error());
    for (const double lowest : {0.45, 0.03, 0.04, 0.05}) {
      const CurveFit fit = fit_power(exact.curve(lowest, points));
      const std::string column = fmt::format("n = {}", n);
      paper.set("Fit range", fmt::format("{} alpha, e from {}", column, lowest), fit.parameters[0]);
      paper.set("Fit range", fmt::format("{} beta, e from {}", column, lowest), fit.parameters[1]);
    }
  }
  paper.set("Fit range", "largest error of c where it is interpolated", off);
}

/// By how much alpha of (46) can be off because its coefficients are rounded as printed.
double rounding_of_46(const Reproduction& paper, double n) {
  double sum = 0;
  for (int power = 0; power <= 4; ++power) {
    const PrintedNumber& coefficient =
        paper.published("eqs. 46, 47", fmt::format("coefficient of n^{} in alpha", power));
    sum += 0.5 * coefficient.last_digit * std::pow(n, power);
  }
  return sum;
}

/// Why the coefficients do not come out: (46) and (47) are fits to fits that begin at another e for
/// each n. Begun where our beta is that of (47), our alpha is that of (46) as far as its digits go;
/// begun at one e for all n, it is not.
void check_polynomial(Reproduction& paper, const std::vector<double>& exponents,
                      const std::vector<double>& alphas, int points) {
  bool holds = true, one_start = true;
  double first = 0, last = 0, off = 0;
  Series starts{"", {}, {}, Series::Style::line_points};
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const double n = exponents[i], digits = rounding_of_46(paper, n);
    const PoursinaConstants printed = poursina_constants(n);
    const ExactDamping exact(n);
    last = start_of_beta(exact, printed.beta, points);
    if (i == 0) first = last;
    starts.x.push_back(n), starts.y.push_back(last);
    const double apart =
        std::abs(fit_power(exact.curve(last, points)).parameters[0] - printed.alpha);
    off = std::max(off, apart);
    holds = holds && apart <= digits;
    one_start = one_start && std::abs(alphas[i] - printed.alpha) <= digits;
  }
  paper.set("Fit range", "smallest e of the fits behind (47), n = 1", first);
  paper.set("Fit range", "smallest e of the fits behind (47), n = 2", last);
  paper.check(
      "polynomial", holds && !one_start,
      fmt::format("with fits that begin at e = {:.4f} (n = 1) to {:.4f} (n = 2) our beta is "
                  "(47), and our alpha differs from (46) by {:.4f} at most, less than its "
                  "printed digits leave open; with {} for all n it differs by more",
                  first, last, off, usual_start));
  paper.draw("Fit range",
             "Where our fits must begin for their beta to be that of (47): not at one e for all n, "
             "and nowhere near 0.45.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "n",
                          .y_label = "smallest e of the fit",
                          .series = {starts},
                          .key = Panel::Key::off}},
              .panel_width = 760});
}

/// The paper quotes (46) and (47) for n = 1 and n = 3/2 (in (57) and (52)) and separate fits for
/// n = 1.2 and n = 1.8 (in Fig. 6): the former agree with the formulas to the last digit.
void check_separate(Reproduction& paper) {
  bool quoted = true, separate = true;
  std::string evidence;
  for (const double n : {1.0, 1.2, 1.5, 1.8}) {
    const PoursinaConstants formula = poursina_constants(n);
    bool same = true;
    for (const auto& [name, value] :
         {std::pair{"alpha", formula.alpha}, std::pair{"beta", formula.beta}}) {
      const PrintedNumber& printed =
          paper.published("eqs. 46, 47", fmt::format("{} of the formula at n = {}", name, n));
      same = same && agrees(printed, value);
    }
    (n == 1 || n == 1.5 ? quoted : separate) &= same == (n == 1 || n == 1.5);
    evidence += fmt::format("{}n = {}: {:.4f}, {:.4f}", evidence.empty() ? "" : "; ", n,
                            formula.alpha, formula.beta);
  }
  paper.check("separate", quoted && separate, "(46), (47) at " + evidence);
}

void figure_7(Reproduction& paper, int points) {
  const std::vector<double> exponents = evenly(1, 2, paper.quick() ? 11 : 21);
  std::vector<double> alphas, betas;
  for (const double n : exponents) {
    const CurveFit fit = fit_power(ExactDamping(n).curve(usual_start, points));
    alphas.push_back(fit.parameters[0]);
    betas.push_back(fit.parameters[1]);
  }
  const auto quartic = [](double n, std::span<const double> p) {
    return (((p[0] * n + p[1]) * n + p[2]) * n + p[3]) * n + p[4];
  };
  const auto power = [](double n, std::span<const double> p) {
    return p[0] * std::pow(n, p[1]) + p[2];
  };
  const CurveFit alpha = fit_least_squares(
      [&](std::span<const double> p, std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = quartic(exponents[i], p) - alphas[i];
      },
      exponents.size(), {0.3331, -1.48, 3.077, -2.306, 1.794});
  const CurveFit beta = fit_least_squares(
      [&](std::span<const double> p, std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = power(exponents[i], p) - betas[i];
      },
      exponents.size(), {1.285, 0.2553, -1.725});
  for (std::size_t i = 0; i < 5; ++i) {
    paper.set("eqs. 46, 47", fmt::format("coefficient of n^{} in alpha", 4 - i),
              alpha.parameters[i]);
  }
  paper.set("eqs. 46, 47", "factor in beta", beta.parameters[0]);
  paper.set("eqs. 46, 47", "power of n in beta", beta.parameters[1]);
  paper.set("eqs. 46, 47", "constant in beta", beta.parameters[2]);

  Series alpha_dots{"our fits", exponents, alphas, Series::Style::points},
      alpha_line{"eq. (46)", {}, {}};
  Series beta_dots{"our fits", exponents, betas, Series::Style::points},
      beta_line{"eq. (47)", {}, {}};
  double alpha_off = 0, beta_off = 0;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const PoursinaConstants printed = poursina_constants(exponents[i]);
    alpha_line.x.push_back(exponents[i]);
    alpha_line.y.push_back(printed.alpha);
    beta_line.x.push_back(exponents[i]);
    beta_line.y.push_back(printed.beta);
    alpha_off = std::max(alpha_off, std::abs(printed.alpha - alphas[i]));
    beta_off = std::max(beta_off, std::abs(printed.beta - betas[i]));
  }
  paper.set("Fig. 7", "largest |alpha of (46) - our fit|", alpha_off);
  paper.set("Fig. 7", "largest |beta of (47) - our fit|", beta_off);
  check_polynomial(paper, exponents, alphas, points);
  paper.draw(
      "Fig. 7", "alpha(n) and beta(n): the printed curves and fits to exact damping.",
      {.title = "",
       .panels = {
           {.title = "", .x_label = "n", .y_label = "α", .series = {alpha_dots, alpha_line}},
           {.title = "", .x_label = "n", .y_label = "β", .series = {beta_dots, beta_line}}}});
  const auto at = [&](double n, const char* name, double value) {
    paper.set("eqs. 46, 47", fmt::format("{} of the formula at n = {}", name, n), value);
  };
  for (const double n : {1.0, 1.2, 1.5, 1.8}) {
    at(n, "alpha", poursina_constants(n).alpha);
    at(n, "beta", poursina_constants(n).beta);
  }
  check_separate(paper);
}

void better_fit(Reproduction& paper) {
  std::vector<double> restitutions = evenly_in_log(1e-4, 0.05, paper.quick() ? 10 : 25);
  for (const double e : evenly(0.08, 0.98, paper.quick() ? 19 : 31)) restitutions.push_back(e);
  for (const double e : {0.99, 0.995, 0.999}) restitutions.push_back(e);
  std::vector<double> es, ns, slopes, exact;
  for (const double n : evenly(1, 2, paper.quick() ? 6 : 11)) {
    for (const double e : restitutions) {
      es.push_back(e);
      ns.push_back(n);
      slopes.push_back(slope_at_one(n));
      exact.push_back(damping_of_restitution(e, n));
    }
  }
  const auto residuals = [&](std::span<const double> p, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = better_damping(es[i], ns[i], slopes[i], p) / exact[i] - 1;
    }
  };
  const CurveFit fit = fit_minimax(residuals, exact.size(), {0.58, -0.03, -0.29, 0.0, 0.35, 0.21},
                                   paper.quick() ? 10 : 80);
  constexpr std::array names{"a0", "a1", "b0", "b1", "d0", "d1"};
  const std::string item = "Better fit of the damping";
  for (std::size_t i = 0; i < names.size(); ++i) paper.set(item, names[i], fit.parameters[i]);
  paper.set(item, "largest relative error", 100 * fit.largest);
  double printed = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    printed = std::max(printed, std::abs(poursina_damping(es[i], ns[i]) / exact[i] - 1));
  }
  paper.set(item, "largest relative error of (49) there", 100 * printed);

  Figure figure{.title = "", .panels = {}};
  for (const double n : {1.0, 1.5, 2.0}) {
    Series theirs{"eq. (49)", {}, {}}, ours{"six constants", {}, {}};
    for (const double e : evenly_in_log(1e-4, 0.999, 80)) {
      const double truth = damping_of_restitution(e, n);
      theirs.x.push_back(e);
      theirs.y.push_back(100 * (poursina_damping(e, n) / truth - 1));
      ours.x.push_back(e);
      ours.y.push_back(100 * (better_damping(e, n, slope_at_one(n), fit.parameters) / truth - 1));
    }
    figure.panels.push_back({.title = fmt::format("n = {}", n),
                             .x_label = "restitution e",
                             .y_label = "error of the damping [%]",
                             .series = {theirs, ours},
                             .log_x = true,
                             .y_range = Range{-35, 10}});
  }
  figure.columns = 3;
  figure.panel_width = 380;
  figure.panel_height = 300;
  paper.draw(item, "Relative error of c, for three exponents.", figure);
}

}  // namespace

void reproduce_fits(Reproduction& paper) {
  constexpr int points = 600;  // as in the paper
  figure_6(paper, points);
  fit_range(paper, points);
  figure_7(paper, points);
  better_fit(paper);
}

}  // namespace carom::poursina
