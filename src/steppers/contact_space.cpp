#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_space.hpp>

namespace carom {
namespace {

/// psi = sqrt(2 V) and its slope in the compression x, for V = k x^(n+1)/(n+1).
struct Quadratised {
  double psi, slope;
};
Quadratised quadratise(const HuntCrossley& law, double x) {
  const double a = law.exponent + 1;
  const double factor = std::sqrt(2 * law.stiffness / a);
  return {.psi = factor * std::pow(x, a / 2), .slope = factor * a / 2 * std::pow(x, a / 2 - 1)};
}

}  // namespace

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
    if (const auto* power = std::get_if<PowerLaw>(&law)) {
      points_[i].law = {.stiffness = power->stiffness, .exponent = power->exponent};
    } else {
      points_[i].law = std::get<HuntCrossley>(law);
    }
  }
  if (hard_ && problem.activation == Activation::extrapolated) lead_ = 0.5;
  if (soft_ && quadratised_) psi_.assign(count, 0.0);
  for (auto* list : {&rows_, &places_}) list->resize(count);
  for (auto* list : {&q_, &z_, &r_, &slope_, &residual_, &trial_}) list->resize(count);
  if (soft_) matrix_.resize(count * (count + 1));
  if (!mixed()) return;
  for (auto* list : {&mixed_ids_, &mixed_places_}) list->resize(count);
  for (auto* list : {&mixed_before_, &mixed_now_, &mixed_free_, &mixed_shifted_, &mixed_impulse_})
    list->resize(count);
}

void ContactSpace::save(Memory& memory) const {
  memory.energy = energy_;
  memory.unsolved = unsolved_;
  memory.psi = psi_;
}

void ContactSpace::restore(const Memory& memory) noexcept {
  energy_ = memory.energy;
  unsolved_ = memory.unsolved;
  std::copy(memory.psi.begin(), memory.psi.end(), psi_.begin());
}

bool ContactSpace::step(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                        std::span<double> impulses) noexcept {
  if (mixed()) return step_mixed(ids, before, now, free, impulses);
  if (soft_) {
    const bool pushed = solve_soft(ids, before, now, free, impulses);
    book_soft(ids, before, now);
    return pushed;
  }
  if (!solve_hard(ids, before, now, free, impulses)) return false;
  book_hard(ids, before, now, impulses);
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
  constexpr int most_turns = 200;
  bool settled = false;
  for (int turn = 0; turn < most_turns && !settled; ++turn) {
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
  }
  if (!settled) ++unsolved_;
  book_hard(part(mixed_ids_, false), part(mixed_before_, false), part(mixed_now_, false),
            part(mixed_impulse_, false));
  book_soft(part(mixed_ids_, true), part(mixed_before_, true), part(mixed_now_, true));
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

void ContactSpace::book_hard(std::span<const int> ids, Numbers before, Numbers now,
                             Numbers impulses) noexcept {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (impulses[i] != 0) book(point(ids[i]).restitution, impulses[i], now[i] - before[i]);
  }
}

bool ContactSpace::solve_soft(std::span<const int> ids, Numbers before, Numbers now, Numbers free,
                              std::span<double> impulses) noexcept {
  return quadratised_ ? solve_quadratised(ids, before, now, free, impulses)
                      : solve_gradient(ids, before, now, free, impulses);
}

// After the solve: r_ holds gap+ - gap^- of each contact, as far as it is compressed.
void ContactSpace::book_soft(std::span<const int> ids, Numbers before, Numbers now) noexcept {
  energy_.stored = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const HuntCrossley& law = point(ids[i]).law;
    const double r = r_[i];
    if (quadratised_) {
      double& psi = psi_[static_cast<std::size_t>(ids[i])];
      if (now[i] < 0) {
        psi -= quadratise(law, -now[i]).slope * r / 2;
        energy_.stored += psi * psi / 2;
      } else {  // what psi still holds where a contact has opened is given up
        energy_.dissipated += psi * psi / 2;
        psi = 0;
      }
    } else {
      energy_.stored += (law.potential(-before[i] - r) + law.potential(-now[i])) / 2;
    }
    if (law.mu > 0 && now[i] < 0) {
      energy_.dissipated += law.mu * law.elastic_force(-now[i]) * r * r / (4 * dt_);
    }
  }
}

// The secant of V has a removable singularity at r = 0; near it the average of the force over the
// step, by Simpson's rule, is exact to (r/x)^4.
ContactSpace::Response ContactSpace::respond(const HuntCrossley& law, double before, double now,
                                             double r) const noexcept {
  const double x0 = -before, x1 = -before - r;
  Response response{.impulse = 0, .slope = 0};
  if (x0 > 0 || x1 > 0) {
    if (std::abs(r) < 1e-3 * std::max(x0, x1)) {
      const double middle = (x0 + x1) / 2;
      const double f0 = law.elastic_force(x0), f1 = law.elastic_force(x1);
      const double fm = law.elastic_force(middle);
      const double n = law.exponent;
      response.impulse = dt_ * (f0 + 4 * fm + f1) / 6;
      const double slope1 = x1 > 0 ? n * f1 / x1 : 0, slope_m = middle > 0 ? n * fm / middle : 0;
      response.slope = -dt_ * (2 * slope_m + slope1) / 6;
    } else {
      const double secant = (law.potential(x0) - law.potential(x1)) / r;
      response.impulse = dt_ * secant;
      response.slope = dt_ * (law.elastic_force(x1) - secant) / r;
    }
  }
  if (law.mu > 0 && now < 0) {
    const double damper = law.mu * law.elastic_force(-now) / 2;  // times 1/dt, times dt
    response.impulse -= damper * r;
    response.slope -= damper;
  }
  return response;
}

// r = b + D p(r) with p falling in r: one root, between b and b + D p(b). Newton inside the
// bracket.
double ContactSpace::solve_one(int id, double before, double now, double free) const noexcept {
  const HuntCrossley& law = point(id).law;
  const double compliance = compliance_(id, id);
  const double b = free - before;
  const Response at_b = respond(law, before, now, b);
  if (at_b.impulse == 0) return 0;
  double low = b, high = b + compliance * at_b.impulse;
  if (low > high) std::swap(low, high);
  double r = b + compliance * at_b.impulse / (1 - compliance * at_b.slope);
  double impulse = at_b.impulse;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (!(r > low && r < high)) r = (low + high) / 2;
    const Response response = respond(law, before, now, r);
    impulse = response.impulse;
    const double error = r - b - compliance * impulse;
    (error > 0 ? high : low) = r;
    const double next = r - error / (1 - compliance * response.slope);
    if (std::abs(next - r) <= 4e-16 * (std::abs(r) + std::abs(b))) break;
    r = next;
  }
  return impulse;
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
  if (count == 1) {
    impulses[0] = solve_one(ids[0], before[0], now[0], free[0]);
    r_[0] = free[0] - before[0] + compliance_(ids[0], ids[0]) * impulses[0];
  } else {
    // F(r) = r - b - D p(r). Newton with (I - D p') delta = -F, halved until |F| falls.
    const auto residual_at = [&](const std::vector<double>& r, std::span<double> p) {
      double norm = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Response response = respond(point(ids[i]).law, before[i], now[i], r[i]);
        p[i] = response.impulse;
        slope_[i] = response.slope;
      }
      for (std::size_t i = 0; i < count; ++i) {
        double sum = r[i] - (free[i] - before[i]);
        for (std::size_t k = 0; k < count; ++k) {
          if (p[k] != 0) sum -= compliance_(ids[i], ids[k]) * p[k];
        }
        residual_[i] = sum;
        norm += sum * sum;
      }
      return std::sqrt(norm);
    };
    double scale = 0;
    for (std::size_t i = 0; i < count; ++i) {
      r_[i] = free[i] - before[i] +
              compliance_(ids[i], ids[i]) * solve_one(ids[i], before[i], now[i], free[i]);
      scale = std::max(scale, std::abs(free[i]) + std::abs(before[i]));
    }
    double norm = residual_at(r_, impulses);
    const double goal = 1e-15 * scale * std::sqrt(static_cast<double>(count));
    for (int iteration = 0; iteration < 60 && norm > goal; ++iteration) {
      int n = 0;  // unknowns: the contacts whose force reacts
      for (std::size_t i = 0; i < count; ++i) {
        if (slope_[i] != 0) rows_[static_cast<std::size_t>(n++)] = static_cast<int>(i);
      }
      for (int a = 0; a < n; ++a) {
        double* row = matrix_.data() + static_cast<std::ptrdiff_t>(a) * (n + 1);
        for (int c = 0; c < n; ++c) {
          row[c] = (a == c) - compliance_(ids[rows_[a]], ids[rows_[c]]) * slope_[rows_[c]];
        }
        row[n] = -residual_[rows_[a]];
      }
      if (!solve_linear(n)) break;
      for (std::size_t i = 0; i < count; ++i) {
        double move = -residual_[i];
        for (int c = 0; c < n; ++c) {
          move += compliance_(ids[i], ids[rows_[c]]) * slope_[rows_[c]] * z_[c];
        }
        q_[i] = move;
      }
      double factor = 1, next = norm;
      for (int halving = 0; halving < 30; ++halving, factor /= 2) {
        for (std::size_t i = 0; i < count; ++i) trial_[i] = r_[i] + factor * q_[i];
        next = residual_at(trial_, impulses);
        if (next < norm * (1 - factor / 4)) break;
      }
      if (!(next < norm)) {  // at rounding
        norm = residual_at(r_, impulses);
        break;
      }
      std::swap(r_, trial_);
      norm = next;
    }
    if (norm > 1e3 * goal) ++unsolved_;
  }
  return std::any_of(impulses.begin(), impulses.begin() + static_cast<std::ptrdiff_t>(count),
                     [](double p) { return p != 0; });
}

// With g = d psi/dx at the present x: psi+ = psi - g r/2, f = g (psi+ + psi)/2, linear in r.
bool ContactSpace::solve_quadratised(std::span<const int> ids, Numbers before, Numbers now,
                                     Numbers free, std::span<double> impulses) noexcept {
  int n = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    impulses[i] = 0;
    r_[i] = 0;
    if (!(now[i] < 0)) continue;
    const HuntCrossley& law = point(ids[i]).law;
    slope_[n] = quadratise(law, -now[i]).slope;
    residual_[n] = law.mu > 0 ? law.mu * law.elastic_force(-now[i]) / 2 : 0;
    rows_[n] = ids[i];
    places_[n++] = static_cast<int>(i);
  }
  // p = dt g psi - c r with c = dt g^2/4 + damper; (I + D c) r = b + D (dt g psi).
  for (int a = 0; a < n; ++a) {
    double* row = matrix_.data() + static_cast<std::ptrdiff_t>(a) * (n + 1);
    row[n] = free[places_[a]] - before[places_[a]];
    for (int c = 0; c < n; ++c) {
      const double d = compliance_(rows_[a], rows_[c]);
      const double g = slope_[c];
      row[c] = (a == c) + d * (dt_ * g * g / 4 + residual_[c]);
      row[n] += d * dt_ * g * psi_[static_cast<std::size_t>(rows_[c])];
    }
  }
  if (n > 0 && !solve_linear(n)) ++unsolved_;
  for (int a = 0; a < n; ++a) {
    const double g = slope_[a], r = z_[a];
    r_[places_[a]] = r;
    impulses[places_[a]] =
        dt_ * g * psi_[static_cast<std::size_t>(rows_[a])] - (dt_ * g * g / 4 + residual_[a]) * r;
  }
  return n > 0;
}

// Gauss with partial pivoting on matrix_ (n rows of n + 1), the solution into z_.
bool ContactSpace::solve_linear(int size) noexcept {
  const auto row = [&](int i) {
    return matrix_.data() + static_cast<std::ptrdiff_t>(i) * (size + 1);
  };
  for (int k = 0; k < size; ++k) {
    int pivot = k;
    for (int i = k + 1; i < size; ++i) {
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
    }
    if (!(std::abs(row(pivot)[k]) > 0)) return false;
    if (pivot != k) std::swap_ranges(row(k), row(k) + size + 1, row(pivot));
    for (int i = k + 1; i < size; ++i) {
      const double factor = row(i)[k] / row(k)[k];
      if (factor == 0) continue;
      for (int c = k; c <= size; ++c) row(i)[c] -= factor * row(k)[c];
    }
  }
  for (int k = size - 1; k >= 0; --k) {
    double sum = row(k)[size];
    for (int c = k + 1; c < size; ++c) sum -= row(k)[c] * z_[c];
    z_[k] = sum / row(k)[k];
  }
  return true;
}

}  // namespace carom
