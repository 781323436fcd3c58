#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "papetti2011.hpp"
#include "papetti_methods.hpp"
#include "points.hpp"

namespace carom::papetti {
namespace {

double percent_faster(double velocity, double reference) {
  return 100 * (velocity / reference - 1);
}

double rounded_to_decimals(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

double rounded_to_digits(double value, int digits) {
  if (value == 0) return 0;
  return rounded_to_decimals(value, digits - 1 - int(std::floor(std::log10(std::abs(value)))));
}

std::string cell(Method method, const std::string& row) {
  return std::string(method_names[std::size_t(method)]) + " " + row;
}

/// |x_n - x(v_n)| with the complex x(v_n) beyond v_out: the printed value of AM1 in Table I.
double deviation_from_complex(const Case& impact, const Contact& contact) {
  double worst = 0;
  for (const auto& [x, v] : contact.samples) {
    if (x > 0) worst = std::max(worst, std::abs(x - complex_compression(impact, v)));
  }
  return 100 * worst / max_compression(impact);
}

void table_1(Reproduction& paper) {
  const double exact = exit_velocity(noncritical), printed = rounded_to_decimals(exact, 7);
  for (const Method method : methods) {
    const Contact contact = simulate(noncritical, method, audio_rate);
    paper.set("Table I", cell(method, "%dev(x)"), deviation_from_complex(noncritical, contact));
    paper.set("Table I", cell(method, "%err(v_out)"), percent_faster(contact.exit(), printed));
    paper.set("Table I", cell(method, "%err(v_out), exact reference"),
              percent_faster(contact.exit(), exact));
    if (method == Method::am1) {
      paper.set("Table I", "AM1 %dev(x) with x(v) := 0 beyond v_out",
                deviation_x(noncritical, contact));
    }
    if (method == Method::rk4) {
      Contact coarse = contact;
      for (Sample& sample : coarse.samples) {
        sample = {rounded_to_digits(sample.x, 8), rounded_to_digits(sample.v, 8)};
      }
      paper.set("Table I", "RK4 %dev(H)", deviation_energy(noncritical, coarse, exact));
      paper.set("Table I", "RK4 %dev(H), full precision",
                deviation_energy(noncritical, contact, exact));
    } else {
      paper.set("Table I", cell(method, "%dev(H)"), deviation_energy(noncritical, contact, exact));
    }
  }
  paper.set("Fig. 6", "contact", simulate(noncritical, Method::rk4, audio_rate).steps());
}

/// Whether the cells of Table II(a) that are not ours rounded are ours cut off, and others rounded.
void check_cut(Reproduction& paper, double v_out) {
  int cut = 0, rounded = 0, either = 0, neither = 0;
  std::string cells;
  for (const Method method : methods) {
    const Contact contact = simulate(case_1, method, audio_rate);
    for (const auto& [row, ours] :
         {std::pair{"%dev(x)", deviation_x(case_1, contact)},
          std::pair{"%err(v_out)", percent_faster(contact.exit(), v_out)},
          std::pair{"%dev(H)", deviation_energy(case_1, contact, v_out)}}) {
      const double printed = paper.printed("Table II(a)", cell(method, row));
      const bool is_rounded = std::abs(printed - ours) <= 0.5e-3;
      const bool is_cut = std::abs(std::trunc(ours * 1e3) - printed * 1e3) < 1e-6;
      if (is_rounded && is_cut) {  // says nothing
        ++either;
        continue;
      }
      rounded += is_rounded;
      cut += is_cut;
      neither += !is_rounded && !is_cut;
      if (is_cut) cells += fmt::format("{}{:.5f} as {}", cells.empty() ? "" : ", ", ours, printed);
    }
  }
  paper.check("cut", neither == 0,
              fmt::format("of {} cells {} are cut off ({}), {} are rounded, {} may be either",
                          cut + rounded + either + neither, cut, cells, rounded, either));
}

/// |%err(v_out)| of (7) over the smallest of the four methods.
double over_smallest_error(const Case& impact) {
  const double exact = exit_velocity(impact);
  double smallest = INFINITY;
  for (const Method method : methods) {
    const Contact contact = simulate(impact, method, audio_rate);
    smallest = std::min(smallest, std::abs(percent_faster(contact.exit(), exact)));
  }
  return std::abs(percent_faster(approximate_exit_velocity(impact), exact)) / smallest;
}

/// What Sect. III-B2 says of the energies of case 1, in percent of the energy lost.
void energies_of_case_1(Reproduction& paper) {
  const double v_out = exit_velocity(case_1),
               lost = energy(case_1, 0, case_1.speed) - energy(case_1, 0, v_out);
  for (const Method method : methods) {
    const Contact contact = simulate(case_1, method, audio_rate);
    const std::string name(method_names[std::size_t(method)]);
    paper.set("Fig. 7", name + ": H after contact less H_tau, of the energy lost",
              100 * (energy(case_1, 0, contact.exit()) - energy(case_1, 0, v_out)) / lost);
    double low = INFINITY, high = -INFINITY;
    for (const auto& [x, v] : contact.samples) {
      if (!(x > 0)) continue;
      const double off = energy(case_1, x, v) - energy_on_path(case_1, std::max(v, v_out));
      low = std::min(low, 100 * off / lost), high = std::max(high, 100 * off / lost);
    }
    if (method == Method::am1) {
      paper.set("Fig. 7", "AM1: H(v) less H, smallest in contact, of the energy lost", -high);
    }
    if (method == Method::rk4) {
      paper.set("Fig. 7", "RK4: |H - H(v)|, largest in contact, of the energy lost",
                std::max(high, -low));
    }
  }
}

void table_2a(Reproduction& paper) {
  const double exact = exit_velocity(case_1), approximate = approximate_exit_velocity(case_1);
  for (const Method method : methods) {
    const Contact contact = simulate(case_1, method, audio_rate);
    paper.set("Table II(a)", cell(method, "%dev(x)"), deviation_x(case_1, contact));
    paper.set("Table II(a)", cell(method, "%err(v_out)"), percent_faster(contact.exit(), exact));
    paper.set("Table II(a)", cell(method, "%dev(H)"), deviation_energy(case_1, contact, exact));
  }
  paper.set("Table II(a)", "v~_out (7) %err(v_out)",
            percent_faster(approximate, rounded_to_decimals(exact, 7)));
  paper.set("Table II(a)", "v~_out (7) %err(v_out), exact reference",
            percent_faster(approximate, exact));
  paper.set("Table II(a)", "error of (7) over the smallest of the simulations",
            over_smallest_error(case_1));
  check_cut(paper, exact);
  paper.set("Fig. 7", "contact time", simulate(case_1, Method::rk4, audio_rate).steps());
  energies_of_case_1(paper);
}

void table_2b(Reproduction& paper) {
  const double exact = exit_velocity(case_2), approximate = approximate_exit_velocity(case_2);
  for (const Method method : methods) {
    const Contact contact = simulate(case_2, method, audio_rate);
    paper.set("Table II(b)", cell(method, "%dev(x)"), deviation_x(case_2, contact));
    paper.set("Table II(b)", cell(method, "%err(v_out)"),
              percent_faster(contact.exit(), approximate));
    paper.set("Table II(b)", cell(method, "%dev(H)"),
              deviation_energy(case_2, contact, approximate));
    paper.set("Table II(b)", cell(method, "%err(v_out), exact reference"),
              percent_faster(contact.exit(), exact));
    paper.set("Table II(b)", cell(method, "%dev(H), exact reference"),
              deviation_energy(case_2, contact, exact));
  }
  paper.set("Table II(b)", "v~_out (7) %err(v_out)", percent_faster(exact, approximate));
  paper.set("Table II(b)", "v~_out (7) %err(v_out), exact reference",
            percent_faster(approximate, exact));
  paper.set("Table II(b)", "error of (7) over the smallest of the simulations",
            over_smallest_error(case_2));
  paper.set("Fig. 8", "contact time", simulate(case_2, Method::rk4, audio_rate).steps());
}

constexpr double nano = 1e9, micro = 1e6, milli = 1e3;  // for axes in nm, um and mJ

/// An impact in the phase plane and by its energy, and how far each simulation is from the exact
/// curves: where they coincide, only the differences can be seen.
class Portrait {
 public:
  /// Differences are drawn as they are, or as sizes on a logarithmic scale, where some are far
  /// smaller than others.
  Portrait(const Case& impact, bool sizes)
      : impact_(impact), v_out_(exit_velocity(impact)), sizes_(sizes) {
    if (sizes) {
      off_.log_y = energy_off_.log_y = true;
      off_.y_label = "|x - x(v)| [nm]", energy_off_.y_label = "|H - H(v)| [µJ]";
    }
    Series path{"exact", {}, {}, Series::Style::line, 5}, energies = path;
    for (const double v : evenly(impact.speed, v_out_, 400)) {
      path.x.push_back(micro * compression(impact, v));
      path.y.push_back(v);
      energies.x.push_back(-v);
      energies.y.push_back(milli * energy_on_path(impact, v));
    }
    phase_.series = {path};
    energy_.series = {energies};
  }

  void add(const Contact& contact, const std::string& label, int colour) {
    const bool dense = contact.steps() > 100;
    Series path{label, {}, {}, dense ? Series::Style::dashes : Series::Style::line_points, colour};
    Series off{label, {}, {}, dense ? Series::Style::line : Series::Style::line_points, colour};
    Series energies = path, energy_off = off;
    for (const auto& [x, v] : contact.samples) {
      path.x.push_back(micro * x);
      path.y.push_back(v);
      energies.x.push_back(-v);
      energies.y.push_back(milli * energy(impact_, x, v));
      if (!(x > 0)) continue;  // (27) and (28) look at contact alone
      const double on_path = std::max(v, v_out_);
      const auto drawn = [&](double difference) {
        return sizes_ ? std::abs(difference) : difference;
      };
      off.x.push_back(-v);
      off.y.push_back(nano * drawn(x - compression(impact_, on_path)));
      energy_off.x.push_back(-v);
      energy_off.y.push_back(micro *
                             drawn(energy(impact_, x, v) - energy_on_path(impact_, on_path)));
    }
    phase_.series.push_back(path);
    energy_.series.push_back(energies);
    off_.series.push_back(off);
    energy_off_.series.push_back(energy_off);
  }

  Figure figure() const {
    return {.title = "", .panels = {phase_, energy_, off_, energy_off_}, .panel_width = 560};
  }

 private:
  Case impact_;
  double v_out_;
  bool sizes_;
  Panel phase_{
      .title = "phase portrait", .x_label = "compression x [µm]", .y_label = "velocity v [m/s]"},
      energy_{.title = "energy",
              .x_label = "-v [m/s] (time runs to the right)",
              .y_label = "energy H [mJ]"},
      off_{.title = "compression, less the exact one at the same velocity",
           .x_label = "-v [m/s]",
           .y_label = "x - x(v) [nm]"},
      energy_off_{.title = "energy, less the exact one at the same velocity",
                  .x_label = "-v [m/s]",
                  .y_label = "H - H(v) [µJ]"};
};

Figure methods_figure(const Case& impact, bool sizes = false) {
  Portrait portrait(impact, sizes);
  for (const Method method : methods) {
    portrait.add(simulate(impact, method, audio_rate),
                 std::string(method_names[std::size_t(method)]), int(method));
  }
  return portrait.figure();
}

Figure corrected_figure(const Case& impact) {
  Portrait portrait(impact, false);
  portrait.add(simulate(impact, Method::heun, audio_rate), "Heun", 2);
  portrait.add(simulate(impact, Method::heun, audio_rate, {.hybrid = true, .exit = true}),
               "corrected", 1);
  return portrait.figure();
}

void corrections(Reproduction& paper) {
  for (const auto& [item, impact] : {std::pair{"Fig. 9", case_1}, std::pair{"Fig. 10", case_2}}) {
    const Contact contact =
        simulate(impact, Method::heun, audio_rate, {.hybrid = true, .exit = true});
    paper.set(item, "%dev(H), corrected", deviation_energy(impact, contact, exit_velocity(impact)));
    paper.draw(item,
               "Heun plain and with both corrections, and the differences from the exact curves.",
               corrected_figure(impact));
  }
  const Contact contact =
      simulate(case_2, Method::heun, audio_rate, {.hybrid = true, .exit = true});
  paper.set("Fig. 10", "%dev(x), corrected", deviation_x(case_2, contact));
}

/// Deviation of the energy by RK4 at one point of Fig. 11.
double sweep_point(double mu, double speed, bool corrected) {
  const Case impact{{.stiffness = 1e9, .exponent = 1.5, .mu = mu}, 1e-2, speed};
  const Contact contact =
      simulate(impact, Method::rk4, audio_rate, {.hybrid = corrected, .exit = corrected});
  return deviation_energy(impact, contact, exit_velocity(impact));
}

void figure_11(Reproduction& paper) {
  double worst_corrected = 0, least_weight = INFINITY;
  for (const double value : evenly_in_log(0.005, 0.2, 80)) {
    least_weight =
        std::min(least_weight, sweep_point(value, 0.5, false) / sweep_point(0.5, value, false));
  }
  Figure figure;
  for (const bool vary_mu : {true, false}) {
    Series plain{"RK4", {}, {}}, corrected{"RK4, corrected", {}, {}, Series::Style::dashes};
    for (const double value : evenly_in_log(0.005, 0.5, 100)) {
      const double mu = vary_mu ? value : 0.5, speed = vary_mu ? 0.5 : value;
      plain.x.push_back(value);
      plain.y.push_back(sweep_point(mu, speed, false));
      corrected.x.push_back(value);
      corrected.y.push_back(sweep_point(mu, speed, true));
      worst_corrected = std::max(worst_corrected, corrected.y.back());
    }
    figure.panels.push_back({.title = vary_mu ? "(a) v_in = 0.5 m/s" : "(b) µ = 0.5 s/m",
                             .x_label = vary_mu ? "µ [s/m]" : "v_in [m/s]",
                             .y_label = "%dev(H)",
                             .series = {plain, corrected},
                             .log_x = true,
                             .log_y = true});
  }
  paper.set("Fig. 11", "%dev(H) at mu = 0.01, v_in = 0.5", sweep_point(0.01, 0.5, false));
  paper.set("Fig. 11", "%dev(H) at mu = 0.5, v_in = 0.01", sweep_point(0.5, 0.01, false));
  paper.set("Fig. 11", "%dev(H), corrected, largest over both sweeps", worst_corrected);
  paper.set("Fig. 11", "%dev(H) of (a) over that of (b) at the same mu v_in, smallest below 0.1",
            least_weight);
  paper.draw(
      "Fig. 11",
      "Largest deviation of the energy, eq. (27), with and without corrections; the jumps are "
      "changes in the number of samples in contact.",
      figure);
}

}  // namespace

void reproduce_errors(Reproduction& paper) {
  table_1(paper);
  table_2a(paper);
  table_2b(paper);
  paper.draw(
      "Fig. 6",
      "The noncritical impact: the methods lie on the exact curves; below, by how much they miss "
      "them. At release the slope of x(v) is infinite, and any error in v becomes one in x.",
      methods_figure(noncritical, true));
  paper.draw("Fig. 7", "Case 1 sample by sample, and the differences from the exact curves.",
             methods_figure(case_1));
  paper.draw("Fig. 8", "Case 2 sample by sample, and the differences from the exact curves.",
             methods_figure(case_2));
  corrections(paper);
  figure_11(paper);
}

}  // namespace carom::papetti
