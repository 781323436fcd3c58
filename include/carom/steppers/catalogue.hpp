#pragma once

#include <span>
#include <string>
#include <string_view>

#include <carom/laws/catalogue.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// The methods that step a compliant contact, by name. `exact` is not one of them: it takes no
/// steps (impact/).
enum class ContactMethod {
  rk4,
  heun,
  heun_textbook,
  verlet,
  verlet_textbook,
  trapezoid,
  passive,
  symplectic,
  discrete_gradient,
  event_driven,
};

struct ContactMethodEntry {
  ContactMethod method;
  StepperTraits traits;   ///< name as people write it, order, passivity
  std::string_view what;  ///< one line for people
};

std::span<const ContactMethodEntry> contact_methods() noexcept;
const ContactMethodEntry& entry(ContactMethod method) noexcept;
/// By name; throws InvalidInput with the known names.
ContactMethod contact_method(std::string_view name);
Correct correction(std::string_view name);
/// Why the method cannot step the law of that name, as a clause that follows a colon; empty: it
/// can.
std::string refusal(ContactMethod method, std::string_view law);
/// Throws InvalidInput with that reason.
void require_accepts(ContactMethod method, const AnyLaw& law);

}  // namespace carom
