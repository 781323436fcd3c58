// A system of your own: a pendulum whose bob can hit a wall, by all three nonsmooth methods
// and by a compliant law.
// docs/own_system.md explains it line by line.

#include <cmath>
#include <cstdio>

#include <carom/contacts/system_march.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>

/// A rod of mass m and length l hung at one end, q = (angle from the vertical); a wall stands at
/// distance `wall` from the vertical, and the free end can touch it.
struct HangingRod {
  double mass = 0.5;    // [kg]
  double length = 0.4;  // [m]
  double wall = 0.1;    // [m]
  double gravity = 9.81;
  double friction = 0.002;  // of the hinge [N m s]

  int coordinates() const { return 1; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
    M(0, 0) = mass * length * length / 3;
  }
  void force(double /*t*/, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    f[0] = -mass * gravity * length / 2 * std::sin(q[0]) - friction * v[0];
  }
  double dissipation(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v) const {
    return friction * v[0] * v[0];
  }
  double potential_energy(const Eigen::VectorXd& q) const {
    return mass * gravity * length / 2 * (1 - std::cos(q[0]));
  }
  void gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g[0] = wall - length * std::sin(q[0]);
  }
  void gap_gradients(double /*t*/, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
    G(0, 0) = -length * std::cos(q[0]);
  }
};
static_assert(carom::SystemWithGaps<HangingRod>);

template <class Stepper>
void swing(Stepper stepper) {
  int impacts = 0;
  bool touched = false;
  carom::march(stepper, 5.0, [&](const Stepper& s) {
    impacts += s.touching() && !touched ? 1 : 0;
    touched = s.touching();
  });
  const carom::Ledger& ledger = stepper.ledger();
  std::printf(
      "%-16s %3d contacts, angle %+.5f rad, energy %.6f J = %.6f J - %.6f J lost, off by %.1e J\n",
      Stepper::traits.name.data(), impacts, stepper.position()[0], ledger.stored(),
      ledger.initial(), ledger.dissipated(), ledger.residual());
}

/// The same on a wall that gives way: a contact with a force, in place of a restitution.
void swing_on_a_law(const HangingRod& rod, const carom::MotionState& start) {
  const carom::HuntCrossley law{.stiffness = 1e7, .exponent = 1.5, .mu = 0.5};
  carom::SystemMarch system(carom::AnySystem(rod), {carom::AnyLaw(law)}, carom::Surface::recovers,
                            start, {.rate = 1e3, .end = 5.0});
  int impacts = 0;
  double hardest = 0.0;
  carom::march(system, 5.0, [&](const carom::SystemMarch& now) {
    if (now.sampled()) {
      for (const carom::SystemImpact& impact : now.finished()) {
        ++impacts;
        hardest = std::fmax(hardest, impact.record.max_force);
      }
    }
    return now.status() == carom::MarchStatus::going || now.status() == carom::MarchStatus::at_rest;
  });
  system.finish();
  std::printf("%-16s %3d contacts, angle %+.5f rad, up to %.0f N, %.6f J lost, off by %.1e J\n",
              "passive", impacts, system.position()[0], hardest, system.ledger().dissipated(),
              system.ledger().residual());
}

int main() {
  const HangingRod rod;
  const carom::MotionState start{Eigen::VectorXd::Constant(1, -1.0), Eigen::VectorXd::Zero(1)};
  const std::vector<carom::NewtonRestitution> law{{.restitution = 0.6}};
  const carom::NonsmoothSettings settings{.step = 1e-4};
  swing(carom::PaoliSchatzman(rod, law, start, settings));
  swing(carom::MoreauJean(rod, law, start, {.common = settings}));
  swing(carom::NewmarkImpacts(rod, law, start, {.common = settings}));
  swing_on_a_law(rod, start);
}
