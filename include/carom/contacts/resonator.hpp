#pragma once

#include <array>
#include <vector>

#include <carom/contacts/response_table.hpp>
#include <carom/core/archive.hpp>
#include <carom/systems/modal_body.hpp>

namespace carom {

/// The modes of a linear system that vibrate, driven and read at one point (hit) and read at
/// another (heard). They move exactly: by whole samples from tables made once, and by steps of any
/// length under a force from S_j(t), the displacement of mode j of unit mass after a unit impulse,
/// and S_j'(t), both at the points of the step (response_table.hpp). In blocks of four, with the
/// order of every sum fixed: the same bits on every machine.
class Resonator {
 public:
  static constexpr int lanes = 4;
  using Points = ResponseTable::Points;
  using Nodes = Collocation::Nodes;

  /// Allocates. `hit` and `heard` are rows of body.shapes, `sample` a length of time [s].
  Resonator(const ModalBody& body, int hit, int heard, double sample);

  struct Sums {
    double hit = 0.0;             ///< displacement of the hit point [m]
    double hit_velocity = 0.0;    ///< [m/s]
    double heard = 0.0;           ///< displacement of the heard point [m]
    double heard_velocity = 0.0;  ///< [m/s]
    double energy = 0.0;          ///< of all modes [J]
    double loss = 0.0;            ///< in the step [J]
    double pull = 0.0;            ///< sum phi omega^2 q at the hit point [m/s^2]
  };

  /// 1/m of the hit point, sum phi^2/m: what an impulse sees [1/kg].
  double mobility() const noexcept { return mobility_; }
  /// What displacing the modes as an impulse at the hit point would move them, by 1/mobility
  /// altogether, stores beyond the linear term: sum omega^2 phi^2/m [1/(kg s^2)].
  double stiffening() const noexcept { return stiffening_; }
  /// The longest step in which the tables follow every mode [s].
  double longest_step() const noexcept { return longest_step_; }
  /// What the acceleration of the hit point does not exceed in free motion from here on [m/s^2]: a
  /// mode of the energy E, which only falls, has |q''| <= (2 sigma + omega) sqrt(2 E/m).
  double max_acceleration() const noexcept;

  /// The state after a free sample, beside the present one: `accept` takes it. Its loss is a
  /// quadratic form of the state of its own: the balance of energy is a check, not a definition.
  Sums try_sample() noexcept;

  /// Makes the responses at the points of a step of length h, unless they are those already.
  void prepare(double h) noexcept;
  /// Displacement and velocity of the hit point after a unit impulse there.
  const Points& response() const noexcept { return response_; }
  const Points& response_rate() const noexcept { return response_rate_; }
  /// The free motion of the hit point: how far it has moved, and how fast it moves.
  void free_motion(Points& moved, Points& velocity) const noexcept;
  /// The state at the end of the prepared step, beside the present one, from the moments of the
  /// force, h sum_j end[q][j] f_j. The loss is not filled in.
  Sums try_step(const Points& moments) noexcept;
  /// What the modes lose in the prepared step, by quadrature of 2 sigma m v^2 at its nodes;
  /// `pushes` are h sum_j kernel[q][j][k] f_j.
  double step_loss(const Collocation& clock, const std::array<Nodes, ResponseTable::points>& pushes,
                   double h) const noexcept;
  void accept() noexcept { state_.swap(next_); }
  /// Changes the accepted state as impulses and their displacements at the hit point would.
  void push(double displacement, double impulse) noexcept;
  /// The state at time t of the last accepted step, from the moments of the force up to there.
  Sums read(double t, const Points& moments) noexcept;

  Sums sums() const noexcept { return sums_of(state_); }
  int mode_count() const noexcept { return mode_count_; }
  /// Position and velocity of every mode; `inside`: those of the last `read`.
  ModalState state(bool inside = false) const;
  void set_state(const ModalState& state);
  void archive(Archive& saved);

 private:
  /// Four doubles that the compiler keeps in whatever registers the machine has.
  using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double))));
  struct alignas(32) Block {  // q and v times sqrt(m)
    Lane q{}, v{};
  };
  struct alignas(32) Constants {  // shapes over sqrt(m); omega^2, sigma, omega^2 - sigma^2
    Lane hit{}, heard{}, stiffness{}, damping{}, square{};
  };
  struct alignas(32) Sample {  // q1 - q = qq q + qv v, v1 - v = vq q + vv v, and the loss
    Lane qq{}, qv{}, vq{}, vv{}, loss_qq{}, loss_vv{}, loss_qv{};
  };
  struct alignas(32) Response {  // S and S' - 1 at the points
    Lane s[ResponseTable::points]{}, d[ResponseTable::points]{};
  };

  Sums sums_of(const std::vector<Block>& state) const noexcept;
  void respond(double h, std::vector<Response>& to) const noexcept;
  Sums step(const std::vector<Block>& from, const std::vector<Response>& by, const Points& moments,
            std::vector<Block>& to) const noexcept;

  int mode_count_;
  std::vector<double> roots_;  ///< sqrt of the modal masses
  std::vector<double> bends_;  ///< |hit| (2 sigma + omega), hit as in Constants
  std::vector<Block> state_, next_, read_;
  std::vector<Constants> constants_;
  std::vector<Sample> sample_;
  std::vector<Response> responses_, reading_;
  Points response_{}, response_rate_{};
  double prepared_ = 0.0;
  double mobility_ = 0.0, stiffening_ = 0.0, longest_step_, fastest_ = 0.0, strongest_ = 0.0;
};

}  // namespace carom
