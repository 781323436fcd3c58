#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <carom/energy/ledger.hpp>

namespace carom {

/// What a stepper says of itself.
struct StepperTraits {
  std::string_view name;
  int order;     ///< of the global error in smooth phases
  bool passive;  ///< provably never gains energy; the audit fails a run in which it does
  bool needs_proportional = false;  ///< steps laws f = dV/dx (1 + mu v) only
};

/// Something that advances one system through time, one step at a call, and keeps its energy
/// ledger.
template <class S>
concept Stepper = requires(S& stepper, const S& constant) {
  stepper.step();
  { constant.time() }
  noexcept->std::convertible_to<double>;  // [s]
  { constant.ledger() }
  noexcept->std::convertible_to<const Ledger&>;
};

/// The one loop. After each step every observer is called with the stepper; recording, progress,
/// checkpoints and sound are observers. An observer that returns false ends the march. A stepper
/// with a member end_at(t) ends there exactly, its last step being shortened.
template <Stepper S, class... Observers>
void march(S& stepper, double until, Observers&&... observers) {
  [[maybe_unused]] const auto go_on = [&stepper](auto& observer) {
    if constexpr (std::is_same_v<decltype(observer(stepper)), bool>) {
      return observer(stepper);
    } else {
      observer(stepper);
      return true;
    }
  };
  if constexpr (requires { stepper.end_at(until); }) stepper.end_at(until);
  while (stepper.time() < until) {
    stepper.step();
    if (!(go_on(observers) && ...)) return;
  }
}

}  // namespace carom
