#include "scales.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <carom/core/error.hpp>

namespace carom::detail {
namespace {

void require_normal(const char* name, double value) {
  if (!std::isnormal(value)) {
    throw InvalidInput(std::string("the ") + name + " of this impact, " + number_text(value) +
                       ", does not fit into a double: choose less extreme parameters");
  }
}

void require_zero_or_normal(const char* name, double value) {
  if (value != 0) require_normal(name, value);
}

}  // namespace

Scales::Scales(double stiffness, double n, const Collision& collision)
    : mass(collision.mass), speed(collision.speed), exponent(n) {
  require_positive("mass", mass);
  require_positive("speed", speed);
  require_finite("force", collision.force);
  require_normal("ratio of stiffness to mass", stiffness / mass);
  omega = std::pow(stiffness / mass, 1 / (n + 1)) * std::pow(speed, (n - 1) / (n + 1));
  length = speed / omega;
  force = mass * speed * omega;
  push = collision.force / force;
  rest = collision.force > 0 ? std::pow(collision.force / stiffness, 1 / n) : 0;
  require_normal("frequency scale", omega);
  require_normal("length scale", length);
  require_normal("force scale", force);
  require_zero_or_normal("external force in units of the force scale", push);
  require_normal("energy", energy_in());
  if (push > 0) {
    // What is left of the kinetic energy beside the work of the push over the depth has that ratio
    // times rounding as its relative accuracy.
    const double work = push * std::pow((n + 1) * push, 1 / n);
    if (!(work < 1e9)) {
      throw InvalidInput(
          "force = " + number_text(collision.force) + " N does " + number_text(work) +
          " times the kinetic energy as work: such a body is placed, it does not hit");
    }
  }
  if (push < -1e12) {
    throw InvalidInput("force = " + number_text(collision.force) +
                       " N pulls more than 1e12 times " + "m v omega_i = " + number_text(force) +
                       " N: there is no contact to speak of");
  }
}

void require_representable(const Impact& hit) {
  require_normal("largest compression", hit.max_compression);
  require_normal("largest force", hit.max_force);
  require_zero_or_normal("compression at separation", hit.separation_compression);
  require_zero_or_normal("energy lost", hit.energy_lost);
  if (!hit.releases) return;
  require_normal("rebound speed", hit.rebound_speed);
  require_normal("contact time", hit.contact_time);
}

Impact to_impact(const Scales& s, const DimensionlessImpact& shape) {
  Impact hit{};
  hit.rebound_speed = shape.restitution * s.speed;
  hit.restitution = shape.restitution;
  hit.max_compression = shape.max_compression * s.length;
  hit.max_compression_time = shape.max_compression_time / s.omega;
  hit.max_force = shape.max_force * s.force;
  hit.max_force_time = shape.max_force_time / s.omega;
  hit.contact_time = shape.contact_time / s.omega;
  hit.separation_compression = 0;
  hit.energy_in = s.energy_in();
  hit.energy_lost = shape.loss * hit.energy_in;
  hit.releases = true;
  hit.equilibrium_compression = s.rest;
  require_representable(hit);
  return hit;
}

Impact to_impact(const Scales& s, const TaylorPath& path) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const TaylorPath::Outcome& out = path.outcome();
  Impact hit{};
  hit.max_compression = out.max_x * s.length;
  hit.max_compression_time = out.max_x_time / s.omega;
  hit.max_force = out.max_force * s.force;
  hit.max_force_time = out.max_force_time / s.omega;
  hit.energy_in = s.energy_in();
  hit.releases = out.releases;
  hit.equilibrium_compression = s.rest;
  if (out.releases) {
    hit.restitution = -out.v;
    hit.rebound_speed = -out.v * s.speed;
    hit.contact_time = out.time / s.omega;
    hit.separation_compression = out.x * s.length;
    hit.energy_lost = out.loss * hit.energy_in;
  } else {
    hit.restitution = nan;
    hit.rebound_speed = nan;
    hit.contact_time = std::numeric_limits<double>::infinity();
    hit.separation_compression = 0;
    hit.energy_lost = hit.energy_in;
  }
  require_representable(hit);
  return hit;
}

double epsilon_of(double mu, double speed) {
  // Above 1e150 its square overflows; nothing physical is near.
  const double epsilon = mu * speed;
  if (!(epsilon <= 1e150)) {
    throw InvalidInput("mu * speed must be at most 1e150 (got " + number_text(epsilon) + ")");
  }
  return epsilon;
}

void require_no_force(const char* what, const Collision& collision) {
  if (collision.force != 0) {
    throw InvalidInput(std::string(what) + " is defined without external force (got force = " +
                       number_text(collision.force) + ")");
  }
}

}  // namespace carom::detail
