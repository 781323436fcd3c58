#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "paoli2007.hpp"

// The bar as its segments become shorter: the vertical one against the wave equation, and how much
// the restitution of the tip still matters.
namespace carom::paoli2007 {
namespace {

/// The solution of Sect. 5.2 with its second case put right: displacement of the section x above
/// the tip since the bar hit, for a bar of length l that fell with v; t <= 2 l/c.
double wave_solution(double x, double t, double v, double c, double l) {
  if (x >= 2 * l - c * t) return v * (t - 2 * l / c);
  return x <= c * t ? -v * x / c : -v * t;
}

}  // namespace

void reproduce_vertical_bar(Reproduction& paper) {
  constexpr std::array fractions{0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75};  // of l/c
  Panel panel{.title = "", .x_label = "distance from the tip [mm]", .y_label = "displacement [µm]"};
  for (const int n : {16, 64, 256}) {
    if (paper.quick() && n == 256) continue;
    BarDrop drop = landing_bar(BarModel::pairs, BarMethod::paoli_schatzman, 0.0, 90);
    drop.bar.segments = n;
    drop.bar.stiffness = BarStiffness::limit;
    drop.step = 5e-8;
    const double c = std::sqrt(drop.bar.young / drop.bar.density);
    const double l = drop.bar.length - drop.bar.radius, v = impact_speed(drop);
    const double touch = 1e-4;  // landing_bar starts so long before it
    drop.duration = touch + 1.8 * l / c;
    Eigen::Matrix2Xd before;
    double worst = 0;
    std::size_t next = 0;
    drop_bar(
        drop,
        {.every = 1, .sample = [&](const BarSample& sample) {
           if (sample.time < touch) {
             before = bar_outline(drop, sample.q);
             return true;
           }
           const double t = sample.time - touch;
           if (next >= fractions.size() || t < fractions[next] * l / c) return true;
           const Eigen::Matrix2Xd now = bar_outline(drop, sample.q);
           const bool drawn = n == 64 && next % 2 == 1;
           const int colour = static_cast<int>(next / 2);
           Series ours{
               fmt::format("t = {} l/c", fractions[next]), {}, {}, Series::Style::line, colour},
               exact{"", {}, {}, Series::Style::dashes, colour};
           for (Eigen::Index i = 0; i < now.cols(); ++i) {
             const double x = before(1, i) - before(1, 0);
             const double u = now(1, i) - before(1, i);
             const double wave = wave_solution(x, t, v, c, l);
             worst = std::max(worst, std::abs(u - wave));
             ours.x.push_back(1e3 * x), ours.y.push_back(1e6 * u);
             exact.x.push_back(1e3 * x), exact.y.push_back(1e6 * wave);
           }
           if (drawn) panel.series.push_back(ours), panel.series.push_back(exact);
           ++next;
           return true;
         }});
    paper.set("Sect. 5.2", fmt::format("largest |u - wave solution| / (v l/c), n = {}", n),
              worst / (v * l / c));
  }
  paper.draw(
      "Sect. 5.2",
      "Displacement of the vertical bar after it hit, 64 segments; dashed: the solution of the "
      "wave equation.",
      {.title = "", .panels = {panel}, .panel_width = 860, .panel_height = 420});
}

void reproduce_influence_of_restitution(Reproduction& paper) {
  if (paper.quick()) return;
  constexpr std::array segments{5, 9, 17, 33, 65};
  constexpr std::array restitutions{1.0, 0.75, 0.5, 0.25, 0.0};
  std::vector<BarDrop> drops;
  for (const int n : segments) {
    for (const double e : restitutions) {
      drops.push_back(landing_bar(BarModel::pairs, BarMethod::paoli_schatzman, e, 80));
      drops.back().bar.segments = n;
    }
  }
  const std::vector<BarDropResult> results = drop_all(paper, 0.22, 0.26, drops);
  Series spread{"", {}, {}, Series::Style::line_points};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t j = 0; j < restitutions.size(); ++j) {
      const double e =
          results[i * restitutions.size() + j].apparent_restitution.value_or(std::nan(""));
      low = std::min(low, e), high = std::max(high, e);
    }
    spread.x.push_back(segments[i]);
    spread.y.push_back(high - low);
    paper.set("Sect. 6", fmt::format("spread at 80 degrees, n = {}", segments[i]), high - low);
  }
  paper.set("Sect. 6", "spread with 65 segments over that with 5",
            spread.y.back() / spread.y.front());
  paper.draw("Sect. 6",
             "Largest minus smallest apparent restitution over five e at 80 degrees, model 2, "
             "time-stepping.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "number of segments n",
                          .y_label = "spread of the apparent restitution",
                          .series = {spread},
                          .log_x = true}},
              .panel_width = 760});
}

}  // namespace carom::paoli2007
