#pragma once

#include <string>
#include <vector>

namespace carom {

/// A curve that moves over marks that do not, e.g. a string over its obstacles, with a ball that
/// moves up and down if wanted, e.g. a hammer. Keep it bounded: about a hundred frames of a hundred
/// points are 30 kB in the page.
struct Film {
  std::string name = {};     ///< a word, unique in the report
  std::string title = {};    ///< the headline above it
  std::string caption = {};  ///< one sentence: what to see in it
  std::string x_label = {}, y_label = {};
  std::vector<double> x = {};                    ///< of the points of the curve
  std::vector<double> times = {};                ///< of the frames [s], ascending
  std::vector<std::vector<double>> frames = {};  ///< y of the points, one list per frame
  std::vector<double> mark_x = {}, mark_y = {};  ///< small discs
  double ball_x = 0;
  std::vector<double> ball_y = {};  ///< one per frame; empty: no ball. Does not set the scale.
};

/// Bodies that move in front of axes: discs, boxes, rods and walls, each with its place in every
/// frame. A line is a film in which every y is zero.
struct BodyFilm {
  enum class Shape { disc, box, rod, wall, plate };
  struct Body {
    std::string label = {};
    Shape shape = Shape::disc;
    double width = 0, height = 0;  ///< of what encloses it [m]; 0: a small mark
    bool moves = true;
    std::vector<double> x = {}, y = {}, angle = {};  ///< one for each frame [m], [rad]
  };
  std::string name = {}, title = {}, caption = {};
  std::vector<Body> bodies = {};
  std::vector<double> times = {};  ///< of the frames [s], ascending
  bool line = false;               ///< no vertical axis
};

}  // namespace carom
