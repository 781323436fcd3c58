#include <cmath>

#include <gtest/gtest.h>

#include <carom/output/figure.hpp>

namespace carom {
namespace {

Figure example() {
  Series wave{.label = "a 'quoted' under_score", .x = {}, .y = {}};
  for (int i = 0; i < 50; ++i) {
    wave.x.push_back(0.1 * i);
    wave.y.push_back(std::sin(0.1 * i));
  }
  Panel curve{.title = "wave", .x_label = "time [s]", .y_label = "x [m]", .series = {wave}};
  Panel map{.title = "map", .x_label = "x", .y_label = "y", .series = {}};
  map.heat_map = HeatMap{{0, 1, 2}, {0, 1}, {0, 1, 2, 3, 4, 5}, "z"};
  return {.title = "example", .panels = {curve, map}};
}

TEST(Figure, IsAnSvgWithItsTexts) {
  const std::string svg = draw_svg(example());
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("under_score"), std::string::npos);
  EXPECT_NE(svg.find("time [s]"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST(Figure, SameFigureGivesSameBytes) { EXPECT_EQ(draw_svg(example()), draw_svg(example())); }

TEST(Figure, EmptyPanelIsDrawn) {
  EXPECT_NE(draw_svg({.title = "", .panels = {Panel{}}}).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace carom
