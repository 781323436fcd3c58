#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <carom/contacts/contact_march.hpp>
#include <carom/core/error.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/core/interrupt.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int internal_steps_at_once = 200;
// Of the largest energy: a body that moves no more (1e-10 of its way).
constexpr double rest_share = 1e-20;

}  // namespace

ContactMarch::ContactMarch(LinearSystem system, std::vector<Contact> contacts, MotionState start,
                           const ContactMarchSettings& settings)
    : system_(std::move(system)), contacts_(std::move(contacts)), settings_(settings) {
  validate(system_);
  const std::size_t count = index(system_.contacts());
  if (contacts_.size() == 1 && count > 1) contacts_.assign(count, contacts_.front());
  if (contacts_.size() != count) {
    throw InvalidInput("contacts: one law is needed for each gap, or one for all");
  }
  if (start.q.size() != system_.body.mode_count() || start.v.size() != system_.body.mode_count()) {
    throw InvalidInput("start: a position and a velocity are needed for each mode");
  }
  separate_modes(start);
  const Eigen::Index modes = system_.body.mode_count();
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
  lone_ = modes == 1 && count == 1 && !resonator_;
  if (resonator_) {
    rigid_mobility_ = delassus_(0, 0);
    delassus_(0, 0) += resonator_->mobility();
    end_.modes = resonator_->sums();
  }
  const Eigen::VectorXd in_flight = -(shapes * flight_), in_contact = -(shapes * pushed_);
  flight_x_.assign(in_flight.begin(), in_flight.end());
  pushed_x_.assign(in_contact.begin(), in_contact.end());
  target_ = 1 / settings_.rate;
  due_.reserve(64);
  finished_.reserve(64);
  active_.reserve(count);
  pressed_.reserve(count);
  unknowns_.reserve(count);
  kept_.reserve(count);
  active_inverse_.resize(1, 1);
  newton_.jacobian.resize(S, S);
  newton_.residual.resize(S);
  newton_.slope_x.resize(S);
  newton_.slope_v.resize(S);
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
    end_.x.push_back(-gaps[static_cast<Eigen::Index>(i)] - end_.modes.hit);
    end_.r.push_back(-rates[static_cast<Eigen::Index>(i)] - end_.modes.hit_velocity);
  }
  end_.impulse.assign(count, 0.0);
  last_impulse_ = end_.impulse;
  begin_ = now_ = end_;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double onset = states_[index(i)].onset(contacts_[index(i)]), x = end_.x[index(i)];
    if (x > onset || (x == onset && end_.r[index(i)] > 0)) pass(i, 0);
  }
  press_neighbours();
  loss_ = 0;
  ledger_ = Ledger(stored());
  highest_ = std::abs(ledger_.initial());
}

double ContactMarch::stored() const {
  double energy = end_.modes.energy;
  for (Eigen::Index j = 0; j < end_.v.size(); ++j) {
    energy += 0.5 * system_.body.modes[static_cast<std::size_t>(j)].mass * square(end_.v[j]);
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    energy += states_[i].potential(contacts_[i], end_.x[i]);
  }
  return energy;
}

void ContactMarch::step() {
  if (lone_ && sampled_ && !(end_.t < target_) && !piece_.in_contact) {
    if (!finished_.empty()) finished_.clear();
    last_impulse_.front() = now_.impulse.front();
    read_lone_flight(target_, now_);
    count_sample();
    return;
  }
  step_on();
}

void ContactMarch::step_on() {
  std::optional<FlushDenormals> flush;  // dying modes pass through them, rigid bodies do not
  if (resonator_) flush.emplace();
  if (sampled_) {
    finished_.clear();
    last_impulse_.front() = now_.impulse.front();
    for (std::size_t i = 1; i < last_impulse_.size(); ++i) last_impulse_[i] = now_.impulse[i];
    sampled_ = false;
  }
  const double target = target_;
  if (resonator_ && fly_sample(target)) {
    count_sample();
    return;
  }
  for (int i = 0; end_.t < target; ++i) {
    if (i == internal_steps_at_once || !converged_) return;
    internal_step();
    if (pace_.hopeless(end_.t, std::isfinite(settings_.end) ? settings_.end : target))
      converged_ = false;
    finished_.insert(finished_.end(), due_.begin(), due_.end());
    due_.clear();
  }
  count_sample();
  state_at(target, now_);
}

void ContactMarch::set_force(Eigen::Index mode, double force) {
  const double acceleration = force / system_.body.modes[static_cast<std::size_t>(mode)].mass;
  flight_[mode] = pushed_[mode] = acceleration;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto row = system_.body.shapes.row(static_cast<Eigen::Index>(i));
    flight_x_[i] = -row.dot(flight_);
    pushed_x_[i] = -row.dot(pushed_);
  }
  settings_.end = target_;
}

void ContactMarch::finish() {
  if (!(end_.t > now_.t)) return;
  const double end = std::exchange(settings_.end, now_.t);
  end_ = begin_;
  event_ = {};
  ledger_ = ledger_before_;
  if (resonator_) resonator_->accept();  // back to where the step began
  // As far as the step went, no phase ends before its end.
  while (end_.t < settings_.end && converged_) internal_step();
  settings_.end = end;
}

/// One step of the motion's own size from the end of the last one.
void ContactMarch::internal_step() {
  answer_interrupt();
  loss_ = 0;
  pass_events();
  if (loss_ != 0) ledger_.close_step(stored(), std::exchange(loss_, 0.0), 0.0);
  ledger_before_ = ledger_;
  begin_ = end_;
  ++steps_;
  const double longest = std::isfinite(settings_.end) && end_.t < settings_.end
                             ? settings_.end - end_.t
                             : std::max(16 / settings_.rate, 0.25 * end_.t);
  if (at_rest_) {
    piece_ = {.t = end_.t, .h = longest};
    end_.t += longest;
  } else if (active_.empty() && resonator_) {
    fly_with_modes();
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
  if (resonator_) return;  // modes never stop
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

ContactState::Load ContactMarch::load(int contact) const noexcept {
  const std::size_t i = index(contact);
  if (states_[i].touching()) return states_[i].load(contacts_[i], now_.x[i], now_.r[i]);
  return {force(contact), states_[i].potential(contacts_[i], now_.x[i])};
}

double ContactMarch::mean_force(int contact) const noexcept {
  return (now_.impulse[index(contact)] - last_impulse_[index(contact)]) * settings_.rate;
}

double ContactMarch::displacement(int point) const noexcept {
  return system_.observed.row(point).dot(now_.q) + now_.modes.heard;
}

double ContactMarch::point_velocity(int point) const noexcept {
  return system_.observed.row(point).dot(now_.v) + now_.modes.heard_velocity;
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
  if (state.reading()) unknowns_.clear();  // as many as contacts touch, which differs
  state(begin_, end_, now_, piece_, states_, records_, peaks_, length_, period_, held_, unknowns_,
        finished_, due_, event_, ledger_, ledger_before_, next_h_, booked_, highest_, onset_power_,
        sampled_, at_rest_, converged_, sample_, target_, steps_, last_impulse_, bend_, inside_);
  if (resonator_) state(*resonator_);
  if (state.reading()) {
    const int count = static_cast<int>(contacts_.size());
    state.require(event_.contact >= -1 && event_.contact < count && sample_ >= 0);
    state.require(event_.contact < 0 || event_.guard == 0 || event_.guard == 1);
    state.require(is_clock(piece_.clock, piece_.power));
    state.require(onset_power_ == 0 || is_clock(ClockKind::onset, onset_power_));
    for (const auto* list : {&finished_, &due_}) {
      for (const FinishedImpact& one : *list)
        state.require(one.contact >= 0 && one.contact < count);
    }
    vibration_.clock = nullptr;
    const std::vector<Unknown> kept = unknowns_;
    find_active();
    // They differ only where a contact has come to rest, which is not stepped any more.
    if (kept.size() == unknowns_.size()) unknowns_ = kept;
  }
}

}  // namespace carom
