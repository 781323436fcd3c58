#pragma once

#include <type_traits>
#include <variant>

#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/stepped_law.hpp>

namespace carom::detail {

/// A contact whose law is chosen at run time, for methods whose steps cost far more than the
/// choice. The quantities are those of ContactProblem, events located.
class AnyContact {
  template <class Use>
  auto with(Use&& use) const noexcept {
    return std::visit(
        [&]<class Law>(const Law& law) {
          return use(ContactProblem<Law>{law, mass_});
        },
        law_);
  }

 public:
  AnyContact() = default;
  AnyContact(const AnyLaw& law, double mass) : law_(stepped_law(law)), mass_(mass) {}

  double mass() const noexcept { return mass_; }
  double force(double x, double v) const noexcept {
    return with([&](const auto& contact) { return contact.contact_force(x, v); });
  }
  double dissipated_power(double x, double v) const noexcept {
    return with([&](const auto& contact) { return contact.dissipated_power(x, v); });
  }
  double release_function(double x, double v) const noexcept {
    return with([&](const auto& contact) { return contact.release_function(x, v); });
  }
  double potential(double x) const noexcept {
    return with([&](const auto& contact) { return contact.law.potential(x); });
  }
  /// `force`: a constant one that pushes into the contact [N].
  ContactScales scales(double x, double v, double force = 0.0) const noexcept {
    return with([&](auto contact) {
      contact.force = force;
      return contact_scales(contact, x, v);
    });
  }

 private:
  SteppedLaw law_ = PowerLaw{1.0};
  double mass_ = 1.0;
};

}  // namespace carom::detail
