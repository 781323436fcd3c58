// The energy of a step.

#include <algorithm>
#include <cmath>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr double closing_noise = 1e-13;  // energies of general systems are no better than that

}  // namespace

SystemMarch::Work SystemMarch::work_of(double h) {
  Work work;
  // Returns the power that is injected.
  const auto add = [&](const Point& p, double weight) {
    double lost = p.dissipation, injected = p.power;
    for (const int contact : parts_.near) {
      const std::size_t i = index(contact);
      const Phase phase = contacts_[i].state.phase();
      if (phase == Phase::resting) injected += p.f[i] * p.moved[i];
      if (phase != Phase::touching) continue;
      lost += std::max(0.0, p.lost[i] * p.r[i]);
      injected += p.f[i] * p.moved[i];
      if (!rubs_) continue;
      injected += contacts_[i].friction.stiffness * p.spring[i] * p.carried[i];
    }
    work.dissipated += weight * lost;
    work.injected += weight * injected;
    return injected;
  };
  if (settings_.scheme == SystemScheme::collocation) {
    for (int k = 0; k < S; ++k) power_in_[index(k)] = add(nodes_[k], h * table().weight[k]);
  } else {
    // Simpson's rule over both ends and the middle of the cubic between them.
    const Eigen::VectorXd way = end_point_.q - begin_.q, &v0 = begin_.v, &v1 = end_point_.v;
    scratch_.q = begin_.q + 0.5 * way + h / 8 * (v0 - v1);
    scratch_.v = 1.5 / h * way - 0.25 * (v0 + v1);
    evaluate(begin_.t + 0.5 * h, scratch_);
    add(begin_point_, h / 6);
    add(scratch_, 4 * h / 6);
    add(end_point_, h / 6);
  }
  // A spring that slips: int k_t s u dt less what it stores.
  for (std::size_t i = 0; rubs_ && i < contacts_.size(); ++i) {
    const Friction& friction = contacts_[i].friction;
    if (friction.slides == 0 || !contacts_[i].state.touching()) continue;
    double taken =
        0.5 * friction.stiffness * (square(begin_point_.spring[i]) - square(end_point_.spring[i]));
    for (int k = 0; k < S; ++k)
      taken += h * table().weight[k] * friction.stiffness * nodes_[k].spring[i] * nodes_[k].slip[i];
    work.dissipated += std::max(0.0, taken);
  }
  // A dent that a body is leaving gives its energy to its own damper.
  for (const int contact : parts_.near) {
    const std::size_t i = index(contact);
    const Touch& touch = contacts_[i];
    if (touch.state.phase() != Phase::recovering) continue;
    work.dissipated += touch.state.potential(touch.contact, begin_point_.x[i]) -
                       touch.state.potential(touch.contact, end_point_.x[i]);
  }
  return work;
}

bool SystemMarch::close(double h, Work& work, bool landed) {
  const double before = ledger_.stored();
  Moment to{begin_.t + h, end_point_.q, end_point_.v, end_point_.spring};
  const auto excess_of = [&](const Moment& m) {
    return stored(m) - before - work.injected + work.dissipated;
  };
  double excess = excess_of(to);
  // Kinetic and potential energy may cancel: by each of them it is seen how well the sum is known.
  const double size = std::max({highest_, std::abs(before), work.dissipated,
                                std::abs(work.injected), dynamics_.kinetic_energy(to.v)});
  if (!std::isfinite(excess)) return false;
  if (std::abs(excess) <= 0.5 * work.dissipated) {
    work.dissipated -= excess;
    return true;
  }
  if (std::abs(excess) <= 4 * rounding * size) return true;
  if (!(std::abs(excess) <= 1e-4 * size)) return false;
  double tau = landed ? 0.0 : h;
  for (const int i : parts_.near) {
    if (pressed(i)) tau = std::min(tau, contacts_[index(i)].period);
  }
  const auto moved = [&](double lambda) {
    for (const int c : parts_.moving) {
      to.q[c] = end_point_.q[c] - lambda * tau * tau * end_point_.a[c];
      to.v[c] = end_point_.v[c] + lambda * end_point_.v[c];
    }
    return excess_of(to);
  };
  double lambda = 0, other = 1e-8, at_other = moved(other);
  for (int k = 0; k < 12 && std::abs(excess) > 4 * rounding * size && at_other != excess; ++k) {
    const double next = lambda - excess * (lambda - other) / (excess - at_other);
    other = lambda;
    at_other = excess;
    lambda = next;
    excess = moved(lambda);
  }
  if (!(std::abs(lambda) < 1e-2) || !(std::abs(excess) <= closing_noise * size)) return false;
  end_point_.q = to.q;
  end_point_.v = to.v;
  compressions(to.t, end_point_);
  return true;
}

void SystemMarch::accept(double h, const Work& work) {
  note_extremes(h);
  for (const int contact : parts_.near) {
    const std::size_t i = index(contact);
    Touch& touch = contacts_[i];
    if (pressed(contact)) ++touch.steps;
    if (pressed(contact) || touch.state.phase() == Phase::resting) {
      double impulse = 0;
      if (settings_.scheme == SystemScheme::collocation) {
        for (int k = 0; k < S; ++k) impulse += h * table().weight[k] * nodes_[k].f[i];
      } else {
        impulse = 0.5 * h * (begin_point_.f[i] + end_point_.f[i]);
      }
      touch.impact.impulse += impulse;
      impulse_end_[i] += impulse;
    }
    if (touch.ghost &&
        (end_point_.x[i] < touch.state.onset(touch.contact) || event_.contact == contact)) {
      touch.ghost = false;
    }
  }
  fastest_ = std::max(fastest_, end_point_.v.squaredNorm());
  loss_ += work.dissipated;
  longest_h_ = std::max(longest_h_, h);
  end_ = {begin_.t + h, end_point_.q, end_point_.v, end_point_.spring};
}

}  // namespace carom
