#pragma once

#include <cstdlib>
#include <type_traits>

#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/event_driven.hpp>
#include <carom/steppers/heun.hpp>
#include <carom/steppers/one_step.hpp>
#include <carom/steppers/passive.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/symplectic.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>

namespace carom {

/// Calls `use` with std::type_identity of the method's type for `Law`: the choice at run time,
/// made once. The combination must have passed require_accepts.
template <ContactLaw Law, class Use>
auto with_method(ContactMethod method, Use&& use) {
  switch (method) {
    case ContactMethod::rk4:
      return use(std::type_identity<OneStep<Rk4, Law>>{});
    case ContactMethod::heun:
      return use(std::type_identity<OneStep<Heun, Law>>{});
    case ContactMethod::heun_textbook:
      return use(std::type_identity<OneStep<HeunTextbook, Law>>{});
    case ContactMethod::verlet:
      return use(std::type_identity<OneStep<Verlet, Law>>{});
    case ContactMethod::verlet_textbook:
      return use(std::type_identity<OneStep<VerletTextbook, Law>>{});
    case ContactMethod::trapezoid:
      return use(std::type_identity<OneStep<Trapezoid, Law>>{});
    case ContactMethod::discrete_gradient:
      return use(std::type_identity<OneStep<DiscreteGradient, Law>>{});
    case ContactMethod::event_driven:
      return use(std::type_identity<EventDriven<Law>>{});
    case ContactMethod::symplectic:
      if constexpr (accepts_law<Symplectic, Law>)
        return use(std::type_identity<OneStep<Symplectic, Law>>{});
      break;
    case ContactMethod::passive:
      break;
  }
  return use(std::type_identity<Passive<Law>>{});
}

}  // namespace carom
