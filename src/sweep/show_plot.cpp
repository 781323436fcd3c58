#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/sweep/show.hpp>

namespace carom {
namespace {

/// One key of a marginal as an axis: its values, and where they lie.
struct PlotAxis {
  std::string label;
  std::vector<Cell> values;     ///< in order
  std::vector<double> centres;  ///< evenly spaced for heat maps
  bool named = false;           ///< the centres are not the values: marks show these
  bool numbers = true;          ///< in an order that means something; names have none
  bool cloud = false;           ///< so many and so uneven that they were drawn at random
};

std::optional<double> number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

std::string short_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto number = number_of(cell)) return fmt::format("{:.4g}", *number);
  return "-";
}

bool evenly_spaced(const std::vector<double>& x) {
  if (x.size() < 3) return true;
  const double step = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    // A centimetre on a picture a metre wide: what no reader would see.
    if (std::abs(x[i] - x.front() - step * static_cast<double>(i)) > 0.01 * std::abs(step)) {
      return false;
    }
  }
  return true;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

/// Evenly spaced as they are, or as logarithms; else numbered.
PlotAxis axis_of(const Marginal& marginal, std::size_t key) {
  const std::string unit = key < marginal.by_units.size() ? marginal.by_units[key] : "";
  PlotAxis axis{with_unit(marginal.by[key], unit), marginal.values[key], {}};
  std::vector<double> plain, logs;
  for (const Cell& cell : axis.values) {
    if (const auto number = number_of(cell)) {
      plain.push_back(*number);
      if (*number > 0) logs.push_back(std::log10(*number));
    }
  }
  axis.numbers = plain.size() == axis.values.size();
  if (axis.numbers && evenly_spaced(plain)) {
    axis.centres = plain;
  } else if (logs.size() == axis.values.size() && evenly_spaced(logs)) {
    axis.label += ", log scale";
    axis.centres = logs;
    axis.named = true;
  } else {
    if (axis.numbers) axis.label += ", not to scale";
    axis.named = true;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      axis.centres.push_back(static_cast<double>(i + 1));
    }
  }
  return axis;
}

/// The values at their centres, not more than `room`; none where the centres say it.
std::vector<std::pair<double, std::string>> marks_of(const PlotAxis& axis, std::size_t room) {
  std::vector<std::pair<double, std::string>> marks;
  if (!axis.named) return marks;
  const std::size_t every = (axis.values.size() + room - 1) / room;
  for (std::size_t i = 0; i < axis.values.size(); i += every) {
    marks.emplace_back(axis.centres[i], short_text(axis.values[i]));
  }
  return marks;
}

/// A line has no cells: its axis is to scale whatever the spacing.
PlotAxis axis_of_line(const Marginal& marginal, Panel& panel) {
  PlotAxis axis = axis_of(marginal, 0);
  panel.x_label = axis.label;
  if (!axis.numbers || !axis.named) return axis;
  axis.centres.clear();
  for (const Cell& cell : axis.values) axis.centres.push_back(*number_of(cell));
  axis.named = false;
  axis.cloud = axis.label.ends_with("not to scale") && axis.values.size() > 20;
  const auto [low, high] = std::minmax_element(axis.centres.begin(), axis.centres.end());
  panel.log_x = *low > 0 && *high > 20 * *low;
  const std::string unit = marginal.by_units.empty() ? "" : marginal.by_units[0];
  panel.x_label = with_unit(marginal.by[0], unit) + (panel.log_x ? ", log scale" : "");
  return axis;
}

/// How many of its values have room beside each other on so many pixels.
std::size_t room_across(const PlotAxis& axis, double pixels) {
  std::size_t longest = 1;
  for (const auto& value : axis.values) longest = std::max(longest, short_text(value).size());
  return static_cast<std::size_t>(
      std::max(2.0, pixels / (7.4 * static_cast<double>(longest) + 12)));
}

/// Means as rows of y and columns of x; NaN where there is none.
std::vector<double> matrix(const Marginal& marginal, const PlotAxis& x, const PlotAxis& y) {
  std::vector<double> z(x.values.size() * y.values.size(), std::nan(""));
  for (const Marginal::Row& row : marginal.rows) {
    z[row.at[1] * x.values.size() + row.at[0]] = row.of.mean;
  }
  return z;
}

std::string line_plot(const Marginal& marginal, int width, int height) {
  const PlotAxis axis = axis_of(marginal, 0);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Marginal::Row& row : marginal.rows) {
    low = std::min(low, row.of.mean);
    high = std::max(high, row.of.mean);
  }
  if (high == low) high = low + 1;
  constexpr int margin = 12;
  const int columns = std::max(10, width - margin);
  std::vector<std::string> grid(static_cast<std::size_t>(height),
                                std::string(static_cast<std::size_t>(columns), ' '));
  const double left = axis.centres.front(), right = axis.centres.back();
  for (std::size_t i = 0; i < marginal.rows.size(); ++i) {
    const double fx = right > left ? (axis.centres[i] - left) / (right - left) : 0.5;
    const double fy = (marginal.rows[i].of.mean - low) / (high - low);
    const auto column = static_cast<std::size_t>(std::lround(fx * (columns - 1)));
    const auto line = static_cast<std::size_t>(std::lround((1 - fy) * (height - 1)));
    grid[line][column] = '*';
  }
  std::string text = fmt::format("mean of {}\n", marginal.of);
  for (int line = 0; line < height; ++line) {
    const bool labelled = line == 0 || line == height - 1 || line == height / 2;
    const double value = high - (high - low) * line / (height - 1);
    text += labelled ? fmt::format("{:>10.4g} |", value) : std::string(10, ' ') + " |";
    text += grid[static_cast<std::size_t>(line)] + "\n";
  }
  text += std::string(11, ' ') + "+" + std::string(static_cast<std::size_t>(columns), '-') + "\n";
  const std::string first = short_text(axis.values.front()), last = short_text(axis.values.back());
  const int gap = columns - static_cast<int>(first.size() + last.size());
  text += fmt::format("{:12}{}{:^{}}{}\n", "", first, axis.label, std::max(gap, 1), last);
  return text;
}

std::string shaded_plot(const Marginal& marginal) {
  const PlotAxis x = axis_of(marginal, 0), y = axis_of(marginal, 1);
  const std::vector<double> z = matrix(marginal, x, y);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : z) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  static constexpr const char* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  std::string text =
      fmt::format("mean of {}: blank {:.4g} .. full {:.4g}, ? none\n{} upward, {} to the right\n",
                  marginal.of, low, high, y.label, x.label);
  for (std::size_t line = y.values.size(); line-- > 0;) {
    text += fmt::format("{:>10} |", short_text(y.values[line]));
    for (std::size_t column = 0; column < x.values.size(); ++column) {
      const double value = z[line * x.values.size() + column];
      if (std::isnan(value)) {
        text += "? ";
      } else {
        const double fraction = high > low ? (value - low) / (high - low) : 0;
        text += shades[std::min(4, static_cast<int>(5 * fraction))];
      }
    }
    text += "\n";
  }
  text +=
      fmt::format("{:12}{} .. {}\n", "", short_text(x.values.front()), short_text(x.values.back()));
  return text;
}

}  // namespace

Figure figure_of(const Marginal& marginal) {
  if (marginal.rows.empty())
    throw InvalidInput("there is nothing to plot: no run has a number there");
  const std::size_t keys = marginal.by.size();
  if (keys < 1 || keys > 2) throw InvalidInput("a plot needs one or two --by keys");
  Panel panel;
  panel.title = marginal.of;
  const PlotAxis x = keys == 2 ? axis_of(marginal, 0) : axis_of_line(marginal, panel);
  if (keys == 2) panel.x_label = x.label;
  std::size_t room = room_across(x, keys == 2 ? 540 : 640);
  if (!x.numbers && x.values.size() > room) panel.steep_x_marks = true, room = 30;
  panel.x_marks = marks_of(x, room);
  if (keys == 2) {
    const PlotAxis y = axis_of(marginal, 1);
    if (x.values.size() < 2 || y.values.size() < 2) {
      throw InvalidInput("a heat map needs at least two values of each key");
    }
    panel.y_label = y.label;
    panel.y_marks = marks_of(y, 12);
    // Between names there is nothing that a line of equal value could run through.
    panel.heat_map =
        HeatMap{x.centres, y.centres, matrix(marginal, x, y),
                with_unit("mean of " + marginal.of, marginal.of_unit), x.numbers && y.numbers};
    panel.key = Panel::Key::off;
    return {.title = {}, .panels = {panel}, .columns = 1, .panel_width = 760, .panel_height = 480};
  }
  Series mean{"mean",
              x.centres,
              {},
              x.numbers && !x.cloud ? Series::Style::line_points : Series::Style::points};
  Series range{"range", {}, {}, Series::Style::filled, 5};
  bool spread = false;
  for (std::size_t i = 0; i < marginal.rows.size(); ++i) {
    const auto& of = marginal.rows[i].of;
    mean.y.push_back(of.mean);
    spread = spread || of.high > of.low;
    // A band along numbers, a bar at each name.
    for (const double at : x.numbers ? std::vector{0.0} : std::vector{-0.1, 0.1, std::nan("")}) {
      range.x.push_back(x.centres[i] + at);
      range.y.push_back(of.high);
      range.low.push_back(of.low);
    }
  }
  if (spread) panel.series.push_back(std::move(range));
  mean.colour = 0;
  panel.series.push_back(std::move(mean));
  if (!x.numbers) panel.x_range = {0.5, double(x.values.size()) + 0.5};
  panel.y_label = with_unit(marginal.of, marginal.of_unit);
  return {.title = {}, .panels = {panel}, .columns = 1, .panel_width = 760, .panel_height = 480};
}

Figure figure_of(const SectionPoints& points) {
  Panel panel{.title = points.of + ", once a period",
              .x_label = with_unit(points.by, points.by_unit),
              .y_label = with_unit(points.of, points.of_unit),
              .series = {{.label = "", .x = points.x, .y = points.y, .style = Series::Style::dots}},
              .key = Panel::Key::off};
  return {.title = {}, .panels = {panel}, .columns = 1, .panel_width = 760, .panel_height = 480};
}

std::string text_plot(const Marginal& marginal, int width, int height) {
  if (marginal.rows.empty())
    throw InvalidInput("there is nothing to plot: no run has a number there");
  return marginal.by.size() == 2 ? shaded_plot(marginal) : line_plot(marginal, width, height);
}

}  // namespace carom
