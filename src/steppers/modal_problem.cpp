#include <cmath>
#include <numbers>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/contact_space.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {
namespace {

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

double sign(const ModalProblem& problem, Eigen::Index contact) {
  return !problem.sides.empty() && problem.sides[at(contact)] == Side::below ? -1.0 : 1.0;
}

void require_size(const char* name, Eigen::Index size, Eigen::Index expected) {
  if (size == expected) return;
  throw InvalidInput(std::string(name) + " = " + std::to_string(size) + " values: must be " +
                     std::to_string(expected));
}

void validate_law(const ModalContactLaw& contact, CompliantScheme scheme) {
  if (const auto* newton = std::get_if<NewtonRestitution>(&contact)) return validate(*newton);
  const AnyLaw& any = std::get<AnyLaw>(contact);
  validate(any);
  const std::string name(law_name(any));
  const double start = std::visit([](const auto& law) { return onset(law, {}); }, any);
  if (start < 0) {
    throw InvalidInput("law '" + name +
                       "' begins to act at a distance: a modal body is free while gaps are open");
  }
  const std::string reason = refusal(scheme, any);
  if (!reason.empty()) throw InvalidInput("law '" + name + "' cannot be quadratised: " + reason);
}

}  // namespace

std::string refusal(CompliantScheme scheme, const AnyLaw& law) {
  if (scheme != CompliantScheme::quadratised) return {};
  const LawBehaviour found = behaviour_of(law);
  if (found.power && found.linear && found.stateless() && !found.pulls) return {};
  return std::string(quadratised_needs);
}

void validate(const ModalProblem& problem) {
  validate(problem.body);
  const auto contacts = static_cast<Eigen::Index>(problem.heights.size());
  require_size("contact shapes", problem.body.shapes.rows(), contacts);
  for (const double height : problem.heights) require_finite("obstacle height", height);
  if (!problem.sides.empty()) {
    require_size("sides", static_cast<Eigen::Index>(problem.sides.size()), contacts);
  }
  require_size("start position", problem.start.position.size(), problem.body.mode_count());
  if (problem.start.velocity.size() != 0) {
    require_size("start velocity", problem.start.velocity.size(), problem.body.mode_count());
  }
  for (const double q : problem.start.position) require_finite("start position", q);
  for (const double v : problem.start.velocity) require_finite("start velocity", v);
  if (!problem.laws.empty()) {
    require_size("laws", static_cast<Eigen::Index>(problem.laws.size()), contacts);
  }
  validate_law(problem.law, problem.compliant);
  for (const ModalContactLaw& each : problem.laws) validate_law(each, problem.compliant);
  require_positive("rate", problem.rate);
}

ModeStep mode_step(const Mode& mode, double dt, ImpulseScaling scaling) {
  const double omega_dt = 2 * std::numbers::pi * mode.frequency * dt;
  const double sigma_dt = mode.damping * dt;
  const double e = std::exp(-2 * sigma_dt);
  const double squared = (omega_dt - sigma_dt) * (omega_dt + sigma_dt);
  double d = 0;
  if (squared >= 0) {
    const double r = std::exp(-sigma_dt);
    const double half_sine = std::sin(std::sqrt(squared) / 2);
    const double lost = -std::expm1(-sigma_dt);
    d = lost * lost + 4 * r * half_sine * half_sine;
  } else {  // (1 - slow root)(1 - fast root), the slow one without cancellation
    const double s = std::sqrt(-squared);
    const double slow = omega_dt * omega_dt / (sigma_dt + s);
    d = std::expm1(-slow) * std::expm1(-(sigma_dt + s));
  }
  double inverse = 1;  // Minv = d/(omega dt)^2 and its limit for omega -> 0
  if (omega_dt > 0) {
    inverse = d / (omega_dt * omega_dt);
  } else if (sigma_dt > 0) {
    inverse = -std::expm1(-2 * sigma_dt) / (2 * sigma_dt);
  }
  const double inertia = mode.mass / (inverse * dt * dt);
  return {.decay = e,
          .stiffness = d,
          .admittance = (scaling == ImpulseScaling::scaled ? inverse : 1.0) * dt / mode.mass,
          .inertia = inertia * (1 + e) / 2,
          .elasticity = mode.mass * omega_dt * omega_dt / (dt * dt),
          .loss = -inertia * std::expm1(-2 * sigma_dt) / 4};
}

ShapeMatrix signed_shapes(const ModalProblem& problem) {
  ShapeMatrix shapes = problem.body.shapes;
  for (Eigen::Index i = 0; i < shapes.rows(); ++i) shapes.row(i) *= sign(problem, i);
  return shapes;
}

Eigen::VectorXd signed_heights(const ModalProblem& problem) {
  Eigen::VectorXd heights(static_cast<Eigen::Index>(problem.heights.size()));
  for (Eigen::Index i = 0; i < heights.size(); ++i) {
    heights[i] = sign(problem, i) * problem.heights[at(i)];
  }
  return heights;
}

Eigen::VectorXd start_difference(const ModalProblem& problem) {
  const double dt = 1 / problem.rate;
  const Eigen::Index count = problem.body.mode_count();
  Eigen::VectorXd difference = Eigen::VectorXd::Zero(count);
  if (problem.start.velocity.size() != 0) difference = dt * problem.start.velocity;
  if (problem.first_step == ModalStart::published) return difference;
  // One step back: q(-dt) = e^{2 sigma dt} [v_from_v q - q_from_v v], the inverse of free_motion.
  for (Eigen::Index j = 0; j < count; ++j) {
    const Mode& mode = problem.body.modes[at(j)];
    if (mode.damping * dt > 100) continue;  // no memory of the step before: e^-200 of it is left
    const ModePropagator p = free_motion(mode, dt);
    const double growth = std::exp(2 * mode.damping * dt);
    const double q = problem.start.position[j], v = difference[j] / dt;
    // 1 - growth * v_from_v, small for slow modes, from its two small parts.
    const double e_minus_v = std::exp(-2 * mode.damping * dt) - p.v_from_v;
    difference[j] = growth * (e_minus_v * q + p.q_from_v * v);
  }
  return difference;
}

Eigen::MatrixXd contact_compliance(const ModalProblem& problem) {
  const ShapeMatrix shapes = signed_shapes(problem);
  Eigen::VectorXd admittance(problem.body.mode_count());
  for (Eigen::Index j = 0; j < admittance.size(); ++j) {
    admittance[j] =
        mode_step(problem.body.modes[at(j)], 1 / problem.rate, problem.scaling).admittance;
  }
  return shapes * admittance.asDiagonal() * shapes.transpose();
}

}  // namespace carom
