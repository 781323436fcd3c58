#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <fmt/format.h>

#include <carom/impact/hunt_crossley.hpp>

#include "papetti2011.hpp"
#include "papetti_methods.hpp"
#include "points.hpp"

// What the paper says in words or by a formula that no table of it has.
namespace carom::papetti {
namespace {

/// Eq. (9), with its missing dv. Split at v = 0 and measured from the end where the bracket goes to
/// zero, so that the bracket keeps its digits there: with d = v_in - v it is mu d + log(1 - mu
/// d/(1 + mu v_in)), with d = v - v_out -mu d + log(1 + mu d/(1 + mu v_out)).
double integral_9(const Case& impact) {
  const auto& [k, alpha, mu] = impact.law;
  const double power = alpha / (alpha + 1), v_out = exit_velocity(impact);
  boost::math::quadrature::tanh_sinh<double> rule;
  const auto part = [&](double from, double sign) {  // from v_in downward, from v_out upward
    const double length = std::abs(from);
    return rule.integrate(
        [&](double d) {
          const double v = from + sign * d;
          const double bracket = -sign * mu * d + std::log1p(sign * mu * d / (1 + mu * from));
          return 1 / ((1 + mu * v) * std::pow(bracket, power));
        },
        0.0, length, 1e-12);
  };
  return std::pow(impact.mass / k, 1 / (alpha + 1)) * std::pow(mu * mu / (alpha + 1), power) *
         (part(impact.speed, -1) + part(v_out, 1));
}

double contact_time_of(double mass, double stiffness, double alpha) {
  return impact(HuntCrossley{.stiffness = stiffness, .exponent = alpha, .mu = 0.5},
                {.mass = mass, .speed = 1})
      .contact_time;
}

void equation_9(Reproduction& paper) {
  double worst = 0;
  for (const Case& each : {noncritical, case_1, case_2}) {
    const double exact = impact(each.law, {.mass = each.mass, .speed = each.speed}).contact_time;
    worst = std::max(worst, std::abs(integral_9(each) / exact - 1));
  }
  paper.set("eq. 9", "the integral against the exact contact time, relative", worst);
  Panel panel{.title = "",
              .x_label = "m/k [m^(α-1) s²]",
              .y_label = "contact time [ms]",
              .log_x = true,
              .log_y = true};
  for (const auto& [alpha, name] : {std::pair{1.3, "1.3"}, {1.5, "1.5"}, {2.0, "2"}}) {
    Series curve{fmt::format("α = {}", name), {}, {}, Series::Style::line_points};
    for (const double ratio : evenly_in_log(1e-12, 1e-5, 15)) {
      // Mass and stiffness both change: only their ratio is to count.
      const double mass = std::sqrt(ratio) * 10;
      curve.x.push_back(ratio);
      curve.y.push_back(1e3 * contact_time_of(mass, mass / ratio, alpha));
    }
    const double slope = std::log(curve.y.back() / curve.y.front()) / std::log(1e7);
    paper.set("eq. 9", fmt::format("exponent of m/k, alpha = {}", name), slope);
    panel.series.push_back(curve);
  }
  paper.draw("eq. 9", "Contact time over m/k for v_in = 1 m/s, mu = 0.5 s/m: straight lines.",
             {.title = "", .panels = {panel}, .panel_width = 760, .panel_height = 380});
}

/// The approximations of the appendix for mu = 1; all are functions of u = mu v_in.
double by_29(double u) { return -u + 2. / 3 * u * u; }
double by_30(double u) { return u * (-1 + u * (2. / 3 + u * (-4. / 9 + u * 44. / 135))); }
double by_35(double u) { return -(1 - (1 + u) * std::exp(-2 * u)); }

void appendix(Reproduction& paper) {
  using Formula = std::pair<const char*, std::function<double(double)>>;
  const std::array<Formula, 4> formulas{
      {{"(29)", by_29}, {"(30), (33)", by_30}, {"(35)", by_35}, {"(7), (8)", [](double u) {
                                                                   return -published_rebound_speed(
                                                                       1, u);
                                                                 }}}};
  Panel panel{.title = "",
              .x_label = "µ v_in",
              .y_label = "error of v_out [%]",
              .log_x = true,
              .log_y = true,
              .y_range = Range{1e-9, 300}};
  const auto percent = [](const Formula& formula, double u) {
    return 100 * std::abs(formula.second(u) / -rebound_speed(1, u) - 1);
  };
  for (const Formula& formula : formulas) {
    for (const double u : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0}) {
      paper.set("eqs. 29-36", fmt::format("{} mu v_in = {}", formula.first, u),
                percent(formula, u));
    }
    Series curve{formula.first, evenly_in_log(0.01, 20, 300), {}};
    for (const double u : curve.x) curve.y.push_back(percent(formula, u));
    panel.series.push_back(curve);
  }
  double ratio = 0, residual = 0;
  for (const double u : evenly_in_log(0.01, 0.5, 50)) {
    ratio = std::max(ratio, percent(formulas[1], u) / percent(formulas[0], u));
    const double w = -rebound_speed(1, u);  // (34): w = (1 + u) e^-(u - w) - 1
    residual = std::max(residual, std::abs((1 + u) * std::exp(w - u) - 1 - w));
  }
  paper.set("eqs. 29-36", "(34), largest residual at the exact v_out", residual);
  paper.set("eqs. 29-36", "error of (30) over that of (29), largest for mu v_in <= 0.5", ratio);
  constexpr double h = 1e-4;  // central differences: good to h^2
  paper.set("eqs. 29-36", "a~_1 of (35)", (by_35(h) - by_35(-h)) / (2 * h));
  paper.set("eqs. 29-36", "|a~_2 - a_2| / mu",
            std::abs((by_35(h) + by_35(-h)) / (2 * h * h) - 2. / 3));
  paper.draw(
      "eqs. 29-36",
      "Error of the approximations of the appendix: the polynomials serve small mu v_in, (35) "
      "large, (7) both.",
      {.title = "", .panels = {panel}, .panel_width = 760, .panel_height = 400});
}

/// Errors of single impacts of case 2 that start on a sample, its spring made stiffer or softer so
/// that contact lasts a given number of samples.
void few_samples(Reproduction& paper) {
  const double tau = impact(case_2.law, {.mass = case_2.mass, .speed = case_2.speed}).contact_time;
  Panel exits{.title = "exit velocity",
              .x_label = "contact time [samples]",
              .y_label = "|%err(v_out)|",
              .log_y = true},
      energies{.title = "energy",
               .x_label = "contact time [samples]",
               .y_label = "%dev(H)",
               .log_y = true};
  for (const Method method : methods) {
    const std::string name(method_names[std::size_t(method)]);
    Series exit{name, {}, {}}, energy{name, {}, {}};
    double few = 0, more = 0;
    for (const double samples : evenly(1.5, 16, 291)) {
      Case each = case_2;  // tau goes with k^(-1/(alpha+1))
      each.law.stiffness *= std::pow(tau * audio_rate / samples, each.law.exponent + 1);
      const Contact contact = simulate(each, method, audio_rate, {}, 1000);
      const double v_out = exit_velocity(each);
      const double error = 100 * std::abs(contact.exit() / v_out - 1);
      exit.x.push_back(samples);
      exit.y.push_back(error);
      energy.x.push_back(samples);
      energy.y.push_back(deviation_energy(each, contact, v_out));
      // tau^sim, the samples in contact
      if (contact.steps() <= 4) few = std::max(few, error);
      if (contact.steps() > 4 && contact.steps() <= 8) more = std::max(more, error);
    }
    paper.set("Four samples", name + " largest |%err(v_out)|, up to 4 samples", few);
    paper.set("Four samples", name + " largest |%err(v_out)|, 5 to 8 samples", more);
    paper.set("Four samples", name + ": up to 4 samples over 5 to 8", few / more);
    exits.series.push_back(exit);
    energies.series.push_back(energy);
  }
  paper.draw("Four samples", "Errors over the contact time in samples, all else as in case 2.",
             {.title = "", .panels = {exits, energies}, .panel_width = 560});
}

/// CPU seconds of a sample in contact: one impact, oversampled, again and again.
double seconds_per_sample(Method method, const Corrections& corrections) {
  constexpr double oversampling = 500;
  double best = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 9; ++repetition) {
    const std::clock_t begin = std::clock();
    int samples = 0;
    for (int i = 0; i < 4; ++i) {
      samples += simulate(case_2, method, oversampling * audio_rate, corrections).steps();
    }
    best = std::min(best, double(std::clock() - begin) / CLOCKS_PER_SEC / samples);
  }
  return best;
}

void evaluation(Reproduction& paper) {
  const std::string item = "Sect. IV-C, D";
  const auto counted = [&](const char* table, const std::string& column, const char* row) {
    return paper.printed(table, column + " " + row);
  };
  for (const char* row : {"total", "total with write/read"}) {
    const double rk4 = counted("Table IV(a)", "RK4", row);
    const double verlet = counted("Table IV(a)", "Verlet", row);
    const std::string which = row == std::string("total") ? "" : ", with write/read";
    paper.set(item, "operations in flight, RK4 over Verlet" + which, rk4 / verlet);
    paper.set(item, "operations in contact, RK4 over corrected Verlet" + which,
              rk4 / (verlet + counted("Table IV(b)", "hybrid", row)));
    paper.set(item, "AM1 with two iterations over RK4" + which,
              (counted("Table IV(a)", "AM1", row) +
               2 * counted("Table IV(a)", "AM1 per iteration", row)) /
                  rk4);
  }
  for (const auto& [label, impact] : {std::pair{"noncritical", noncritical},
                                      std::pair{"case 1", case_1}, std::pair{"case 2", case_2}}) {
    const double v_out = exit_velocity(impact);
    const auto set = [&](const char* row, const Contact& contact) {
      paper.set(item, fmt::format("{}, |%err(v_out)| {}", label, row),
                100 * std::abs(contact.exit() / v_out - 1));
      paper.set(item, fmt::format("{}, %dev(H) {}", label, row),
                deviation_energy(impact, contact, v_out));
    };
    set("corrected Verlet",
        simulate(impact, Method::verlet, audio_rate, {.hybrid = true, .exit = true}));
    set("RK4", simulate(impact, Method::rk4, audio_rate));
  }
  paper.set(item, "CPU time in contact, RK4 over corrected Verlet",
            seconds_per_sample(Method::rk4, {}) /
                seconds_per_sample(Method::verlet, {.hybrid = true, .exit = true}));
}

}  // namespace

void reproduce_claims(Reproduction& paper) {
  equation_9(paper);
  appendix(paper);
  few_samples(paper);
  evaluation(paper);
}

}  // namespace carom::papetti
