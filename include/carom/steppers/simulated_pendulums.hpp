#pragma once

#include <functional>
#include <variant>
#include <vector>

#include <carom/contacts/system_march.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/steppers/nonsmooth_march.hpp>
#include <carom/systems/pendulums.hpp>

namespace carom {

/// The law of the next impact, chosen when it begins: published damping formulas depend on the
/// closing speed and the effective mass.
using LawOfImpact = std::function<AnyLaw(const Collision&)>;

/// The restitution of the next impact, chosen when it begins.
using RestitutionOfImpact = std::function<NewtonRestitution(const Collision&)>;

/// What happens where the rods touch: a force law, one chosen anew for every impact, or Newton's
/// impact law (the piecewise, impulse-momentum treatment) with one restitution or one for every
/// impact.
using PendulumContact = std::variant<AnyLaw, LawOfImpact, NewtonRestitution, RestitutionOfImpact>;

struct PendulumSettings {
  double duration = 8.0;     ///< [s], > 0
  double tolerance = 1e-12;  ///< of one step of collocation, relative, 1e-13..1e-3 (rounding)
  /// Of a classical method, the one in `scheme` [s]; 0: collocation with steps of its own.
  double step = 0.0;
  SystemScheme scheme = SystemScheme::rk4;
  bool closes_energy = false;  ///< passive; false: event-driven
  double interval = 0.0;       ///< between kept samples [s]; 0 keeps none
  Surface surface = Surface::recovers;
};

struct PendulumImpact {
  ImpactRecord record;          ///< speeds along the normal
  int tip;                      ///< 0 or 1: the rod whose tip touches the other rod
  double along;                 ///< on the other rod, from its pivot, at first touch [m]
  double effective_mass;        ///< at first touch [kg]
  double impulse;               ///< [N s]
  PendulumState before, after;  ///< at first touch and at release
};

struct PendulumSample {
  double time;
  PendulumState state;
  double force;        ///< [N]
  double compression;  ///< [m]
  double impulse;      ///< of all contacts so far [N s]
};

struct PendulumRun {
  std::vector<PendulumImpact> impacts;
  std::vector<PendulumSample> samples;
  Ledger ledger;
  PendulumState end;
  MarchStatus status = MarchStatus::going;
};

/// Two rods as a system with contacts (contacts/system_march.hpp); either tip may touch the other
/// rod, from either side. Throws InvalidInput for parameters outside their range.
SystemMarch pendulum_march(const PendulumRods& rods, const PendulumState& start,
                           const PendulumContact& contact, const PendulumSettings& settings);
PendulumImpact pendulum_impact(const PendulumRods& rods, const SystemImpact& impact);
MotionState motion_of(const PendulumState& state);  ///< as q and v
PendulumState state_of(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
PendulumSample pendulum_sample(const SystemMarch& march);
/// By a nonsmooth scheme; rigid rods have no compression.
template <class Scheme>
PendulumSample pendulum_sample(const NonsmoothMarch<PendulumRods, Scheme>& march) {
  return {.time = march.time(),
          .state = state_of(march.position(), march.velocity()),
          .force = march.force(0) + march.force(1),
          .compression = 0.0,
          .impulse = march.impulse()};
}

/// The whole run at once.
PendulumRun simulate_pendulums(const PendulumRods& rods, const PendulumState& start,
                               const PendulumContact& contact, const PendulumSettings& settings);

}  // namespace carom
