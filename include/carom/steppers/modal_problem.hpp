#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <carom/laws/catalogue.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/systems/modal_body.hpp>
#include <carom/systems/obstacles.hpp>

namespace carom {

/// How a contact impulse enters the modes of issanchou2018.
enum class ImpulseScaling {
  scaled,   ///< by Minv = (1 + e - A)/(omega dt)^2, as the authors' program does; energy-consistent
  printed,  ///< unscaled, as eqs. (24)-(29) are printed
};

/// When a contact takes part in a nonsmooth step.
enum class Activation {
  extrapolated,  ///< gap + dt/2 d(gap)/dt <= 0, as the authors' program does
  printed,       ///< gap <= 0, eq. (30)
};

/// What the first step assumes about the step before it.
enum class ModalStart {
  published,  ///< q^{-1} = q^0 - dt v^0: the velocity is the backward difference; shifts time by
              ///< dt/2
  exact,      ///< q^{-1} is the free motion one step back
};

/// How a compliant force is made energy-balanced.
enum class CompliantScheme {
  discrete_gradient,  ///< f = -[V(gap+) - V(gap-)]/(gap+ - gap-): implicit, Newton's method
  quadratised,  ///< V = psi^2/2 with psi as a state: linear in each step, no iteration; for laws
                ///< whose V is a power of the compression, with linear damping or none
};

/// What a law must have to be quadratised.
inline constexpr std::string_view quadratised_needs =
    "that takes a potential that is a power of the compression, damping proportional to the rate, "
    "and contact down to x = 0";
/// Why the scheme cannot step the law, as a clause that follows a colon; empty: it can.
std::string refusal(CompliantScheme scheme, const AnyLaw& law);

/// Impacts without duration, or a compliant force.
using ModalContactLaw = std::variant<NewtonRestitution, AnyLaw>;

/// A modal body in front of obstacle points, released from a state.
struct ModalProblem {
  ModalBody body = {};               ///< shapes: one row per obstacle point
  std::vector<double> heights = {};  ///< g of each obstacle point [m]
  std::vector<Side> sides = {};      ///< one per point, or empty: the body is above all of them
  ModalState start = {};             ///< at t = 0; an empty velocity is rest
  ModalContactLaw law = NewtonRestitution{};
  std::vector<ModalContactLaw> laws = {};  ///< one per point, or empty: `law` at all of them
  double rate = 1e6;                       ///< steps per second [Hz], > 0
  ImpulseScaling scaling = ImpulseScaling::scaled;
  Activation activation = Activation::extrapolated;
  ModalStart first_step = ModalStart::published;
  CompliantScheme compliant = CompliantScheme::discrete_gradient;
};

/// The law at one obstacle point.
inline const ModalContactLaw& law_at(const ModalProblem& problem, std::size_t point) {
  return problem.laws.empty() ? problem.law : problem.laws[point];
}

/// Throws InvalidInput unless body, law, sizes and rate are usable.
void validate(const ModalProblem& problem);

/// One impulse of a run.
struct ContactImpulse {
  long long step;  ///< it acts on the step that ends at t = step/rate
  int contact;     ///< index of the obstacle point
  double impulse;  ///< [N s], pushing apart
};

/// The exact recursion of one mode over a step dt, with the backward difference w = (q - q^-)/dt:
///   dt w+ = e dt w - d q + a phi p,  q+ = q + dt w+,
/// e = exp(-2 sigma dt), d = 1 + e - 2 exp(-sigma dt) cos(sqrt(omega^2 - sigma^2) dt), written
/// without cancellation. issanchou2018 eqs. (18)-(27), errata items 1 and 3. It has the energy
///   H = M_h w^2/2 + m omega^2 q q^-/2,  H+ - H = -loss (dt (w+ + w))^2 + p phi (w+ + w)/2
/// for the scaled impulse, with M_h = m (1 + e)/(2 Minv): never negative, so the scheme is stable.
struct ModeStep {
  double decay;       ///< e
  double stiffness;   ///< d
  double admittance;  ///< a: displacement of the mode one step after a unit modal impulse
  double inertia;     ///< M_h/dt^2: of (dt w)^2/2
  double elasticity;  ///< m omega^2: of q q^-/2
  double loss;        ///< m (1 - e)/(4 Minv dt^2)
};
ModeStep mode_step(const Mode& mode, double dt, ImpulseScaling scaling);

/// The shapes with the sign of each point's side: gap_i = sum_j signed(i, j) q_j - signed_height_i.
ShapeMatrix signed_shapes(const ModalProblem& problem);
Eigen::VectorXd signed_heights(const ModalProblem& problem);

/// dt w at the start: by the problem's first_step.
Eigen::VectorXd start_difference(const ModalProblem& problem);

/// D = sum_j phi_j a_j phi_j^T: gaps gained one step after unit impulses [m/(N s)].
Eigen::MatrixXd contact_compliance(const ModalProblem& problem);

}  // namespace carom
