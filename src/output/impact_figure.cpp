#include <cmath>
#include <string>

#include <fmt/format.h>

#include <carom/impact/any_law.hpp>
#include <carom/output/impact_figure.hpp>

namespace carom {
namespace {

constexpr int samples = 400;

/// The largest power of 1000 that keeps the largest value above 1, with its SI prefix.
struct Scale {
  double factor = 1.0;
  std::string prefix;
};

Scale scale_for(double largest) {
  static constexpr const char* prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G"};
  if (!(largest > 0)) return {};
  const int step = std::clamp(int(std::floor(std::log10(largest) / 3)), -4, 3);
  return {std::pow(1000.0, step), prefixes[step + 4]};
}

/// A quantity along the path, scaled for its axis.
struct Quantity {
  std::vector<double> values;
  std::string label;

  Quantity(std::vector<double> raw, const std::string& name, const std::string& unit)
      : values(std::move(raw)) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    const Scale scale = scale_for(largest);
    for (double& value : values) value /= scale.factor;
    label = fmt::format("{} [{}{}]", name, scale.prefix, unit);
  }
};

}  // namespace

Figure impact_figure(const AnyLaw& law, const Collision& collision) {
  const ImpactHistory history = impact_history(law, collision);
  const Impact& hit = history.summary();
  const double end = hit.releases ? hit.contact_time : 8 * hit.max_compression_time;
  std::vector<double> t, x, v, f, energy;
  for (int i = 0; i <= samples; ++i) {
    t.push_back(end * i / samples);
    const ImpactState state = history.at(t.back());
    x.push_back(state.compression);
    v.push_back(state.rate);
    f.push_back(state.force);
    energy.push_back(state.energy);
  }
  const Quantity time(t, "time", "s"), compression(x, "compression", "m"), rate(v, "rate", "m/s"),
      force(f, "force", "N"), stored(energy, "energy", "J");
  const auto panel = [](const char* title, const Quantity& across, const Quantity& up, int colour) {
    return Panel{.title = title,
                 .x_label = across.label,
                 .y_label = up.label,
                 .series = {{.label = "", .x = across.values, .y = up.values, .colour = colour}},
                 .key = "off"};
  };
  return {.title = "",
          .panels = {panel("phase portrait", compression, rate, 0),
                     panel("force loop", compression, force, 1),
                     panel("energy against velocity", rate, stored, 2),
                     panel("force over time", time, force, 3)}};
}

}  // namespace carom
