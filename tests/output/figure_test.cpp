#include <cmath>

#include <gtest/gtest.h>

#include <carom/laws/hunt_crossley.hpp>
#include <carom/output/figure.hpp>
#include <carom/output/impact_figure.hpp>

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

TEST(Figure, AConstantWithRoundingIsDrawnAsAConstant) {
  Panel panel{.title = "", .x_label = "", .y_label = ""};
  panel.series = {{.label = "", .x = {0, 1, 2, 3}, .y = {0.5, 0.5 + 1e-16, 0.5 - 1e-16, 0.5}}};
  const std::string svg = draw_svg({.panels = {panel}});
  // Marks that can be told apart.
  EXPECT_NE(svg.find("0.48"), std::string::npos);
  EXPECT_NE(svg.find("0.52"), std::string::npos);
}

TEST(ImpactFigure, ShowsWhatAMethodDidOverTheExactCurves) {
  const AnyLaw law = HuntCrossley{.stiffness = 1e9, .exponent = 1.5, .mu = 0.5};
  const Collision collision{.mass = 0.01, .speed = 1.0};
  const ImpactSettings settings{.method = contact_method("verlet"), .rate = 44100, .phase = 0.25};
  const SimulatedImpact simulated = simulate_impact(law, collision, settings);
  const Figure figure = impact_figure(
      law, collision, {.method = "verlet", .simulated = simulated, .onset = 0.25 / 44100});
  ASSERT_EQ(figure.panels.size(), 6u);
  for (const Panel& panel : figure.panels) {
    ASSERT_EQ(panel.series.size(), 2u) << panel.title;
    EXPECT_EQ(panel.series[1].label, "verlet");
    EXPECT_EQ(int(panel.series[1].x.size()), simulated.error.samples_in_contact);
  }
  const Series& in_time = figure.panels[3].series[1];
  EXPECT_NEAR(in_time.x[0], 0.75e6 / 44100, 1e-9);  // [us] after first touch
}

TEST(ImpactFigure, FollowsABodyThatCreepsInUntilItHasSettled) {
  const AnyLaw law = HuntCrossley{.stiffness = 1e3, .exponent = 1.5, .mu = 0.5};
  const Figure figure = impact_figure(law, {.mass = 0.01, .speed = 0.01, .force = 200});
  const Series& compression = figure.panels[3].series[0];  // in mm
  EXPECT_GE(compression.y.back(), 0.99 * 341.995);
  EXPECT_LT(compression.y[compression.y.size() * 3 / 4], 0.99 * 341.995);
}

}  // namespace
}  // namespace carom
