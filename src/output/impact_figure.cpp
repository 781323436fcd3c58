#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <carom/impact/any_law.hpp>
#include <carom/output/impact_figure.hpp>

#include "units.hpp"

namespace carom {
namespace {

constexpr int exact_points = 400;
constexpr std::size_t max_samples_drawn = 400;

/// Everything a picture shows, along the path.
struct ImpactPath {
  std::vector<double> time, compression, rate, force, energy;

  void add(double t, const ImpactState& state) {
    time.push_back(t);
    compression.push_back(state.compression);
    rate.push_back(state.rate);
    force.push_back(state.force);
    energy.push_back(state.energy);
  }
};

/// How long the picture is: the contact, or until a body held down has settled. One that swings is
/// followed for a few swings; one that creeps in without turning, to a hundredth of where it rests.
double picture_length(const ImpactHistory& history) {
  const Impact& hit = history.summary();
  if (hit.releases) return hit.contact_time;
  if (std::isfinite(hit.max_compression_time)) return 8 * hit.max_compression_time;
  const double rest = hit.equilibrium_compression;
  const auto settled = [&](double t) { return history.at(t).compression >= 0.99 * rest; };
  double end = rest / history.at(0).rate;
  while (settled(end / 1.25)) end /= 1.25;
  while (!settled(end)) end *= 1.25;
  return end;
}

ImpactPath exact_path(const AnyLaw& law, const Collision& collision) {
  const ImpactHistory history = impact_history(law, collision);
  const double end = picture_length(history);
  ImpactPath path;
  for (int i = 0; i <= exact_points; ++i) {
    // A body held down does most at first: there the points are closest.
    const double u = double(i) / exact_points;
    const double t = end * (history.summary().releases ? u : u * u * u);
    path.add(t, history.at(t));
  }
  return path;
}

ImpactPath sampled_path(const SampledImpact& sampled, double end) {
  std::vector<ImpactSample> in_contact;
  for (const ImpactSample& s : sampled.simulated.samples) {
    if (s.compression >= 0 && s.time - sampled.onset <= 1.25 * end) in_contact.push_back(s);
  }
  ImpactPath path;
  const std::size_t stride = in_contact.size() / max_samples_drawn + 1;
  for (std::size_t i = 0; i < in_contact.size(); i += stride) {
    const ImpactSample& s = in_contact[i];
    path.add(s.time - sampled.onset, {s.compression, s.rate, s.force, s.energy});
  }
  return path;
}

using Quantity = std::vector<double> ImpactPath::*;

/// What goes along an axis: a quantity in a unit that suits its size.
struct Axis {
  Quantity quantity;
  ScaledUnit unit;
  std::string label;

  Axis(const ImpactPath& path, Quantity which, const char* name, const char* si)
      : quantity(which), unit{1, si} {
    double largest = 0;
    for (const double value : path.*which) largest = std::max(largest, std::abs(value));
    unit = unit_for(largest, si);
    label = fmt::format("{} [{}]", name, unit.name);
  }
  std::vector<double> values(const ImpactPath& path) const {
    std::vector<double> scaled = path.*quantity;
    for (double& value : scaled) value /= unit.factor;
    return scaled;
  }
};

/// The exact path, and the points of a method where there are any.
Figure draw(const ImpactPath& exact, const ImpactPath& points, const std::string& method) {
  const Axis time(exact, &ImpactPath::time, "time", "s"),
      compression(exact, &ImpactPath::compression, "compression", "m"),
      rate(exact, &ImpactPath::rate, "rate", "m/s"), force(exact, &ImpactPath::force, "force", "N"),
      energy(exact, &ImpactPath::energy, "energy", "J");
  constexpr int point_colour = 5;
  const auto panel = [&](const char* title, const Axis& across, const Axis& up, int colour) {
    Panel p{.title = title, .x_label = across.label, .y_label = up.label, .key = Panel::Key::off};
    p.series.push_back({.label = method.empty() ? "" : "exact",
                        .x = across.values(exact),
                        .y = up.values(exact),
                        .colour = colour});
    if (!points.time.empty()) {
      p.series.push_back(
          {.label = method,
           .x = across.values(points),
           .y = up.values(points),
           .style = points.time.size() > 60 ? Series::Style::dots : Series::Style::points,
           .colour = point_colour});
    }
    return p;
  };
  Figure figure{
      .panels = {panel("phase portrait", compression, rate, 0),
                 panel("force loop", compression, force, 1),
                 panel("energy against velocity", rate, energy, 2),
                 panel("compression over time", time, compression, 4),
                 panel("rate over time", time, rate, 6), panel("force over time", time, force, 3)},
      .columns = 3,
      .panel_width = 400,
      .panel_height = 300};
  // Late in a contact the force is small: there is room above it.
  if (!points.time.empty()) figure.panels.back().key = Panel::Key::above;
  return figure;
}

}  // namespace

Figure impact_figure(const AnyLaw& law, const Collision& collision) {
  return draw(exact_path(law, collision), {}, "");
}

Figure impact_figure(const AnyLaw& law, const Collision& collision, const SampledImpact& sampled) {
  const ImpactPath exact = exact_path(law, collision);
  return draw(exact, sampled_path(sampled, exact.time.back()), sampled.method);
}

}  // namespace carom
