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
/// booked apart, as gained.
///
/// Compliant laws, with x = -gap: f = [V(x+) - V(x^-)]/(x+ - x^-) + mu k x^n (x+ - x^-)/(2 dt), p =
/// dt f. Laws may differ from point to point; hard and soft points that push in the same step are
/// solved in turn until neither moves the other.
class ContactSpace {
 public:
  explicit ContactSpace(const ModalProblem& problem);

  int contact_count() const noexcept { return static_cast<int>(compliance_.rows()); }
  const Eigen::MatrixXd& compliance() const noexcept { return compliance_; }  ///< D
  bool compliant() const noexcept { return soft_; }       ///< any of the contacts
  bool mixed() const noexcept { return soft_ && hard_; }  ///< nonsmooth ones beside compliant ones
  bool compliant(int id) const noexcept { return points_[static_cast<std::size_t>(id)].compliant; }

  /// Weight of (gap - gap^-) in the quantity that decides whether a contact acts: the gate of
  /// ModalMarch bounds gap + lead (gap - gap^-).
  double lead() const noexcept { return lead_; }

  /// Whether this contact can carry an impulse in the step, judged by itself.
  bool active(int id, double before, double now, double free) const noexcept {
    return compliant(id) ? before < 0 || now < 0 || free < 0 : now + lead_ * (now - before) <= 0;
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
    book(points_[0].restitution, impulse, now - before);
    return impulse;
  }

  const ContactEnergy& energy() const noexcept { return energy_; }
  /// Steps whose complementarity or Newton solve did not reach its tolerance.
  long long unsolved() const noexcept { return unsolved_; }

  /// Everything that step() changes, to come back to after a speculative step.
  struct Memory {
    ContactEnergy energy;
    long long unsolved = 0;
    std::vector<double> psi;
  };
  void save(Memory& memory) const;  ///< allocates only if memory is new
  void restore(const Memory& memory) noexcept;
  void archive(Archive& state) { state(energy_, unsolved_, psi_); }

 private:
  struct Point {
    bool compliant = false;
    double restitution = 0.0;
    HuntCrossley law{.stiffness = 0.0};
  };
  using Numbers = std::span<const double>;

  /// What a nonsmooth impulse did, `moved` = dt v before it.
  void book(double restitution, double impulse, double moved) noexcept {
    const double work = (1 - restitution) * impulse * moved / (2 * dt_);
    if (work < 0) {
      energy_.dissipated -= work;
    } else {
      energy_.gained += work;
    }
  }
  const Point& point(int id) const noexcept { return points_[static_cast<std::size_t>(id)]; }

  // Each solves without booking and returns whether any impulse is not zero.
  bool solve_hard(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                  std::span<double> impulses) noexcept;
  bool solve_soft(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                  std::span<double> impulses) noexcept;
  bool solve_gradient(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                      std::span<double> impulses) noexcept;
  bool solve_quadratised(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                         std::span<double> impulses) noexcept;
  bool step_mixed(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                  std::span<double> impulses) noexcept;
  void book_hard(std::span<const int> ids, Numbers before, Numbers now, Numbers impulses) noexcept;
  void book_soft(std::span<const int> ids, Numbers before, Numbers now) noexcept;

  struct Response {
    double impulse, slope;  // p(r) and dp/dr, r = gap+ - gap^-
  };
  Response respond(const HuntCrossley& law, double before, double now, double r) const noexcept;
  double solve_one(int id, double before, double now, double free) const noexcept;
  bool solve_linear(int size) noexcept;

  Eigen::MatrixXd compliance_;
  double dt_, lead_ = 0.0;
  bool soft_ = false, hard_ = false, quadratised_ = false;
  std::vector<Point> points_;
  ContactEnergy energy_;
  long long unsolved_ = 0;
  std::vector<double> psi_;  // quadratised: one per contact

  BlockPivoting pivoting_;
  std::vector<int> rows_, places_;
  std::vector<double> q_, z_, r_, slope_, residual_, trial_;
  std::vector<double> matrix_;
  // Of a mixed step: hard contacts first, then the soft ones.
  std::vector<int> mixed_ids_, mixed_places_;
  std::vector<double> mixed_before_, mixed_now_, mixed_free_, mixed_shifted_, mixed_impulse_;
};

}  // namespace carom
