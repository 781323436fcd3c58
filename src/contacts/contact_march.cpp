#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/contact_march.hpp>
#include <carom/core/error.hpp>

namespace carom {
namespace {

constexpr int S = Collocation::nodes;
constexpr int max_sweeps = 40, max_newton = 20, max_tries = 60, max_landings = 40;
constexpr int internal_steps_at_once = 2000;
constexpr double rounding = 2.3e-16;
constexpr double rest_share = 1e-20;    // of the largest energy: a body that moves no more (1e-10 of its way)
constexpr double closing_noise = 1e-13;  // a potential that is itself a root is no better
constexpr double bounce_share = 1e-16;  // likewise: a bounce that is not worth counting

double square(double x) { return x * x; }

/// sum_k coefficients_k u^k with coefficients_k = sum_j table_kj f_j.
template <std::size_t Terms>
double dense(const std::array<Collocation::Nodes, Terms>& table, const Collocation::Nodes& f,
             double u) noexcept {
  double sum = 0;
  for (std::size_t k = Terms; k-- > 0;) {
    double coefficient = 0;
    for (int j = 0; j < S; ++j) coefficient += table[k][j] * f[j];
    sum = sum * u + coefficient;
  }
  return sum;
}

}  // namespace

ContactMarch::ContactMarch(LinearSystem system, std::vector<Contact> contacts,
                           const MotionState& start, const ContactMarchSettings& settings)
    : system_(std::move(system)), contacts_(std::move(contacts)), settings_(settings) {
  validate(system_);
  const Eigen::Index modes = system_.body.mode_count();
  const std::size_t count = index(system_.contacts());
  if (contacts_.size() == 1 && count > 1) contacts_.assign(count, contacts_.front());
  if (contacts_.size() != count) {
    throw InvalidInput("contacts: one law is needed for each gap, or one for all");
  }
  for (const Mode& mode : system_.body.modes) {
    if (mode.frequency != 0 || mode.damping != 0) {
      throw InvalidInput("modes that vibrate need another march");
    }
  }
  const ShapeMatrix& shapes = system_.body.shapes;
  images_ = shapes.transpose();
  flight_ = system_.force;
  pushed_ = system_.force_in_contact.size() > 0 ? system_.force_in_contact : system_.force;
  for (Eigen::Index j = 0; j < modes; ++j) {
    const double mass = system_.body.modes[static_cast<std::size_t>(j)].mass;
    images_.row(j) /= mass;
    flight_[j] /= mass;
    pushed_[j] /= mass;
  }
  delassus_ = shapes * images_;
  const Eigen::VectorXd in_flight = -(shapes * flight_), in_contact = -(shapes * pushed_);
  flight_x_.assign(in_flight.begin(), in_flight.end());
  pushed_x_.assign(in_contact.begin(), in_contact.end());
  states_.resize(count);
  records_.resize(count);
  peaks_.resize(count);
  length_.assign(count, 0.0);
  period_.assign(count, 0.0);
  held_.assign(count, 0);
  end_.q = start.q;
  end_.v = start.v;
  const Eigen::VectorXd gaps = system_.offsets + shapes * start.q, rates = shapes * start.v;
  for (std::size_t i = 0; i < count; ++i) {
    end_.x.push_back(-gaps[static_cast<Eigen::Index>(i)]);
    end_.r.push_back(-rates[static_cast<Eigen::Index>(i)]);
  }
  begin_ = now_ = end_;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double onset = states_[index(i)].onset(contacts_[index(i)]), x = end_.x[index(i)];
    const bool pressed = pushed_x_[index(i)] > 0 && end_.r[index(i)] == 0;
    if (x > onset || (x == onset && (end_.r[index(i)] > 0 || pressed))) pass(i, 0);
  }
  loss_ = 0;
  ledger_ = Ledger(stored());
  highest_ = std::abs(ledger_.initial());
}

double ContactMarch::stored() const {
  double energy = 0;
  for (Eigen::Index j = 0; j < end_.v.size(); ++j) {
    energy += 0.5 * system_.body.modes[static_cast<std::size_t>(j)].mass * square(end_.v[j]);
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    energy += states_[i].potential(contacts_[i], end_.x[i]);
  }
  return energy;
}

void ContactMarch::step() {
  if (sampled_) {
    finished_.clear();
    sampled_ = false;
  }
  const double target = static_cast<double>(sample_ + 1) / settings_.rate;
  for (int i = 0; end_.t < target; ++i) {
    if (i == internal_steps_at_once || !converged_) return;
    internal_step();
    finished_.insert(finished_.end(), due_.begin(), due_.end());
    due_.clear();
  }
  ++sample_;
  sampled_ = true;
  state_at(target, now_);
}

void ContactMarch::finish() {
  if (!(end_.t > now_.t)) return;
  const double end = std::exchange(settings_.end, now_.t);
  end_ = begin_;
  event_ = {};
  ledger_ = ledger_before_;
  // As far as the step went, no phase ends before its end.
  while (end_.t < settings_.end && converged_) internal_step();
  settings_.end = end;
}

/// One step of the motion's own size from the end of the last one.
void ContactMarch::internal_step() {
  loss_ = 0;
  ledger_before_ = ledger_;
  pass_events();
  begin_ = end_;
  ++steps_;
  const double longest = std::isfinite(settings_.end) && end_.t < settings_.end
                             ? settings_.end - end_.t
                             : std::max(16 / settings_.rate, 0.25 * end_.t);
  if (at_rest_) {
    piece_ = {.t = end_.t, .h = longest};
    end_.t += longest;
  } else if (active_.empty()) {
    fly(longest);
  } else {
    contact_step(longest);
    check_rest();
  }
  double injected = 0;
  const Eigen::VectorXd& a = piece_.in_contact ? pushed_ : flight_;
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    injected +=
        system_.body.modes[static_cast<std::size_t>(j)].mass * a[j] * (end_.q[j] - begin_.q[j]);
  }
  const double energy = stored();
  highest_ = std::max(highest_, energy);
  ledger_.close_step(energy, loss_, injected);
}

/// Lets every phase end whose guard has been reached: the one the last step was led to, and others
/// that end at the same instant.
void ContactMarch::pass_events() {
  if (event_.contact >= 0) {
    const Event event = event_;
    event_ = {};
    pass(event.contact, event.guard);
  }
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    const ContactState& state = states_[index(i)];
    if (state.phase() == Phase::resting) continue;
    const double x = end_.x[index(i)], r = end_.r[index(i)];
    const double near = 1e-13 * length_[index(i)];
    if (state.phase() == Phase::apart && r > 0 && x >= state.onset(contacts_[index(i)])) pass(i, 0);
    if (state.ends_at_edge(contacts_[index(i)]) && r < 0 &&
        x - state.edge(contacts_[index(i)]) <= near) {
      pass(i, 0);
    }
  }
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
    const double energy = 0.5 * r * r / w + std::max(0.0, state.potential(contacts_[i], x));
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
    onset_power_ = std::max(
        onset_power_, std::visit([](const auto& law) { return law.grade(); }, contacts_[i].law));
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
  if (state.phase() == Phase::apart && system_.force_in_contact.size() > 0 && flight_x_[i] > 0 &&
      states_.size() == 1 && 0.5 * r * r / w <= bounce_share * highest_) {
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
  active_inverse_.resize(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    for (Eigen::Index b = 0; b < n; ++b) active_inverse_(a, b) = delassus_(active_[a], active_[b]);
  }
  if (n == 1) {
    active_inverse_(0, 0) = 1 / active_inverse_(0, 0);
  } else if (n > 1) {
    // Contacts that share all bodies make W singular; the least inertia that keeps it invertible.
    const double shift = 1e-14 * active_inverse_.trace();
    active_inverse_.diagonal().array() += shift;
    active_inverse_ = active_inverse_.llt().solve(Eigen::MatrixXd::Identity(n, n)).eval();
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
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].phase() != Phase::recovering) continue;
    loss_ += states_[i].potential(contacts_[i], begin_.x[i]) -
             states_[i].potential(contacts_[i], end_.x[i]);
  }
  if (event_.contact < 0) return;
  const std::size_t i = index(event_.contact);
  if (states_[i].phase() == Phase::apart) end_.x[i] = states_[i].onset(contacts_[i]);
  if (states_[i].phase() == Phase::recovering && event_.guard == 0) end_.x[i] = states_[i].dent();
  if (states_[i].phase() == Phase::recovering && event_.guard == 1) end_.r[i] = 0;
}

void ContactMarch::contact_step(double longest) {
  const int power = onset_power_;
  solved_ = nullptr;
  const Collocation* first = power > 0 ? &Collocation::of(ClockKind::onset, power) : nullptr;
  onset_power_ = 0;
  double h = std::min(next_h_, longest), wanted = h;
  for (int tries = 0; tries < max_tries; ++tries) {
    const Collocation* table = first != nullptr ? first : &Collocation::of(ClockKind::plain, 1);
    Event event;
    // A plain step that ended just short of the edge would leave the singularity to the next one.
    if (first == nullptr) {
      for (const int i : active_) {
        const ContactState& state = states_[index(i)];
        const double r = end_.r[index(i)];
        if (!(r < 0) || !state.ends_at_edge(contacts_[index(i)])) continue;
        const double out = (end_.x[index(i)] - state.edge(contacts_[index(i)])) / -r;
        if (out < 1.3 * h) {
          h = std::min(out, longest);
          if (out <= longest) event = {i, 0};
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
      continue;
    }
    double when = h;
    const Event crossed = first_event(h, *table, when);
    if (event.contact < 0 && crossed.contact >= 0) {
      event = crossed;
      if (when < 0.5 * h &&
          states_[index(crossed.contact)].ends_at_edge(contacts_[index(crossed.contact)])) {
        h = when;  // the forces beyond the edge have spoilt the step
        if (tries + 1 < max_tries) continue;
      }
      h = when;
    }
    if (event.contact >= 0 && !land(event, h, table)) {
      h = 0.5 * h;
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

/// What the forces make of the free motion; with `evaluate` the forces are found anew from it, and
/// their largest change is returned.
double ContactMarch::apply(double h, const Collocation& table, bool evaluate) {
  const std::size_t n = active_.size();
  double change = 0;
  for (std::size_t a = 0; a < n; ++a) {
    Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    const double x0 = end_.x[i], r0 = end_.r[i], acceleration = pushed_x_[i];
    for (int k = 0; k < S; ++k) {
      const double t = h * table.time[k];
      u.x[k] = x0 + t * (r0 + 0.5 * t * acceleration);
      u.v[k] = r0 + t * acceleration;
    }
    for (std::size_t b = 0; b < n; ++b) {
      const double w = delassus_(active_[a], active_[b]);
      if (w == 0) continue;
      const double to_x = h * h * w, to_v = h * w;
      for (int j = 0; j < S; ++j) {
        const double fx = to_x * unknowns_[b].f[j], fv = to_v * unknowns_[b].f[j];
        const Nodes& place = table.place[j];
        const Nodes& rate = table.rate[j];
        for (int k = 0; k < S; ++k) u.x[k] -= fx * place[k];
        for (int k = 0; k < S; ++k) u.v[k] -= fv * rate[k];
      }
    }
  }
  if (!evaluate) return 0;
  for (std::size_t a = 0; a < n; ++a) {
    Unknown& u = unknowns_[a];
    const Contact& contact = contacts_[index(active_[a])];
    const ContactState& state = states_[index(active_[a])];
    std::visit(
        [&](const auto& law) {
          for (int k = 0; k < S; ++k) {
            const Force force = law.force(u.x[k] - state.dent(), u.v[k], state.memory());
            change = std::max(change, std::abs(force.total() - u.f[k]));
            u.f[k] = force.total();
            u.lost[k] = force.lost;
          }
        },
        contact.law);
  }
  return change;
}

/// The forces of a step: fixed point, or Newton's method where that does not contract. The motion
/// at nodes and end goes with them. False: neither converged.
bool ContactMarch::solve(double h, const Collocation& table) {
  if (!(h > 0)) return false;
  // Tried again from the same beginning with another length, the forces of the last try are near.
  if (solved_ != &table) start_forces();
  solved_ = nullptr;
  const double enough = std::max(2 * rounding, 1e-4 * settings_.tolerance);
  double last = 1e300;
  bool done = false, slow = false;
  for (int sweep = 0; sweep < max_sweeps && !done && !slow; ++sweep) {
    const double change = apply(h, table, true);
    double size = 0;
    for (const Unknown& u : unknowns_) {
      for (const double f : u.f) size = std::max(size, std::abs(f));
    }
    if (!std::isfinite(change)) break;
    const double left = sweep > 0 ? change * std::min(1.0, change / last) : change;
    done = left <= enough * size || (change <= 1e-13 * size && change >= 0.5 * last);
    slow = sweep > 1 && change > 0.4 * last && !done;
    last = change;
  }
  if (!done && !solve_newton(h, table)) return false;
  solved_ = &table;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    Unknown& u = unknowns_[a];
    u.impulse = u.travel = 0;
    for (int k = 0; k < S; ++k) {
      u.impulse += table.weight[k] * u.f[k];
      u.travel += table.end_place[k] * u.f[k];
    }
    u.impulse *= h;
    u.travel *= h * h;
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    u.x1 = h * (end_.r[i] + 0.5 * h * pushed_x_[i]);
    u.r1 = end_.r[i] + h * pushed_x_[i];
    for (std::size_t b = 0; b < active_.size(); ++b) {
      const double w = delassus_(active_[a], active_[b]);
      u.x1 -= w * unknowns_[b].travel;
      u.r1 -= w * unknowns_[b].impulse;
    }
    u.x1 += end_.x[i];
  }
  return true;
}

/// The forces now stand for all nodes.
void ContactMarch::start_forces() {
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = index(active_[a]);
    unknowns_[a].f.fill(states_[i].force(contacts_[i], end_.x[i], end_.r[i]).total());
  }
}

bool ContactMarch::solve_newton(double h, const Collocation& table) {
  const auto size = static_cast<Eigen::Index>(active_.size()) * S;
  Eigen::MatrixXd jacobian(size, size);
  Eigen::VectorXd residual(size), slope_x(size), slope_v(size);
  start_forces();
  double last = 1e300;
  for (int iteration = 0; iteration < max_newton; ++iteration) {
    apply(h, table, false);
    double scale = 0;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      const Unknown& u = unknowns_[a];
      const std::size_t i = index(active_[a]);
      for (int k = 0; k < S; ++k) {
        const double dx = 1e-7 * (std::abs(u.x[k]) + 1e-3 * length_[i]);
        const double dv = 1e-7 * (std::abs(u.v[k]) + 1e-3 * length_[i] / period_[i]);
        const auto force = [&](double x, double v) {
          return states_[i].force(contacts_[i], x, v).total();
        };
        const Eigen::Index row = static_cast<Eigen::Index>(a) * S + k;
        const double f = force(u.x[k], u.v[k]);
        slope_x[row] = (force(u.x[k] + dx, u.v[k]) - f) / dx;
        slope_v[row] = (force(u.x[k], u.v[k] + dv) - f) / dv;
        residual[row] = f - u.f[k];
        scale = std::max(scale, std::abs(f));
      }
    }
    const double norm = residual.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(norm)) return false;
    if (norm <= 4 * rounding * scale || (norm <= 1e-12 * scale && norm >= 0.3 * last)) {
      apply(h, table, true);
      return true;
    }
    last = norm;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      for (std::size_t b = 0; b < active_.size(); ++b) {
        const double w = delassus_(active_[a], active_[b]);
        for (int k = 0; k < S; ++k) {
          for (int j = 0; j < S; ++j) {
            const Eigen::Index row = static_cast<Eigen::Index>(a) * S + k,
                               column = static_cast<Eigen::Index>(b) * S + j;
            jacobian(row, column) =
                (row == column ? 1.0 : 0.0) +
                w * h * (slope_x[row] * h * table.place[j][k] + slope_v[row] * table.rate[j][k]);
          }
        }
      }
    }
    if (active_.size() == 1) {  // sizes known beforehand are factored three times as fast
      const Eigen::Matrix<double, S, S> fixed = jacobian;
      residual = fixed.partialPivLu().solve(Eigen::Matrix<double, S, 1>(residual)).eval();
    } else {
      residual = jacobian.partialPivLu().solve(residual).eval();
    }
    for (std::size_t a = 0; a < active_.size(); ++a) {
      for (int k = 0; k < S; ++k) {
        unknowns_[a].f[k] += residual[static_cast<Eigen::Index>(a) * S + k];
      }
    }
  }
  return false;
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
    for (int n = 0; n < max_landings; ++n) {
      if (!(n == 0 && solved_ == table) && !solve(h, *table)) return false;
      if (!(u.r1 < 0)) return false;
      const double miss = u.x1 - edge, correction = miss / u.r1;
      if (std::abs(miss) <= 4e-16 * length_[i] || std::abs(correction) <= 2e-16 * h) {
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
  return solve(h, *table);
}

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

bool ContactMarch::close(double h, const Collocation& table, bool landed) {
  const std::size_t n = active_.size();
  Closing& c = closing_;
  for (std::vector<double>* each : {&c.x0, &c.r0, &c.x1, &c.r1, &c.move, &c.x, &c.r}) each->resize(n);
  auto& [x0, r0, x1, r1, move, x, r] = c;
  double loss = 0, size = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    x0[a] = end_.x[i];
    r0[a] = end_.r[i];
    x1[a] = u.x1;
    r1[a] = u.r1;
    for (int k = 0; k < S; ++k) loss += h * table.weight[k] * std::max(0.0, u.lost[k] * u.v[k]);
    size += 0.5 * square(r0[a]) / delassus_(active_[a], active_[a]) +
            std::abs(states_[i].potential(contacts_[i], x0[a])) +
            std::abs(pushed_x_[i] / delassus_(active_[a], active_[a]) * x0[a]);
  }
  const double before = contact_energy(x0, r0);
  double excess = contact_energy(x1, r1) - before + loss;
  loss_ += loss;
  if (std::abs(excess) <= 0.5 * loss) {
    loss_ -= excess;
    booked_ += std::abs(excess);
    return true;
  }
  if (std::abs(excess) <= 2 * rounding * size) return true;
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
      c.x[a] = c.x1[a] + lambda * c.move[a];
      c.r[a] = (1 + lambda) * c.r1[a];
    }
    return contact_energy(c.x, c.r) - before + loss;
  };
  double lambda = 0, other = 1e-7, at_other = moved(other);
  for (int k = 0; k < 12 && std::abs(excess) > 2 * rounding * size && at_other != excess; ++k) {
    const double next = lambda - excess * (lambda - other) / (excess - at_other);
    other = lambda;
    at_other = excess;
    lambda = next;
    excess = moved(lambda);
  }
  if (!(std::abs(lambda) < 1e-2) || !(std::abs(excess) <= closing_noise * size)) {
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
    for (const Unknown& u : unknowns_) {
      for (int k = 0; k < S; ++k) loss_ += h * table.weight[k] * std::max(0.0, u.lost[k] * u.v[k]);
    }
  }
  note_extremes(h, table);
  state_at(piece_.t + h, end_);
  end_.t = piece_.t + h;
  // Closing has moved compressions and rates a little: so do the bodies, in the way contact forces
  // would.
  for (std::size_t a = 0; a < n; ++a) {
    double dx = 0, dr = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const std::size_t i = index(active_[b]);
      const double inverse =
          active_inverse_(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      dx += inverse * (unknowns_[b].x1 - end_.x[i]);
      dr += inverse * (unknowns_[b].r1 - end_.r[i]);
    }
    end_.q -= dx * images_.col(active_[a]);
    end_.v -= dr * images_.col(active_[a]);
  }
  for (std::size_t a = 0; a < n; ++a) {
    end_.x[index(active_[a])] = unknowns_[a].x1;
    end_.r[index(active_[a])] = unknowns_[a].r1;
  }
  if (event_.contact >= 0 && !states_[index(event_.contact)].touching()) {
    const std::size_t i = index(event_.contact);
    if (states_[i].phase() == Phase::apart) end_.x[i] = states_[i].onset(contacts_[i]);
  }
}

/// Largest compression and force of each contact, located on the polynomials of the step. These are
/// less accurate inside than at the end: with exact_peaks the step is solved once more up to there.
void ContactMarch::note_extremes(double h, const Collocation& table) {
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    ImpactRecord& record = records_[i];
    const double begun = begin_.t - record.time;
    struct Point {
      double x, v, t;
    };
    const auto at = [&](double sigma) -> Point {
      const double t = h * table.time_at(sigma);
      Point point{begin_.x[i] + t * (begin_.r[i] + 0.5 * t * pushed_x_[i]),
                  begin_.r[i] + t * pushed_x_[i], t};
      for (std::size_t b = 0; b < active_.size(); ++b) {
        const double w = delassus_(active_[a], active_[b]);
        point.x -= w * h * h * dense(table.dense_place, unknowns_[b].f, 2 * sigma - 1);
        point.v -= w * h * dense(table.dense_rate, unknowns_[b].f, 2 * sigma - 1);
      }
      return point;
    };
    const auto force = [&](const Point& point) {
      return states_[i].force(contacts_[i], point.x, point.v).total();
    };
    const auto raise = [&](const Point& point) {
      if (point.x - states_[i].dent() > record.max_compression) {
        record.max_compression = point.x - states_[i].dent();
        peaks_[i].compression_time = begun + point.t;
      }
      if (force(point) > record.max_force) {
        record.max_force = force(point);
        peaks_[i].force_time = begun + point.t;
      }
    };
    const auto refine = [&](Point point) {
      if (!settings_.exact_peaks || !(point.t > 0)) return point;
      const std::vector<Unknown> kept = unknowns_;
      const bool onset = table.kind == ClockKind::onset;
      solved_ = nullptr;
      if (solve(point.t, onset ? table : Collocation::of(ClockKind::plain, 1))) {
        point = {unknowns_[a].x1, unknowns_[a].r1, point.t};
      }
      unknowns_ = kept;
      return point;
    };
    raise({u.x1, u.r1, h});
    if (begin_.r[i] > 0 && u.r1 < 0 && at(1.0).v < 0) {
      std::uintmax_t evaluations = 60;
      const auto bracket = boost::math::tools::toms748_solve(
          [&](double sigma) { return at(sigma).v; }, 0.0, 1.0, begin_.r[i], at(1.0).v,
          [](double p, double q) { return std::abs(q - p) < 1e-15; }, evaluations);
      raise(refine(at(0.5 * (bracket.first + bracket.second))));
    }
    // The largest force lies between the neighbours of the largest among both ends and the nodes.
    const auto place = [&](int k) { return k < 0 ? 0.0 : k < S ? table.sigma[k] : 1.0; };
    const auto value = [&](int k) { return k < 0 || k == S ? force(at(place(k))) : u.f[k]; };
    int top = -1;
    for (int k = 0; k <= S; ++k) {
      if (value(k) > value(top)) top = k;
    }
    if (!(value(top) > 0.9 * record.max_force)) continue;
    const double low = place(std::max(-1, top - 1)), high = place(std::min(S, top + 1));
    const double inside = 1e-3 * table.sigma[0];  // at an end it may still rise, or fall already
    if (top < 0 && !(force(at(inside)) > value(top))) continue;
    if (top == S && !(force(at(1 - inside)) > value(top))) continue;
    const auto best = boost::math::tools::brent_find_minima(
        [&](double sigma) { return -force(at(sigma)); }, low, high, 40);
    raise(refine(at(best.first)));
  }
}

void ContactMarch::state_at(double time, Moment& out) const {
  const double t = time - piece_.t;
  out.t = time;
  out.q = begin_.q;
  out.v = begin_.v;
  out.x = begin_.x;
  out.r = begin_.r;
  if (at_rest_) return;
  const Eigen::VectorXd& a = piece_.in_contact ? pushed_ : flight_;
  const std::vector<double>& ax = piece_.in_contact ? pushed_x_ : flight_x_;
  out.q += t * begin_.v + (0.5 * t * t) * a;
  out.v += t * a;
  for (std::size_t i = 0; i < out.x.size(); ++i) {
    out.x[i] += t * (begin_.r[i] + 0.5 * t * ax[i]);
    out.r[i] += t * ax[i];
  }
  if (!piece_.in_contact) return;
  const Collocation& table = Collocation::of(piece_.clock, piece_.power);
  const double h = piece_.h, u = 2 * table.sigma_at(t / h) - 1;
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const double travel =
        t == h ? unknowns_[b].travel : h * h * dense(table.dense_place, unknowns_[b].f, u);
    const double impulse =
        t == h ? unknowns_[b].impulse : h * dense(table.dense_rate, unknowns_[b].f, u);
    out.q += travel * images_.col(active_[b]);
    out.v += impulse * images_.col(active_[b]);
    for (std::size_t i = 0; i < out.x.size(); ++i) {
      const double w = delassus_(static_cast<Eigen::Index>(i), active_[b]);
      out.x[i] -= w * travel;
      out.r[i] -= w * impulse;
    }
  }
}

ContactPiece ContactMarch::piece() const noexcept {
  return {.t = piece_.t,
          .h = piece_.h,
          .clock = piece_.clock,
          .power = piece_.power,
          .x = begin_.x.front(),
          .v = begin_.r.front(),
          .acceleration = pushed_x_.front(),
          .mobility = delassus_(0, 0),
          .f = unknowns_.front().f,
          .memory = states_.front().memory()};
}

ContactPiece::Point ContactPiece::at(double time) const noexcept {
  const Collocation& table = Collocation::of(clock, power);
  const double since = time - t, u = 2 * table.sigma_at(since / h) - 1;
  return {x + since * (v + 0.5 * since * acceleration) -
              mobility * h * h * dense(table.dense_place, f, u),
          v + since * acceleration - mobility * h * dense(table.dense_rate, f, u)};
}

void ContactMarch::settle(double lost) {
  loss_ += lost;
  at_rest_ = true;
  end_.v.setZero();
  std::fill(end_.r.begin(), end_.r.end(), 0.0);
  for (ContactState& state : states_) {
    if (state.phase() != Phase::apart || states_.size() == 1) state.rest();
  }
  find_active();
}

/// A body that has come to rest on its contacts is held there. One that has too little energy ever
/// to leave is `held` but goes on moving.
void ContactMarch::check_rest() {
  double moving = 0, kinetic = 0;
  for (Eigen::Index j = 0; j < end_.v.size(); ++j) {
    kinetic += 0.5 * system_.body.modes[static_cast<std::size_t>(j)].mass * square(end_.v[j]);
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = index(active_[a]);
    const double w = delassus_(active_[a], active_[a]);
    const double force = states_[i].force(contacts_[i], end_.x[i], end_.r[i]).conserved;
    moving +=
        0.5 * square(end_.r[i]) / w + 0.5 * square((pushed_x_[i] - w * force) * period_[i]) / w;
    if (active_.size() == 1 && pushed_x_[i] / w >= 0) {
      const double edge = states_[i].edge(contacts_[i]);
      const double here = 0.5 * square(end_.r[i]) / w +
                          states_[i].potential(contacts_[i], end_.x[i]) -
                          pushed_x_[i] / w * (end_.x[i] - edge);
      if (here < states_[i].potential(contacts_[i], edge)) held_[i] = 1;
    }
  }
  if (moving <= rest_share * highest_ && kinetic <= rest_share * highest_ && highest_ > 0) {
    settle(kinetic);
  }
}

double ContactMarch::force(int contact) const noexcept {
  const std::size_t i = index(contact);
  if (states_[i].phase() == Phase::resting) {
    return std::max(0.0, flight_x_[i]) / delassus_(contact, contact);
  }
  if (!states_[i].touching()) return 0.0;
  return states_[i].force(contacts_[i], now_.x[i], now_.r[i]).total();
}

double ContactMarch::elastic_energy() const noexcept {
  double energy = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    energy += states_[i].potential(contacts_[i], now_.x[i]);
  }
  return energy;
}

double ContactMarch::kinetic_energy() const noexcept {
  double energy = 0;
  for (Eigen::Index j = 0; j < now_.v.size(); ++j) {
    energy += 0.5 * system_.body.modes[static_cast<std::size_t>(j)].mass * square(now_.v[j]);
  }
  return energy;
}

void ContactMarch::archive(Archive& state) {
  state(begin_, end_, now_, piece_, states_, records_, peaks_, length_, period_, held_, unknowns_,
        finished_, due_, event_, ledger_, ledger_before_, next_h_, booked_, highest_, onset_power_,
        sampled_, at_rest_, converged_, sample_, steps_);
  if (state.reading()) {
    const std::vector<Unknown> kept = unknowns_;
    find_active();
    unknowns_ = kept;
  }
}

}  // namespace carom
