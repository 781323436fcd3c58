#include <carom/core/error.hpp>
#include <carom/laws/catalog.hpp>
#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/laws/power_law.hpp>

namespace carom {
namespace {

/// The exponent of the elastic part. Above 20 the force is a wall with a soft foot that no
/// measurement resolves, and x^(n+1) underflows for every realistic compression.
constexpr double highest_exponent = 20.0;

void validate_elastic(double stiffness, double exponent) {
  require_positive("stiffness", stiffness);
  require_within("exponent", exponent, 1.0, highest_exponent);
}

}  // namespace

void validate(const PowerLaw& law) { validate_elastic(law.stiffness, law.exponent); }

void validate(const HuntCrossley& law) {
  validate_elastic(law.stiffness, law.exponent);
  require_not_negative("mu", law.mu);
}

void validate(const HertzDamper& law) {
  validate_elastic(law.stiffness, law.exponent);
  require_not_negative("damping", law.damping);
}

void validate(const NewtonRestitution& law) {
  require_within("restitution", law.restitution, 0, 1);
}

void validate(const AnyLaw& law) {
  std::visit([](const auto& chosen) { validate(chosen); }, law);
}

std::string_view law_name(const AnyLaw& law) noexcept {
  struct Visitor {
    std::string_view operator()(const PowerLaw&) const { return "power-law"; }
    std::string_view operator()(const HuntCrossley&) const { return "hunt-crossley"; }
    std::string_view operator()(const HertzDamper&) const { return "hertz-damper"; }
  };
  return std::visit(Visitor{}, law);
}

}  // namespace carom
