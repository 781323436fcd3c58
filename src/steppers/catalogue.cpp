#include <algorithm>
#include <array>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/event_driven.hpp>
#include <carom/steppers/heun.hpp>
#include <carom/steppers/passive.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/stepped_law.hpp>
#include <carom/steppers/symplectic.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>

namespace carom {
namespace {

using enum ContactMethod;

constexpr std::array<ContactMethodEntry, 10> entries{{
    {rk4, Rk4::traits, true, "fourth-order Runge-Kutta"},
    {heun, Heun::traits, true, "Heun with the carried force of papetti2011"},
    {heun_textbook, HeunTextbook::traits, true, "Heun as in textbooks"},
    {verlet, Verlet::traits, true, "velocity Verlet with the carried force of papetti2011"},
    {verlet_textbook, VerletTextbook::traits, true, "velocity Verlet as in textbooks"},
    {trapezoid, Trapezoid::traits, true, "trapezoid rule (AM1), K-method with Newton"},
    {passive, Passive<HuntCrossley>::traits, true,
     "closes the energy balance; independent of rate"},
    {symplectic, Symplectic::traits, accepts_law<Symplectic, HertzDamper>,
     "leapfrog in the Hamiltonian variables (x, w)"},
    {discrete_gradient, DiscreteGradient::traits, true, "passive, one equation a sample"},
    {event_driven, EventDriven<HuntCrossley>::traits, true, "adaptive Taylor steps, the reference"},
}};

constexpr auto names = [] {
  std::array<std::string_view, entries.size()> list{};
  std::transform(entries.begin(), entries.end(), list.begin(),
                 [](const ContactMethodEntry& e) { return e.traits.name; });
  return list;
}();

}  // namespace

std::span<const ContactMethodEntry> contact_methods() noexcept { return entries; }

const ContactMethodEntry& entry(ContactMethod method) noexcept {
  return entries[static_cast<std::size_t>(method)];
}

ContactMethod contact_method(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InvalidInput(unknown_name_message("method", name, names));
  return entries[static_cast<std::size_t>(found - names.begin())].method;
}

Correct correction(std::string_view name) {
  const auto found = std::find(correction_names.begin(), correction_names.end(), name);
  if (found == correction_names.end())
    throw InvalidInput(unknown_name_message("correction", name, correction_names));
  return static_cast<Correct>(found - correction_names.begin());
}

void require_accepts(ContactMethod method, const AnyLaw& law) {
  if (entry(method).accepts_hertz_damper || !std::holds_alternative<HertzDamper>(stepped_law(law)))
    return;
  std::string message = "method '" + std::string(entry(method).traits.name) +
                        "' does not step the law 'hertz-damper'; these do:";
  for (const ContactMethodEntry& e : entries)
    if (e.accepts_hertz_damper) message += " " + std::string(e.traits.name);
  throw InvalidInput(message);
}

}  // namespace carom
