#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "paoli2007.hpp"

namespace carom::paoli2007 {
namespace {

constexpr std::array angles{30, 45, 60, 90};
constexpr int phases = 8;
/// The tables end 5 ms after the start of the paper's runs; ours start 0.1 ms before the impact.
constexpr double duration = 5e-3 - 0.0035868932358656246 + 1e-4;  // [s]

/// Low, median and high of a sample.
struct Band {
  double low, median, high;
};

Band band(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values.front(), 0.5 * (values[(n - 1) / 2] + values[n / 2]), values.back()};
}

/// The bar with the start raised by eighths of what it falls in one step.
std::vector<BarDrop> shifted(BarDrop drop, int count) {
  std::vector<BarDrop> all;
  drop.duration = duration;
  const double travel = drop.step * 1.0351874226438418;
  const double height = drop.start.height;
  for (int k = 0; k < count; ++k) {
    drop.start.height = height + travel * k / phases;
    all.push_back(drop);
  }
  return all;
}

std::optional<double> printed_number(const Reproduction& paper, const std::string& table,
                                     const std::string& quantity) {
  for (const PublishedItem& item : paper.paper().items) {
    if (item.name != table) continue;
    for (const PublishedNumber& number : item.numbers) {
      if (number.quantity == quantity && number.printed) return number.printed->value;
    }
  }
  return std::nullopt;
}

/// One measure of all angles: the band of our runs, their median, and what is printed.
struct BandPanel {
  std::string name, label;
  Series band{.label = "eight runs", .x = {}, .y = {}, .style = Series::Style::filled, .colour = 2},
      median{.label = "median", .x = {}, .y = {}, .style = Series::Style::line_points, .colour = 0},
      printed{.label = "printed", .x = {}, .y = {}, .style = Series::Style::points, .colour = 1};

  void add(double angle, const Band& ours, std::optional<double> published) {
    for (Series* series : {&band, &median}) series->x.push_back(angle);
    band.low.push_back(100 * ours.low);
    band.y.push_back(100 * ours.high);
    median.y.push_back(100 * ours.median);
    if (!published) return;
    printed.x.push_back(angle);
    printed.y.push_back(100 * *published);
  }
  Panel panel() const {
    return {.title = "",
            .x_label = "angle [degrees]",
            .y_label = label,
            .series = {band, median, printed},
            .key = "top left"};
  }
};

void reproduce_table(Reproduction& paper, const std::string& table, BarModel model,
                     BarMethod method) {
  std::vector<BarDrop> drops;
  for (const int angle : angles) {
    BarDrop drop = landing_bar(model, method, 1.0, angle);
    drop.instant = ImpactInstant::interpolated;
    const auto more = shifted(drop, phases);
    drops.insert(drops.end(), more.begin(), more.end());
  }
  const std::vector<BarDropResult> results = drop_all(drops);
  BandPanel mean{.name = "d_rel", .label = "d_rel [%]"},
      deviation{.name = "s_rel", .label = "s_rel [%]"};
  for (std::size_t a = 0; a < angles.size(); ++a) {
    const std::string column = fmt::format("{} deg ", angles[a]);
    const double expected = results[a * phases].energy.expected;
    std::array<std::vector<double>, 4> values;  // maximum, minimum, d_rel, s_rel
    for (std::size_t k = a * phases; k < (a + 1) * phases; ++k) {
      // Each run against its own start, which is higher by up to 1e-7 m.
      const BarEnergy& e = results[k].energy;
      values[0].push_back(expected * e.highest / e.expected);
      values[1].push_back(expected * e.lowest / e.expected);
      values[2].push_back(1 - e.mean / e.expected);
      values[3].push_back(e.deviation / e.expected);
    }
    paper.set(table, column + "W_exp", expected);
    constexpr std::array names{"maximum", "minimum", "d_rel", "s_rel"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Band b = band(values[i]);
      paper.set(table, column + names[i], b.median);
      paper.add(table, column + names[i] + ", lowest of eight runs", b.low);
      paper.add(table, column + names[i] + ", highest of eight runs", b.high);
      for (BandPanel* panel : {&mean, &deviation}) {
        if (names[i] != panel->name) continue;
        panel->add(angles[a], b, printed_number(paper, table, column + names[i]));
      }
    }
    if (method == BarMethod::event_driven) {
      BarDrop drop = drops[a * phases];
      drop.instant = ImpactInstant::resolved;
      const BarEnergy e = drop_bar(drop).energy;
      paper.add(table, column + "d_rel with the instant of impact re-solved",
                1 - e.mean / e.expected);
    }
  }
  paper.draw(table, "Where in a step the bar lands decides: the band of eight landings.",
             {.title = "", .panels = {mean.panel(), deviation.panel()}});
}

}  // namespace

void reproduce_tables(Reproduction& paper) {
  reproduce_table(paper, "Table 2", BarModel::spiral, BarMethod::paoli_schatzman);
  reproduce_table(paper, "Table 3", BarModel::spiral, BarMethod::event_driven);
  reproduce_table(paper, "Table 4", BarModel::pairs, BarMethod::paoli_schatzman);
  reproduce_table(paper, "Table 5", BarModel::pairs, BarMethod::event_driven);
  double largest_d = 0, largest_s = 0;
  for (const PublishedItem& item : paper.paper().items) {
    for (const PublishedNumber& number : item.numbers) {
      if (!item.name.starts_with("Table") || !number.printed) continue;
      const double value = std::abs(number.printed->value);
      if (number.quantity.ends_with("d_rel")) largest_d = std::max(largest_d, value);
      if (number.quantity.ends_with("s_rel")) largest_s = std::max(largest_s, value);
    }
  }
  paper.set("Sect. 5.1", "largest |d_rel| of the printed tables", largest_d);
  paper.set("Sect. 5.1", "largest s_rel of the printed tables", largest_s);
}

}  // namespace carom::paoli2007
