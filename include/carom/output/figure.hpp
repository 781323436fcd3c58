#pragma once

#include <string>
#include <vector>

#include <carom/scenario/panel.hpp>

namespace carom {

/// A picture of one or more panels.
struct Figure {
  std::string title = {};  ///< above all panels; empty for none
  std::vector<Panel> panels = {};
  int columns = 2;
  int panel_width = 520, panel_height = 340;  ///< [px]
};

/// The figure as SVG text, drawn by gnuplot. The same figure gives the same bytes.
/// Throws InvalidInput when gnuplot is not installed or refuses the figure.
std::string draw_svg(const Figure& figure);

}  // namespace carom
