#include <cassert>
#include <cmath>
#include <cstddef>
#include <variant>

#include <carom/core/error.hpp>
#include <carom/impact/history.hpp>

#include "collocated_impact.hpp"
#include "scales.hpp"

namespace carom {

using detail::CollocatedImpact;
using detail::HuntCrossleyPath;
using detail::PathState;
using detail::Scales;
using detail::TaylorPath;

struct ImpactHistory::Motion {
  Collision collision;
  Impact summary;

  explicit Motion(const Collision& c) : collision(c), summary() {}
  virtual ~Motion() = default;
  virtual ImpactState in_contact(double time) const = 0;

  ImpactState flight(double time, double compression, double rate) const {
    const double acceleration = collision.force / collision.mass;
    const double v = rate + acceleration * time;
    return {compression + (rate + acceleration * time / 2) * time, v, 0.0,
            0.5 * collision.mass * v * v};
  }
};

namespace {

/// The laws f = k x^n (1 + mu v) + c v, in their own units.
template <class Base>
struct ScaledMotion final : Base {
  Scales scales;
  std::variant<HuntCrossleyPath, TaylorPath> path;

  ScaledMotion(const Collision& collision, const Scales& s,
               std::variant<HuntCrossleyPath, TaylorPath> p)
      : Base(collision), scales(s), path(std::move(p)) {
    this->summary = std::visit([&](const auto& found) { return to_impact(scales, found); }, path);
  }
  ImpactState in_contact(double time) const override {
    const PathState p =
        std::visit([&](const auto& found) { return found.at(time * scales.omega); }, path);
    const double n1 = scales.exponent + 1;
    const double energy = scales.energy_in() * (p.v * p.v + 2 * std::pow(p.x, n1) / n1);
    return {p.x * scales.length, p.v * scales.speed, p.force * scales.force, energy};
  }
};

template <class Base>
struct CollocatedMotion final : Base {
  CollocatedImpact impact;

  CollocatedMotion(const AnyLaw& law, const Collision& collision)
      : Base(collision), impact(law, collision, CollocatedImpact::Keep::history) {
    this->summary = impact.summary();
  }
  ImpactState in_contact(double time) const override { return impact.at(time); }
};

std::variant<HuntCrossleyPath, TaylorPath> path_of(const Scales& s, double epsilon, double damping,
                                                   Release release) {
  if (damping == 0 && s.push == 0) return HuntCrossleyPath(epsilon, s.exponent);
  return TaylorPath({.n = s.exponent,
                     .epsilon = epsilon,
                     .c = damping,
                     .push = s.push,
                     .release_at_zero_force = release == Release::zero_force},
                    TaylorPath::Keep::history);
}

}  // namespace

ImpactHistory::ImpactHistory(const HuntCrossley& law, const Collision& collision) {
  validate(law);
  const Scales s(law.stiffness, law.exponent, collision);
  const double epsilon = detail::epsilon_of(law.mu, s.speed);
  motion_ = std::make_shared<const ScaledMotion<Motion>>(
      collision, s, path_of(s, epsilon, 0, Release::zero_force));
}

ImpactHistory::ImpactHistory(const HertzDamper& law, const Collision& collision) {
  validate(law);
  const Scales s(law.stiffness, law.exponent, collision);
  const double c = s.damping(law.damping);
  require_finite("damping in units of m omega_i", c);
  motion_ =
      std::make_shared<const ScaledMotion<Motion>>(collision, s, path_of(s, 0, c, law.release));
}

ImpactHistory::ImpactHistory(const PowerLaw& law, const Collision& collision)
    : ImpactHistory(HuntCrossley{law.stiffness, law.exponent, 0.0}, collision) {}

ImpactHistory::ImpactHistory(const AnyLaw& law, const Collision& collision)
    : motion_(std::make_shared<const CollocatedMotion<Motion>>(law, collision)) {}

ImpactHistory::~ImpactHistory() = default;

const Impact& ImpactHistory::summary() const noexcept { return motion_->summary; }

ImpactState ImpactHistory::at(double time) const {
  require_finite("time", time);
  const Impact& hit = motion_->summary;
  if (time < 0) return motion_->flight(time, 0, motion_->collision.speed);
  if (time <= hit.contact_time) return motion_->in_contact(time);
  return motion_->flight(time - hit.contact_time, hit.separation_compression, -hit.rebound_speed);
}

void ImpactHistory::at(std::span<const double> times, std::span<ImpactState> states) const {
  assert(times.size() == states.size());
  for (std::size_t i = 0; i < times.size(); ++i) states[i] = at(times[i]);
}

}  // namespace carom
