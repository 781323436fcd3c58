#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/tools/roots.hpp>

#include <carom/core/cholesky.hpp>
#include <carom/steppers/contact_space.hpp>

#include "compliant_step.hpp"

// The compliant contacts of a step: discrete gradient or quadratised.
namespace carom {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// g = d psi/dx at the compression x, for V = psi^2/2 of a law without memory.
double psi_slope(const AnyLaw& any, double x) noexcept {
  return std::visit(
      [&](const auto& law) {
        const double stored = law.potential(x, ContactMemory{});
        return stored > 0 ? law.force(x, 0.0, ContactMemory{}).conserved / std::sqrt(2 * stored)
                          : 0.0;
      },
      any);
}

/// c of a lost force c v at the compression x.
double damper(const AnyLaw& any, double x) noexcept {
  return std::visit([&](const auto& law) { return law.force(x, 1.0, ContactMemory{}).lost; }, any);
}

/// Where between x_before and x_now a branch has ceased to hold, if the path decides about
/// it; else, the motion having turned, its deepest point.
template <BranchingLaw Law>
double switching_point(const Law& law, double x_before, double x_now, double rate,
                       const ContactMemory& memory) noexcept {
  const auto held = [&](double x) { return law.switching(x, rate, memory); };
  const double first = held(x_before), last = held(x_now);
  if (!(first > 0 && last < 0)) return std::max(x_before, x_now);
  const bool rising = x_before < x_now;
  std::uintmax_t evaluations = 100;
  return boost::math::tools::toms748_solve(
             held, std::min(x_before, x_now), std::max(x_before, x_now), rising ? first : last,
             rising ? last : first, boost::math::tools::eps_tolerance<double>(48), evaluations)
      .first;
}

}  // namespace

LawBehaviour behaviour_of(const AnyLaw& any) noexcept {
  return std::visit([](const auto& law) { return behaviour_of(law); }, any);
}

/// `use` with the CompliantStep of a contact.
template <class Use>
auto ContactSpace::use_step(int id, double before, double now, Use&& use) const noexcept {
  const Point& here = point(id);
  return std::visit(
      [&](const auto& law) {
        return use(CompliantStep(law, here.behaviour, states_[at(id)], before, now, dt_));
      },
      here.law);
}

bool ContactSpace::step_soft(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                             std::span<double> impulses) noexcept {
  bool pushed = solve_soft(ids, before, now, free, impulses);
  if (!stateless_) {
    std::fill_n(flipped_.begin(), ids.size(), 0);
    while (revise_states(ids, before, now)) pushed = solve_soft(ids, before, now, free, impulses);
  }
  account_soft(ids, before, now);
  return pushed;
}

bool ContactSpace::solve_soft(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                              std::span<double> impulses) noexcept {
  return quadratised_ ? solve_quadratised(ids, before, now, free, impulses)
                      : solve_gradient(ids, before, now, free, impulses);
}

// The state of a contact becomes `next` unless its store [V(x_before) + V(x_now)]/2 rises by that
// beyond rounding.
bool ContactSpace::change_state(int id, const CompliantState& next, double x_before,
                                double x_now) noexcept {
  CompliantState& state = states_[at(id)];
  const auto stored = [&] {
    return use_step(id, 0.0, 0.0, [&](const auto& step) {
      return (step.potential(x_before) + step.potential(x_now)) / 2;
    });
  };
  const double stored_before = stored();
  const CompliantState last = state;
  state = next;
  const double rise = stored() - stored_before;
  if (rise > 1e-14 * std::abs(stored_before)) {
    state = last;
    return false;
  }
  (rise > 0 ? energy_.gained : energy_.dissipated) += std::abs(rise);
  return true;
}

// After a solve: contacts whose state does not hold in the motion r_ that was found get another,
// each at most once a step and in either sense, so that this ends. Returns whether any did.
bool ContactSpace::revise_states(std::span<const int> ids, Numbers before, Numbers now) noexcept {
  bool revised = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CompliantState& state = states_[at(ids[i])];
    if (flipped_[i] != 0) continue;
    if (state.released) {  // compressed anew
      if (!(r_[i] < 0)) continue;
      state.released = false;
      flipped_[i] = 1;
      revised = true;
      continue;
    }
    if (!state.touching) continue;
    std::visit(
        [&]<class Law>(const Law& law) {
          if constexpr (BranchingLaw<Law>) {
            // A force that jumps where the motion turns holds the contact there, r = 0 but for
            // rounding: it has turned.
            const double turned = r_[i] + 1e-10 * std::max(std::abs(before[i]), std::abs(now[i]));
            const double rate = -turned / (2 * dt_);
            if (!(law.switching(-now[i], rate, state.memory) < 0)) return;
            CompliantState next = state;
            next.memory = law.flip(switching_point(law, -before[i], -now[i], rate, state.memory),
                                   state.memory);
            if (!change_state(ids[i], next, -before[i], -now[i])) return;
            flipped_[i] = 1;
            revised = true;
          }
        },
        point(ids[i]).law);
  }
  return revised;
}

// After the solve: r_ holds gap+ - gap^- of each contact.
void ContactSpace::account_soft(std::span<const int> ids, Numbers before, Numbers now) noexcept {
  energy_.stored = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (quadratised_) {
      account_quadratised(ids[i], now[i], i);
      continue;
    }
    if (now[i] >= 0 && idle(ids[i], before[i], r_[i])) continue;
    const LawBehaviour& law = point(ids[i]).behaviour;
    CompliantState& state = states_[at(ids[i])];
    const double x = -now[i], next_x = -before[i] - r_[i];
    bool lets_go = false;
    use_step(ids[i], before[i], now[i], [&](const auto& step) {
      const auto outcome = step.outcome(r_[i]);
      energy_.dissipated += outcome.loss;
      energy_.stored += (step.potential(x) + outcome.after) / 2;
      lets_go = outcome.let_go;
    });
    if (law.stateless()) continue;
    if (law.by_force) state.released = lets_go && (x > 0 || next_x > 0);
    if (!law.remembers_touch) continue;
    const double edge_now = std::visit(
        [&](const auto& one) {
          return state.touching ? edge(one, state.memory) : onset(one, state.memory);
        },
        point(ids[i]).law);
    const double lost = energy_.dissipated - energy_.gained;
    if (!state.touching && next_x > edge_now) {
      change_state(ids[i], {.touching = true, .released = false, .memory = {}}, x, next_x);
    } else if (state.touching && x <= edge_now && next_x <= edge_now) {
      change_state(ids[i], {}, x, next_x);
    }
    energy_.stored -= energy_.dissipated - energy_.gained - lost;  // by the change of state
  }
}

void ContactSpace::renew_store(Numbers before, Numbers now) noexcept {
  energy_.stored = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const int id = static_cast<int>(i);
    if (!compliant(id)) continue;
    if (quadratised_) {
      const double stored = std::visit(
          [&](const auto& law) { return law.potential(std::max(0.0, -now[i]), ContactMemory{}); },
          point(id).law);
      psi_[i] = std::sqrt(2 * stored);
      energy_.stored += stored;
      continue;
    }
    if (now[i] >= 0 && before[i] >= 0 && !engaged(id)) continue;
    energy_.stored += use_step(id, before[i], now[i], [&](const auto& step) {
      return (step.potential(-before[i]) + step.potential(-now[i])) / 2;
    });
  }
}

// With g = d psi/dx: psi+ = psi - g r/2. Where the contact did not pull though its force would have
// (let_go_), psi only falls, and as far as the motion goes.
void ContactSpace::account_quadratised(int id, double now, std::size_t place) noexcept {
  double& psi = psi_[at(id)];
  if (!(now < 0)) {  // what psi still holds where a contact has opened is given up
    energy_.dissipated += psi * psi / 2;
    psi = 0;
    return;
  }
  const double r = r_[place], next = psi - psi_slope(point(id).law, -now) * r / 2;
  if (let_go_[place] != 0) {
    const double kept = std::clamp(next, std::min(psi, 0.0), std::max(psi, 0.0));
    energy_.dissipated += (psi * psi - kept * kept) / 2;
    psi = kept;
  } else {
    psi = next;
    if (point(id).behaviour.damped) {
      energy_.dissipated += damper(point(id).law, -now) * r * r / (4 * dt_);
    }
  }
  energy_.stored += psi * psi / 2;
}

// r = b + D p(r) with p falling in r: one root, between b and b + D p(b). Newton inside the
// bracket. Where p jumps (a branch that holds for one sense of motion alone), the bracket closes on
// the jump and the impulse is what keeps the contact there.
ContactSpace::Solved ContactSpace::solve_one(int id, double before, double now,
                                             double free) const noexcept {
  return use_step(id, before, now, [&](const auto& step) -> Solved {
    const double compliance = compliance_(id, id);
    const double b = free - before;
    const auto at_b = step.respond(b);
    if (at_b.impulse == 0) return {.r = b, .impulse = 0, .converged = true};
    double low = b, high = b + compliance * at_b.impulse;
    if (low > high) std::swap(low, high);
    double r = b + compliance * at_b.impulse / (1 - compliance * at_b.slope);
    double impulse = at_b.impulse;
    bool bracketed = false;  // the end away from b was seen to be one
    if (point(id).behaviour.pulls) {
      // V need not be convex, nor p fall. Far enough out there is always an end: p is bounded
      // where bodies leave and grows where they approach.
      double& far = at_b.impulse > 0 ? high : low;
      // Not zero, where the impulse moves heavy bodies by less than rounding.
      const double least = std::copysign(4e-16 * std::abs(b) + 1e-300, at_b.impulse);
      for (double width = far == b ? least : far - b; !bracketed && std::isfinite(width);
           width *= 2) {
        far = b + width;
        const double error = far - b - compliance * step.respond(far).impulse;
        bracketed = (error > 0) == (at_b.impulse > 0);
      }
    }
    for (int iteration = 0; iteration < 200; ++iteration) {
      // Where p does not fall Newton can circle for long; every other step is then a halving.
      const bool halve = iteration >= 20 && iteration % 2 == 0;
      if (halve || !(r > low && r < high)) r = (low + high) / 2;
      const auto response = step.respond(r);
      impulse = response.impulse;
      const double error = r - b - compliance * impulse;
      (error > 0 ? high : low) = r;
      bracketed |= (error > 0) == (at_b.impulse > 0);
      const double stiffening = 1 - compliance * response.slope;
      const double next = r - error / stiffening;
      // A contact that all but stops the bodies has |r| << |b|; its force is that of r, so r is
      // needed to its own digits. The error is known to those of b, which Newton's step divides.
      const double tolerance = 4e-16 * (std::abs(r) + std::abs(b) / std::max(1.0, stiffening));
      if (std::abs(next - r) <= tolerance) {
        // The last step in p too: a stiff contact's p changes much within the last digit of r, and
        // the bodies move by D p.
        const double last = impulse - response.slope * error / stiffening;
        return {.r = next, .impulse = last * impulse > 0 ? last : impulse, .converged = true};
      }
      if (high - low <= tolerance)
        return {.r = r, .impulse = (r - b) / compliance, .converged = bracketed};
      r = next;
    }
    return {.r = b + compliance * impulse, .impulse = impulse, .converged = false};
  });
}

bool ContactSpace::solve_gradient(std::span<const int> ids, Numbers before, Numbers now,
                                  Numbers free, std::span<double> impulses) noexcept {
  const std::size_t count = ids.size();
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    impulses[i] = 0;
    r_[i] = free[i] - before[i];
    any |= active(ids[i], before[i], now[i], free[i]);
  }
  if (!any) return false;
  double scale = 0;
  bool converged = true;
  std::size_t acting = 0, only = 0;
  for (std::size_t i = 0; i < count; ++i) {
    scale = std::max(scale, std::abs(free[i]) + std::abs(before[i]));
    if (!active(ids[i], before[i], now[i], free[i])) continue;
    ++acting;
    only = i;
    const Solved alone = solve_one(ids[i], before[i], now[i], free[i]);
    impulses[i] = alone.impulse;
    r_[i] = alone.r;
    converged &= alone.converged;
  }
  bool coupled = acting > 1;
  for (std::size_t i = 0; acting == 1 && i < count; ++i) {
    if (i == only) continue;
    r_[i] += compliance_(ids[i], ids[only]) * impulses[only];
    coupled |= !idle(ids[i], before[i], r_[i]);
  }
  if (coupled) {
    const double goal = 1e-15 * scale * std::sqrt(static_cast<double>(count));
    double norm = residual_at(ids, before, now, free, r_, impulses);
    if (norm > goal) norm = newton(ids, before, now, free, norm, goal, impulses);
    converged = norm <= 1e3 * goal;
    if (converged) {
      polish(ids, impulses);
    } else {
      converged = sweep(ids, before, now, free, scale, impulses);
    }
  }
  if (!converged) ++unsolved_;
  return std::any_of(impulses.begin(), impulses.begin() + static_cast<std::ptrdiff_t>(count),
                     [](double p) { return p != 0; });
}

// |F|, F(r) = r - b - D p(r), into residual_; p and its slopes on the way.
double ContactSpace::residual_at(std::span<const int> ids, Numbers before, Numbers now,
                                 Numbers free, const std::vector<double>& r,
                                 std::span<double> impulses) noexcept {
  const std::size_t count = ids.size();
  for (std::size_t i = 0; i < count; ++i) {
    impulses[i] = slope_[i] = 0;
    if (idle(ids[i], before[i], r[i])) continue;
    use_step(ids[i], before[i], now[i], [&](const auto& step) {
      const auto response = step.respond(r[i]);
      impulses[i] = response.impulse;
      slope_[i] = std::min(0.0, response.slope);
    });
  }
  double norm = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = r[i] - (free[i] - before[i]);
    for (std::size_t k = 0; k < count; ++k) {
      if (impulses[k] != 0) sum -= compliance_(ids[i], ids[k]) * impulses[k];
    }
    residual_[i] = sum;
    norm += sum * sum;
  }
  return std::sqrt(norm);
}

// delta of (I - D p') delta = -F for every contact into q_, p' delta of those whose force reacts,
// the first rows_, into z_. Returns how many do.
int ContactSpace::newton_move(std::span<const int> ids) noexcept {
  const std::size_t count = ids.size();
  int n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (slope_[i] == 0) continue;
    q_[at(n)] = -slope_[i];
    z_[at(n)] = -residual_[i];
    rows_[at(n++)] = static_cast<int>(i);
  }
  solve_reaction(ids, n);
  for (int c = 0; c < n; ++c) z_[at(c)] *= slope_[at(rows_[at(c)])];
  for (std::size_t i = 0; i < count; ++i) {
    double move = -residual_[i];
    for (int c = 0; c < n; ++c) move += compliance_(ids[i], ids[at(rows_[at(c)])]) * z_[at(c)];
    q_[i] = move;
  }
  return n;
}

// One more step in p as well as in r, as in solve_one: the bodies move by D p.
void ContactSpace::polish(std::span<const int> ids, std::span<double> impulses) noexcept {
  const int n = newton_move(ids);
  for (int c = 0; c < n; ++c) {
    double& impulse = impulses[at(rows_[at(c)])];
    if (!((impulse + z_[at(c)]) * impulse > 0)) return;
  }
  for (int c = 0; c < n; ++c) impulses[at(rows_[at(c)])] += z_[at(c)];
  for (std::size_t i = 0; i < ids.size(); ++i) r_[i] += q_[i];
}

// Newton with (I - D p') delta = -F, halved until |F| falls. Leaves r_, the impulses and |F|.
double ContactSpace::newton(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                            double norm, double goal, std::span<double> impulses) noexcept {
  const std::size_t count = ids.size();
  for (int iteration = 0; iteration < 60 && norm > goal; ++iteration) {
    newton_move(ids);
    double factor = 1, next = norm;
    for (int halving = 0; halving < 30; ++halving, factor /= 2) {
      for (std::size_t i = 0; i < count; ++i) trial_[i] = r_[i] + factor * q_[i];
      next = residual_at(ids, before, now, free, trial_, impulses);
      if (next < norm * (1 - factor / 4)) break;
    }
    if (!(next < norm)) return residual_at(ids, before, now, free, r_, impulses);  // at rounding
    std::swap(r_, trial_);
    norm = next;
  }
  return norm;
}

// z_ becomes the solution of (I + D C) z = z_ at the contacts ids[rows_[0..size)], C = diag(q_)
// positive. With S = sqrt(C) it is S^-1 (I + S D S)^-1 S z_, symmetric positive definite.
void ContactSpace::solve_reaction(std::span<const int> ids, int size) noexcept {
  auto matrix = matrix_.topLeftCorner(size, size);
  auto reaction = reaction_.head(size);
  for (int c = 0; c < size; ++c) {
    const double root = std::sqrt(q_[at(c)]);
    reaction[c] = root * z_[at(c)];
    for (int a = c; a < size; ++a) {
      matrix(a, c) = (a == c) + std::sqrt(q_[at(a)]) * root *
                                    compliance_(ids[at(rows_[at(a)])], ids[at(rows_[at(c)])]);
    }
  }
  if (!factor_cholesky(matrix)) reaction.setZero();  // not finite; the residual will tell
  solve_cholesky(matrix, reaction);
  for (int c = 0; c < size; ++c) z_[at(c)] = reaction[c] / std::sqrt(q_[at(c)]);
}

// Where Newton's method stalls, at jumps of the force: one contact after the other under the
// impulses of all others. D is positive definite and forces fall with the gap: a descent.
bool ContactSpace::sweep(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                         double scale, std::span<double> impulses) noexcept {
  for (int turn = 0; turn < 500; ++turn) {
    double moved = 0;
    bool converged = true;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      double others = free[i];
      for (std::size_t k = 0; k < ids.size(); ++k) {
        if (k != i) others += compliance_(ids[i], ids[k]) * impulses[k];
      }
      const Solved solved = solve_one(ids[i], before[i], now[i], others);
      converged &= solved.converged;
      const double own = compliance_(ids[i], ids[i]);
      moved = std::max(moved, own * std::abs(solved.impulse - impulses[i]));
      impulses[i] = solved.impulse;
      r_[i] = solved.r;
    }
    if (moved <= 1e-14 * scale) return converged;
  }
  return false;
}

// With g = d psi/dx at the present x: psi+ = psi - g r/2, f = g (psi+ + psi)/2, linear in r. A
// contact that would pull is left out, and the others are solved again.
bool ContactSpace::solve_quadratised(std::span<const int> ids, Numbers before, Numbers now,
                                     Numbers free, std::span<double> impulses) noexcept {
  const std::size_t count = ids.size();
  for (std::size_t i = 0; i < count; ++i) {
    let_go_[i] = 0;
    slope_[i] = residual_[i] = 0;
    if (!(now[i] < 0)) continue;
    const Point& here = point(ids[i]);
    slope_[i] = psi_slope(here.law, -now[i]);
    residual_[i] = here.behaviour.damped ? damper(here.law, -now[i]) / 2 : 0;
  }
  for (bool again = true; again;) {
    // p = dt g psi - c r with c = dt g^2/4 + damper; (I + D c) r = b + D (dt g psi).
    int n = 0;
    for (std::size_t i = 0; i < count; ++i) {
      impulses[i] = 0;
      if (!(now[i] < 0) || let_go_[i] != 0) continue;
      q_[at(n)] = dt_ * slope_[i] * slope_[i] / 4 + residual_[i];
      if (q_[at(n)] > 0) rows_[at(n++)] = static_cast<int>(i);
    }
    const auto push = [&](int c) {
      const std::size_t i = at(rows_[at(c)]);
      return dt_ * slope_[i] * psi_[at(ids[i])];
    };
    for (int a = 0; a < n; ++a) {
      const std::size_t i = at(rows_[at(a)]);
      z_[at(a)] = free[i] - before[i];
      for (int c = 0; c < n; ++c) z_[at(a)] += compliance_(ids[i], ids[at(rows_[at(c)])]) * push(c);
    }
    solve_reaction(ids, n);
    again = false;
    for (int a = 0; a < n; ++a) {
      const std::size_t i = at(rows_[at(a)]);
      impulses[i] = push(a) - q_[at(a)] * z_[at(a)];
      if (!(impulses[i] < 0)) continue;
      let_go_[i] = 1;
      again = true;
    }
  }
  bool pushed = false;
  for (std::size_t i = 0; i < count; ++i) {
    r_[i] = free[i] - before[i];
    for (std::size_t k = 0; k < count; ++k) r_[i] += compliance_(ids[i], ids[k]) * impulses[k];
    pushed |= impulses[i] != 0;
  }
  return pushed;
}

}  // namespace carom
