#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What is to be seen in a picture, as data. Drawing it is the business of output/.
namespace carom {

/// A curve, cloud or band of a panel. NaN in x or y breaks a line.
struct Series {
  enum class Style { line, dashes, dots, points, line_points, steps, filled, impulses };
  std::string label;  ///< in the key; empty: not listed
  std::vector<double> x, y;
  Style style = Style::line;
  int colour = -1;               ///< index into the palette; -1: next one
  std::vector<double> low = {};  ///< with Style::filled: lower edge (else 0)
};

/// A value over a plane, e.g. a spectrogram or a sweep.
struct HeatMap {
  std::vector<double> x, y;  ///< evenly spaced centres
  std::vector<double> z;     ///< rows of y, columns of x
  std::string label;         ///< of the colour bar; of a surface in the key
  bool contours = true;      ///< lines of equal value over the map
};

using Range = std::pair<double, double>;

struct Panel {
  /// Where the key stands: outside, so that it never covers data.
  enum class Key { above, right, off };
  std::string title, x_label, y_label;
  std::vector<Series> series = {};
  std::optional<HeatMap> heat_map = {};
  std::vector<HeatMap> surfaces = {};  ///< drawn in space, without series
  std::string z_label = {};            ///< of surfaces
  bool log_x = false, log_y = false;
  bool equal_scales = false;
  std::optional<Range> x_range = {}, y_range = {};
  /// Marks with their texts, in place of numbers: of an axis whose values are not where it puts
  /// them.
  std::vector<std::pair<double, std::string>> x_marks = {}, y_marks = {};
  bool steep_x_marks = false;         ///< their texts are too long to stand beside each other
  std::optional<double> y_tick = {};  ///< distance of the marks on the y axis; none: automatic
  Key key = Key::above;
};

}  // namespace carom
