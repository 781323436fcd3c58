#pragma once

#include <functional>
#include <span>
#include <vector>

namespace carom {

/// Where the body is, seen from the obstacle point it may touch.
enum class Side {
  above,  ///< gap = u - g
  below,  ///< gap = g - u
};

/// One point a string may touch.
struct ObstaclePoint {
  double position;  ///< x [m]
  double height;    ///< g [m], on the axis of the displacement
  Side side = Side::above;

  bool operator==(const ObstaclePoint&) const = default;
};

/// Frets under a string of a given length: fret k at x = L (1 - 2^(-k/12)). The line over the fret
/// tops lies `nut` under the string at the nut and `action` under it at the 12th fret (the middle
/// of the string); `relief` is how much further the neck bows away halfway between first and last
/// fret.
struct FretBoard {
  int frets = 20;          ///< >= 1
  double nut = 0.5e-3;     ///< [m], >= 0
  double action = 2e-3;    ///< [m], >= 0
  double relief = 0.2e-3;  ///< [m], >= 0

  bool operator==(const FretBoard&) const = default;
};
std::vector<ObstaclePoint> frets(const FretBoard& board, double length);

/// `points` contact points over [from, to], heights from a function of x; ends included.
std::vector<ObstaclePoint> profile(double from, double to, int points,
                                   const std::function<double(double)>& height);

/// The same from a table of (x, height), ascending in x, with straight lines between its rows.
std::vector<ObstaclePoint> profile(std::span<const double> x, std::span<const double> height,
                                   int points);

/// The bridge of a sitar: a parabola g = -(x - apex)^2/(2 radius) over [0, width].
struct CurvedBridge {
  double width = 0.02;  ///< [m], > 0
  double apex = 0.0;    ///< x where it touches the string at rest [m]
  double radius = 1.0;  ///< of curvature at the apex [m], > 0
  int points = 20;      ///< contact points, >= 1

  bool operator==(const CurvedBridge&) const = default;
};
std::vector<ObstaclePoint> bridge(const CurvedBridge& bridge);

}  // namespace carom
