#include <algorithm>
#include <cmath>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr double bounce_share =
    1e-16;                          // of the largest energy: a bounce that is not worth counting
constexpr double singular = 1e-13;  // condition of W, the inverse of

}  // namespace

/// Lets every phase end whose guard has been reached: the one the last step was led to, and others
/// that end at the same instant.
void ContactMarch::pass_events() {
  if (event_.contact >= 0) {
    const Event event = event_;
    event_ = {};
    if (event.guard != Event::law_break) pass(event.contact, event.guard);
  }
  double near = 0;  // the rounding of positions at an instant of another contact
  for (const int i : active_) near = std::max(near, 2 * rounding * length_[index(i)]);
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    const ContactState& state = states_[index(i)];
    const double x = end_.x[index(i)], r = end_.r[index(i)];
    const double onset = state.onset(contacts_[index(i)]);
    if (state.phase() == Phase::apart && r > 0 && x >= onset - near) {
      end_.x[index(i)] = std::max(x, onset);
      pass(i, 0);
    } else if (state.touching() && r < 0 && at_edge(i, x)) {
      pass(i, 0);
    }
  }
  press_neighbours();
}

bool ContactMarch::at_edge(int contact, double x) const {
  const std::size_t i = index(contact);
  return x - states_[i].edge(contacts_[i]) <= on_edge * length_[i];
}

/// Bodies that just touch, at no speed, are pressed together by what acts on them: constant forces
/// and the contacts next to them, of which those that have only begun have no force yet but will.
void ContactMarch::press_neighbours() {
  if (states_.size() == 1 && flight_x_[0] == 0) return;
  std::vector<int>& found = pressed_;
  do {
    found.clear();
    for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
      const ContactState& state = states_[index(i)];
      if (state.phase() != Phase::apart || end_.r[index(i)] != 0) continue;
      if (end_.x[index(i)] != state.onset(contacts_[index(i)])) continue;
      double push = (active_.empty() ? flight_x_ : pushed_x_)[index(i)], rise = 0;
      for (const int j : active_) {
        const std::size_t k = index(j);
        push -= delassus_(i, j) * states_[k].force(contacts_[k], end_.x[k], end_.r[k]).total();
        rise -= delassus_(i, j) * std::max(end_.r[k], 0.0);
        if (end_.r[k] == 0) rise -= delassus_(i, j) * std::numeric_limits<double>::min();
      }
      if (push > 0 || (push == 0 && rise > 0)) found.push_back(i);
    }
    for (const int i : found) pass(i, 0);
  } while (!found.empty());
}

void ContactMarch::pass(int contact, int guard) {
  const std::size_t i = index(contact);
  ContactState& state = states_[i];
  const Phase before = state.phase();
  const double x = end_.x[i], r = end_.r[i], w = delassus_(contact, contact);
  const double dent = state.dent();
  loss_ += state.pass(contacts_[i], guard, x, r);
  ImpactRecord& record = records_[i];
  // Met in the dent where it turns round: a contact of its own, at no speed.
  if (before != Phase::touching && state.touching()) {
    record = {.time = end_.t, .speed_in = std::abs(r), .max_compression = std::max(0.0, x - dent)};
    record.max_force = std::max(0.0, state.force(contacts_[i], x, r).total());
    peaks_[i] = {};
    double energy = 0.5 * r * r / w + std::max(0.0, state.potential(contacts_[i], x));
    for (std::size_t a = 0; a < active_.size() && energy == 0; ++a) {
      const std::size_t k = index(active_[a]);  // begun by the contacts next to it
      energy = 0.5 * square(end_.r[k]) / delassus_(active_[a], active_[a]) +
               std::max(0.0, states_[k].potential(contacts_[k], end_.x[k]));
    }
    const double press = std::abs(pushed_x_[i]) / w;
    std::visit(
        [&](const auto& law) {
          length_[i] = length_of_energy(law, energy);
          if (press > 0) {  // V(L) = f L: as deep as the pressing force alone would go
            double deep = length_[i];
            for (int n = 0; n < 4; ++n)
              deep = length_of_energy(law, energy + press * deep + 1e-300);
            if (deep == 0) deep = length_of_energy(law, press * 1e-9);
            length_[i] = std::max(length_[i], deep);
          }
        },
        contacts_[i].law);
    const double speed = std::max(std::sqrt(2 * energy * w), std::sqrt(2 * press * w * length_[i]));
    period_[i] = speed > 0 ? length_[i] / speed : 1 / settings_.rate;
    onset_power_ = std::max(onset_power_, grade_of(contacts_[i]));
    next_h_ =
        next_h_ > 0 && !active_.empty() ? std::min(next_h_, 0.4 * period_[i]) : 0.4 * period_[i];
    held_[i] = 0;
  }
  if (before == Phase::touching && !state.touching()) {
    record.speed_out = std::abs(r);
    record.contact_time = end_.t - record.time;
    record.separation_compression = std::max(0.0, x - dent);
    due_.push_back({contact, record});
  }
  find_active();
  // Gravity suspended in contact: what bounces ever lower is at rest before it ever stops.
  if (!resonator_ && state.phase() == Phase::apart && system_.force_in_contact.size() > 0 &&
      flight_x_[i] > 0 && states_.size() == 1 && 0.5 * r * r / w <= bounce_share * highest_) {
    settle(0.5 * r * r / w);
  }
}

void ContactMarch::find_active() {
  active_.clear();
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    if (states_[index(i)].touching()) active_.push_back(i);
  }
  const auto n = static_cast<Eigen::Index>(active_.size());
  unknowns_.resize(active_.size());
  if (n > 0) active_inverse_.resize(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    for (Eigen::Index b = 0; b < n; ++b) active_inverse_(a, b) = delassus_(active_[a], active_[b]);
  }
  if (n == 1) {
    active_inverse_(0, 0) = 1 / active_inverse_(0, 0);
  } else if (n > 1) {
    cholesky_.compute(active_inverse_);
    if (cholesky_.info() != Eigen::Success || !(cholesky_.rcond() > singular)) {
      // Contacts that share all bodies make W singular; the least inertia that keeps it invertible.
      active_inverse_.diagonal().array() += 1e-14 * active_inverse_.trace();
      cholesky_.compute(active_inverse_);
    }
    active_inverse_.setIdentity();
    cholesky_.solveInPlace(active_inverse_);
  }
}

void ContactMarch::fly(double longest) {
  double h = longest;
  event_ = {};
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    const std::size_t k = index(i);
    const Crossing crossing =
        next_crossing(states_[k], contacts_[k], end_.x[k], end_.r[k], flight_x_[k]);
    if (!(crossing.time < h)) continue;
    h = crossing.time;
    event_ = {i, crossing.guard};
  }
  piece_ = {.t = end_.t, .h = h};
  state_at(piece_.t + h, end_);
  end_.t = piece_.t + h;
  end_on_event();
  book_recovery();
}

/// A step that was led to an event has ended there to the last bit.
void ContactMarch::end_on_event() {
  if (event_.contact < 0) return;
  const std::size_t i = index(event_.contact);
  if (states_[i].phase() == Phase::apart) end_.x[i] = states_[i].onset(contacts_[i]);
  if (states_[i].phase() != Phase::recovering) return;
  if (event_.guard == 0) {
    end_.x[i] = states_[i].dent();
  } else if (states_[i].in_plastic_dent(contacts_[i])) {
    end_.x[i] = states_[i].edge(contacts_[i]);
  } else {
    end_.r[i] = 0;
  }
}

/// Surfaces that come back behind a body lose on the way what they store.
void ContactMarch::book_recovery() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].phase() != Phase::recovering) continue;
    loss_ += states_[i].potential(contacts_[i], begin_.x[i]) -
             states_[i].potential(contacts_[i], end_.x[i]);
  }
}

}  // namespace carom
