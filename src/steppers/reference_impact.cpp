#include <algorithm>
#include <cmath>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/steppers/reference_impact.hpp>

#include "../impact/collocated_impact.hpp"

namespace carom {
namespace {

/// The zero of f between a and b, where its sign changes.
template <class F>
double zero_between(double a, double b, F&& f) {
  const double at_a = f(a), at_b = f(b);
  if (at_a == 0) return a;
  if (at_b == 0) return b;
  std::uintmax_t evaluations = 100;
  const auto bracket = boost::math::tools::toms748_solve(
      f, a, b, at_a, at_b,
      [&](double p, double q) { return std::abs(q - p) <= 1e-16 * std::abs(b); }, evaluations);
  return 0.5 * (bracket.first + bracket.second);
}

ContactPoint point_at(const ContactPiece& piece, double t) noexcept {
  const auto [x, v] = piece.at(t);
  return {x, v, 0.0};
}

}  // namespace

ReferenceImpact::ReferenceImpact(const AnyLaw& law, const Collision& collision)
    : law_(law), collision_(collision) {
  const detail::CollocatedImpact impact(law, collision, detail::CollocatedImpact::Keep::history);
  impact_ = impact.summary();
  pieces_ = impact.pieces();
  const ContactPiece& last = pieces_.back();
  end_ = point_at(last, last.t + last.h);
  if (impact_.releases) end_ = {impact_.separation_compression, -impact_.rebound_speed, 0.0};
}

ContactPoint ReferenceImpact::with_force(ContactPoint point,
                                         const ContactMemory& memory) const noexcept {
  point.f = std::visit([&](const auto& law) { return law.force(point.x, point.v, memory).total(); },
                       law_);
  return point;
}

double ReferenceImpact::acceleration(const ContactPiece& piece, double t) const noexcept {
  return (collision_.force - with_force(point_at(piece, t), piece.memory).f) / collision_.mass;
}

ContactPoint ReferenceImpact::at(double t) const noexcept {
  const double a = collision_.force / collision_.mass;
  if (!(t > 0)) return {t * (collision_.speed + 0.5 * t * a), collision_.speed + t * a, 0.0};
  const ContactPiece& last = pieces_.back();
  const double rest = t - (last.t + last.h);
  if (rest > 0) {
    if (!impact_.releases) return end_;
    return {end_.x + rest * (end_.v + 0.5 * rest * a), end_.v + rest * a, 0.0};
  }
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), t,
                       [](double time, const ContactPiece& p) { return time < p.t; });
  const ContactPiece& piece = after == pieces_.begin() ? *after : *(after - 1);
  return with_force(point_at(piece, t), piece.memory);
}

ContactPoint ReferenceImpact::at_velocity(double v, double near) const noexcept {
  const auto distance = [&](const ContactPoint& p) { return std::abs(p.x - near); };
  // Without a point that has this velocity, the nearest to it.
  ContactPoint best{0.0, collision_.speed, 0.0};
  bool found = false;
  const auto offer = [&](const ContactPoint& candidate, bool has_velocity) {
    if (has_velocity ? !found || distance(candidate) < distance(best)
                     : !found && std::abs(candidate.v - v) < std::abs(best.v - v)) {
      best = candidate;
    }
    found = found || has_velocity;
  };
  offer(end_, false);
  const auto search = [&](const ContactPiece& p, double from, double to) {
    const double a = point_at(p, from).v - v, b = point_at(p, to).v - v;
    if ((a > 0) == (b > 0) && b != 0) return;
    const double t = zero_between(from, to, [&](double time) { return point_at(p, time).v - v; });
    offer(with_force(point_at(p, t), p.memory), true);
  };
  for (const ContactPiece& p : pieces_) {
    // A push speeds the body up at first: where it is fastest the piece is searched in two parts.
    const double from = p.t, to = p.t + p.h;
    if ((acceleration(p, from) > 0) == (acceleration(p, to) > 0)) {
      search(p, from, to);
      continue;
    }
    const double fastest =
        zero_between(from, to, [&](double time) { return acceleration(p, time); });
    search(p, from, fastest);
    search(p, fastest, to);
    offer(with_force(point_at(p, fastest), p.memory), false);
  }
  return best;
}

ContactPoint ReferenceImpact::nearest(double x, double v) const noexcept {
  const double length = impact_.max_compression;
  const double top = std::max(collision_.speed, std::abs(end_.v));
  const auto square = [&](const ContactPoint& p) {
    const double dx = (p.x - x) / length, dv = (p.v - v) / top;
    return dx * dx + dv * dv;
  };
  // Half the slope of the square distance along the trajectory: its zero is the foot.
  const auto slope = [&](const ContactPiece& p, double t) {
    const ContactPoint q = point_at(p, t);
    return (q.x - x) * q.v / (length * length) + (q.v - v) * acceleration(p, t) / (top * top);
  };
  ContactPoint best{0.0, collision_.speed, 0.0};
  if (square(end_) < square(best)) best = end_;
  for (const ContactPiece& p : pieces_) {
    const double a = p.t, b = p.t + p.h;
    if ((slope(p, a) > 0) == (slope(p, b) > 0)) continue;
    const double t = zero_between(a, b, [&](double time) { return slope(p, time); });
    if (square(point_at(p, t)) < square(best)) best = with_force(point_at(p, t), p.memory);
  }
  return best;
}

}  // namespace carom
