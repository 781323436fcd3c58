#pragma once

#include <array>

#include <carom/impact/hunt_crossley.hpp>

#include "legendre_panel.hpp"

namespace carom::detail {

/// A state on a dimensionless path: X'' = -(1 + eps X') X^n, X(0) = 0, X'(0) = 1 (ramaswamy eq.
/// (9)).
struct PathState {
  double x;
  double v;
  double force;
};

/// What depends on epsilon alone (papetti2011 eq. (6)).
struct HuntCrossleyEnds {
  double epsilon;
  double restitution;    ///< e
  double loss;           ///< 1 - e^2, without cancellation for small epsilon
  double approach;       ///< A = 1 + eps
  double release;        ///< B = 1 - eps e
  double approach_span;  ///< ln(A)/eps, 1 for eps = 0
  double release_span;   ///< -ln(B)/eps, 1 for eps = 0
  double invariant;      ///< (eps - ln(1 + eps))/eps^2 = X_max^(n+1)/(n+1); 1/2 for eps = 0

  explicit HuntCrossleyEnds(double epsilon);
};

/// One half of the contact, from an end (touch or release) to the turning point, in the variable
/// delta = |ln(1 + eps V) - its value at the end|/eps, in which dt = X^-n d(delta) exactly and
/// X^(n+1)/(n+1) is elementary. Time is counted from that end.
class HuntCrossleyHalf {
 public:
  enum class Side { compression, restitution };

  HuntCrossleyHalf(const HuntCrossleyEnds& ends, double exponent, Side side);

  double duration() const noexcept { return duration_; }
  double time_of(double delta) const noexcept;
  double delta_at(double time) const noexcept;  ///< 0 <= time <= duration
  PathState state(double delta) const noexcept;

 private:
  /// A piece of the delta axis. The first one begins at the algebraic end.
  struct Piece {
    double begin = 0, width = 0;
    double a = 1;      ///< exponent of the weight: 1/(n+1) in the first piece, else 1
    double scale = 0;  ///< time = start + scale s G(s^(1/a)), s = ((delta - begin)/width)^a
    double start = 0;
    LegendrePanel panel;
  };

  double level(double delta) const noexcept;  ///< X^(n+1)/(n+1)
  double level_over_delta(double delta) const noexcept;
  double integrand(const Piece& piece, double y) const noexcept;
  void add_piece(double begin, double end);

  HuntCrossleyEnds ends_;
  double n_;
  Side side_;
  double slope_;  ///< of level at delta = 0: 1 at touch, e at release
  double duration_ = 0;
  int pieces_used_ = 0;
  std::array<Piece, 4> pieces_;
};

/// The whole contact without external force.
class HuntCrossleyPath {
 public:
  HuntCrossleyPath(double epsilon, double exponent);

  const HuntCrossleyEnds& ends() const noexcept { return ends_; }
  double max_compression() const noexcept;
  double compression_time() const noexcept { return compression_.duration(); }
  double contact_time() const noexcept { return compression_.duration() + restitution_.duration(); }
  PathState at(double time) const noexcept;  ///< 0 <= time <= contact_time

  struct Peak {
    double force;
    double time;
  };
  Peak peak() const noexcept;
  DimensionlessImpact summary() const noexcept;

 private:
  HuntCrossleyEnds ends_;
  double n_;
  HuntCrossleyHalf compression_;
  HuntCrossleyHalf restitution_;
};

/// X_max = ((n + 1) (eps - ln(1 + eps))/eps^2)^(1/(n+1)), papetti2011 eq. (4).
double hunt_crossley_max_compression(double epsilon, double exponent) noexcept;
double hunt_crossley_max_compression(const HuntCrossleyEnds& ends, double exponent) noexcept;

/// The largest force X^n (1 + eps V) and the eps V at which it occurs.
struct HuntCrossleyPeak {
  double force;
  double eps_v;
};
HuntCrossleyPeak hunt_crossley_peak(double epsilon, double exponent) noexcept;

}  // namespace carom::detail
