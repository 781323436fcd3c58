#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include <carom/contacts/collocation.hpp>
#include <carom/core/error.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/heun.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/symplectic.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>

namespace carom {
namespace {

using enum ContactMethod;

constexpr std::array<ContactMethodEntry, 10> entries{{
    {rk4, Rk4::traits, "fourth-order Runge-Kutta"},
    {heun, Heun::traits, "Heun with the carried force of papetti2011"},
    {heun_textbook, HeunTextbook::traits, "Heun as in textbooks"},
    {verlet, Verlet::traits, "velocity Verlet with the carried force of papetti2011"},
    {verlet_textbook, VerletTextbook::traits, "velocity Verlet as in textbooks"},
    {trapezoid, Trapezoid::traits, "trapezoid rule (AM1), K-method"},
    {passive,
     {.name = "passive", .order = 2 * Collocation::nodes, .passive = true},
     "collocation in contact space, energy closed in every step; independent of rate"},
    {symplectic, Symplectic::traits, "leapfrog in the Hamiltonian variables (x, w)"},
    {discrete_gradient, DiscreteGradient::traits, "passive, one equation a sample"},
    {event_driven,
     {.name = "event-driven", .order = 2 * Collocation::nodes, .passive = false},
     "the same collocation to a tolerance of 1e-12, energy not closed: the reference"},
}};

constexpr auto names = [] {
  std::array<std::string_view, entries.size()> list{};
  std::transform(entries.begin(), entries.end(), list.begin(),
                 [](const ContactMethodEntry& e) { return e.traits.name; });
  return list;
}();

/// Is the law of this name one with f = dV/dx (1 + mu v)?
template <class... Laws>
bool is_proportional(std::type_identity<std::variant<Laws...>>, std::string_view name) {
  return ((Laws::text.name == name && ProportionalLaw<Laws>) || ...);
}

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
  const std::string reason = refusal(method, law_name(law));
  if (reason.empty()) return;
  throw InvalidInput("method '" + std::string(entry(method).traits.name) +
                     "' does not step the law '" + std::string(law_name(law)) + "': " + reason);
}

std::string refusal(ContactMethod method, std::string_view law) {
  if (!entry(method).traits.needs_proportional ||
      is_proportional(std::type_identity<AnyLaw>(), law))
    return {};
  return "only a force dV/dx (1 + mu v) has the Hamiltonian variables in which it steps";
}

}  // namespace carom
