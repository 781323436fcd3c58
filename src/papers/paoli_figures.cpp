#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "paoli2007.hpp"

namespace carom::paoli2007 {
namespace {

constexpr std::array restitution_values{1.0, 0.75, 0.5, 0.25, 0.0};
constexpr std::array letters{"(a) e = 1", "(b) e = 0.75", "(c) e = 0.50", "(d) e = 0.25",
                             "(e) e = 0"};

std::vector<double> angle_grid(double step) {
  std::vector<double> grid;
  for (double angle = 0; angle <= 90 + 1e-9; angle += step) grid.push_back(angle);
  return grid;
}

Panel restitution_panel(std::string title) {
  return {.title = std::move(title),
          .x_label = "angle [degrees]",
          .y_label = "apparent restitution",
          .y_range = Range{0.0, 1.1},
          .key = "top left"};
}

/// Gap of the tip over time after a drop.
Series tip_curve(const BarDrop& drop, double from, double to, const std::string& label) {
  Series curve{.label = label, .x = {}, .y = {}};
  BarDrop run = drop;
  run.duration = to;
  drop_bar(run, {.every = 40, .sample = [&](const BarSample& s) {
                   if (s.time >= from) {
                     curve.x.push_back(1e3 * s.time);
                     curve.y.push_back(1e3 * s.q[1]);
                   }
                   return true;
                 }});
  return curve;
}

/// Five curves of apparent restitution over the angle; returns them by restitution.
std::vector<std::vector<double>> restitution_curves(BarModel model, BarMethod method,
                                                    const std::vector<double>& grid,
                                                    double averaging) {
  std::vector<BarDrop> drops;
  for (const double e : restitution_values) {
    for (const double angle : grid) {
      drops.push_back(landing_bar(model, method, e, angle));
      drops.back().averaging = averaging;
    }
  }
  const std::vector<double> values = apparent_restitutions(drops);
  std::vector<std::vector<double>> curves;
  for (std::size_t k = 0; k < restitution_values.size(); ++k) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * grid.size());
    curves.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(grid.size()));
  }
  return curves;
}

/// Where the curve is lowest between 60 and 80 degrees.
double dip_angle(const std::vector<double>& grid, const std::vector<double>& curve) {
  double best = std::numeric_limits<double>::infinity(), at = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid[i] < 60 || grid[i] > 80 || !(curve[i] < best)) continue;
    best = curve[i];
    at = grid[i];
  }
  return at;
}

Panel curves_panel(const std::string& title, const std::vector<double>& grid,
                   const std::vector<std::vector<double>>& curves) {
  Panel panel = restitution_panel(title);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    panel.series.push_back({.label = letters[k], .x = grid, .y = curves[k]});
  }
  return panel;
}

constexpr std::array models{BarModel::spiral, BarModel::pairs};
constexpr std::array methods{BarMethod::event_driven, BarMethod::paoli_schatzman};

std::string name_of(BarModel model, BarMethod method) {
  return fmt::format("model {}, {}", model == BarModel::spiral ? 1 : 2,
                     method == BarMethod::event_driven ? "event-driven" : "time-stepping");
}

}  // namespace

void reproduce_contacts(Reproduction& paper) {
  for (const int n : {16, 64}) {
    BarDrop drop = landing_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.0, 90);
    drop.bar.segments = n;
    drop.bar.stiffness = BarStiffness::limit;
    drop.averaging = 3e-4;
    const BarDropResult result = drop_bar(drop);
    const double c = std::sqrt(drop.bar.young / drop.bar.density);
    const double contact = result.last_contact_time - result.first_impact_time.value_or(0);
    paper.set("Sect. 5.2", fmt::format("contact time / (2 l/c), n = {}", n),
              contact * c / (2 * (drop.bar.length - drop.bar.radius / 3)));
  }
  const auto intervals = [](double angle) {
    return static_cast<double>(
        drop_bar(landing_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.5, angle))
            .intervals.size());
  };
  paper.set("Sect. 5.2", "contact intervals at 90 degrees", intervals(90));
  paper.set("Fig. 4", "contact intervals at 65 degrees", intervals(65));
  paper.set("Fig. 4", "contact intervals at 70 degrees", intervals(70));
  paper.set("Fig. 3", "time saved by time-stepping, from the printed CPU times, model 1",
            100 * (1 - 46.061 / 66.755));
  paper.set("Fig. 3", "time saved by time-stepping, from the printed CPU times, model 2",
            100 * (1 - 53.279 / 78.148));

  Figure third{.title = "Height of the tip after a drop at 30 degrees, e = 1", .panels = {}};
  for (const BarMethod method : methods) {
    for (const BarModel model : models) {
      const BarDrop drop = paper_bar(model, method, 1.0, 30);
      third.panels.push_back({.title = name_of(model, method),
                              .x_label = "time [ms]",
                              .y_label = "q2 [mm]",
                              .series = {tip_curve(drop, 3.5e-3, 4.5e-3, "")}});
      const BarDropResult result = drop_bar(landing_bar(model, method, 1.0, 30));
      paper.add("Fig. 3", "micro-impacts, " + name_of(model, method), result.impacts,
                "Counts depend on the phase of the landing in the step.");
    }
  }
  paper.draw("Fig. 3", "Micro-impacts in several intervals before the bar leaves.",
             std::move(third));
  Figure fourth{.title = "Height of the tip", .panels = {}};
  for (const double angle : {65.0, 70.0}) {
    const BarDrop drop = paper_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.5, angle);
    fourth.panels.push_back({.title = fmt::format("{} degrees", angle),
                             .x_label = "time [ms]",
                             .y_label = "q2 [mm]",
                             .series = {tip_curve(drop, 3.5e-3, 4.6e-3, "")}});
  }
  paper.draw("Fig. 4", "At 65 degrees the bar comes back, at 70 it does not.", std::move(fourth));
}

void reproduce_restitution(Reproduction& paper) {
  paper.set("Fig. 7", "curve (f), theoretical prediction", std::nan(""));
  const std::vector<double> grid = paper.quick() ? angle_grid(5) : angle_grid(1);
  const std::vector<double> fine = [] {
    std::vector<double> result;
    for (double angle = 67; angle <= 71.01; angle += 0.5) result.push_back(angle);
    return result;
  }();
  Figure fifth{.title = "Apparent restitution, averaged over 2.5 ms", .panels = {}};
  for (const BarModel model : models) {
    for (const BarMethod method : methods) {
      const bool cheap = model == BarModel::pairs && method == BarMethod::paoli_schatzman;
      if (paper.quick() && !cheap) continue;
      const auto curves = restitution_curves(model, method, grid, 2.5e-3);
      fifth.panels.push_back(curves_panel(name_of(model, method), grid, curves));
      if (paper.quick()) continue;
      const auto near_dip = restitution_curves(model, method, fine, 2.5e-3);
      for (std::size_t k = 0; k < near_dip.size(); ++k) {
        paper.add("Fig. 5",
                  fmt::format("angle of the dip, {}, e = {}", name_of(model, method),
                              restitution_values[k]),
                  dip_angle(fine, near_dip[k]), "On a grid of half degrees.", "degrees");
      }
    }
  }
  paper.draw("Fig. 5",
             "The dip near 69 degrees is common to all of them; below it the curves with "
             "large e are single samples of a chaotic motion.",
             std::move(fifth));
  if (paper.quick()) return;
  const auto short_average =
      restitution_curves(BarModel::pairs, BarMethod::paoli_schatzman, grid, 1e-3);
  Figure sixth{.panels = {curves_panel("model 2, time-stepping, 1 ms", grid, short_average)},
               .columns = 1};
  paper.draw("Fig. 6", "Averaging over 1 ms changes little.", std::move(sixth));
}

void reproduce_excitation(Reproduction& paper) {
  if (paper.quick()) return;
  const std::vector<double> grid = angle_grid(2);
  constexpr std::array phases{0, 40, 80, 120, 160};
  const auto panel = [&](double fraction, double e) {
    std::vector<BarDrop> drops;
    for (const int phase : phases) {
      for (const double angle : grid) {
        BarDrop drop = paper_bar(BarModel::pairs, BarMethod::paoli_schatzman, e, angle);
        drop.excitation = {.fraction = fraction, .phase = phase * std::numbers::pi / 180};
        drops.push_back(drop);
      }
    }
    const std::vector<double> values = apparent_restitutions(drops);
    Panel result = restitution_panel(fmt::format("eta = {}, e = {}", fraction, e));
    double spread_above = 0, spread_below = 0;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      double low = 10, high = -10;
      for (std::size_t k = 0; k < phases.size(); ++k) {
        low = std::min(low, values[k * grid.size() + i]);
        high = std::max(high, values[k * grid.size() + i]);
      }
      double& spread = grid[i] >= 72 ? spread_above : spread_below;
      spread = std::max(spread, high - low);
    }
    for (std::size_t k = 0; k < phases.size(); ++k) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * grid.size());
      result.series.push_back({.label = fmt::format("{} degrees", phases[k]),
                               .x = grid,
                               .y = {begin, begin + static_cast<std::ptrdiff_t>(grid.size())}});
    }
    const std::string item = e == 1.0 ? "Fig. 8" : "Fig. 9";
    const std::string which = fmt::format("eta = {}, e = {}", fraction, e);
    paper.add(item, "largest spread over the phases from 72 to 90 degrees, " + which, spread_above);
    paper.add(item, "largest spread over the phases below 72 degrees, " + which, spread_below);
    return result;
  };
  Figure eighth{.title = "Model 2, time-stepping, e = 1",
                .panels = {panel(1e-3, 1.0), panel(5e-3, 1.0), panel(1e-2, 1.0)}};
  paper.draw("Fig. 8", "The dip stays; below it the phase decides.", std::move(eighth));
  Figure ninth{.title = "Model 2, time-stepping, eta = 0.005",
               .panels = {panel(5e-3, 0.5), panel(5e-3, 0.0)}};
  paper.draw("Fig. 9", "With softer tips the phases differ less.", std::move(ninth));
}

}  // namespace carom::paoli2007
