#include <algorithm>
#include <array>
#include <cmath>

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>

#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "papetti2011.hpp"
#include "papetti_methods.hpp"
#include "points.hpp"

namespace carom::papetti {
namespace {

constexpr HuntCrossley figure_law{.stiffness = 1e7, .exponent = 1.5, .mu = 0.5};
constexpr double mass = 1e-2, gravity = 9.81;
constexpr std::array speeds{0.5, 1.0, 2.0, 4.0};

/// a_j of eq. (30) for mu = 1, from w w' (1 + u) = u (1 + w), the derivative of eq. (6), term by
/// term: the coefficient of u^j in w w' (1 + u) is known but for 2 a_1 a_j + ... = the new one.
std::array<double, 5> series_coefficients() {
  std::array<double, 5> a{0, -1, 0, 0, 0};
  for (int j = 2; j <= 4; ++j) {
    // w w' = sum_{p,q} q a_p a_q u^(p+q-1); a_j enters at u^j as (1 + j) a_1 a_j.
    const auto product = [&](int power) {
      double sum = 0;
      for (int p = 1; p <= power; ++p) {
        const int q = power + 1 - p;
        if (q <= 4) sum += q * a[std::size_t(p)] * a[std::size_t(q)];
      }
      return sum;
    };
    const double right = a[std::size_t(j - 1)];
    a[std::size_t(j)] = (right - product(j) - product(j - 1)) / ((1 + j) * a[1]);
  }
  return a;
}

void expansions(Reproduction& paper) {
  const std::array<double, 5> a = series_coefficients();
  std::array<double, 5> b{1, 0, 0, 0, 0};
  for (int j = 1; j <= 4; ++j) {  // recursion (38), mu = 1
    b[std::size_t(j)] = a[std::size_t(j)];
    for (int l = 0; l < j; ++l) {
      b[std::size_t(j)] -= b[std::size_t(l)] * std::pow(-2.0, j - l) / std::tgamma(j - l + 1.0);
    }
  }
  const std::string item = "eqs. 8, 33";
  paper.set(item, "a_1", a[1]);
  paper.set(item, "b_1 / mu", b[1]);
  for (int j = 2; j <= 4; ++j) {
    paper.set(item, j == 2 ? "a_2 / mu" : fmt::format("a_{} / mu^{}", j, j - 1), a[std::size_t(j)]);
    paper.set(item, fmt::format("b_{} / mu^{}", j, j), b[std::size_t(j)]);
  }
}

std::vector<double> contact_times(const Impact& hit, int count) {
  return evenly(0, hit.contact_time, count);
}

void figures_1_2(Reproduction& paper) {
  Panel phase{.title = "", .x_label = "compression x [µm]", .y_label = "velocity v [m/s]"};
  Panel loops{.title = "", .x_label = "compression x [µm]", .y_label = "force f [N]"};
  for (const double speed : speeds) {
    const ImpactHistory history(figure_law, {.mass = mass, .speed = speed});
    const Impact& hit = history.summary();
    const std::string row = fmt::format("v_in = {}", speed);
    paper.set("Fig. 1", "x_max [m] " + row, hit.max_compression);
    paper.set("Fig. 1", "v_out [m/s] " + row, -hit.rebound_speed);
    paper.set("Fig. 1", "contact time [s] " + row, hit.contact_time);
    paper.set("Fig. 2", "largest force [N] " + row, hit.max_force);
    paper.set("Fig. 2", "energy lost [J] " + row, hit.energy_lost);
    Series path{row + " m/s", {}, {}}, loop{row + " m/s", {}, {}};
    for (const double time : contact_times(hit, 300)) {
      const ImpactState state = history.at(time);
      path.x.push_back(1e6 * state.compression);
      path.y.push_back(state.rate);
      loop.x.push_back(1e6 * state.compression);
      loop.y.push_back(state.force);
    }
    // Free motion before and after, dashed as in the paper.
    const double away = -60;
    Series free{"",
                {away, 0, std::nan(""), 0, away},
                {speed, speed, 0, -hit.rebound_speed, -hit.rebound_speed},
                Series::Style::dashes,
                int(phase.series.size()) / 2};
    path.colour = free.colour;
    phase.series.push_back(path);
    phase.series.push_back(free);
    loops.series.push_back(loop);
  }
  paper.set("Fig. 1", "v_lim [m/s]", -1 / figure_law.mu);
  phase.series.push_back({"v_lim", {-60, 650}, {-2, -2}, Series::Style::dashes, 5});
  Series elastic{"k x^α", {}, {}, Series::Style::dashes, 5};
  for (const double x : evenly(0, 6.1e-4, 100)) {
    elastic.x.push_back(1e6 * x);
    elastic.y.push_back(figure_law.elastic_force(x));
  }
  loops.series.push_back(elastic);
  paper.draw("Fig. 1",
             "Contact from first touch (top) to release (bottom), free motion dashed; the dark "
             "dashes are v_lim.",
             {.title = "", .panels = {phase}, .panel_width = 760, .panel_height = 420});
  paper.draw("Fig. 2", "Loading above, unloading below the elastic curve.",
             {.title = "", .panels = {loops}, .panel_width = 760, .panel_height = 420});
}

/// Relative error of eq. (7) in percent, a function of u = mu v_in alone.
double approximation_error(double u) {
  return 100 * std::abs(published_rebound_speed(1, u) / rebound_speed(1, u) - 1);
}

double crossing(double level, double low, double high) {
  std::uintmax_t iterations = 100;
  const auto bracket = boost::math::tools::toms748_solve(
      [&](double u) { return approximation_error(u) - level; }, low, high,
      boost::math::tools::eps_tolerance<double>(45), iterations);
  return (bracket.first + bracket.second) / 2;
}

void figure_3(Reproduction& paper) {
  const auto [top, negative] = boost::math::tools::brent_find_minima(
      [](double u) { return -approximation_error(u); }, 2.0, 4.0, 40);
  paper.set("Fig. 3", "error < 1 % for mu v_in below", crossing(1, 0.1, top));
  paper.set("Fig. 3", "error < 1 % for mu v_in above", crossing(1, top, 30));
  paper.set("Fig. 3", "error < 0.1 % for mu v_in below", crossing(0.1, 0.1, top));
  paper.set("Fig. 3", "error < 0.1 % for mu v_in above", crossing(0.1, top, 30));
  paper.set("Fig. 3", "largest error", -negative);
  paper.set("Fig. 3", "at mu v_in", top);
  Series error{"error of (7)", evenly_in_log(0.05, 20, 400), {}};
  for (const double u : error.x) error.y.push_back(approximation_error(u));
  paper.draw("Fig. 3", "Relative error of the approximate exit velocity and the two thresholds.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "µ v_in",
                          .y_label = "error [%]",
                          .series = {error,
                                     {"1 %", {0.05, 20}, {1, 1}, Series::Style::dashes, 5},
                                     {"0.1 %", {0.05, 20}, {0.1, 0.1}, Series::Style::dashes, 3}},
                          .log_x = true,
                          .log_y = true}},
              .panel_width = 760,
              .panel_height = 380});
}

void figure_4(Reproduction& paper) {
  const Collision collision{.mass = mass, .speed = 0.5};
  const Impact hit = impact(figure_law, collision);
  paper.set("Fig. 4", "H_0", hit.energy_in);
  paper.set("Fig. 4", "H_tau", hit.energy_in - hit.energy_lost);
  Series curve{"H(v)", {}, {}};
  for (const double v : evenly(0.5, -hit.rebound_speed, 300)) {
    curve.x.push_back(-v);
    curve.y.push_back(1e3 * energy_at_rate(figure_law, collision, v));
  }
  const double last = 1e3 * (hit.energy_in - hit.energy_lost);
  paper.draw(
      "Fig. 4", "Time runs to the right; the two levels are H_0 and H_tau.",
      {.title = "",
       .panels = {{.title = "",
                   .x_label = "-v [m/s]",
                   .y_label = "energy H [mJ]",
                   .series = {curve,
                              {"H₀", {-0.5, 0.5}, {1.25, 1.25}, Series::Style::dashes, 5},
                              {"H_τ", {-0.5, 0.5}, {last, last}, Series::Style::dashes, 3}}}},
       .panel_width = 760,
       .panel_height = 380});
}

void figure_5(Reproduction& paper) {
  // What the paper says of all four forces, as the weakest of four ratios to the impact without.
  double fastest = INFINITY, slowest = 0, deepest = INFINITY;
  const Impact alone = impact(figure_law, {.mass = mass, .speed = 0.5});
  Panel panel{.title = "", .x_label = "compression x [µm]", .y_label = "velocity v [m/s]"};
  const std::array<std::pair<const char*, double>, 5> forces{
      {{"f_e = 0", 0}, {"f_e = mg/2", 0.5}, {"f_e = mg", 1}, {"f_e = 2mg", 2}, {"f_e = 4mg", 4}}};
  for (const auto& [row, factor] : forces) {
    const ImpactHistory history(figure_law,
                                {.mass = mass, .speed = 0.5, .force = factor * mass * gravity});
    const Impact& hit = history.summary();
    paper.set("Fig. 5", fmt::format("x_max [m] {}", row), hit.max_compression);
    paper.set("Fig. 5", fmt::format("v_out [m/s] {}", row), -hit.rebound_speed);
    paper.set("Fig. 5", fmt::format("contact time [s] {}", row), hit.contact_time);
    paper.set("Fig. 5", fmt::format("x_eq [m] {}", row), hit.equilibrium_compression);
    Series path{row, {}, {}};
    double largest = 0;
    for (const double time : contact_times(hit, 400)) {
      const ImpactState state = history.at(time);
      path.x.push_back(1e6 * state.compression);
      path.y.push_back(state.rate);
      largest = std::max(largest, state.rate);
    }
    panel.series.push_back(path);
    if (factor == 0) continue;
    fastest = std::min(fastest, largest / 0.5);
    slowest = std::max(slowest, hit.rebound_speed / alone.rebound_speed);
    deepest = std::min(deepest, hit.max_compression / alone.max_compression);
  }
  paper.set("Fig. 5", "largest velocity over v_in, smallest of the four forces", fastest);
  paper.set("Fig. 5", "output velocity over that without force, largest of the four", slowest);
  paper.set("Fig. 5", "largest compression over that without force, smallest of the four", deepest);
  Panel touch = panel, release = panel;
  release.key = Panel::Key::off;
  touch.title = "detail: just after touch";
  touch.x_range = Range{0, 30};
  touch.y_range = Range{0.485, 0.505};
  release.title = "detail: release";
  release.x_range = Range{0, 40};
  release.y_range = Range{-0.43, -0.40};
  paper.draw("Fig. 5",
             "The mass first speeds up (left), then goes deeper and leaves more slowly (right).",
             {.title = "", .panels = {touch, release}});
}

/// max|x_n - x(t_n)|/x_max in percent over the samples in contact.
double waveform_error(const Contact& contact, const ImpactHistory& exact) {
  double worst = 0;
  for (int n = 0; n < contact.steps(); ++n) {
    const double x = contact.samples[std::size_t(n)].x;
    const double there = std::max(0.0, exact.at(n / audio_rate).compression);
    worst = std::max(worst, std::abs(x - there));
  }
  return 100 * worst / exact.summary().max_compression;
}

void waveforms(Reproduction& paper) {
  const ImpactHistory exact(case_2.law, {.mass = case_2.mass, .speed = case_2.speed});
  Panel panel{.title = "", .x_label = "time [ms]", .y_label = "compression x [µm]"};
  Series truth{"exact", {}, {}, Series::Style::line, 5};
  for (const double time : evenly(0, 7 / audio_rate, 200)) {
    truth.x.push_back(1e3 * time);
    truth.y.push_back(1e6 * exact.at(time).compression);
  }
  panel.series.push_back(truth);
  for (const Method method : methods) {
    const std::string name(method_names[std::size_t(method)]);
    const Contact plain = simulate(case_2, method, audio_rate);
    const Contact hybrid = simulate(case_2, method, audio_rate, {.hybrid = true});
    paper.set("Waveform errors", name + " plain", waveform_error(plain, exact));
    paper.set("Waveform errors", name + " hybrid", waveform_error(hybrid, exact));
    if (method != Method::verlet) continue;
    for (const auto& [label, contact] :
         {std::pair{"Verlet", plain}, std::pair{"Verlet, hybrid x(v)", hybrid}}) {
      Series samples{label, {}, {}, Series::Style::line_points};
      for (int n = 0; n <= contact.steps(); ++n) {
        samples.x.push_back(1e3 * n / audio_rate);
        samples.y.push_back(1e6 * contact.samples[std::size_t(n)].x);
      }
      panel.series.push_back(samples);
    }
  }
  paper.draw("Waveform errors",
             "Case 2 in time: the hybrid correction puts each sample on the right curve of the "
             "phase plane, but not at the right time.",
             {.title = "", .panels = {panel}, .panel_width = 760, .panel_height = 380});
}

}  // namespace

void reproduce_analysis(Reproduction& paper) {
  expansions(paper);
  figures_1_2(paper);
  figure_3(paper);
  figure_4(paper);
  figure_5(paper);
  waveforms(paper);
}

}  // namespace carom::papetti
