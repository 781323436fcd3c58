#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_space.hpp>

// The compliant contacts of a step: discrete gradient or quadratised.
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
