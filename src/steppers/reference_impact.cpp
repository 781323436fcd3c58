#include <algorithm>
#include <cmath>
#include <limits>

#include <carom/steppers/reference_impact.hpp>
#include <carom/steppers/zero_between.hpp>

namespace carom {
namespace {

constexpr int most_pieces = 20000;

}  // namespace

template <ContactLaw Law>
void ReferenceImpact<Law>::compute(const ContactProblem<Law>& problem, double speed) {
  problem_ = problem;
  problem_.events_located = true;
  speed_ = speed;
  pieces_.clear();
  pieces_.reserve(512);
  ContactPoint point{0.0, speed, 0.0};
  point.f = problem_.contact_force(0.0, speed);
  const ContactScales scales = contact_scales(problem_, 0.0, speed);
  ContactFlow<Law> flow(problem_, scales, 1e-16);
  const double k = problem.law.stiffness, n = problem.law.exponent, fe = problem.force;
  const double equilibrium = fe > 0 ? std::pow(fe / k, 1 / n) : 0.0;
  double t = 0.0;
  bool released = false;
  for (int i = 0; i < most_pieces && !released; ++i) {
    const auto step = flow.step(point, std::numeric_limits<double>::infinity());
    flow.note(point, step);
    pieces_.push_back(flow.piece(point, step, t));
    t += step.h;
    point = step.to;
    released = step.released;
    // Held down: the energy with the external force is below that of x = 0, and what is left of
    // the motion about the equilibrium is lost in rounding.
    if (fe > 0 && std::abs(point.v) < 1e-9 * scales.speed &&
        std::abs(point.x - equilibrium) < 1e-9 * equilibrium)
      break;
  }
  end_ = point;
  const ContactExtremes& extremes = flow.extremes();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double energy_in = 0.5 * problem.mass * speed * speed;
  const double out = released ? std::abs(point.v) : nan;
  impact_ = {.rebound_speed = out,
             .restitution = out / speed,
             .max_compression = extremes.max_compression,
             .max_compression_time = extremes.max_compression_time,
             .max_force = extremes.max_force,
             .max_force_time = extremes.max_force_time,
             .contact_time = released ? t : std::numeric_limits<double>::infinity(),
             .separation_compression = released ? std::max(0.0, point.x) : 0.0,
             .energy_in = energy_in,
             .energy_lost = released ? energy_in - 0.5 * problem.mass * out * out : energy_in,
             .releases = released,
             .equilibrium_compression = equilibrium};
}

template <ContactLaw Law>
ContactPoint ReferenceImpact<Law>::with_force(ContactPoint point) const noexcept {
  point.f = problem_.contact_force(point.x, point.v);
  return point;
}

template <ContactLaw Law>
ContactPoint ReferenceImpact<Law>::at(double t) const noexcept {
  if (!(t > 0)) {
    const double a = problem_.force / problem_.mass;
    return {t * (speed_ + 0.5 * t * a), speed_ + t * a, 0.0};
  }
  const Piece& last = pieces_.back();
  const double rest = t - (last.begin + last.length);
  if (rest > 0) {
    if (!impact_.releases) return end_;
    const double a = problem_.force / problem_.mass;
    return {end_.x + rest * (end_.v + 0.5 * rest * a), end_.v + rest * a, 0.0};
  }
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), t,
                                      [](double time, const Piece& p) { return time < p.begin; });
  return with_force((after == pieces_.begin() ? after : after - 1)->at(t));
}

template <ContactLaw Law>
ContactPoint ReferenceImpact<Law>::at_velocity(double v, double near) const noexcept {
  const auto distance = [&](const ContactPoint& p) { return std::abs(p.x - near); };
  ContactPoint best{0.0, speed_, 0.0};  // without a point that has this velocity, the nearest to it
  bool found = false;
  const auto offer = [&](const ContactPoint& candidate, bool has_velocity) {
    if (has_velocity ? !found || distance(candidate) < distance(best)
                     : !found && std::abs(candidate.v - v) < std::abs(best.v - v)) {
      best = candidate;
    }
    found = found || has_velocity;
  };
  offer(end_, false);
  const auto search = [&](const Piece& p, double from, double to) {
    const double a = p.at(from).v - v, b = p.at(to).v - v;
    if ((a > 0) == (b > 0) && b != 0) return;
    offer(p.at(zero_between(from, to, [&](double time) { return p.at(time).v - v; })), true);
  };
  for (const Piece& p : pieces_) {
    // A push speeds the body up at first: where it is fastest the piece is searched in two parts.
    const auto acceleration = [&](double time) {
      const ContactPoint q = p.at(time);
      return problem_.acceleration(q.x, q.v);
    };
    const double from = p.begin, to = p.begin + p.length;
    if ((acceleration(from) > 0) == (acceleration(to) > 0)) {
      search(p, from, to);
      continue;
    }
    const double fastest = zero_between(from, to, acceleration);
    search(p, from, fastest);
    search(p, fastest, to);
    offer(p.at(fastest), false);
  }
  return with_force(best);
}

template <ContactLaw Law>
ContactPoint ReferenceImpact<Law>::nearest(double x, double v) const noexcept {
  const double length = impact_.max_compression, top = std::max(speed_, std::abs(end_.v));
  const auto square = [&](const ContactPoint& p) {
    const double dx = (p.x - x) / length, dv = (p.v - v) / top;
    return dx * dx + dv * dv;
  };
  // Half the slope of the square distance along the trajectory: its zero is the foot.
  const auto slope = [&](const Piece& p, double t) {
    const ContactPoint q = p.at(t);
    const double a = problem_.acceleration(q.x, q.v);
    return (q.x - x) * q.v / (length * length) + (q.v - v) * a / (top * top);
  };
  ContactPoint best{0.0, speed_, 0.0};
  if (square(end_) < square(best)) best = end_;
  for (const Piece& p : pieces_) {
    const double a = p.begin, b = p.begin + p.length;
    if ((slope(p, a) > 0) == (slope(p, b) > 0)) continue;
    const double t = zero_between(a, b, [&](double time) { return slope(p, time); });
    if (square(p.at(t)) < square(best)) best = p.at(t);
  }
  return with_force(best);
}

template class ReferenceImpact<PowerLaw>;
template class ReferenceImpact<HuntCrossley>;
template class ReferenceImpact<HertzDamper>;

}  // namespace carom
