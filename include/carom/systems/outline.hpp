#pragma once

#include <Eigen/Core>

#include <carom/systems/assembly.hpp>

namespace carom {

/// The nearest place of an outline to a point, in the frame of the outline.
struct Nearest {
  double distance = 0.0;  ///< of the point from the surface [m]; < 0 inside
  Eigen::Vector2d normal = Eigen::Vector2d::Zero();  ///< unit, from the surface to the outside
};

/// Signed distance of a point from the outline of a body [m].
Nearest nearest(const AssemblyBody& body, Outline outline, const Eigen::Vector2d& point) noexcept;

/// The same for a round hole of the body's radius, in which the point is.
Nearest nearest_in_hole(const AssemblyBody& body, const Eigen::Vector2d& point) noexcept;

/// A point of a body with which it touches others first: a corner, the end or the centre of a
/// rounded part.
struct Feature {
  Eigen::Vector2d place = Eigen::Vector2d::Zero();  ///< in the frame of the body [m]
  double radius = 0.0;                              ///< of what surrounds it [m]
};
std::vector<Feature> features(const AssemblyBody& body, Outline outline);

}  // namespace carom
