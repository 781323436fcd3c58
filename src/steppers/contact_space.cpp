#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_space.hpp>

namespace carom {

ContactSpace::ContactSpace(const ModalProblem& problem)
    : compliance_(contact_compliance(problem)),
      dt_(1 / problem.rate),
      quadratised_(problem.compliant == CompliantScheme::quadratised),
      pivoting_(static_cast<int>(problem.heights.size())) {
  const auto count = problem.heights.size();
  points_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ModalContactLaw& law = law_at(problem, i);
    if (const auto* newton = std::get_if<NewtonRestitution>(&law)) {
      points_[i].restitution = newton->restitution;
      hard_ = true;
      continue;
    }
    soft_ = points_[i].compliant = true;
    points_[i].law = std::get<AnyLaw>(law);
    points_[i].behaviour = behaviour_of(points_[i].law);
    stateless_ = stateless_ && points_[i].behaviour.stateless();
  }
  states_.resize(count);
  if (hard_ && problem.activation == Activation::extrapolated) lead_ = 0.5;
  if (soft_ && quadratised_) psi_.assign(count, 0.0);
  for (auto* list : {&rows_, &places_}) list->resize(count);
  for (auto* list : {&q_, &z_, &r_, &slope_, &residual_, &trial_}) list->resize(count);
  for (auto* list : {&flipped_, &let_go_}) list->resize(count);
  if (soft_) {
    matrix_.resize(compliance_.rows(), compliance_.cols());
    reaction_.resize(compliance_.rows());
  }
  if (mixed()) {
    for (auto* list : {&mixed_ids_, &mixed_places_}) list->resize(count);
    for (auto* list : {&mixed_before_, &mixed_now_, &mixed_free_, &mixed_shifted_, &mixed_impulse_})
      list->resize(count);
  }
  if (!soft_) return;
  // What begins within an obstacle has energy stored there.
  const ShapeMatrix shapes = signed_shapes(problem);
  const Eigen::VectorXd now = shapes * problem.start.position - signed_heights(problem);
  const Eigen::VectorXd before = now - shapes * start_difference(problem);
  renew_store({before.data(), count}, {now.data(), count});
}

void ContactSpace::save(Memory& memory) const {
  memory.energy = energy_;
  memory.unsolved = unsolved_;
  memory.psi = psi_;
  memory.states = states_;
}

void ContactSpace::restore(const Memory& memory) noexcept {
  energy_ = memory.energy;
  unsolved_ = memory.unsolved;
  std::copy(memory.psi.begin(), memory.psi.end(), psi_.begin());
  std::copy(memory.states.begin(), memory.states.end(), states_.begin());
}

bool ContactSpace::step(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                        std::span<double> impulses) noexcept {
  if (mixed()) return step_mixed(ids, before, now, free, impulses);
  if (soft_) return step_soft(ids, before, now, free, impulses);
  if (!solve_hard(ids, before, now, free, impulses)) return false;
  account_hard(ids, before, now, impulses);
  return true;
}

// Gauss-Seidel between the hard and the soft contacts. D is positive definite and the forces of
// both kinds fall with the gap, so it is a descent and converges; contacts apart feel each other
// little within a step, so it takes a few turns.
bool ContactSpace::step_mixed(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                              std::span<double> impulses) noexcept {
  std::size_t hard = 0, count = 0;
  double scale = 0;
  for (const bool compliant_turn : {false, true}) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (compliant(ids[i]) != compliant_turn) continue;
      mixed_ids_[count] = ids[i];
      mixed_places_[count] = static_cast<int>(i);
      mixed_before_[count] = before[i];
      mixed_now_[count] = now[i];
      mixed_free_[count] = free[i];
      mixed_impulse_[count] = 0;
      scale = std::max(scale, std::abs(free[i]) + std::abs(before[i]));
      ++count;
    }
    if (!compliant_turn) hard = count;
  }
  const auto part = [&](auto& list, bool soft) {
    return std::span(list).subspan(soft ? hard : 0, soft ? count - hard : hard);
  };
  const auto shift = [&](bool soft) {  // free gaps under the impulses of the other kind
    for (std::size_t i = soft ? hard : 0; i < (soft ? count : hard); ++i) {
      mixed_shifted_[i] = mixed_free_[i];
      for (std::size_t k = soft ? 0 : hard; k < (soft ? hard : count); ++k) {
        mixed_shifted_[i] += compliance_(mixed_ids_[i], mixed_ids_[k]) * mixed_impulse_[k];
      }
    }
  };
  constexpr int max_turns = 200;
  bool settled = false;
  std::fill(flipped_.begin(), flipped_.end(), 0);
  for (int turn = 0; turn < max_turns && !settled; ++turn) {
    shift(true);
    solve_soft(part(mixed_ids_, true), part(mixed_before_, true), part(mixed_now_, true),
               part(mixed_shifted_, true), part(mixed_impulse_, true));
    shift(false);
    for (std::size_t i = 0; i < hard; ++i) trial_[i] = mixed_impulse_[i];
    solve_hard(part(mixed_ids_, false), part(mixed_before_, false), part(mixed_now_, false),
               part(mixed_shifted_, false), part(mixed_impulse_, false));
    double moved = 0;
    for (std::size_t i = 0; i < hard; ++i) {
      moved = std::max(moved, compliance_(mixed_ids_[i], mixed_ids_[i]) *
                                  std::abs(mixed_impulse_[i] - trial_[i]));
    }
    settled = moved <= 1e-14 * scale;  // rounding moves it by 2e-15
    if (settled && !stateless_) {
      settled =
          !revise_states(part(mixed_ids_, true), part(mixed_before_, true), part(mixed_now_, true));
    }
  }
  if (!settled) ++unsolved_;
  account_hard(part(mixed_ids_, false), part(mixed_before_, false), part(mixed_now_, false),
               part(mixed_impulse_, false));
  account_soft(part(mixed_ids_, true), part(mixed_before_, true), part(mixed_now_, true));
  bool pushed = false;
  for (std::size_t i = 0; i < count; ++i) {
    impulses[static_cast<std::size_t>(mixed_places_[i])] = mixed_impulse_[i];
    pushed |= mixed_impulse_[i] != 0;
  }
  return pushed;
}

bool ContactSpace::solve_hard(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                              std::span<double> impulses) noexcept {
  std::size_t count = 0;
  bool pushed = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    impulses[i] = 0;
    if (!active(ids[i], before[i], now[i], free[i])) continue;
    q_[count] = (free[i] - now[i]) + point(ids[i]).restitution * (now[i] - before[i]);
    pushed |= q_[count] < 0;
    places_[count] = static_cast<int>(i);
    rows_[count++] = ids[i];
  }
  if (!pushed) return false;  // p = 0 solves the problem
  if (count == 1) {
    z_[0] = -q_[0] / compliance_(rows_[0], rows_[0]);
  } else {
    const PivotResult solved =
        pivoting_.solve(compliance_, {rows_.data(), count}, {q_.data(), count}, {z_.data(), count});
    if (solved.status != PivotStatus::solved) ++unsolved_;
  }
  for (std::size_t k = 0; k < count; ++k) impulses[static_cast<std::size_t>(places_[k])] = z_[k];
  return true;
}

void ContactSpace::account_hard(std::span<const int> ids, Numbers before, Numbers now,
                                Numbers impulses) noexcept {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (impulses[i] != 0) account(point(ids[i]).restitution, impulses[i], now[i] - before[i]);
  }
}

}  // namespace carom
