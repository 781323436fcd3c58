#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <carom/laws/hunt_crossley.hpp>
#include <carom/output/compare.hpp>
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

TEST(Figure, MethodsWithTheSameErrorAreBothSeen) {
  const auto method = [](const char* name, double size) {
    MethodResult result;
    result.method = name;
    for (int i = 0; i < 20; ++i) {
      result.time.push_back(1e-5 * i);
      result.signal.push_back(4e-5 * std::sin(0.1 * i));
      result.deviation.push_back(size * (i + 1));
    }
    return result;
  };
  Comparison comparison{
      "exact",
      "compression",
      "m",
      {method("exact", 0), method("a", 1e-9), method("b", 1.01e-9), method("c", 2e-9)}};
  comparison.methods.front().is_reference = true;
  const Figure figure = comparison_figure(comparison);
  ASSERT_EQ(figure.panels.size(), 3U);
  EXPECT_EQ(figure.panels[0].y_label, "compression [µm]");
  EXPECT_NEAR(figure.panels[0].series[0].y[10], 40 * std::sin(1.0), 1e-12);
  const std::vector<Series>& errors = figure.panels[1].series;
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].style, Series::Style::line);
  EXPECT_EQ(errors[1].style, Series::Style::dashes);
  EXPECT_EQ(errors[2].style, Series::Style::line);
  EXPECT_NEAR(errors[2].y[0], 2e-3, 1e-15);  // the same unit as above
}

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

/// The rightmost and the highest place of the paths with more than ten points: the curves.
struct Extent {
  double right = 0, top = 1e9;
};
Extent extent_of_curves(const std::string& svg) {
  Extent extent;
  const std::regex path("d='(M[^']*)'"), point(R"(([0-9.]+),([0-9.]+))");
  for (std::sregex_iterator at(svg.begin(), svg.end(), path), end; at != end; ++at) {
    const std::string text = (*at)[1];
    std::vector<std::pair<double, double>> here;
    for (std::sregex_iterator one(text.begin(), text.end(), point); one != end; ++one) {
      here.emplace_back(std::stod((*one)[1]), std::stod((*one)[2]));
    }
    if (here.size() <= 10) continue;
    for (std::size_t i = 2; i < here.size(); ++i) {  // after the stroke beside its label
      extent.right = std::max(extent.right, here[i].first);
      extent.top = std::min(extent.top, here[i].second);
    }
  }
  return extent;
}

Panel twelve_curves() {
  Panel panel{.title = "", .x_label = "x", .y_label = "y"};
  for (int k = 0; k < 12; ++k) {
    Series curve{.label = "curve " + std::to_string(k), .x = {}, .y = {}};
    for (int i = 0; i < 50; ++i) {
      curve.x.push_back(i);
      curve.y.push_back(std::sin(0.1 * i) + k);
    }
    panel.series.push_back(curve);
  }
  return panel;
}

TEST(Figure, KeysStandAboveTheDataOrBesideIt) {
  const std::string svg = draw_svg({.panels = {twelve_curves()}});
  const Extent curves = extent_of_curves(svg);
  ASSERT_GT(curves.right, 0);
  const std::regex label(R"(translate\(([0-9.]+),([0-9.]+)\)[^<]*<text>curve )");
  int found = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at, ++found) {
    EXPECT_TRUE(std::stod((*at)[1]) > curves.right || std::stod((*at)[2]) < curves.top);
  }
  EXPECT_EQ(found, 12);
}

TEST(Figure, LabelsEndInsideThePicture) {
  for (const std::string& text :
       {std::string("160 degrees"), std::string("a label of some words")}) {
    Panel panel = twelve_curves();
    for (Series& curve : panel.series) curve.label = text;
    const std::string svg = draw_svg({.panels = {panel}, .panel_width = 520});
    const std::regex label(R"(translate\(([0-9.]+),[0-9.]+\)[^<]*<text>)" + text);
    int found = 0;
    for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at, ++found) {
      // A letter of 14 pixels is 7 wide on average.
      EXPECT_LT(std::stod((*at)[1]) + 7 * double(text.size()), 520) << text;
    }
    EXPECT_EQ(found, 12);
  }
}

TEST(Figure, TwelveCurvesHaveTwelveColours) {
  const std::string svg = draw_svg({.panels = {twelve_curves()}});
  std::set<std::string> colours;
  const std::regex stroke(R"(<path stroke='(rgb\([^)]*\))'[^>]*d='M[^']{200})");
  for (std::sregex_iterator at(svg.begin(), svg.end(), stroke), end; at != end; ++at) {
    colours.insert((*at)[1]);
  }
  EXPECT_EQ(colours.size(), 12u);
}

TEST(Figure, AShortLogAxisHasMarks) {
  Panel panel{.title = "", .x_label = "x", .y_label = "y", .log_y = true};
  panel.series = {{.label = "", .x = {0, 1, 2}, .y = {3, 4, 7}}};
  const std::string svg = draw_svg({.panels = {panel}});
  EXPECT_TRUE(std::regex_search(svg, std::regex("<text>\\s*5</text>"))) << svg.substr(0, 2000);
}

TEST(Figure, MapsAreNotSmoothedAndHaveContours) {
  HeatMap map{.x = {}, .y = {}, .z = {}, .label = "z"};
  for (int i = 0; i < 10; ++i) map.x.push_back(i), map.y.push_back(i);
  for (int i = 0; i < 100; ++i) map.z.push_back(i % 10 + i / 10);
  Panel panel{.title = "", .x_label = "x", .y_label = "y", .series = {}};
  panel.heat_map = map;
  const std::string with = draw_svg({.panels = {panel}});
  EXPECT_NE(with.find("image-rendering:pixelated"), std::string::npos);
  panel.heat_map->contours = false;
  EXPECT_GT(with.size(), draw_svg({.panels = {panel}}).size());
}

TEST(Figure, SurfacesAreDrawn) {
  HeatMap map{.x = {0, 1, 2}, .y = {0, 1}, .z = {0, 1, 2, 3, 4, 5}, .label = "net"};
  Panel panel{.title = "", .x_label = "across", .y_label = "along"};
  panel.surfaces = {map, map};
  panel.z_label = "up";
  const std::string svg = draw_svg({.panels = {panel}});
  for (const char* text : {"across", "along", "up", "net"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
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
