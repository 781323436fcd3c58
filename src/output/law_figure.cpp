#include <cmath>

#include <fmt/format.h>

#include <carom/identify/law_of_restitution.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/law_figure.hpp>

namespace carom {
namespace {

constexpr double shown_mass = 0.01;                         // kg
constexpr double same_speed = 1.0, same_restitution = 0.7;  // where the curves meet
constexpr int speeds_shown = 121;

/// Points of curves that may lie on each other, one after another along the way.
Series staggered(const Series& curve, std::size_t which) {
  constexpr std::size_t stride = 12, shift = 3;
  Series points{.label = curve.label, .x = {}, .y = {}, .style = Series::Style::points};
  for (std::size_t i = shift * which % stride; i < curve.x.size(); i += stride) {
    points.x.push_back(curve.x[i]);
    points.y.push_back(curve.y[i]);
  }
  return points;
}

/// Where a law is a file or a text: a pad that stiffens and gives half of its work back, and a
/// damper that saturates.
std::optional<AnyLaw> shown_law(const LawInfo& info) {
  if (info.text.name == ForceTable::text.name) {
    std::vector<double> compression, loading, unloading;
    constexpr int rows = 80;
    constexpr double deepest = 4e-3;  // m
    const auto force = [](double x) { return 1e9 * std::pow(x, 1.5) + 2e14 * x * x * x; };
    for (int i = 0; i <= rows; ++i) {
      const double share = static_cast<double>(i) / rows;
      compression.push_back(deepest * std::pow(share, 4));
      loading.push_back(force(compression.back()));
      unloading.push_back(force(deepest) * std::pow(share, 4 * 4.1));
    }
    return ForceTable{
        ForceLoop({{"compression", compression}, {"loading", loading}, {"unloading", unloading}})};
  }
  if (info.text.name == ForceFormula::text.name)
    return ForceFormula("k*x^1.5*(1 + a*tanh(v))", {{"k", 1e9}, {"a", 0.7}});
  return example_law(info, same_restitution, {shown_mass, same_speed});
}

}  // namespace

Figure restitution_figure() {
  Panel varies{.title = "depends on the speed",
               .x_label = "speed [m/s]",
               .y_label = "restitution",
               .log_x = true,
               .y_range = Range{0, 1.05},
               .key = Panel::Key::right};
  Panel constant = varies;
  constant.title = "the same at every speed";
  for (const LawInfo& info : law_catalogue()) {
    const std::optional<AnyLaw> law = info.compliant ? shown_law(info) : std::nullopt;
    Series curve{.label = std::string(info.text.name), .x = {}, .y = {}};
    double lowest = 1, highest = 0;
    for (int i = 0; i < speeds_shown; ++i) {
      const double speed = std::pow(10, -2 + 4.0 * i / (speeds_shown - 1));
      double e = same_restitution;  // Newton's law is a restitution
      if (law) {
        const Impact hit = impact(*law, {shown_mass, speed});
        e = hit.releases ? hit.restitution : 0.0;
      }
      lowest = std::min(lowest, e);
      highest = std::max(highest, e);
      curve.x.push_back(speed);
      curve.y.push_back(e);
    }
    const bool is_constant = highest - lowest < 1e-9;
    Panel& panel = is_constant ? constant : varies;
    if (is_constant) {
      curve = staggered(curve, panel.series.size());
    } else if (panel.series.size() % 2 == 1) {
      curve.style = Series::Style::dashes;
    }
    panel.series.push_back(std::move(curve));
  }
  return {.title = fmt::format("restitution of {} kg; {} at {} m/s where the law has a loss to set",
                               shown_mass, same_restitution, same_speed),
          .panels = {std::move(varies), std::move(constant)},
          .columns = 2,
          .panel_width = 620,
          .panel_height = 380};
}

}  // namespace carom
