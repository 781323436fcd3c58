#include <algorithm>
#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/systems/obstacles.hpp>

namespace carom {

std::vector<ObstaclePoint> frets(const FretBoard& board, double length) {
  require_within("frets", board.frets, 1, 1000);
  require_not_negative("nut", board.nut);
  require_not_negative("action", board.action);
  require_not_negative("relief", board.relief);
  require_positive("length", length);
  const auto place = [&](int k) { return length * (1 - std::exp2(-k / 12.0)); };
  const double first = place(1), last = place(board.frets);
  std::vector<ObstaclePoint> points;
  for (int k = 1; k <= board.frets; ++k) {
    const double x = place(k);
    const double s = board.frets > 1 ? (x - first) / (last - first) : 0.0;
    const double clearance = board.nut + (board.action - board.nut) * x / (length / 2);
    points.push_back({.position = x, .height = -clearance - board.relief * 4 * s * (1 - s)});
  }
  return points;
}

std::vector<ObstaclePoint> profile(double from, double to, int points,
                                   const std::function<double(double)>& height) {
  require_within("points", points, 1, 1e6);
  require_finite("from", from);
  if (!(to > from || (points == 1 && to == from))) {
    throw InvalidInput("to = " + number_text(to) + ": must be more than from, " +
                       number_text(from));
  }
  std::vector<ObstaclePoint> list;
  for (int i = 0; i < points; ++i) {
    const double x = points == 1 ? from : from + (to - from) * i / (points - 1);
    list.push_back({.position = x, .height = height(x)});
  }
  return list;
}

std::vector<ObstaclePoint> profile(std::span<const double> x, std::span<const double> height,
                                   int points) {
  if (x.size() < 2 || x.size() != height.size()) {
    throw InvalidInput("profile = " + std::to_string(x.size()) + " rows: must be at least 2");
  }
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (!(x[i] > x[i - 1])) {
      throw InvalidInput("profile row " + std::to_string(i + 1) + ": x must ascend, " +
                         number_text(x[i]) + " follows " + number_text(x[i - 1]));
    }
  }
  return profile(x.front(), x.back(), points, [&](double at) {
    const auto next =
        std::clamp<std::ptrdiff_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin(), 1,
                                   static_cast<std::ptrdiff_t>(x.size()) - 1);
    const auto i = static_cast<std::size_t>(next);
    const double t = (at - x[i - 1]) / (x[i] - x[i - 1]);
    return height[i - 1] + t * (height[i] - height[i - 1]);
  });
}

std::vector<ObstaclePoint> bridge(const CurvedBridge& bridge) {
  require_positive("bridge width", bridge.width);
  require_positive("bridge radius", bridge.radius);
  require_finite("bridge apex", bridge.apex);
  require_within("bridge points", bridge.points, 1, 1e5);
  // The end of the string itself cannot move: the points start one spacing away from it.
  const double spacing = bridge.width / bridge.points;
  return profile(spacing, std::max(bridge.width, spacing), bridge.points, [&](double x) {
    return -(x - bridge.apex) * (x - bridge.apex) / (2 * bridge.radius);
  });
}

}  // namespace carom
