#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <carom/core/archive.hpp>
#include <carom/nonsmooth/block_pivoting.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// What contacts did with energy [J].
struct ContactEnergy {
  double stored = 0.0;      ///< elastic energy of compliant contacts now
  double dissipated = 0.0;  ///< so far, >= 0
  double gained = 0.0;      ///< so far, >= 0: impulses on points that were already leaving
};

/// Between steps: what a compliant contact remembers.
struct CompliantState {
  bool touching = false;  ///< of laws with branches, or with another edge than x = 0
  bool released = false;  ///< let go by force: no push before x = 0 or until compressed anew
  ContactMemory memory;

  void archive(Archive& state) { state(touching, released, memory.deepest, memory.unloading); }
  bool operator==(const CompliantState&) const = default;
};

/// What matters here of a law, found by asking it.
struct LawBehaviour {
  bool damped = false;    ///< it has a lost force
  bool pulls = false;     ///< its force may be negative
  bool by_force = false;  ///< it lets go where it would pull
  bool branches = false, remembers_touch = false;
  bool power = true;   ///< its potential is a power of the compression
  bool linear = true;  ///< its lost force is proportional to the rate, while approaching

  /// Whether the compression and its rate say everything.
  bool stateless() const noexcept { return !by_force && !branches && !remembers_touch; }
};
LawBehaviour behaviour_of(const AnyLaw& law) noexcept;

/// One time step seen from the contact points alone. With the gaps of the last two steps and the
/// gaps that free motion would give, gap_free, it finds the impulses p of the step, so that
/// gap+ = gap_free + D p. All modal steppers share it; they differ in how they obtain gap_free.
///
/// Newton's law: active where gap + (gap - gap^-)/2 <= 0 (or gap <= 0), there
///   0 <= gap+ - gap + rho (gap - gap^-)  _|_  p >= 0        (issanchou2018 eq. (31), times dt).
/// Let v = (gap - gap^-)/dt before the step, delta = v - v_free what free motion takes from it in
/// the step, and D now in velocities per impulse, all at the points that are pushed. There
/// v+ = v_free + D p = -rho v, so that the contacts change the scheme's energy (ModeStep) by
///   p^T (v+ + v)/2 = (1 - rho)/2 p^T v = kappa/2 p^T (delta - D p),  kappa = (1 - rho)/(1 + rho),
/// which is negative where points approach, and can be positive where a point still below the
/// obstacle is already leaving. Being quadratic in p it has a largest value: in no step do the
/// contacts add more than
///   kappa/8 delta^T D^-1 delta,
/// nothing at rho = 1, and of the order of the square of dt times acceleration. What is added is
/// kept apart, as gained.
///
/// Compliant laws: the discrete gradient of the stored energy and the lost force on the way, see
/// CompliantStep; any law may stand at any point. Hard and soft points that push in the same step
/// are solved in turn until neither moves the other.
///
/// A compliant contact that lets go by force, has branches, or begins and ends elsewhere than at
/// x = 0 changes its state between steps, or before a step that shows that the present state does
/// not hold in it. It does so as soon as its store does not rise by that; what the store falls is
/// lost. So no change of state gains energy.
class ContactSpace {
 public:
  explicit ContactSpace(const ModalProblem& problem);

  int contact_count() const noexcept { return static_cast<int>(compliance_.rows()); }
  const Eigen::MatrixXd& compliance() const noexcept { return compliance_; }  ///< D
  bool compliant() const noexcept { return soft_; }       ///< any of the contacts
  bool mixed() const noexcept { return soft_ && hard_; }  ///< both nonsmooth and compliant ones
  bool compliant(int id) const noexcept { return points_[static_cast<std::size_t>(id)].compliant; }

  /// Weight of (gap - gap^-) in the quantity that decides whether a contact acts: the gate of
  /// ModalMarch bounds gap + lead (gap - gap^-).
  double lead() const noexcept { return lead_; }

  /// Whether this contact can carry an impulse in the step, judged by itself.
  bool active(int id, double before, double now, double free) const noexcept {
    return compliant(id) ? before < 0 || now < 0 || free < 0 || engaged(id)
                         : now + lead_ * (now - before) <= 0;
  }

  /// Whether a compliant contact is in a state that open gaps alone do not end.
  bool engaged(int id) const noexcept {
    const CompliantState& state = states_[static_cast<std::size_t>(id)];
    return state.touching || state.released;
  }

  /// Impulses of one step at the contacts `ids`; the spans run parallel to ids. All other contacts
  /// must be inactive. Returns whether any impulse is not zero. Does not allocate.
  bool step(std::span<const int> ids, std::span<const double> before, std::span<const double> now,
            std::span<const double> free, std::span<double> impulses) noexcept;

  /// The impulse of one step of a problem with a single contact.
  double step_one(double before, double now, double free) noexcept {
    constexpr int id = 0;
    if (soft_) {
      double impulse = 0;
      step({&id, 1}, {&before, 1}, {&now, 1}, {&free, 1}, {&impulse, 1});
      return impulse;
    }
    if (!active(id, before, now, free)) return 0;
    const double speed = (free - now) + points_[0].restitution * (now - before);
    if (!(speed < 0)) return 0;
    const double impulse = -speed / compliance_(0, 0);
    account(points_[0].restitution, impulse, now - before);
    return impulse;
  }

  // For bodies that are changed from outside while they move; none of these allocates.
  /// Another D of the same size.
  void replace_compliance(const Eigen::MatrixXd& compliance) noexcept {
    compliance_.noalias() = compliance;
  }
  /// A contact as if it had never touched.
  void forget(int id) noexcept {
    states_[static_cast<std::size_t>(id)] = {};
    if (!psi_.empty()) psi_[static_cast<std::size_t>(id)] = 0;
  }
  /// What all compliant contacts store at these gaps of the last two steps.
  void renew_store(std::span<const double> before, std::span<const double> now) noexcept;

  const ContactEnergy& energy() const noexcept { return energy_; }
  /// Steps whose complementarity or Newton solve did not reach its tolerance.
  long long unsolved() const noexcept { return unsolved_; }

  /// Everything that step() changes, to come back to after a speculative step.
  struct Memory {
    ContactEnergy energy;
    long long unsolved = 0;
    std::vector<double> psi;
    std::vector<CompliantState> states;
  };
  void save(Memory& memory) const;  ///< allocates only if memory is new
  void restore(const Memory& memory) noexcept;
  void archive(Archive& state) { state(energy_, unsolved_, psi_, states_); }

 private:
  struct Point {
    bool compliant = false;
    double restitution = 0.0;
    AnyLaw law = {};
    LawBehaviour behaviour = {};
  };
  using Numbers = std::span<const double>;

  /// What a nonsmooth impulse did, `moved` = dt v before it.
  void account(double restitution, double impulse, double moved) noexcept {
    const double work = (1 - restitution) * impulse * moved / (2 * dt_);
    if (work < 0) {
      energy_.dissipated -= work;
    } else {
      energy_.gained += work;
    }
  }
  const Point& point(int id) const noexcept { return points_[static_cast<std::size_t>(id)]; }

  // Each solves without keeping account and returns whether any impulse is not zero.
  bool solve_hard(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                  std::span<double> impulses) noexcept;
  bool solve_soft(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                  std::span<double> impulses) noexcept;
  bool solve_gradient(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                      std::span<double> impulses) noexcept;
  bool solve_quadratised(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                         std::span<double> impulses) noexcept;
  bool step_soft(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                 std::span<double> impulses) noexcept;
  bool step_mixed(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                  std::span<double> impulses) noexcept;
  void account_hard(std::span<const int> ids, Numbers before, Numbers now,
                    Numbers impulses) noexcept;
  void account_soft(std::span<const int> ids, Numbers before, Numbers now) noexcept;
  void account_quadratised(int id, double now, std::size_t place) noexcept;

  // Of the discrete gradient.
  struct Solved {
    double r, impulse;
    bool converged;
  };
  template <class Use>
  auto use_step(int id, double before, double now, Use&& use) const noexcept;
  /// Whether a compliant contact is open before and after a step with this r = gap+ - gap^-.
  bool idle(int id, double before, double r) const noexcept {
    return before >= 0 && before + r >= 0 && !engaged(id);
  }
  Solved solve_one(int id, double before, double now, double free) const noexcept;
  double residual_at(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                     const std::vector<double>& r, std::span<double> impulses) noexcept;
  double newton(std::span<const int> ids, Numbers before, Numbers now, Numbers free, double norm,
                double goal, std::span<double> impulses) noexcept;
  int newton_move(std::span<const int> ids) noexcept;
  void polish(std::span<const int> ids, std::span<double> impulses) noexcept;
  bool sweep(std::span<const int> ids, Numbers before, Numbers now, Numbers free, double scale,
             std::span<double> impulses) noexcept;
  bool revise_states(std::span<const int> ids, Numbers before, Numbers now) noexcept;
  bool change_state(int id, const CompliantState& next, double x_before, double x_now) noexcept;
  void solve_reaction(std::span<const int> ids, int size) noexcept;

  Eigen::MatrixXd compliance_;
  double dt_, lead_ = 0.0;
  bool soft_ = false, hard_ = false, quadratised_ = false, stateless_ = true;
  std::vector<Point> points_;
  std::vector<CompliantState> states_;
  ContactEnergy energy_;
  long long unsolved_ = 0;
  std::vector<double> psi_;  // quadratised: one per contact

  BlockPivoting pivoting_;
  std::vector<int> rows_, places_;
  std::vector<double> q_, z_, r_, slope_, residual_, trial_;
  std::vector<char> flipped_, let_go_;  // in this step
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd reaction_;
  // Of a mixed step: hard contacts first, then the soft ones.
  std::vector<int> mixed_ids_, mixed_places_;
  std::vector<double> mixed_before_, mixed_now_, mixed_free_, mixed_shifted_, mixed_impulse_;
};

}  // namespace carom
