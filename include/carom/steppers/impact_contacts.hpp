#pragma once

#include <cmath>
#include <vector>

#include <carom/laws/newton_restitution.hpp>
#include <carom/nonsmooth/impact_problem.hpp>
#include <carom/nonsmooth/lcp.hpp>
#include <carom/steppers/sided_gaps.hpp>
#include <carom/steppers/step_clock.hpp>
#include <carom/systems/dense_dynamics.hpp>

namespace carom {

/// What can go wrong within a step; a run keeps the first one that is not `ok`.
enum class StepStatus {
  ok,
  not_converged,       ///< the iteration of an implicit step did not reach its tolerance
  contact_not_solved,  ///< the complementarity problem of a step was not solved
  mass_not_definite,   ///< the mass matrix is not positive definite at some position
  not_finite,          ///< the motion has left the numbers: the step is too long for the scheme
  energy_gained,       ///< impacts of several contacts at once raised the energy (PaoliSchatzman)
};

struct StepReport {
  StepStatus status = StepStatus::ok;
  double time = 0.0;  ///< [s] of the step that set the status
  /// Last change of velocity (relative), residual of the contact problem, or the energy gained as a
  /// share of the largest kinetic energy.
  double residual = 0.0;
  int iterations = 0;  ///< most iterations any step has taken

  /// Notes what went wrong, unless something did before.
  void fail(StepStatus what, double when, double how_much) noexcept {
    if (status != StepStatus::ok) return;
    status = what;
    time = when;
    residual = how_much;
  }
};

/// Settings of the nonsmooth steppers.
struct NonsmoothSettings {
  double step = 1e-4;        ///< dt [s], > 0
  double tolerance = 1e-13;  ///< of the velocity in a step, relative to the largest so far
  int max_iterations = 60;   ///< of the implicit equation of a step, >= 1
  LcpSettings contact = {};
};

/// Throws InvalidInput.
void validate(const NonsmoothSettings& settings);
/// One law for each contact: a single one stands for all. Throws InvalidInput.
std::vector<double> restitutions(const std::vector<NewtonRestitution>& laws, int contacts);
/// The state itself; throws InvalidInput unless q and v have `coordinates` finite entries each.
const MotionState& validated(const MotionState& state, int coordinates);

/// Follows a fixed-point or modified Newton iteration and says when to stop: the error left is
/// bounded by the last change times r/(1 - r), r the observed rate of contraction.
class StepIteration {
 public:
  /// `change` and `scale` are norms of velocity. True when the error left is below tolerance.
  bool converged(double change, double scale, double tolerance) noexcept {
    // Before a rate is known, and for any rate worse than that, trust the change itself.
    const double rate = count_ == 0 ? 0.5 : std::min(0.5, change / last_);
    last_ = change;
    ++count_;
    return change * rate / (1.0 - rate) <= tolerance * scale || change == 0.0;
  }
  int count() const noexcept { return count_; }
  double last() const noexcept { return last_; }

 private:
  double last_ = 0.0;
  int count_ = 0;
};

/// The contacts of one step: gradients G, their images X = M^-1 G^T, the Delassus matrix G X and
/// the complementarity problem on any subset of them.
class ImpactContacts {
 public:
  /// With friction there is a second row for each contact, its tangent, behind all normals.
  ImpactContacts(int contacts, int coordinates, const LcpSettings& settings,
                 bool frictional = false);

  /// G at (t, q), X and G X for all contacts, with the mass factored in `dynamics`.
  template <SystemWithGaps S, class D>
  void update(const SidedGaps<S>& gaps, D& dynamics, double t, const Eigen::VectorXd& q) {
    if (!frictional_) {
      gaps.gradients(t, q, gradients_);
    } else {
      gaps.gradients(t, q, normals_);
      gaps.tangents(t, q, tangents_);
      gradients_.topRows(normals_.rows()) = normals_;
      gradients_.bottomRows(normals_.rows()) = tangents_;
    }
    for (Eigen::Index i = 0; i < gradients_.rows(); ++i) {
      row_ = gradients_.row(i).transpose();
      dynamics.solve(row_, column_);
      images_.col(i) = column_;
    }
    find_delassus();
  }

  /// 0 <= p _|_ (G X) p + c >= 0 over the contacts marked in `considered`; p = 0 elsewhere.
  [[nodiscard]] LcpResult solve(const std::vector<char>& considered, const Eigen::VectorXd& c,
                                Eigen::VectorXd& p) noexcept;

  /// All rows by an impact law, with friction.
  [[nodiscard]] LcpResult solve(ImpactProblem& problem, const std::vector<char>& considered,
                                const Eigen::VectorXd& before, const Eigen::VectorXd& free,
                                const std::vector<double>& restitution,
                                const std::vector<double>& friction, ImpactLaw law,
                                Eigen::VectorXd& p) {
    return problem.solve({delassus_, before, free, restitution, friction, law}, considered, p);
  }

  Eigen::Index rows() const noexcept { return gradients_.rows(); }
  const Eigen::MatrixXd& gradients() const noexcept { return gradients_; }
  const Eigen::MatrixXd& images() const noexcept { return images_; }
  const Eigen::MatrixXd& delassus() const noexcept { return delassus_; }

 private:
  void find_delassus() noexcept;  // not here: a matrix product takes long to compile

  Eigen::MatrixXd gradients_, images_, delassus_, packed_;
  Eigen::VectorXd row_, column_, c_, p_;
  bool frictional_;
  Eigen::MatrixXd normals_;
  SparseRows tangents_;
  LcpSolver solver_;
};

}  // namespace carom
