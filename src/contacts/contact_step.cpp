#include <algorithm>
#include <cmath>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_tries = 60;

}  // namespace

void ContactMarch::contact_step(double longest) {
  if (resonator_) longest = std::min(longest, resonator_->longest_step());
  const int power = onset_power_;
  solved_ = nullptr;
  const Collocation* first = power > 0 ? &Collocation::of(ClockKind::onset, power) : nullptr;
  onset_power_ = 0;
  double h = std::min(next_h_, longest), wanted = h;
  if (resonator_ && first == nullptr) h = to_sample(h);
  bool foresees = first == nullptr;
  for (int tries = 0; tries < max_tries; ++tries) {
    const Collocation* table = first != nullptr ? first : &Collocation::of(ClockKind::plain, 1);
    Event event;
    // A plain step that ended just short of the edge would leave the singularity to the next one.
    if (foresees) {
      for (const int i : active_) {
        const ContactState& state = states_[index(i)];
        const double r = end_.r[index(i)];
        if (!(r < 0) || break_before_edge(i)) continue;
        const bool to_edge = state.ends_at_edge(contacts_[index(i)]);
        const double left = end_.x[index(i)] - state.edge(contacts_[index(i)]);
        if (left / -r < 1.3 * h) {
          // A force that falls like (1 - t/T)^1.5 adds 2/7 a T^2: a guess, bettered by landing.
          const double push = state.force(contacts_[index(i)], end_.x[index(i)], r).total();
          const double a = delassus_(i, i) * std::max(0.0, push);
          const double out = 2 * left / (-r + std::sqrt(r * r + 8.0 / 7 * a * left));
          h = std::min(out, longest);
          // A release by force comes a little earlier: first_event() finds it.
          if (out <= longest && to_edge) event = {i, 0};
          table = &Collocation::of(ClockKind::release, grade_of(contacts_[index(i)]));
        }
      }
    }
    if (!solve(h, *table)) {
      h = 0.5 * h;
      if (event.contact >= 0) h *= 0.7;  // from further away the release is not yet near
      continue;
    }
    const double tried = h;
    if (!land_on_break(event, h, *table)) {
      h = 0.5 * std::min(tried, std::max(h, 0.1 * tried));
      continue;
    }
    const double error = step_error(h, *table);
    // Under a clock of power p the polynomials have to follow p times the degree.
    const double factor =
        0.9 * std::pow(settings_.tolerance / std::max(error, 1e-300), 0.5 * table->power / S);
    if (!(error <= settings_.tolerance)) {
      h = h * std::clamp(factor, 0.2, 0.9);
      if (event.contact >= 0 && event.guard != Event::law_break) h /= 1.5;
      if (event.contact < 0 && table->kind == ClockKind::release) foresees = false;
      continue;
    }
    double when = h;
    const Event crossed = first_event(h, *table, when, {});
    const bool other = crossed.contact != event.contact || crossed.guard != event.guard;
    if (crossed.contact >= 0 && other && (event.contact < 0 || when < (1 - 1e-9) * h)) {
      event = crossed;
      if (when < 0.5 * h && crossed.guard == 0 &&
          states_[index(crossed.contact)].ends_at_edge(contacts_[index(crossed.contact)])) {
        h = when;  // the forces beyond the edge have spoilt the step
        if (tries + 1 < max_tries) continue;
      }
      h = when;
    }
    const double before = h;
    if (event.contact >= 0) {
      // Led further, or to a release by force that leaves the singularity beyond its end, a step
      // is another one than was tried.
      const bool landed = land_first(event, h, table);
      const bool other_step = h > 1.1 * before || table->kind == ClockKind::release;
      if (!landed || (other_step && !(step_error(h, *table) <= settings_.tolerance))) {
        h = 0.5 * (h > 0 ? std::min(before, h) : before);
        foresees = false;  // it turns round before it leaves
        continue;
      }
    }
    if (settings_.closes_energy && !close(h, *table, event.contact >= 0)) {
      h = 0.5 * h;
      continue;
    }
    wanted = h * std::clamp(factor, 0.3, 4.0);
    if (event.guard == Event::law_break) wanted = std::max(wanted, tried);
    event_ = event;
    accept(h, *table);
    next_h_ = wanted;
    return;
  }
  converged_ = false;
  accept(h, Collocation::of(ClockKind::plain, 1));
}

/// A length of about h that ends with a sample, if there is one: what is heard is then known
/// without reading inside a step, and the responses of the modes are those of the step before.
double ContactMarch::to_sample(double h) const {
  const double ends = std::floor((end_.t + h) * settings_.rate * (1 + 2 * rounding));
  const double left = ends / settings_.rate - end_.t;
  // From one sample to another the length is the same to the last bit.
  const double whole = std::round(left * settings_.rate) / settings_.rate;
  const double length = std::abs(left - whole) <= 4 * rounding * end_.t ? whole : left;
  return length > 0.4 * h ? length : h;
}

/// An estimate of the error of the rates at the end, relative to the speed that the energy left
/// would give.
double ContactMarch::step_error(double h, const Collocation& table) const {
  double worst = 0, energy = 0;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = index(active_[a]);
    energy += 0.5 * square(unknowns_[a].r1) / delassus_(active_[a], active_[a]) +
              std::abs(states_[i].potential(contacts_[i], unknowns_[a].x1)) +
              std::abs(pushed_x_[i]) / delassus_(active_[a], active_[a]) *
                  std::abs(unknowns_[a].x1 - states_[i].edge(contacts_[i]));
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const double w = delassus_(active_[a], active_[a]);
    worst = std::max(worst, h * w * unfollowed(table, settings_.cautious, [&](int k) {
                              return unknowns_[a].f[k];
                            }) / std::sqrt(2 * energy * w + 1e-300));
  }
  return worst;
}

}  // namespace carom
