#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include <carom/nonsmooth/lcp.hpp>

namespace carom {

/// What several contacts that act at the same instant do. One contact by itself rebounds with its
/// restitution by all three; they differ where impacts meet, as in Newton's cradle.
enum class ImpactLaw : std::uint8_t {
  newton,      ///< each gap opens at e times the speed at which it closed, or faster
  poisson,     ///< each contact returns e times the impulse of its compression, or more
  sequential,  ///< one after the other, the fastest approach first, each as if it were alone
};

/// The impulses of contacts that act at once, with Coulomb's friction in the plane:
///   u+ = u + W p,  p = (p_n, p_t),
///   0 <= u+_n + e u-_n  _|_  p_n >= 0  (Newton),   |p_t| <= mu p_n,
///   p_t = -mu p_n sign(u+_t) where u+_t is not zero.
/// Poisson's compression ends at u_n = 0 and its expansion returns e p_n; friction obeys Coulomb's
/// law in each of the two.
/// The two signs of sliding make this one linear complementarity problem, exact in the plane: with
/// p_t = p_+ - p_- and the sliding speed s,
///   0 <= u+_t + s  _|_  p_+ >= 0,  0 <= -u+_t + s  _|_  p_- >= 0,
///   0 <= mu p_n - p_+ - p_-  _|_  s >= 0.
///
/// Restitution together with friction can gain energy where an impact reverses the sliding (Kane
/// 1984, Stronge 1990), and a body that is guided can jam: no impulse gives it the rebound. The
/// restitutions of that instant are then reduced by a common factor, to the largest with which
/// there is a solution that gains no energy; with none, the problem above always loses.
class ImpactProblem {
 public:
  /// `rows` is the number of contacts, or twice that with friction: tangents behind normals.
  ImpactProblem(int contacts, bool frictional, const LcpSettings& settings);

  struct Input {
    const Eigen::MatrixXd& W;       ///< Delassus matrix of all rows [1/kg]
    const Eigen::VectorXd& before;  ///< u-: rates of the rows before the forces act [m/s]
    const Eigen::VectorXd& free;    ///< u: after them, without impulses [m/s]
    const std::vector<double>& restitution;
    const std::vector<double>& friction;  ///< empty: none
    ImpactLaw law = ImpactLaw::newton;
  };

  /// Over the contacts marked in `considered`; the impulses of all others are zero.
  [[nodiscard]] LcpResult solve(const Input& input, const std::vector<char>& considered,
                                Eigen::VectorXd& impulses);

  /// How often restitutions had to be reduced.
  long long reduced() const noexcept { return reduced_; }

 private:
  LcpResult one_problem(const Input& input, const Eigen::VectorXd& target, Eigen::VectorXd& p,
                        const Eigen::VectorXd* given = nullptr, bool smooth = false);
  bool one_contact(const Input& input, int contact, const Eigen::VectorXd& target, double given,
                   Eigen::VectorXd& p) const;
  LcpResult with_restitution(const Input& input, double share, Eigen::VectorXd& p);
  LcpResult sequential(const Input& input, double share, Eigen::VectorXd& p);
  double gain(const Input& input, const Eigen::VectorXd& p) const;
  double restitution(const Input& input, int contact) const;

  int contacts_;
  bool frictional_;
  LcpSolver normal_, frictional_solver_;
  std::vector<int> active_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd q_, z_, target_, rates_, trial_, compressed_, returned_;
  long long reduced_ = 0;
};

}  // namespace carom
