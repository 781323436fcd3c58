#pragma once

#include <functional>
#include <variant>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/steppers/wall_march.hpp>
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
  double tolerance = 1e-12;  ///< relative, of one step, 1e-13..1e-3 (rounding)
  double step = 0.0;         ///< of the classical Runge-Kutta method [s]; 0: Fehlberg's, adaptive
  double interval = 0.0;     ///< between kept samples [s]; 0 keeps none
  Surface surface = Surface::recovers;
  int most_impacts = 100000;
  /// Asked before each step with the time [s]; false ends the run where it is.
  std::function<bool(double)> keep_going = {};
  ResumeRun resume = {};  ///< its state may be used within keep_going()
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

enum class PendulumStatus {
  done,
  impact_limit,       ///< more impacts than allowed
  sustained_contact,  ///< Newton's law and impacts that follow each other ever faster
  step_limit,         ///< the step size fell below what the tolerance can resolve
  not_finite,         ///< steps of fixed length were too long for the contact
};

struct PendulumRun {
  std::vector<PendulumImpact> impacts;
  std::vector<PendulumSample> samples;
  Ledger ledger;
  PendulumState end;
  PendulumStatus status = PendulumStatus::done;
};

/// Event-driven: Runge-Kutta-Fehlberg of order eight with step control; touch and release are the
/// step lengths at which the method itself meets the condition. With settings.step the classical
/// Runge-Kutta method on a grid of that step takes its place; events are located in the same way.
/// Either tip may touch the other rod, from either side. Throws InvalidInput for parameters outside
/// their range.
PendulumRun simulate_pendulums(const PendulumRods& rods, const PendulumState& start,
                               const PendulumContact& contact, const PendulumSettings& settings);

}  // namespace carom
