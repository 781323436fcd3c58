#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/wait.h>

#include <carom/core/error.hpp>
#include <carom/output/figure.hpp>

#include "units.hpp"

namespace carom {
namespace {

// Twelve colours that stay apart on screen and in print; the first eight also for colour-blind
// readers.
constexpr const char* palette[] = {"#1f6fb4", "#d9541e", "#2a9d6f", "#8e4fb0",
                                   "#c39a12", "#4f5b66", "#d1477f", "#17a2b8",
                                   "#7a4321", "#0d2c6c", "#8fb339", "#f29bb5"};
constexpr int palette_size = 12;

/// gnuplot reads a doubled quote inside single quotes as one; its markup (_ and ^) is switched off.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\n') continue;
    result += letter;
    if (letter == '\'') result += letter;
  }
  return result + "'";
}

std::string text_of(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "NaN";
}

/// From the lowest to the highest of a panel's points that can be drawn; nothing without any.
std::optional<Range> extent(const Panel& panel, std::vector<double> Series::*along, bool log) {
  std::optional<Range> found;
  const auto include = [&](double value) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    found = found ? Range{std::min(found->first, value), std::max(found->second, value)}
                  : Range{value, value};
  };
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      include((series.*along)[i]);
      if (along == &Series::y && i < series.low.size()) include(series.low[i]);
      if (along == &Series::y && series.style == Series::Style::impulses) include(0);
    }
  }
  return found;
}

/// An axis that ends where the data end, with a little air where points would touch the frame: the
/// automatic choice goes on to the next mark and leaves a part of the picture empty.
std::string axis_text(const Panel& panel, char axis) {
  const bool across = axis == 'x', log = across ? panel.log_x : panel.log_y;
  const std::optional<Range>& asked = across ? panel.x_range : panel.y_range;
  if (!asked && (panel.heat_map || !panel.surfaces.empty())) {
    return fmt::format("set {}range [*:*]\n", axis);
  }
  auto [low, high] = asked.value_or(
      extent(panel, across ? &Series::x : &Series::y, log).value_or(Range{log ? 1.0 : 0.0, 1.0}));
  if (!asked) {
    const double size = std::max(std::abs(low), std::abs(high));
    if (log) {
      const double air = std::max(0.02 * std::log10(high / low), low == high ? 0.3 : 0.0);
      low *= std::pow(10, -air), high *= std::pow(10, air);
    } else if (high - low <= 1e-9 * size) {  // a constant, but for rounding
      low -= size / 10, high += size / 10;
    } else if (!across || panel.equal_scales) {
      const double air = 0.04 * (high - low);
      low -= air, high += air;
    }
    if (low == high) low -= 1, high += 1;
    // An axis from 1e-10 to 1 would have marks of ten digits.
    if (!log && std::abs(low) < 1e-6 * high) low = 0;
  }
  std::string text = fmt::format("set {}range [{}:{}]\n", axis, low, high);
  if (!log) return text;
  text += fmt::format("set logscale {}\n", axis);
  std::string marks;
  // Decades alone leave a short axis without a mark.
  if (const double decades = std::log10(high / low); decades > 2.5) {
    text += fmt::format("set format {} '1e%L'\n", axis);
    if (decades > 7) return text;  // not every decade has a mark
    for (int decade = -3; decade <= 3; ++decade) {
      const double at = std::pow(10, decade);
      if (at < low || at > high) continue;
      marks += fmt::format("{}'{:g}' {:g}", marks.empty() ? "" : ", ", at, at);
    }
    return marks.empty() ? text : text + fmt::format("set {}tics add ({})\n", axis, marks);
  }
  const auto mark_at = [&](const std::vector<double>& digits) {
    int count = 0;
    marks.clear();
    for (int decade = int(std::floor(std::log10(low))); std::pow(10, decade) <= high; ++decade) {
      for (const double digit : digits) {
        const double at = digit * std::pow(10, decade);
        if (at < low || at > high) continue;
        marks += fmt::format("{}{:.6g}", marks.empty() ? "" : ", ", at);
        ++count;
      }
    }
    return count;
  };
  if (mark_at({1, 2, 5}) < 3 && mark_at({1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}) < 3) {
    // Less than a factor of two: evenly, as on an axis that is not logarithmic.
    const double step = round_tick(high - low, 5);
    marks.clear();
    for (double at = std::ceil(low / step) * step; at <= high; at += step) {
      marks += fmt::format("{}{:.9g}", marks.empty() ? "" : ", ", at);
    }
  }
  return text + fmt::format("set {}tics ({})\n", axis, marks);
}

/// Marks of an x axis so far apart that their texts do not touch, in the given number of pixels;
/// nothing where the axis is too short for its numbers, as with times to many digits.
std::string apart_marks(Range range, int pixels) {
  const double size = range.second - range.first;
  const int first = int(std::floor(std::log10(size))) - 1;
  for (int decade = first; decade <= first + 1; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double step = digit * std::pow(10, decade), count = size / step;
      const auto letters = [&](double value) {
        return fmt::format("{:.{}f}", value, std::max(0, -decade)).size();
      };
      const auto longest = double(std::max(letters(range.first), letters(range.second)));
      if (count <= 10 && count * (7.4 * longest + 10) <= pixels) {
        return fmt::format("set xtics {}\n", step);
      }
    }
  }
  return "";
}

std::string marks_text(char axis, const std::vector<std::pair<double, std::string>>& marks) {
  std::string list;
  for (const auto& [at, text] : marks) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", quoted(text), at);
  }
  return list.empty() ? list : fmt::format("set {}tics ({})\n", axis, list);
}

std::string style_text(const Series& series, const char* colour) {
  using enum Series::Style;
  switch (series.style) {
    case line:
      return fmt::format("with lines lw 2 lc rgb '{}'", colour);
    case dashes:
      return fmt::format("with lines lw 2 dt 2 lc rgb '{}'", colour);
    case dots:
      return fmt::format("with points pt 7 ps 0.25 lc rgb '{}'", colour);
    case points:
      return fmt::format("with points pt 7 ps 0.6 lc rgb '{}'", colour);
    case line_points:
      return fmt::format("with linespoints lw 1.5 pt 7 ps 0.5 lc rgb '{}'", colour);
    case steps:
      return fmt::format("with steps lw 2 lc rgb '{}'", colour);
    case filled:
      return fmt::format("with filledcurves lc rgb '{}' fs solid 0.6 noborder", colour);
    case impulses:
      return fmt::format("with impulses lw 2 lc rgb '{}'", colour);
  }
  return "with lines";
}

/// Data blocks first, then one plot command over all of them: gnuplot's heredocs must stand apart.
class Script {
 public:
  void add_panel(const Panel& panel, int width) {
    std::string plots;
    panel_settings_.clear();
    if (panel.heat_map) plots = add_heat_map(*panel.heat_map);
    for (const HeatMap& surface : panel.surfaces) add_surface(surface, plots);
    int next_colour = 0;
    for (const Series& series : panel.series) {
      const int colour = series.colour >= 0 ? series.colour : next_colour++;
      const char* rgb = palette[colour % palette_size];
      const std::string title =
          series.label.empty() ? "notitle" : fmt::format("title {}", quoted(series.label));
      plots += fmt::format("{}{} using {} {} {}", plots.empty() ? "" : ", ", add_data(series),
                           series.style == Series::Style::filled ? "1:2:3" : "1:2",
                           style_text(series, rgb), title);
    }
    body_ += fmt::format("reset\n{}{}", common_settings, panel_settings_);
    body_ += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", quoted(panel.title),
                         quoted(panel.x_label), quoted(panel.y_label));
    const bool named = !panel.surfaces.empty() ||
                       std::any_of(panel.series.begin(), panel.series.end(),
                                   [](const Series& series) { return !series.label.empty(); });
    // gnuplot takes letters for wider than they are, and would put one entry in a line; told that
    // they are narrower it would let entries stand over the edge. How many there is room for:
    int longest = 0;
    for (const Series& series : panel.series) longest = std::max(longest, int(series.label.size()));
    const int narrower = longest > 12 ? longest / 5 : 0;  // letters
    const int fitting =
        std::max(1, int((width - 90) / (65 + 8.4 * (longest - narrower))));  // pixels
    body_ +=
        panel.key == Panel::Key::off || !named ? "unset key\n"
        : panel.key == Panel::Key::right
            ? "set key outside right top vertical Left reverse spacing 1.1\n"
            : fmt::format(
                  "set key tmargin left horizontal Left reverse spacing 1.1 width {} maxcols {}\n",
                  -narrower, fitting);
    if (panel.equal_scales) body_ += "set size ratio -1\n";
    body_ += axis_text(panel, 'x') + axis_text(panel, 'y');
    // What the marks and labels of the other axis, a legend beside or a colour bar leave.
    const int across = width - 110 - (panel.key == Panel::Key::right ? 110 : 0);
    if (panel.heat_map && panel.heat_map->x.size() > 1) {
      body_ += apart_marks({panel.heat_map->x.front(), panel.heat_map->x.back()}, across - 110);
    } else if (!panel.log_x && panel.surfaces.empty()) {
      const auto range = panel.x_range ? panel.x_range : extent(panel, &Series::x, false);
      if (range && range->second > range->first) body_ += apart_marks(*range, across);
    }
    body_ += marks_text('x', panel.x_marks) + marks_text('y', panel.y_marks);
    if (panel.steep_x_marks) body_ += "set xtics rotate by 30 right\n";
    if (panel.y_tick) body_ += fmt::format("set ytics {}\n", *panel.y_tick);
    if (!panel.surfaces.empty()) {
      body_ += fmt::format(
          "set zlabel {} rotate by 90\nset view 62,318\nset xyplane 0\nset border 31\n"
          "splot {}\n",
          quoted(panel.z_label), plots);
      return;
    }
    // An empty panel still shows its axes.
    body_ += fmt::format("plot {}\n", plots.empty() ? "NaN notitle" : plots);
  }

  std::string text(const Figure& figure) const {
    const int columns = std::max(1, std::min<int>(figure.columns, int(figure.panels.size())));
    const int rows = (int(figure.panels.size()) + columns - 1) / columns;
    const int title_height = figure.title.empty() ? 0 : 40;
    return fmt::format(
        "set encoding utf8\nset terminal svg noenhanced size {},{} font 'Helvetica,14' background "
        "'#ffffff'\n"
        "{}set multiplot layout {},{} {}\n{}unset multiplot\n",
        columns * figure.panel_width, rows * figure.panel_height + title_height, data_, rows,
        columns,
        figure.title.empty() ? "" : fmt::format("title {} font ',18'", quoted(figure.title)),
        body_);
  }

 private:
  std::string add_data(const Series& series) {
    std::string name = fmt::format("$data{}", ++blocks_);
    data_ += name + " << EOD\n";
    const std::size_t count = std::min(series.x.size(), series.y.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(series.x[i]) || std::isnan(series.y[i])) {
        data_ += "\n";
        continue;
      }
      const double low = i < series.low.size() ? series.low[i] : 0.0;
      data_ += fmt::format("{} {} {}\n", text_of(series.x[i]), text_of(series.y[i]), text_of(low));
    }
    if (count == 0) data_ += "NaN NaN NaN\n";
    data_ += "EOD\n";
    return name;
  }

  std::string add_grid(const HeatMap& map) {
    std::string name = fmt::format("$data{}", ++blocks_);
    data_ += name + " << EOD\n";
    for (std::size_t j = 0; j < map.y.size(); ++j) {
      for (std::size_t i = 0; i < map.x.size(); ++i) {
        data_ +=
            fmt::format("{} {} {}\n", map.x[i], map.y[j], text_of(map.z[j * map.x.size() + i]));
      }
      data_ += "\n";
    }
    data_ += "EOD\n";
    return name;
  }

  void add_surface(const HeatMap& surface, std::string& plots) {
    const int index = int(std::count(plots.begin(), plots.end(), '$'));
    // The first as a net, the others as points on it: both can be seen where they coincide.
    plots += fmt::format("{}{} using 1:2:3 with {} lc rgb '{}' title {}", plots.empty() ? "" : ", ",
                         add_grid(surface), index == 0 ? "lines lw 1" : "points pt 7 ps 0.35",
                         palette[index % palette_size], quoted(surface.label));
  }

  std::string add_heat_map(const HeatMap& map) {
    const std::string name = add_grid(map);
    panel_settings_ = fmt::format(
        "set cblabel {}\nset format cb '%.9g'\nset autoscale fix\nset palette defined (0 "
        "'#0b0724', 0.25 '#57157e', 0.5 "
        "'#b6377a', "
        "0.75 '#f9785d', 1 '#fcfdbf')\n",
        quoted(map.label));
    std::string plots = name + " using 1:2:3 with image notitle";
    const auto [low, high] = std::minmax_element(
        map.z.begin(), map.z.end(),
        [](double a, double b) { return std::isfinite(a) && std::isfinite(b) && a < b; });
    if (map.contours && map.x.size() > 2 && map.y.size() > 2 && *low < *high) {
      const std::string lines = fmt::format("$lines{}", blocks_);
      data_ += fmt::format(
          "set contour base\nunset surface\nset cntrparam levels auto 5\nset table {}\n"
          "splot {} using 1:2:3 with lines notitle\nunset table\nreset\n",
          lines, name);
      // Light on dark, and values in boxes, as the map below may be either. A line's own value
      // stands on it, once; on a fine map not on short lines, which are many. Every other level has
      // it further along, so that the values of neighbouring lines stay apart.
      panel_settings_ += "set style textbox opaque noborder margins 0.5,0.5\n";
      const auto lines_as = [&](const char* look) {
        plots += fmt::format(", {} using 1:2 with lines {} notitle", lines, look);
      };
      lines_as("lw 2.5 lc rgb '#222222'");
      lines_as("lw 1 lc rgb '#ffffff'");
      const bool fine = map.z.size() >= 400;
      const auto values_at = [&](int point, int every_other) {
        plots += fmt::format(
            ", {} using 1:2:(int(column(-2)) % 2 == {} ? sprintf('%g', $3) : '') every 400::{} "
            "with labels boxed tc rgb '#222222' font ',11' notitle",
            lines, every_other, point);
      };
      values_at(fine ? 25 : 2, 0);
      values_at(fine ? 32 : 4, 1);
    }
    return plots;
  }

  static constexpr const char* common_settings =
      "set border 3 lw 1 lc rgb '#555555'\nset tics nomirror textcolor rgb '#333333'\n"
      "set grid lw 0.5 lc rgb '#dddddd'\nset key samplen 2 noopaque textcolor rgb '#333333'\n";

  std::string data_, body_, panel_settings_;
  int blocks_ = 0;
};

/// A file in the folder for temporary files that is gone when this is.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& ending)
      : path(std::filesystem::temp_directory_path() / ("carom-XXXXXX" + ending)) {
    const int file = mkstemps(path.data(), int(ending.size()));
    if (file < 0) throw InvalidInput("cannot write to the folder for temporary files");
    close(file);
  }
  ~TemporaryFile() { unlink(path.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

}  // namespace

std::string draw_svg(const Figure& figure) {
  Script script;
  for (const Panel& panel : figure.panels) script.add_panel(panel, figure.panel_width);
  const TemporaryFile input(".gp"), output(".svg"), errors(".txt");
  std::ofstream(input.path) << fmt::format("set output {}\n", quoted(output.path))
                            << script.text(figure);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, errors.path.c_str(), 1, 0600);
  // -d: no initialization files, neither of the user nor of the folder it is called in.
  std::string program = "gnuplot", defaults = "-d", argument = input.path;
  char* const arguments[] = {program.data(), defaults.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int failure = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    throw InvalidInput(
        "gnuplot is needed for pictures and could not be started (package gnuplot-nox)");
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::string svg = output.contents();
  // A map is enlarged by the viewer: into squares, not into colours between the data.
  for (std::size_t at = svg.find("<image "); at != std::string::npos;
       at = svg.find("<image ", at + 7)) {
    svg.insert(at + 7, "style='image-rendering:pixelated' ");
  }
  if (status != 0 || svg.empty()) {
    throw InvalidInput("gnuplot could not draw the figure: " + errors.contents());
  }
  return svg;
}

}  // namespace carom
