#include <algorithm>
#include <cmath>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr double closing_noise = 1e-13;  // a potential that is itself a root is no better

}  // namespace

/// Kinetic energy of what contact forces can move, stored energy and the potential of the constant
/// forces, in contact space. Free of the energy of common motion, whose rounding would swamp it.
double ContactMarch::contact_energy(const std::vector<double>& x,
                                    const std::vector<double>& r) const {
  double energy = 0;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = index(active_[a]);
    double momentum = 0, press = 0;
    for (std::size_t b = 0; b < active_.size(); ++b) {
      const double inverse =
          active_inverse_(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      momentum += inverse * r[b];
      press += inverse * pushed_x_[index(active_[b])];
    }
    energy += 0.5 * r[a] * momentum - press * x[a] + states_[i].potential(contacts_[i], x[a]);
  }
  return energy;
}

/// What the laws took, every term >= 0.
double ContactMarch::contact_loss(double h, const Collocation& table) const {
  double loss = 0;
  for (const Unknown& u : unknowns_) {
    for (int k = 0; k < S; ++k) loss += h * table.weight[k] * std::max(0.0, u.lost[k] * u.v[k]);
  }
  return loss;
}

bool ContactMarch::close(double h, const Collocation& table, bool landed) {
  if (resonator_) return close_with_modes(h, table, landed);
  const std::size_t n = active_.size();
  // By name, not as a structured binding, which lambdas of C++20 capture in g++ alone.
  auto &x0 = closing_.x0, &r0 = closing_.r0, &x1 = closing_.x1, &r1 = closing_.r1;
  auto &x = closing_.x, &r = closing_.r, &move = closing_.move;
  for (std::vector<double>* values : {&x0, &r0, &x1, &r1, &x, &r, &move}) values->resize(n);
  const double loss = contact_loss(h, table);
  double size = 0, enough = 0;  // of the energies, and of their rounding
  for (std::size_t a = 0; a < n; ++a) {
    const Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    x0[a] = end_.x[i];
    r0[a] = end_.r[i];
    x1[a] = u.x1;
    r1[a] = u.r1;
    size += 0.5 * square(r0[a]) / delassus_(active_[a], active_[a]) +
            std::abs(states_[i].potential(contacts_[i], x0[a])) +
            std::abs(pushed_x_[i] / delassus_(active_[a], active_[a]) * x0[a]);
    // In a deep dent the way to the edge is the difference of much larger numbers.
    enough +=
        4 * rounding * std::abs(x0[a] * states_[i].force(contacts_[i], x1[a], r1[a]).conserved);
  }
  enough += 2 * rounding * size;
  const double before = contact_energy(x0, r0);
  double excess = contact_energy(x1, r1) - before + loss;
  loss_ += loss;
  if (std::abs(excess) <= 0.5 * loss) {
    loss_ -= excess;
    booked_ += std::abs(excess);
    return true;
  }
  if (std::abs(excess) <= enough) return true;
  if (!(std::abs(excess) <= 1e-4 * size)) {
    loss_ -= loss;
    return false;
  }
  // Along the gradient of the energy, measured in the scales of the contact: near the turning point
  // the compression gives way, near the edge the rate does. On an edge it does alone.
  for (std::size_t a = 0; a < n; ++a) {
    const std::size_t i = index(active_[a]);
    double push = -pushed_x_[i];
    for (std::size_t b = 0; b < n; ++b) {
      const std::size_t k = index(active_[b]);
      push += delassus_(active_[a], active_[b]) *
              states_[k].force(contacts_[k], x1[b], r1[b]).conserved;
    }
    move[a] = landed ? 0.0 : square(period_[i]) * push;
  }
  const auto moved = [&](double lambda) {
    for (std::size_t a = 0; a < n; ++a) {
      x[a] = x1[a] + lambda * move[a];
      r[a] = r1[a] + lambda * r1[a];
    }
    return contact_energy(x, r) - before + loss;
  };
  double lambda = 0, other = 1e-7, at_other = moved(other);
  for (int k = 0; k < 12 && std::abs(excess) > enough && at_other != excess; ++k) {
    const double next = lambda - excess * (lambda - other) / (excess - at_other);
    other = lambda;
    at_other = excess;
    lambda = next;
    excess = moved(lambda);
  }
  if (!(std::abs(lambda) < 1e-2) || !(std::abs(excess) <= std::max(closing_noise * size, enough))) {
    loss_ -= loss;
    return false;
  }
  for (std::size_t a = 0; a < n; ++a) {
    unknowns_[a].x1 += lambda * move[a];
    unknowns_[a].r1 += lambda * r1[a];
  }
  return true;
}

/// The solved step becomes the motion.
void ContactMarch::accept(double h, const Collocation& table) {
  const std::size_t n = active_.size();
  piece_ = {.t = end_.t, .h = h, .clock = table.kind, .power = table.power, .in_contact = true};
  if (!settings_.closes_energy) {
    if (resonator_) finish_modes(h, table);
    loss_ += contact_loss(h, table) + vibration_.after.loss;
  }
  note_extremes(h, table);
  if (resonator_) {
    accept_with_modes(h);
    return;
  }
  state_at(piece_.t + h, end_);
  end_.t = piece_.t + h;
  // Closing has moved compressions and rates a little: so do the bodies and all other gaps, in the
  // way contact forces would.
  auto& [dx, dr] = shift_;
  dx.assign(n, 0.0);
  dr.assign(n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const std::size_t i = index(active_[b]);
      const double inverse =
          active_inverse_(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      dx[a] += inverse * (unknowns_[b].x1 - end_.x[i]);
      dr[a] += inverse * (unknowns_[b].r1 - end_.r[i]);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    end_.q -= dx[a] * images_.col(active_[a]);
    end_.v -= dr[a] * images_.col(active_[a]);
    for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
      end_.x[index(i)] += dx[a] * delassus_(i, active_[a]);
      end_.r[index(i)] += dr[a] * delassus_(i, active_[a]);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    end_.x[index(active_[a])] = unknowns_[a].x1;
    end_.r[index(active_[a])] = unknowns_[a].r1;
  }
  end_on_event();
  book_recovery();
}

}  // namespace carom
