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

}  // namespace carom
