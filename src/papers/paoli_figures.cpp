#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include <carom/core/clock.hpp>

#include "paoli2007.hpp"
#include "paoli_theory.hpp"
#include "paper_sweep.hpp"

namespace carom::paoli2007 {
namespace {

constexpr std::array models{BarModel::spiral, BarModel::pairs};
constexpr std::array methods{BarMethod::event_driven, BarMethod::paoli_schatzman};

std::string name_of(BarModel model, BarMethod method) {
  return fmt::format("model {}, {}", model == BarModel::spiral ? 1 : 2,
                     method == BarMethod::event_driven ? "event-driven" : "time-stepping");
}

std::string cpu_time(BarModel model, BarMethod method) {
  return "CPU time, " + name_of(model, method);
}

Panel restitution_panel(std::string title) {
  return {.title = std::move(title),
          .x_label = "angle [degrees]",
          .y_label = "apparent restitution",
          .y_range = Range{0.0, 1.1}};
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

constexpr const char* angle_key = "bar.angle";
constexpr const char* apparent = "results.apparent_restitution";
constexpr const char* intervals = "results.contact_intervals";

/// Curves of one restitution of the tip each, lettered as in the paper.
Panel curves_panel(const std::string& title, std::span<const SweepCurve> curves) {
  Panel panel = restitution_panel(title);
  for (const SweepCurve& curve : curves) {
    const double e = number_of(curve.at.back());
    const char letter = static_cast<char>('a' + std::lround(4 * (1 - e)));  // (a) e = 1 ... (e) 0
    panel.series.push_back(
        {.label = fmt::format("({}) e = {}", letter, e), .x = curve.x, .y = curve.y});
  }
  return panel;
}

/// Calls `use(name, curves)` for each model and method of a sweep over both.
template <class F>
void for_each_model_and_method(std::span<const SweepCurve> curves, const F& use) {
  while (!curves.empty()) {
    const SweepValue &model = curves.front().at[0], &method = curves.front().at[1];
    std::size_t count = 1;
    while (count < curves.size() && curves[count].at[0] == model && curves[count].at[1] == method) {
      ++count;
    }
    const bool events = std::get<std::string>(method) == "event-driven";
    use(name_of(std::get<std::string>(model) == "spiral" ? BarModel::spiral : BarModel::pairs,
                events ? BarMethod::event_driven : BarMethod::paoli_schatzman),
        curves.first(count));
    curves = curves.subspan(count);
  }
}

}  // namespace

void reproduce_contacts(Reproduction& paper) {
  for (const int n : {16, 64, 256}) {
    BarDrop drop = landing_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.0, 90);
    drop.bar.segments = n;
    drop.bar.stiffness = BarStiffness::limit;
    if (paper.quick() && n == 256) continue;
    drop.averaging = 1e-4;
    drop.step = 5e-8;
    const BarDropResult result = drop_bar(drop);
    const double c = std::sqrt(drop.bar.young / drop.bar.density);
    const double contact = result.last_contact_time - result.first_impact_time.value_or(0);
    paper.set("Sect. 5.2", fmt::format("contact time / (2 l/c), n = {}", n),
              contact * c / (2 * (drop.bar.length - drop.bar.radius)));
  }
  const auto intervals_at = [](double angle) {
    return static_cast<double>(
        drop_bar(landing_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.5, angle))
            .intervals.size());
  };
  paper.set("Sect. 5.2", "contact intervals at 90 degrees", intervals_at(90));
  paper.set("Fig. 4", "contact intervals at 65 degrees", intervals_at(65));
  paper.set("Fig. 4", "contact intervals at 70 degrees", intervals_at(70));
  const double saved_1 = 100 * (1 - paper.printed("Fig. 3", cpu_time(models[0], methods[1])) /
                                        paper.printed("Fig. 3", cpu_time(models[0], methods[0]))),
               saved_2 = 100 * (1 - paper.printed("Fig. 3", cpu_time(models[1], methods[1])) /
                                        paper.printed("Fig. 3", cpu_time(models[1], methods[0])));
  paper.set("Fig. 3", "time saved by time-stepping, from the printed CPU times, model 1", saved_1);
  paper.set("Fig. 3", "time saved by time-stepping, from the printed CPU times, model 2", saved_2);
  paper.check("cpu", saved_1 < 35 && saved_2 < 35,
              fmt::format("{:.1f} and {:.1f} %", saved_1, saved_2));

  Figure third{.title = "Height of the tip after a drop at 30 degrees, e = 1", .panels = {}};
  std::vector<double> seconds;  // event-driven models 1 and 2, time-stepping models 1 and 2
  for (const BarMethod method : methods) {
    for (const BarModel model : models) {
      // The paper's own event-driven method: Newmark's rule (15), (16) with impacts by (17).
      BarDrop drop = paper_bar(model, method, 1.0, 30);
      drop.flight = FlightRule::newmark;
      drop.instant = ImpactInstant::interpolated;
      third.panels.push_back({.title = name_of(model, method),
                              .x_label = "time [ms]",
                              .y_label = "q2 [mm]",
                              .series = {tip_curve(drop, 3.5e-3, 4.5e-3, "")}});
      BarDrop landing = landing_bar(model, method, 1.0, 30);
      landing.flight = FlightRule::newmark;
      landing.instant = ImpactInstant::interpolated;
      paper.add("Fig. 3", "micro-impacts, " + name_of(model, method), drop_bar(landing).impacts,
                "Counts depend on the phase of the landing in the step.");
      drop.duration = 5e-3;
      const double begin = cpu_now();
      drop_bar(drop);
      seconds.push_back(cpu_now() - begin);
      paper.set("Fig. 3", cpu_time(model, method), seconds.back());
    }
  }
  paper.set("Fig. 3", "CPU time, event-driven over time-stepping, model 1",
            seconds[0] / seconds[2]);
  paper.set("Fig. 3", "CPU time, event-driven over time-stepping, model 2",
            seconds[1] / seconds[3]);
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

namespace {

/// How many runs there are that the rule "one contact interval from 70 degrees, at least two from
/// 50 to 68" does not hold for.
void count_intervals(Reproduction& paper, const PaperSweep& sweep) {
  int below = 0, above = 0;
  for (const SweepCurve& curve : sweep.curves(angle_key, intervals)) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (curve.x[i] >= 50 && curve.x[i] <= 68 && curve.y[i] < 2) ++below;
      if (curve.x[i] >= 70 && curve.y[i] > 1) ++above;
    }
  }
  paper.set("Fig. 5", "runs from 50 to 68 degrees with a single contact interval", below);
  paper.set("Fig. 5", "runs from 70 to 90 degrees with more than one", above);
}

void find_dips(Reproduction& paper, const PaperSweep& sweep) {
  double least = 90, most = 0;
  for_each_model_and_method(
      sweep.curves(angle_key, apparent),
      [&](const std::string& name, std::span<const SweepCurve> curves) {
        for (const SweepCurve& curve : curves) {
          const auto lowest = std::min_element(curve.y.begin(), curve.y.end()) - curve.y.begin();
          const double e = number_of(curve.at.back()),
                       angle = curve.x[static_cast<std::size_t>(lowest)];
          paper.set("Fig. 5", fmt::format("{} dip [degrees], e = {}", name, e), angle);
          least = std::min(least, angle), most = std::max(most, angle);
        }
      });
  paper.set("Fig. 5", "largest less smallest angle of the dip", most - least);
}

/// The last curve with e = 0.5: model 2, time-stepping.
const SweepCurve* half_restitution(const std::vector<SweepCurve>& curves) {
  const SweepCurve* found = nullptr;
  for (const SweepCurve& curve : curves) {
    if (number_of(curve.at.back()) == 0.5) found = &curve;
  }
  return found;
}

/// By how much the chain of 65 segments and the continuous bar differ at 80 degrees.
double off_theory(double radius) {
  BarDrop drop = paper_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.5, 80);
  drop.bar.radius = radius;
  drop.bar.segments = 65;
  drop.bar.stiffness = BarStiffness::limit;
  drop.bar.gravity = 1e-3;  // the continuous bar has none
  drop.start.height = radius + 1e-4;
  drop.step = 5e-8;
  const double chain = drop_bar(drop).apparent_restitution.value_or(std::nan(""));
  return std::abs(chain -
                  slender_rebound(drop.bar, impact_speed(drop), 80, drop.averaging).restitution);
}

/// Curves (a) to (e) are `numerical`; (f) is the continuous slender bar of paoli_theory.hpp.
void compare_with_theory(Reproduction& paper, Panel numerical, const SweepCurve& half) {
  const BarDrop drop = paper_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.5, 90);
  const double speed = impact_speed(drop);
  const auto theory = [&](double angle, const SlenderSettings& settings = {}) {
    return slender_rebound(drop.bar, speed, angle, drop.averaging, settings);
  };
  Series f{.label = "(f) continuous slender bar", .x = {}, .y = {}, .style = Series::Style::dashes};
  double refined = 0;
  int once_from = 90;  // degrees
  for (int angle = 90; angle >= 40; --angle) {
    const SlenderRebound rebound = theory(angle);
    f.x.push_back(angle), f.y.push_back(rebound.restitution);
    if (rebound.intervals == 1 && once_from == angle + (angle < 90)) once_from = angle;
    if (angle < 72) continue;
    const double finer = theory(angle, {.steps = 512, .modes = 120}).restitution;
    refined = std::max(refined, std::abs(finer - rebound.restitution));
  }
  double apart = 0;
  for (std::size_t i = 0; i < half.x.size(); ++i) {
    if (half.x[i] < 72) continue;
    apart = std::max(apart, std::abs(half.y[i] - theory(half.x[i]).restitution));
  }
  const auto lowest = std::min_element(f.y.begin(), f.y.end()) - f.y.begin();
  paper.set("Fig. 7", "curve (f) as printed, from [5]", std::nan(""));
  paper.set("Fig. 7", "our curve (f): the dip is at", f.x[static_cast<std::size_t>(lowest)]);
  paper.set("Fig. 7", "our curve (f): one contact interval from", once_from);
  paper.set("Fig. 7", "our curve (f): apparent restitution at 90 degrees", theory(90).restitution);
  paper.set("Fig. 7", "our curve (f): largest change with half the step, from 72 degrees", refined);
  paper.set("Fig. 7", "our curve (f) against (c), e = 0.5, largest difference from 72 degrees",
            apart);
  paper.set("Fig. 7", "difference at 80 degrees, a quarter of the radius over the bar of the paper",
            off_theory(drop.bar.radius / 4) / off_theory(drop.bar.radius));
  numerical.title = "";
  numerical.series.push_back(std::move(f));
  paper.draw(
      "Fig. 7",
      "Curves (a) to (e) as in Fig. 5. (f): the continuous slender bar, derived here; the "
      "formula behind the printed (f) is in reference [5].",
      {.panels = {std::move(numerical)}, .columns = 1, .panel_width = 760, .panel_height = 420});
}

}  // namespace

void reproduce_restitution(Reproduction& paper) {
  Figure fifth{
      .title = "Apparent restitution, averaged over 2.5 ms", .panels = {}, .panel_height = 400};
  const std::vector<std::string> few{"bar.model == \"pairs\" and run.method == \"paoli-schatzman\"",
                                     "bar.angle >= 60 and contact.restitution <= 0.5"};
  const PaperSweep sweep(paper, {0.05, 0.4}, sweeps::paoli2007_fig5, sweeps::paoli2007_bar,
                         paper.quick() ? few : std::vector<std::string>{});
  for_each_model_and_method(sweep.curves(angle_key, apparent),
                            [&](const std::string& name, std::span<const SweepCurve> curves) {
                              fifth.panels.push_back(curves_panel(name, curves));
                            });
  const std::vector<SweepCurve> curves = sweep.curves(angle_key, apparent);
  compare_with_theory(paper, fifth.panels.back(), *half_restitution(curves));
  paper.draw("Fig. 5",
             "The dip near 69 degrees is common to all of them; below it the curves with "
             "large e are single samples of a chaotic motion.",
             std::move(fifth));
  if (paper.quick()) return;
  count_intervals(paper, sweep);
  find_dips(paper, {paper, {0.4, 0.5}, sweeps::paoli2007_fig5_dip, sweeps::paoli2007_bar});
  const PaperSweep short_average(paper, {0.5, 0.55}, sweeps::paoli2007_fig6, sweeps::paoli2007_bar);
  Figure sixth{.panels = {curves_panel("model 2, time-stepping, 1 ms",
                                       short_average.curves(angle_key, apparent))},
               .columns = 1,
               .panel_height = 400};
  paper.draw("Fig. 6", "Averaging over 1 ms changes little.", std::move(sixth));
}

namespace {

/// The curves of several phases that have everything else in common, and how far they lie apart.
Panel phases_panel(Reproduction& paper, const std::string& item, const std::string& which,
                   std::span<const SweepCurve> curves) {
  double spread_above = 0, spread_below = 0;  // from 72 degrees, and below
  for (std::size_t i = 0; i < curves.front().x.size(); ++i) {
    double low = curves.front().y[i], high = low;
    for (const SweepCurve& curve : curves) {
      low = std::min(low, curve.y[i]);
      high = std::max(high, curve.y[i]);
    }
    double& spread = curves.front().x[i] >= 72 ? spread_above : spread_below;
    spread = std::max(spread, high - low);
  }
  paper.set(item, which + " largest spread over the phases, 72 to 90 degrees", spread_above);
  paper.set(item, which + " largest spread over the phases, below 72 degrees", spread_below);
  paper.set(item, which + " above over below", spread_above / spread_below);
  Panel panel = restitution_panel("η" + which.substr(std::string("eta").size()));
  for (const SweepCurve& curve : curves) {
    panel.series.push_back({.label = fmt::format("phase {}°", number_of(curve.at.back())),
                            .x = curve.x,
                            .y = curve.y});
  }
  return panel;
}

/// A panel for each value of the first key of the sweep; its second one is the phase.
std::vector<Panel> excitation_panels(Reproduction& paper, const std::string& item,
                                     const PaperSweep& sweep, const std::string& which) {
  const std::vector<SweepCurve> all = sweep.curves(angle_key, apparent);
  std::vector<Panel> panels;
  for (std::span<const SweepCurve> rest = all; !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && rest[count].at[0] == rest[0].at[0]) ++count;
    panels.push_back(phases_panel(paper, item,
                                  fmt::format(fmt::runtime(which), number_of(rest[0].at[0])),
                                  rest.first(count)));
    rest = rest.subspan(count);
  }
  return panels;
}

}  // namespace

void reproduce_excitation(Reproduction& paper) {
  if (paper.quick()) return;
  const PaperSweep lively(paper, {0.55, 0.82}, sweeps::paoli2007_fig8, sweeps::paoli2007_bar);
  paper.draw("Fig. 8", "The dip stays; below it the phase decides.",
             {.title = "Model 2, time-stepping, e = 1",
              .panels = excitation_panels(paper, "Fig. 8", lively, "eta = {}, e = 1"),
              .panel_height = 400});
  const PaperSweep soft(paper, {0.82, 1.0}, sweeps::paoli2007_fig9, sweeps::paoli2007_bar);
  paper.draw("Fig. 9",
             "Below the dip the phases differ as much as with e = 1, if more smoothly; above it "
             "far less. The largest spreads stand in the table.",
             {.title = "Model 2, time-stepping, η = 0.005",
              .panels = excitation_panels(paper, "Fig. 9", soft, "eta = 0.005, e = {}"),
              .panel_height = 400});
}

}  // namespace carom::paoli2007
