#include <algorithm>
#include <cmath>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_tries = 60, max_landings = 40;

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
        if (!(r < 0)) continue;
        const bool to_edge = state.ends_at_edge(contacts_[index(i)]);
        const double left = end_.x[index(i)] - state.edge(contacts_[index(i)]);
        if (left / -r < 1.3 * h) {
          // A force that falls like (1 - t/T)^1.5 adds 2/7 a T^2: a guess, bettered by landing.
          const double push = state.force(contacts_[index(i)], end_.x[index(i)], r).conserved;
          const double a = delassus_(i, i) * std::max(0.0, push);
          const double out = 2 * left / (-r + std::sqrt(r * r + 8.0 / 7 * a * left));
          h = std::min(out, longest);
          // A release by force comes a little earlier: first_event() finds it.
          if (out <= longest && to_edge) event = {i, 0};
          table = &Collocation::of(
              ClockKind::release,
              std::visit([](const auto& law) { return law.grade(); }, contacts_[index(i)].law));
        }
      }
    }
    if (!solve(h, *table)) {
      h = 0.5 * h;
      if (event.contact >= 0) h *= 0.7;  // from further away the release is not yet near
      continue;
    }
    const double error = step_error(h, *table);
    // Under a clock of power p the polynomials have to follow p times the degree.
    const double factor =
        0.9 * std::pow(settings_.tolerance / std::max(error, 1e-300), 0.5 * table->power / S);
    if (!(error <= settings_.tolerance)) {
      h = h * std::clamp(factor, 0.2, 0.9);
      if (event.contact >= 0) h /= 1.5;
      if (event.contact < 0 && table->kind == ClockKind::release) foresees = false;
      continue;
    }
    double when = h;
    const Event crossed = first_event(h, *table, when);
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
    if (event.contact >= 0 && !land(event, h, table)) {
      h = 0.5 * (h > 0 ? std::min(before, h) : before);
      foresees = false;  // it turns round before it leaves
      continue;
    }
    if (settings_.closes_energy && !close(h, *table, event.contact >= 0)) {
      h = 0.5 * h;
      continue;
    }
    wanted = h * std::clamp(factor, 0.3, 4.0);
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
/// would give: Gauss nodes square what the polynomial of degree S - 1 cannot follow.
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
    const Unknown& u = unknowns_[a];
    const double w = delassus_(active_[a], active_[a]);
    double largest = 1e-300;
    std::array<double, 3> last{};
    for (int k = 0; k < S; ++k) {
      largest = std::max(largest, std::abs(u.f[k] * table.slope[k]));
      for (int d = 0; d < 3; ++d) last[d] += table.tail[d][k] * u.f[k];
    }
    const double tail =
        std::max({std::abs(last[0]), 0.5 * std::abs(last[1]), 0.2 * std::abs(last[2])});
    worst = std::max(worst, h * w * tail * (tail / largest) / std::sqrt(2 * energy * w + 1e-300));
  }
  return worst;
}

/// The first phase that ends within the step, and an estimate of when.
ContactMarch::Event ContactMarch::first_event(double h, const Collocation& table,
                                              double& when) const {
  Event first;
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    const ContactState& state = states_[index(i)];
    if (state.phase() == Phase::resting) continue;
    const auto at = std::find(active_.begin(), active_.end(), i);
    const Unknown* u =
        at != active_.end() ? &unknowns_[static_cast<std::size_t>(at - active_.begin())] : nullptr;
    ContactState::Guards before =
        state.guards(contacts_[index(i)], end_.x[index(i)], end_.r[index(i)]);
    double t_before = 0;
    for (int k = 0; k <= S; ++k) {
      const double t = k < S ? h * table.time[k] : h;
      double x, v;
      if (u != nullptr) {
        x = k < S ? u->x[k] : u->x1;
        v = k < S ? u->v[k] : u->r1;
      } else {
        x = end_.x[index(i)] + t * (end_.r[index(i)] + 0.5 * t * pushed_x_[index(i)]);
        v = end_.r[index(i)] + t * pushed_x_[index(i)];
        for (std::size_t b = 0; b < active_.size(); ++b) {
          const double w = delassus_(i, active_[b]);
          if (w == 0) continue;
          const Unknown& other = unknowns_[b];
          if (k == S) {
            x -= w * other.travel;
            v -= w * other.impulse;
            continue;
          }
          for (int j = 0; j < S; ++j) {
            x -= w * h * h * table.place[j][k] * other.f[j];
            v -= w * h * table.rate[j][k] * other.f[j];
          }
        }
      }
      const ContactState::Guards now = state.guards(contacts_[index(i)], x, v);
      for (int g = 0; g < 2; ++g) {
        if (!(now[g] < 0) || !(before[g] > 0 || k > 0)) continue;
        const double share = before[g] > 0 && before[g] < ContactState::holds
                                 ? before[g] / (before[g] - now[g])
                                 : 0.5;
        const double crossing = t_before + share * (t - t_before);
        if (crossing < when || first.contact < 0) {
          when = std::min(when, crossing);
          first = {i, g};
        }
      }
      if (first.contact == i) break;
      before = now;
      t_before = t;
    }
  }
  return first;
}

double ContactMarch::guard_at_end(Event event, double h) const {
  const int i = event.contact;
  const auto at = std::find(active_.begin(), active_.end(), i);
  if (at != active_.end()) {
    const Unknown& u = unknowns_[static_cast<std::size_t>(at - active_.begin())];
    return states_[index(i)].guards(contacts_[index(i)], u.x1, u.r1)[event.guard];
  }
  double x = end_.x[index(i)] + h * (end_.r[index(i)] + 0.5 * h * pushed_x_[index(i)]);
  double v = end_.r[index(i)] + h * pushed_x_[index(i)];
  for (std::size_t b = 0; b < active_.size(); ++b) {
    x -= delassus_(i, active_[b]) * unknowns_[b].travel;
    v -= delassus_(i, active_[b]) * unknowns_[b].impulse;
  }
  return states_[index(i)].guards(contacts_[index(i)], x, v)[event.guard];
}

/// Leads the step to the instant at which the guard is zero: h becomes its length. The last solve
/// is for that h.
bool ContactMarch::land(Event event, double& h, const Collocation*& table) {
  const std::size_t i = index(event.contact);
  const auto at = std::find(active_.begin(), active_.end(), event.contact);
  const bool to_edge = states_[i].ends_at_edge(contacts_[i]) && event.guard == 0;
  if (to_edge && table->kind == ClockKind::plain) {
    table =
        &Collocation::of(ClockKind::release,
                         std::visit([](const auto& law) { return law.grade(); }, contacts_[i].law));
  }
  if (to_edge) {
    Unknown& u = unknowns_[static_cast<std::size_t>(at - active_.begin())];
    const double edge = states_[i].edge(contacts_[i]);
    // Modes move the contact to the rounding of their sum.
    const double enough = resonator_ ? 1e-14 * length_[i] + 8 * rounding * std::abs(end_.modes.hit)
                                     : 4e-16 * length_[i];
    for (int n = 0; n < max_landings; ++n) {
      if (!(n == 0 && solved_ == table) && !solve(h, *table)) return false;
      if (!(u.r1 < 0)) return false;
      const double miss = u.x1 - edge, correction = miss / u.r1;
      if (std::abs(miss) <= enough || std::abs(correction) <= 2e-16 * h) {
        u.x1 = edge;
        return true;
      }
      h -= correction;
      if (!(h > 0)) return false;
    }
    return false;
  }
  // Other guards are smooth in time: a bracketed root over solves of the step.
  double low = 0, high = h;
  const auto guard = [&](double length) {
    if (!solve(length, *table)) return std::numeric_limits<double>::quiet_NaN();
    return guard_at_end(event, length);
  };
  double at_high = guard(high);
  for (int n = 0; n < 8 && at_high > 0; ++n) {
    low = high;
    high *= 1.05;
    at_high = guard(high);
  }
  if (!(at_high <= 0)) return false;
  double at_low = states_[i].guards(contacts_[i], end_.x[i], end_.r[i])[event.guard];
  if (low > 0) at_low = guard(low);
  if (!(at_low < ContactState::holds)) {  // the guard exists further on only: step towards it
    for (int n = 0; n < 60 && !(at_low > 0 && at_low < ContactState::holds); ++n) {
      const double middle = 0.5 * (low + high);
      const double value = guard(middle);
      if (value <= 0) {
        high = middle;
        at_high = value;
      } else {
        low = middle;
        at_low = value;
      }
      if (at_low < ContactState::holds && at_low > 0) break;
    }
  }
  if (!(at_low > 0) || at_high == 0) {
    h = at_high == 0 ? high : std::max(low, 1e-3 * high);
    return solve(h, *table);
  }
  std::uintmax_t evaluations = max_landings;
  const auto close_enough = [&](double a, double b) { return std::abs(b - a) <= 4e-16 * h; };
  const auto bracket = boost::math::tools::toms748_solve(guard, low, high, at_low, at_high,
                                                         close_enough, evaluations);
  h = bracket.second;
  if (!solve(h, *table)) return false;
  // Solved anew the guard may be a rounding error on the wrong side: the next phase would end where
  // it begins.
  double more = 4 * rounding * h;
  for (int n = 0; n < 20 && guard_at_end(event, h) > 0; ++n, more *= 4) {
    h += more;
    if (!solve(h, *table)) return false;
  }
  return true;
}

}  // namespace carom
