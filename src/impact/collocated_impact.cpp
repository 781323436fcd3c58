#include "collocated_impact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>

namespace carom {
namespace detail {
namespace {

// Between the ends of steps a history is as accurate as the root of the tolerance.
constexpr double summary_tolerance = 5e-13, history_tolerance = 1e-15;
constexpr int max_steps = 100000;
constexpr double never = std::numeric_limits<double>::infinity();

/// Where the law alone balances a force that pushes into the contact [m].
double balance(const AnyLaw& law, double force) {
  if (!(force > 0)) return 0.0;
  const auto excess = [&](double x) {
    return std::visit([&](const auto& one) { return one.force(x, 0.0, {}).total(); }, law) - force;
  };
  double high =
      std::visit([&](const auto& one) { return length_of_energy(one, force * 1e-6); }, law);
  double low = 0.0;
  while (excess(high) < 0 && high < 1e12) {
    low = high;
    high *= 2;
  }
  if (!(excess(low) <= 0 && excess(high) >= 0)) {
    throw InvalidInput(
        "force: the law balances it at no compression below 1e12 m; it is too large for the law");
  }
  std::uintmax_t evaluations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, low, high, [](double a, double b) { return std::abs(b - a) <= 4e-16 * b; },
      evaluations);
  return 0.5 * (bracket.first + bracket.second);
}

}  // namespace

CollocatedImpact::CollocatedImpact(AnyLaw law, const Collision& collision, Keep keep)
    : collision_(collision) {
  validate(law);
  require_positive("mass", collision.mass);
  require_positive("speed", collision.speed);
  require_finite("force", collision.force);
  const double m = collision.mass, v = collision.speed;
  const MotionState start{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, -v)};
  const double rest = balance(law, collision.force);
  if (keep == Keep::history) law_ = law;
  std::vector<Contact> contacts(1);
  contacts.front().law = std::move(law);
  ContactMarch march(wall_system(m, collision.force, collision.force), std::move(contacts), start,
                     {.rate = 1.0,
                      .tolerance = keep == Keep::history ? history_tolerance : summary_tolerance,
                      .exact_peaks = true,
                      .cautious = true});
  bool held = false;
  while (true) {
    march.internal_step();
    if (keep == Keep::history) pieces_.push_back(march.piece());
    if (!march.converged() || march.steps() > max_steps) {
      throw InvalidInput(
          "the impact cannot be followed to its end: the law is too stiff or too "
          "strongly damped for this mass and speed");
    }
    // A history goes on until what is left of the motion is below a billionth.
    const bool settled = std::abs(march.end_rate(0)) <= 1e-9 * v &&
                         std::abs(march.end_compression(0) - rest) <=
                             1e-9 * (rest + march.record(0).max_compression);
    held = march.at_rest() ||
           (march.held(0) && march.end_rate(0) <= 0 && (keep == Keep::summary || settled));
    if (held || march.leaves()) break;
  }
  const ImpactRecord& record = march.record(0);
  const double energy = 0.5 * m * v * v, out = std::abs(march.end_rate(0));
  summary_ = {.rebound_speed = held ? std::nan("") : out,
              .restitution = held ? std::nan("") : out / v,
              .max_compression = record.max_compression,
              .max_compression_time = march.peak(0).compression_time,
              .max_force = record.max_force,
              .max_force_time = march.peak(0).force_time,
              .contact_time = held ? never : march.internal_time(),
              .separation_compression = held ? 0.0 : std::max(0.0, march.end_compression(0)),
              .energy_in = energy,
              .energy_lost = held ? energy : 0.5 * m * (v - out) * (v + out),
              .releases = !held,
              .equilibrium_compression = rest};
}

ImpactState CollocatedImpact::at(double time) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), time,
                       [](double t, const ContactPiece& piece) { return t < piece.t; });
  const ContactPiece& piece = after == pieces_.begin() ? *after : *(after - 1);
  const auto [x, v] = piece.at(std::min(time, piece.t + piece.h));
  return std::visit(
      [&, x = x, v = v](const auto& law) -> ImpactState {
        return {x, v, law.force(x, v, piece.memory).total(),
                0.5 * collision_.mass * v * v + law.potential(x, piece.memory)};
      },
      law_);
}

}  // namespace detail

Impact collocated_impact(AnyLaw law, const Collision& collision) {
  using detail::CollocatedImpact;
  return CollocatedImpact(std::move(law), collision, CollocatedImpact::Keep::summary).summary();
}

}  // namespace carom
