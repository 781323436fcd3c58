#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int internal_steps_at_once = 100;

/// Methods of fixed length divide a sample at events only. A contact that they do not resolve can
/// touch and part without end in ever shorter steps: more than a hundred events a sample on
/// average, after a first reserve, is no motion any more.
constexpr std::int64_t events_per_sample = 100, events_in_reserve = 20000;
constexpr double rest_share = 1e-20;  // of the largest energy: a system that moves no more

}  // namespace

SystemMarch::SystemMarch(AnySystem system, std::vector<LawChoice> laws, Surface surface,
                         const MotionState& start, const SystemMarchSettings& settings)
    : system_(std::move(system)),
      dynamics_(system_),
      settings_(settings),
      rows_(system_),
      shifted_(system_) {
  const int n = system_.coordinates(), count = system_.contacts();
  if (laws.size() == 1 && count > 1) laws.assign(index(count), laws.front());
  if (laws.size() != index(count)) {
    throw InvalidInput("laws: one is needed for each of the " + std::to_string(count) +
                       " contacts, or one for all");
  }
  if (start.q.size() != n || start.v.size() != n) {
    throw InvalidInput("start: " + std::to_string(n) + " positions and velocities are needed");
  }
  if (!settings_.friction.empty() && settings_.friction.size() != index(count))
    throw InvalidInput("friction: one coefficient is needed for each of the " +
                       std::to_string(count) + " contacts, or none");
  for (std::size_t i = 0; i < settings_.friction.size(); ++i) {
    require_not_negative("friction", settings_.friction[i]);
    if (settings_.friction[i] > 0 && !system_.has_tangents())
      throw InvalidInput("friction: the system has no tangents(t, q, T)");
    const bool compliant = std::holds_alternative<AnyLaw>(laws[i]);
    if (settings_.friction[i] > 0 && compliant && settings_.scheme != SystemScheme::collocation)
      throw InvalidInput(
          "friction: a classical step does not carry the spring of a compliant contact");
    rubs_ = rubs_ || (settings_.friction[i] > 0 && compliant);
  }
  if (!settings_.tangential_stiffness.empty() &&
      settings_.tangential_stiffness.size() != index(count))
    throw InvalidInput("tangential_stiffness: one is needed for each of the " +
                       std::to_string(count) + " contacts, or none");
  for (const double stiffness : settings_.tangential_stiffness)
    require_not_negative("tangential_stiffness", stiffness);
  require_positive("rate", settings_.rate);
  require_positive("tolerance", settings_.tolerance);
  // Looser steps grow so long that a contact could begin and end between two nodes.
  settings_.tolerance = std::min(settings_.tolerance, 1e-10);
  gaps_.setZero(count);
  rates_.setZero(count);
  force_.setZero(n);
  solved_.setZero(n);
  if (rubs_) {
    tangents_.resize(count, n);
    slip_rates_.setZero(count);
  }
  const auto size = [&](Point& point) {
    for (std::vector<double>* x : {&point.slip, &point.carried, &point.spring})
      x->assign(rubs_ ? index(count) : 0, 0.0);
    for (Eigen::VectorXd* x : {&point.q, &point.v, &point.a}) x->setZero(n);
    for (std::vector<double>* x :
         {&point.x, &point.r, &point.f, &point.lost, &point.target, &point.moved}) {
      x->assign(index(count), 0.0);
    }
  };
  for (Point& node : nodes_) size(node);
  for (Point* point : {&begin_point_, &end_point_, &scratch_, &reading_.point}) size(*point);
  used_.assign(S, std::vector<double>(index(count), 0.0));
  impulse_begin_ = impulse_end_ = impulse_now_ = used_.front();
  for (LawChoice& law : laws) {
    Touch touch;
    touch.contact.surface = surface;
    if (const auto* compliant = std::get_if<AnyLaw>(&law)) touch.contact.law = *compliant;
    if (const auto* newton = std::get_if<NewtonRestitution>(&law))
      touch.restitution = newton->restitution;
    touch.law = std::move(law);
    const std::size_t i = contacts_.size();
    if (rubs_ && std::holds_alternative<AnyLaw>(touch.law)) {
      touch.friction.coefficient = settings_.friction[i];
      if (!settings_.tangential_stiffness.empty())
        touch.friction.given = settings_.tangential_stiffness[i];
    }
    contacts_.push_back(std::move(touch));
  }
  end_ = {0.0, start.q, start.v, std::vector<double>(rubs_ ? index(count) : 0, 0.0)};
  system_.gaps(0.0, end_.q, gaps_);
  if (!system_.has_gap_rates()) {
    for (const double samples : {1.0, 17.3, 1234.5}) {
      system_.gaps(samples / settings_.rate, end_.q, rates_);
      if (rates_ != gaps_)
        throw InvalidInput("gaps depend on time, but the system has no gap_rates(t, q)");
    }
    rates_.setZero();
  }
  for (int i = 0; i < count; ++i) {
    if (system_.two_sided(i) && gaps_[i] < 0) contacts_[index(i)].side = -1.0;
  }
  begin_ = now_ = end_;
  arrange_all();
  fastest_ = end_.v.squaredNorm();
  end_point_.q = end_.q;
  end_point_.v = end_.v;
  compressions(0.0, end_point_);
  pass_events();
  begin_ = now_ = end_;
  loss_ = struck_work_ = 0;
  ledger_ = Ledger(stored(end_));
  ledger_before_ = ledger_;
  highest_ = std::abs(ledger_.initial());
}

bool SystemMarch::touching() const noexcept {
  return std::any_of(parts_.near.begin(), parts_.near.end(), [&](int i) { return pressed(i); });
}

/// Compressions and their rates at a point whose q and v are known, of the contacts that take part.
void SystemMarch::compressions(double t, Point& point, const Group& group) const {
  if (parts_.local) {
    system_.gaps(t, point.q, group.near, gaps_);
    compressions(group.near, point);
    return;
  }
  if (contacts_.empty()) return;
  system_.gaps(t, point.q, gaps_);
  rows_.read(system_, t, point.q);
  if (system_.has_gap_rates()) system_.gap_rates(t, point.q, rates_);
  compressions(group.near, point);
}

/// By the gaps that have been read.
void SystemMarch::compressions(std::span<const int> contacts, Point& point) const {
  for (const int row : contacts) {
    const std::size_t i = index(row);
    const double side = contacts_[i].side;
    point.x[i] = -side * gaps_[row];
    point.moved[i] = -side * rates_[row];
    point.r[i] = -side * rows_.rate(row, point.v) + point.moved[i];
  }
}

/// The accelerations at a point whose q and v are known; with `forces`, by these contact forces
/// instead of the laws' own.
void SystemMarch::evaluate(double t, Point& point, const Group& group,
                           const std::vector<double>* forces) {
  if (parts_.local) {
    system_.force(t, point.q, point.v, group.seen, force_);
  } else {
    dynamics_.set_position(point.q);
    if (!dynamics_.factor()) {
      // An iterate far off; a shorter step of collocation may have better ones.
      if (settings_.scheme != SystemScheme::collocation) status_ = MarchStatus::not_finite;
      point.a.setConstant(std::nan(""));
      return;
    }
    solved_.setZero();
    dynamics_.residual(t, point.v, solved_, force_);
  }
  compressions(t, point, group);
  for (const int row : group.near) {
    const std::size_t i = index(row);
    const Touch& touch = contacts_[i];
    point.f[i] = point.lost[i] = point.target[i] = 0.0;
    if (!pressed(row)) continue;
    const Force force = touch.state.force(touch.contact, point.x[i], point.r[i]);
    point.target[i] = force.total();
    point.lost[i] = force.lost;
    point.f[i] = forces != nullptr ? (*forces)[i] : force.total();
    rows_.push(row, touch.side * point.f[i], force_);
  }
  slips(t, point);
  rub(point, force_);
  if (parts_.local) {
    system_.divide_by_mass(group.moving, force_);
    for (const int c : group.moving) point.a[c] = force_[c];
  } else {
    dynamics_.solve(force_, point.a);
  }
  hold(t, point);
  point.dissipation = system_.dissipation(t, point.q, point.v);
  point.power = system_.power(t, point.q, point.v);
}

double SystemMarch::stored(const Moment& moment) const {
  double energy = parts_.energy;
  if (parts_.local) {
    energy += system_.energy(moment.q, moment.v, parts_.moving);
  } else {
    dynamics_.set_position(moment.q);
    energy = dynamics_.kinetic_energy(moment.v) + dynamics_.potential_energy();
  }
  for (const int c : parts_.seen) {
    scratch_.q[c] = moment.q[c];
    scratch_.v[c] = moment.v[c];
  }
  compressions(moment.t, scratch_);
  for (const int contact : parts_.near) {
    const std::size_t i = index(contact);
    energy += contacts_[i].state.potential(contacts_[i].contact, scratch_.x[i]);
    if (rubs_) energy += spring_energy(i, moment.spring[i], scratch_.x[i], scratch_.r[i]);
  }
  return energy;
}

void SystemMarch::step() {
  if (sampled_) {
    finished_.clear();
    sampled_ = false;
  }
  // The end is a sample but for rounding: no sliver of a step before it.
  const double next = static_cast<double>(sample_ + 1) / settings_.rate;
  const double target = next > settings_.end - 1e-6 / settings_.rate ? settings_.end : next;
  for (int i = 0; end_.t < target; ++i) {
    if (i == internal_steps_at_once) return;
    if (status_ != MarchStatus::going && status_ != MarchStatus::at_rest) return;
    if (settings_.scheme != SystemScheme::collocation &&
        steps_ > events_per_sample * (sample_ + 1) + events_in_reserve) {
      status_ = MarchStatus::not_converged;
      return;
    }
    internal_step();
    if (pace_.hopeless(end_.t, std::isfinite(settings_.end) ? settings_.end : target) &&
        status_ == MarchStatus::going) {
      status_ = MarchStatus::not_converged;
    }
    finished_.insert(finished_.end(), due_.begin(), due_.end());
    due_.clear();
  }
  ++sample_;
  sampled_ = true;
  state_at(target, now_);
  reading_.known = false;
}

void SystemMarch::finish() {
  if (!(end_.t > now_.t)) return;
  const double end = std::exchange(settings_.end, now_.t);
  end_ = begin_;
  event_ = {};
  ledger_ = ledger_before_;
  impulse_end_ = impulse_begin_;
  while (end_.t < settings_.end && status_ == MarchStatus::going) internal_step();
  settings_.end = end;
}

void SystemMarch::check_rest() {
  if (!touching() && held_.contacts.empty()) return;
  if (highest_ == 0 || system_.has_gap_rates()) return;
  if (end_point_.power != 0) return;
  double tau = touching() ? 1e300 : 1 / settings_.rate;
  for (const int i : parts_.near) {
    if (pressed(i)) tau = std::min(tau, contacts_[index(i)].period);
  }
  dynamics_.set_position(end_.q);
  const double moving =
      dynamics_.kinetic_energy(end_.v) + square(tau) * dynamics_.kinetic_energy(end_point_.a);
  if (!(moving <= rest_share * highest_)) return;
  loss_ += dynamics_.kinetic_energy(end_.v);
  end_.v.setZero();
  status_ = MarchStatus::at_rest;
}

double SystemMarch::impulse() const noexcept {
  return std::accumulate(impulse_now_.begin(), impulse_now_.end(), 0.0);
}

const SystemMarch::Reading& SystemMarch::reading() const {
  if (reading_.known) return reading_;
  reading_.known = true;
  reading_.point.q = now_.q;
  reading_.point.v = now_.v;
  system_.gaps(now_.t, now_.q, gaps_);
  rows_.read(system_, now_.t, now_.q);
  if (system_.has_gap_rates()) system_.gap_rates(now_.t, now_.q, rates_);
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    compressions(std::array{static_cast<int>(i)}, reading_.point);
  dynamics_.set_position(now_.q);
  reading_.kinetic = dynamics_.kinetic_energy(now_.v);
  reading_.stored = reading_.kinetic + dynamics_.potential_energy();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    const double x = reading_.point.x[i], r = reading_.point.r[i];
    reading_.point.f[i] = pressed(static_cast<int>(i))
                              ? touch.state.force(touch.contact, x, r).total()
                              : held_force(i);
    reading_.stored += touch.state.potential(touch.contact, x);
    if (rubs_) reading_.stored += spring_energy(i, now_.spring[i], x, r);
  }
  return reading_;
}

double SystemMarch::compression(int contact) const { return reading().point.x[index(contact)]; }

double SystemMarch::force(int contact) const { return reading().point.f[index(contact)]; }

double SystemMarch::kinetic_energy() const { return reading().kinetic; }

double SystemMarch::stored_energy() const { return reading().stored; }

void SystemMarch::archive(Archive& state) {
  for (Touch& touch : contacts_) {
    state(touch);
    if (!state.reading() || !settings_.law_of_impact || touch.state.phase() == Phase::apart)
      continue;
    const LawChoice law = settings_.law_of_impact(touch.impact.contact, touch.collision);
    if (const auto* compliant = std::get_if<AnyLaw>(&law)) touch.contact.law = *compliant;
  }
  for (Point& node : nodes_) state(node.a, node.f, node.slip);
  state(begin_, end_, now_, clock_, power_, next_h_, flight_h_, longest_h_, event_, finished_, due_,
        ledger_, ledger_before_, power_in_, impulse_begin_, impulse_end_, impulse_now_, highest_,
        fastest_, onset_power_, sampled_, status_, sample_, steps_, parts_);
  reading_.known = false;
  if (state.reading() && parts_.local) {
    const double energy = parts_.energy;
    arrange();
    parts_.energy = energy;
  }
  const int count = static_cast<int>(contacts_.size());
  state.require(event_.contact >= -1 && event_.contact < count && sample_ >= 0);
  state.require(event_.contact < 0 || (event_.guard >= 0 && event_.guard < guard_count));
  state.require(is_clock(clock_, power_));
  state.require(onset_power_ == 0 || is_clock(ClockKind::onset, onset_power_));
  state.require(status_ >= MarchStatus::going && status_ <= MarchStatus::not_finite);
  for (const Moment* moment : {&begin_, &end_, &now_})
    state.require(moment->spring.size() == (rubs_ ? contacts_.size() : 0));
  const auto fits = [&](const SystemImpact& impact) {
    const Eigen::Index size = now_.q.size();
    state.require(impact.contact >= 0 && impact.contact < count);
    for (const auto* part : {&impact.before.q, &impact.before.v, &impact.after.q, &impact.after.v})
      state.require(part->size() == 0 || part->size() == size);
  };
  for (const Touch& touch : contacts_) fits(touch.impact);
  for (const auto* list : {&finished_, &due_}) std::for_each(list->begin(), list->end(), fits);
  held_.contacts.clear();
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    if (phase(i) == Phase::resting) held_.contacts.push_back(i);
  }
}

}  // namespace carom
