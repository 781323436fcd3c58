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
/// Energy changes by -p (1 - rho) (-v)/2 per contact, v = (gap - gap^-)/dt: none for rho = 1; a
/// loss where the point was approaching; a gain, booked apart, where it was already leaving.
///
/// Compliant laws, with x = -gap: f = [V(x+) - V(x^-)]/(x+ - x^-) + mu k x^n (x+ - x^-)/(2 dt), p =
/// dt f.
class ContactSpace {
 public:
  explicit ContactSpace(const ModalProblem& problem);

  int contact_count() const noexcept { return static_cast<int>(compliance_.rows()); }
  const Eigen::MatrixXd& compliance() const noexcept { return compliance_; }  ///< D
  bool compliant() const noexcept { return compliant_; }

  /// Weight of (gap - gap^-) in the quantity that decides whether a contact acts: the gate of
  /// ModalMarch bounds gap + lead (gap - gap^-).
  double lead() const noexcept { return lead_; }

  /// Whether this contact can carry an impulse in the step, judged by itself.
  bool active(double before, double now, double free) const noexcept {
    return compliant_ ? before < 0 || now < 0 || free < 0 : now + lead_ * (now - before) <= 0;
  }

  /// Impulses of one step at the contacts `ids`; the spans run parallel to ids. All other contacts
  /// must be inactive. Returns whether any impulse is not zero. Does not allocate.
  bool step(std::span<const int> ids, std::span<const double> before, std::span<const double> now,
            std::span<const double> free, std::span<double> impulses) noexcept;

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
  bool newton_step(std::span<const int> ids, std::span<const double> before,
                   std::span<const double> now, std::span<const double> free,
                   std::span<double> impulses) noexcept;
  bool gradient_step(std::span<const int> ids, std::span<const double> before,
                     std::span<const double> now, std::span<const double> free,
                     std::span<double> impulses) noexcept;
  bool quadratised_step(std::span<const int> ids, std::span<const double> before,
                        std::span<const double> now, std::span<const double> free,
                        std::span<double> impulses) noexcept;
  struct Response {
    double impulse, slope;  // p(r) and dp/dr, r = gap+ - gap^-
  };
  Response respond(double before, double now, double r) const noexcept;
  double solve_one(double compliance, double before, double now, double free) const noexcept;
  bool solve_linear(int size) noexcept;

  Eigen::MatrixXd compliance_;
  double dt_, lead_ = 0.0, restitution_ = 0.0;
  bool compliant_ = false, quadratised_ = false;
  HuntCrossley law_{.stiffness = 0.0};
  ContactEnergy energy_;
  long long unsolved_ = 0;
  std::vector<double> psi_;  // quadratised: one per contact

  BlockPivoting pivoting_;
  std::vector<int> rows_, places_;
  std::vector<double> q_, z_, r_, slope_, residual_, trial_;
  std::vector<double> matrix_;
};

}  // namespace carom
