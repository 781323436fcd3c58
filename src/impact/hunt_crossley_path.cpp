#include "hunt_crossley_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <boost/math/tools/roots.hpp>

#include "langevin.hpp"

namespace carom::detail {
namespace {

using boost::math::tools::newton_raphson_iterate;

/// Bits to which a root is found: the step that ends the iteration is below the last digit.
constexpr int full_digits = 50;

double invariant_of(double epsilon) noexcept {
  return epsilon < 1e-9 ? 0.5 - epsilon / 3 : phi(epsilon) / epsilon / epsilon;
}

}  // namespace

HuntCrossleyEnds::HuntCrossleyEnds(double eps) : epsilon(eps) {
  const double h = langevin_of_epsilon(eps);
  const Langevin l = langevin(h);
  const double sum = 1 + l.value;
  restitution = eps > 0 ? l.complement / sum : 1;
  loss = 4 * l.value / (sum * sum);
  approach = 1 + eps;
  approach_span = eps > 0 ? std::log1p(eps) / eps : 1;
  if (h > 1) {
    // B = 2h/(exp(2h) - 1); its logarithm must survive when B itself underflows.
    release = 2 * h / std::expm1(2 * h);
    release_span = (2 * h - std::log(2 * h) + std::log1p(-std::exp(-2 * h))) / eps;
  } else {
    release = 1 - eps * restitution;
    release_span = eps > 0 ? -std::log1p(-eps * restitution) / eps : 1;
  }
  invariant = invariant_of(eps);
}

HuntCrossleyHalf::HuntCrossleyHalf(const HuntCrossleyEnds& ends, double exponent, Side side)
    : ends_(ends), n_(exponent), side_(side) {
  const bool compressing = side == Side::compression;
  slope_ = compressing ? 1 : ends.restitution;
  const double span = compressing ? ends.approach_span : ends.release_span;
  // In units of ln(1 + eps V) the integrand has features of width one where the turning point is
  // near; the breaks keep each piece within what its polynomial resolves to rounding.
  const double eps = ends.epsilon;
  double begin = 0;
  if (compressing) {
    for (const double from_touch : {5.0, 25.0}) {
      if (span * eps > 1.4 * from_touch) {
        add_piece(begin, from_touch / eps);
        begin = from_touch / eps;
      }
    }
  } else {
    // Beyond 40 from the turning point the speed is -1/mu to all digits, and between 40 and 4 the
    // exponential is small enough for one polynomial.
    const double far = span * eps > 60 ? 40.0 : 20.0;
    for (const double from_turn : {far, 4.0}) {
      if (span * eps > 1.5 * from_turn) {
        add_piece(begin, span - from_turn / eps);
        begin = span - from_turn / eps;
      }
    }
  }
  add_piece(begin, span);
}

double HuntCrossleyHalf::level_over_delta(double delta) const noexcept {
  const double z = ends_.epsilon * delta;
  if (side_ == Side::compression) return 1 - ends_.approach * delta * expm1_remainder(-z);
  if (z < 0.5) return ends_.restitution - ends_.release * delta * expm1_remainder(z);
  const double to_turn = (ends_.release_span - delta) * ends_.epsilon;
  return (z - std::exp(-to_turn) + ends_.release) / z / ends_.epsilon;
}

double HuntCrossleyHalf::level(double delta) const noexcept {
  return delta * level_over_delta(delta);
}

double HuntCrossleyHalf::integrand(const Piece& piece, double y) const noexcept {
  const double delta = piece.begin + piece.width * y;
  const double beta = n_ / (n_ + 1);
  const double base = piece.begin > 0 ? level(delta) : level_over_delta(delta);
  return std::exp(-beta * std::log((n_ + 1) * base));  // half the time of pow, same digits here
}

void HuntCrossleyHalf::add_piece(double begin, double end) {
  Piece& piece = pieces_[pieces_used_++];
  piece.begin = begin;
  piece.width = end - begin;
  piece.a = begin > 0 ? 1 : 1 / (n_ + 1);
  std::array<double, LegendrePanel::size> samples{};
  const double to_turn = (ends_.release_span - end) * ends_.epsilon;
  if (side_ == Side::restitution && begin == 0 && to_turn >= 40) {
    samples.fill(integrand(piece, 0.5));  // far from the turning point v = -1/mu to all digits
  } else {
    std::transform(LegendrePanel::nodes().begin(), LegendrePanel::nodes().end(), samples.begin(),
                   [&](double y) { return integrand(piece, y); });
  }
  piece.panel = LegendrePanel(samples, piece.a);
  piece.scale = begin > 0 ? piece.width : std::pow(piece.width, piece.a);
  piece.start = duration_;
  duration_ += piece.scale * piece.panel.at_end();
}

double HuntCrossleyHalf::time_of(double delta) const noexcept {
  int i = pieces_used_ - 1;
  while (i > 0 && delta < pieces_[i].begin) --i;
  const Piece& piece = pieces_[i];
  const double y = std::clamp((delta - piece.begin) / piece.width, 0.0, 1.0);
  const double s = piece.a == 1 ? y : std::pow(y, piece.a);
  return piece.start + piece.scale * s * piece.panel.at(y);
}

double HuntCrossleyHalf::delta_at(double time) const noexcept {
  int i = pieces_used_ - 1;
  while (i > 0 && time < pieces_[i].start) --i;
  const Piece& piece = pieces_[i];
  const double target = (time - piece.start) / piece.scale;
  if (!(target > 0)) return piece.begin;
  // s G(y) = target with y = s^(1/a); d(s G)/ds = F(y)/a exactly.
  const auto y_of = [&](double s) { return piece.a == 1 ? s : std::pow(s, 1 / piece.a); };
  const auto excess = [&](double s) {
    const double y = y_of(s);
    return std::pair(s * piece.panel.at(y) - target, integrand(piece, y) / piece.a);
  };
  const double guess = std::min(1.0, target / piece.panel.at_end());
  std::uintmax_t iterations = 60;
  const double s = newton_raphson_iterate(excess, guess, 0.0, 1.0, full_digits, iterations);
  return piece.begin + piece.width * y_of(s);
}

PathState HuntCrossleyHalf::state(double delta) const noexcept {
  const double eps = ends_.epsilon;
  const double z = eps * delta;
  const double x = std::pow((n_ + 1) * std::max(0.0, level(delta)), 1 / (n_ + 1));
  double v, factor;
  if (side_ == Side::compression) {
    factor = ends_.approach * std::exp(-z);
    v = 1 - ends_.approach * (eps > 0 ? -std::expm1(-z) / eps : delta);
  } else {
    const double to_turn = (ends_.release_span - delta) * eps;
    factor = std::exp(-to_turn);
    v = z < 0.5 ? -ends_.restitution + ends_.release * (eps > 0 ? std::expm1(z) / eps : delta)
                : std::expm1(-to_turn) / eps;
  }
  return {x, v, std::pow(x, n_) * factor};
}

HuntCrossleyPath::HuntCrossleyPath(double epsilon, double exponent)
    : ends_(epsilon),
      n_(exponent),
      compression_(ends_, exponent, HuntCrossleyHalf::Side::compression),
      restitution_(ends_, exponent, HuntCrossleyHalf::Side::restitution) {}

double HuntCrossleyPath::max_compression() const noexcept {
  return hunt_crossley_max_compression(ends_, n_);
}

PathState HuntCrossleyPath::at(double time) const noexcept {
  if (time <= compression_.duration()) return compression_.state(compression_.delta_at(time));
  return restitution_.state(restitution_.delta_at(contact_time() - time));
}

HuntCrossleyPath::Peak HuntCrossleyPath::peak() const noexcept {
  const HuntCrossleyPeak top = hunt_crossley_peak(ends_.epsilon, n_);
  const double eps = ends_.epsilon;
  // At the peak ln(1 + eps V) = ln(1 + z): delta is what is left of ln(1 + eps).
  const double delta = eps > 0 ? std::log1p((eps - top.eps_v) / (1 + top.eps_v)) / eps : 1;
  return {top.force, compression_.time_of(delta)};
}

DimensionlessImpact HuntCrossleyPath::summary() const noexcept {
  const Peak top = peak();
  return {.contact_time = contact_time(),
          .max_compression = max_compression(),
          .max_compression_time = compression_time(),
          .max_force = top.force,
          .max_force_time = top.time,
          .restitution = ends_.restitution,
          .loss = ends_.loss};
}

double hunt_crossley_max_compression(double epsilon, double exponent) noexcept {
  return std::pow((exponent + 1) * invariant_of(epsilon), 1 / (exponent + 1));
}

double hunt_crossley_max_compression(const HuntCrossleyEnds& ends, double exponent) noexcept {
  return std::pow((exponent + 1) * ends.invariant, 1 / (exponent + 1));
}

HuntCrossleyPeak hunt_crossley_peak(double epsilon, double exponent) noexcept {
  // The force is stationary where eps x^(n+1) = n v. With the invariant this is, for z = eps V,
  // n z + (n + 1) phi(z) = (n + 1) phi(eps): convex and increasing, so Newton from above converges.
  const double n = exponent;
  const double target = (n + 1) * phi(epsilon);
  double z = std::min(target / n, epsilon);
  if (z > 0) {
    const auto excess = [&](double at) {
      return std::pair(n * at + (n + 1) * phi(at) - target, n + (n + 1) * at / (1 + at));
    };
    std::uintmax_t iterations = 60;
    z = newton_raphson_iterate(excess, z, 0.0, z, full_digits, iterations);
  }
  // x^(n+1) = n z/eps^2
  const double level = epsilon < 1e-9 ? (n + 1) / 2 : n * z / epsilon / epsilon;
  return {std::pow(level, n / (n + 1)) * (1 + z), z};
}

}  // namespace carom::detail
