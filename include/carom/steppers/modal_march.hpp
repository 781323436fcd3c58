#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// How ModalMarch goes about it. The trajectory does not depend on any of these beyond rounding.
struct ModalMarchSettings {
  bool gate = true;            ///< leap over flights in which contact is impossible
  bool candidates = true;      ///< in contact windows, step only the contacts that may act
  int window = 0;              ///< shortest leap [steps]; 0: 16 microseconds' worth, at least 16
  int levels = 7;              ///< leap lengths: window, 2 window, 4 window, ...; 1..10
  int ledger_interval = 1024;  ///< steps between two closings of the ledger, >= 1
  /// Passes over the modes spent on auditing intervals of the ledger, for each pass of the march;
  /// 0: none is audited, infinity: every one.
  double audit_cost = 1.0 / 32;
};

/// What a march did.
struct ModalMarchStatistics {
  long long steps = 0;
  long long leapt = 0;    ///< steps passed in leaps
  long long contact = 0;  ///< steps with an impulse
  long long impulses = 0;
  long long leaps = 0, windows = 0, roll_backs = 0;
  /// Of one contact: modes times steps whose share came from a convolution with past impulses.
  long long convolved = 0;
  long long audited = 0;     ///< steps whose damping loss was found apart from the balance
  long long unsolved = 0;    ///< steps whose contact problem did not reach its tolerance
  std::string_view kernels;  ///< instruction set
};

/// The scheme of ModalPlain, computed differently and to rounding the same: passes over the modes
/// that do four steps at once and leave the contacts to a small march in contact space; leaps over
/// flights in which contact is provably impossible; with one contact, a convolution with the last
/// few hundred impulses in place of all modes that remember no more than those; with several, in
/// windows where only some can act, steps for those alone, taken back in the rare case that another
/// one could have been reached.
///
/// The ledger closes every `ledger_interval` steps with the scheme's energy (ModeStep). Contact
/// losses are exact. In audited intervals (statistics: `audited` steps) the damping loss is found
/// from the states and impulses, apart from the balance, so that the residual is a true one; in the
/// others it is what is missing from the balance, and only a gain would show as residual.
class ModalMarch {
 public:
  static constexpr StepperTraits traits{.name = "modal-march", .order = 1, .passive = false};

  explicit ModalMarch(const ModalProblem& problem, const ModalMarchSettings& settings = {});
  ~ModalMarch();
  ModalMarch(ModalMarch&&) noexcept;
  ModalMarch& operator=(ModalMarch&&) noexcept;

  /// One operation: a leap, a window or a macro-step, as far as it goes.
  void step();
  /// Exactly this many steps.
  void advance(long long steps);

  double time() const noexcept;
  long long steps() const noexcept;
  const Ledger& ledger() const noexcept;
  const ModalMarchStatistics& statistics() const noexcept;

  /// Impulses since the last clear_impulses(), in order of steps.
  std::span<const ContactImpulse> impulses() const noexcept;
  void clear_impulses() noexcept;
  /// Room for this many impulses, so that no memory is asked for before it is full.
  void reserve_impulses(std::size_t count);

  /// Closes the ledger at the present step.
  void close_ledger();

  Eigen::VectorXd position() const;    ///< q, in the order of the problem
  Eigen::VectorXd difference() const;  ///< q - q^-

  void archive(Archive& state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};
static_assert(Stepper<ModalMarch>);

/// The instructions that bodies of many modes are stepped with: avx2 where the machine has it, else
/// baseline; or what the environment variable CAROM_INSTRUCTIONS names: baseline, avx2 or avx512.
/// All compute the same bits. Throws InvalidInput where the machine does not have them.
std::string_view instruction_set();

}  // namespace carom
