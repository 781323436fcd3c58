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
      pivoting_(static_cast<int>(problem.heights.size())) {
  if (const auto* newton = std::get_if<NewtonRestitution>(&problem.law)) {
    restitution_ = newton->restitution;
    lead_ = problem.activation == Activation::extrapolated ? 0.5 : 0.0;
  } else {
    compliant_ = true;
    quadratised_ = problem.compliant == CompliantScheme::quadratised;
    if (const auto* power = std::get_if<PowerLaw>(&problem.law)) {
      law_ = {.stiffness = power->stiffness, .exponent = power->exponent};
    } else {
      law_ = std::get<HuntCrossley>(problem.law);
    }
  }
  const auto count = problem.heights.size();
  if (quadratised_) psi_.assign(count, 0.0);
  for (auto* list : {&rows_, &places_}) list->resize(count);
  for (auto* list : {&q_, &z_, &r_, &slope_, &residual_, &trial_}) list->resize(count);
  if (compliant_) matrix_.resize(count * (count + 1));
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

bool ContactSpace::step(std::span<const int> ids, std::span<const double> before,
                        std::span<const double> now, std::span<const double> free,
                        std::span<double> impulses) noexcept {
  if (!compliant_) return newton_step(ids, before, now, free, impulses);
  return quadratised_ ? quadratised_step(ids, before, now, free, impulses)
                      : gradient_step(ids, before, now, free, impulses);
}

bool ContactSpace::newton_step(std::span<const int> ids, std::span<const double> before,
                               std::span<const double> now, std::span<const double> free,
                               std::span<double> impulses) noexcept {
  std::size_t count = 0;
  bool pushed = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    impulses[i] = 0;
    if (!active(before[i], now[i], free[i])) continue;
    q_[count] = (free[i] - now[i]) + restitution_ * (now[i] - before[i]);
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
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(places_[k]);
    impulses[i] = z_[k];
    const double work = (1 - restitution_) * z_[k] * (now[i] - before[i]) / (2 * dt_);
    (work < 0 ? energy_.dissipated : energy_.gained) += std::abs(work);
  }
  return true;
}

// The secant of V has a removable singularity at r = 0; near it the average of the force over the
// step, by Simpson's rule, is exact to (r/x)^4.
ContactSpace::Response ContactSpace::respond(double before, double now, double r) const noexcept {
  const double x0 = -before, x1 = -before - r;
  Response response{.impulse = 0, .slope = 0};
  if (x0 > 0 || x1 > 0) {
    if (std::abs(r) < 1e-3 * std::max(x0, x1)) {
      const double middle = (x0 + x1) / 2;
      const double f0 = law_.elastic_force(x0), f1 = law_.elastic_force(x1);
      const double fm = law_.elastic_force(middle);
      const double n = law_.exponent;
      response.impulse = dt_ * (f0 + 4 * fm + f1) / 6;
      const double slope1 = x1 > 0 ? n * f1 / x1 : 0, slope_m = middle > 0 ? n * fm / middle : 0;
      response.slope = -dt_ * (2 * slope_m + slope1) / 6;
    } else {
      const double secant = (law_.potential(x0) - law_.potential(x1)) / r;
      response.impulse = dt_ * secant;
      response.slope = dt_ * (law_.elastic_force(x1) - secant) / r;
    }
  }
  if (law_.mu > 0 && now < 0) {
    const double damper = law_.mu * law_.elastic_force(-now) / 2;  // times 1/dt, times dt
    response.impulse -= damper * r;
    response.slope -= damper;
  }
  return response;
}

// r = b + D p(r) with p falling in r: one root, between b and b + D p(b). Newton inside the
// bracket.
double ContactSpace::solve_one(double compliance, double before, double now,
                               double free) const noexcept {
  const double b = free - before;
  const Response at_b = respond(before, now, b);
  if (at_b.impulse == 0) return 0;
  double low = b, high = b + compliance * at_b.impulse;
  if (low > high) std::swap(low, high);
  double r = b + compliance * at_b.impulse / (1 - compliance * at_b.slope);
  double impulse = at_b.impulse;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (!(r > low && r < high)) r = (low + high) / 2;
    const Response response = respond(before, now, r);
    impulse = response.impulse;
    const double error = r - b - compliance * impulse;
    (error > 0 ? high : low) = r;
    const double next = r - error / (1 - compliance * response.slope);
    if (std::abs(next - r) <= 4e-16 * (std::abs(r) + std::abs(b))) break;
    r = next;
  }
  return impulse;
}

bool ContactSpace::gradient_step(std::span<const int> ids, std::span<const double> before,
                                 std::span<const double> now, std::span<const double> free,
                                 std::span<double> impulses) noexcept {
  const std::size_t count = ids.size();
  energy_.stored = 0;
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    impulses[i] = 0;
    any |= active(before[i], now[i], free[i]);
  }
  if (!any) return false;
  if (count == 1) {
    impulses[0] = solve_one(compliance_(ids[0], ids[0]), before[0], now[0], free[0]);
    r_[0] = free[0] - before[0] + compliance_(ids[0], ids[0]) * impulses[0];
  } else {
    // F(r) = r - b - D p(r). Newton with (I - D p') delta = -F, halved until |F| falls.
    const auto residual_at = [&](const std::vector<double>& r, std::span<double> p) {
      double norm = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Response response = respond(before[i], now[i], r[i]);
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
              compliance_(ids[i], ids[i]) *
                  solve_one(compliance_(ids[i], ids[i]), before[i], now[i], free[i]);
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
  bool pushed = false;
  for (std::size_t i = 0; i < count; ++i) {
    pushed |= impulses[i] != 0;
    energy_.stored += (law_.potential(-before[i] - r_[i]) + law_.potential(-now[i])) / 2;
    if (law_.mu > 0 && now[i] < 0) {
      energy_.dissipated += law_.mu * law_.elastic_force(-now[i]) * r_[i] * r_[i] / (4 * dt_);
    }
  }
  return pushed;
}

// With g = d psi/dx at the present x: psi+ = psi - g r/2, f = g (psi+ + psi)/2, linear in r. Where
// a contact has opened, what psi still holds is given up: a loss, never a gain.
bool ContactSpace::quadratised_step(std::span<const int> ids, std::span<const double> before,
                                    std::span<const double> now, std::span<const double> free,
                                    std::span<double> impulses) noexcept {
  int n = 0;
  energy_.stored = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    impulses[i] = 0;
    double& psi = psi_[static_cast<std::size_t>(ids[i])];
    if (now[i] < 0) {
      slope_[n] = quadratise(law_, -now[i]).slope;
      residual_[n] = law_.mu > 0 ? law_.mu * law_.elastic_force(-now[i]) / 2 : 0;
      rows_[n] = ids[i];
      places_[n++] = static_cast<int>(i);
    } else if (psi != 0) {
      energy_.dissipated += psi * psi / 2;
      psi = 0;
    }
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
    double& psi = psi_[static_cast<std::size_t>(rows_[a])];
    const double r = z_[a], g = slope_[a];
    impulses[places_[a]] = dt_ * g * psi - (dt_ * g * g / 4 + residual_[a]) * r;
    psi -= g * r / 2;
    energy_.stored += psi * psi / 2;
    energy_.dissipated += residual_[a] * r * r / (2 * dt_);
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
