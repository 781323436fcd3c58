#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <carom/systems/outline.hpp>

namespace carom {
namespace {

/// From a place on a rounded part; a point right on it has no direction of its own.
Nearest from_centre(const Eigen::Vector2d& away, double radius) noexcept {
  const double distance = away.norm();
  const Eigen::Vector2d normal =
      distance > 0 ? Eigen::Vector2d(away / distance) : Eigen::Vector2d(0.0, 1.0);
  return {distance - radius, normal};
}

Nearest nearest_of_box(const Eigen::Vector2d& half, const Eigen::Vector2d& point) noexcept {
  const Eigen::Vector2d sign(point.x() < 0 ? -1.0 : 1.0, point.y() < 0 ? -1.0 : 1.0);
  const Eigen::Vector2d beyond = point.cwiseAbs() - half;
  if (beyond.x() > 0 && beyond.y() > 0) {  // next to a corner
    const double distance = beyond.norm();
    return {distance, (beyond / distance).cwiseProduct(sign)};
  }
  // Next to a side, or inside: the side that is nearest.
  return beyond.x() > beyond.y() ? Nearest{beyond.x(), {sign.x(), 0.0}}
                                 : Nearest{beyond.y(), {0.0, sign.y()}};
}

}  // namespace

Nearest nearest(const AssemblyBody& body, Outline outline, const Eigen::Vector2d& point) noexcept {
  switch (outline) {
    case Outline::disc:
      return from_centre(point, body.radius);
    case Outline::box:
      return nearest_of_box({0.5 * body.width, 0.5 * body.height}, point);
    case Outline::rod: {
      const double half = 0.5 * body.length;
      return from_centre(point - Eigen::Vector2d(std::clamp(point.x(), -half, half), 0.0),
                         body.radius);
    }
    case Outline::wall:
      break;
  }
  return {point.y(), {0.0, 1.0}};
}

Nearest nearest_in_hole(const AssemblyBody& body, const Eigen::Vector2d& point) noexcept {
  const Nearest outside = from_centre(point, body.radius);
  return {-outside.distance, -outside.normal};
}

std::vector<Feature> features(const AssemblyBody& body, Outline outline) {
  switch (outline) {
    case Outline::disc:
      return {{{0.0, 0.0}, body.radius}};
    case Outline::box: {
      const double x = 0.5 * body.width, y = 0.5 * body.height;
      return {{{-x, -y}, 0.0}, {{x, -y}, 0.0}, {{x, y}, 0.0}, {{-x, y}, 0.0}};
    }
    case Outline::rod:
      return {{{-0.5 * body.length, 0.0}, body.radius}, {{0.5 * body.length, 0.0}, body.radius}};
    case Outline::wall:
      return {};
  }
  throw std::logic_error("an outline without features");
}

}  // namespace carom
