#pragma once

#include <array>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/systems/modal_body.hpp>

namespace carom {

/// The modes of a resonator that is driven and read at one point (hit) and read at another
/// (heard), advanced by exact steps of the lengths h/2^level while a constant force acts at the hit
/// point. In blocks of four, with the order of every sum fixed: the same bits on every machine.
///
/// The exact step of q'' + 2 sigma q' + omega^2 q = a, a = phi f/m constant over the step, is
/// linear in (q, q', a); so is the work a (q1 - q) of the force; what the mode loses in the step,
/// its energy before minus after plus that work, is a quadratic form of them, kept per mode. The
/// loss is thus known apart from the state it leaves, and the energy balance is a check, not a
/// definition.
class ModalBank {
 public:
  static constexpr int lanes = 4;
  static constexpr int levels = 16;

  /// Allocates. `hit` and `heard` are rows of body.shapes. Throws InvalidInput.
  ModalBank(const ModalBody& body, int hit, int heard, double step);

  struct Sums {
    double hit = 0.0;             ///< displacement of the hit point [m]
    double hit_velocity = 0.0;    ///< [m/s]
    double heard = 0.0;           ///< displacement of the heard point [m]
    double heard_velocity = 0.0;  ///< [m/s]
    double energy = 0.0;          ///< of all modes [J]
    double loss = 0.0;            ///< in the step [J]
  };

  /// How far the hit point would move in a step without force.
  double free_travel(int level) const noexcept;
  /// How far a unit force moves it in the step beyond that [m/N].
  double compliance(int level) const noexcept {
    return compliance_[static_cast<std::size_t>(level)];
  }
  /// 1/m of the hit point, sum phi^2/m: what an impulse sees [1/kg].
  double mobility() const noexcept { return mobility_; }
  /// What the acceleration of the hit point does not exceed in free motion from here on [m/s^2]: a
  /// mode of the energy E, which only falls, has |q''| <= (2 sigma + omega) sqrt(2 E/m).
  double most_acceleration() const noexcept;

  /// The state after a free step of length h/2^level, beside the present one: `accept` takes it.
  Sums try_free(int level) noexcept;
  void accept() noexcept { state_.swap(next_); }
  /// A step of length h/2^level under the force `f` [N].
  Sums advance(int level, double f) noexcept;

  int mode_count() const noexcept { return mode_count_; }
  /// Position and velocity of every mode.
  ModalState state() const;
  void set_state(const ModalState& state);
  Sums sums() const noexcept;
  void archive(Archive& saved) { saved(state_); }

 private:
  /// Four doubles that the compiler keeps in whatever registers the machine has.
  using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double))));
  struct alignas(32) Block {  // q and v times sqrt(m)
    Lane q{}, v{};
  };
  struct alignas(32) Points {  // shapes over sqrt(m), omega^2
    Lane hit{}, heard{}, stiffness{};
  };
  // q1 - q = qq q + qv v + qa a, v1 - v = vq q + vv v + va a, and the loss; what a free step needs
  // and what the force adds are kept apart.
  struct alignas(32) Free {
    Lane qq{}, qv{}, vq{}, vv{}, loss_qq{}, loss_vv{}, loss_qv{};
  };
  struct alignas(32) Forced {
    Lane qa{}, va{}, loss_qa{}, loss_va{}, loss_aa{};
  };
  struct Level {
    std::vector<Free> free;
    std::vector<Forced> forced;
  };

  int mode_count_;
  std::vector<double> roots_;  ///< sqrt of the modal masses
  std::vector<double> bends_;  ///< |hit| (2 sigma + omega), hit as in Points
  std::vector<Block> state_, next_;
  std::vector<Points> points_;
  std::array<Level, levels> levels_;
  std::array<double, levels> compliance_{};
  double mobility_ = 0.0;
};

}  // namespace carom
