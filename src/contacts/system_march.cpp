#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <Eigen/LU>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>

namespace carom {
namespace {

constexpr int max_sweeps = 60, max_tries = 60, max_landings = 60, internal_steps_at_once = 500;
constexpr double rounding = 2.3e-16;
constexpr double rest_share = 1e-20;     // of the largest energy: a system that moves no more
constexpr double bounce_share = 1e-16;   // likewise: an impact that is not worth counting
constexpr double noise = 1e-9;           // an iteration that stagnates below has met rounding
constexpr double closing_noise = 1e-13;  // energies of general systems are no better than that

double square(double x) { return x * x; }

}  // namespace

SystemMarch::SystemMarch(AnySystem system, std::vector<LawChoice> laws, Surface surface,
                         const MotionState& start, const SystemMarchSettings& settings)
    : system_(std::move(system)), dynamics_(system_), settings_(settings) {
  const int n = system_.coordinates(), count = system_.contacts();
  if (laws.size() == 1 && count > 1) laws.assign(index(count), laws.front());
  if (laws.size() != index(count)) {
    throw InvalidInput("laws: one is needed for each of the " + std::to_string(count) +
                       " contacts, or one for all");
  }
  if (start.q.size() != n || start.v.size() != n) {
    throw InvalidInput("start: " + std::to_string(n) + " positions and velocities are needed");
  }
  require_positive("rate", settings_.rate);
  require_positive("tolerance", settings_.tolerance);
  // Looser steps grow so long that a contact could begin and end between two nodes.
  settings_.tolerance = std::min(settings_.tolerance, 1e-10);
  gaps_.setZero(count);
  rates_.setZero(count);
  gradients_.setZero(count, n);
  mass_.setZero(n, n);
  force_.setZero(n);
  solved_.setZero(n);
  for (Point* point : {&begin_point_, &end_point_, &scratch_}) *point = {};
  const auto size = [&](Point& point) {
    for (Eigen::VectorXd* x : {&point.q, &point.v, &point.a}) x->setZero(n);
    for (std::vector<double>* x :
         {&point.x, &point.r, &point.f, &point.lost, &point.target, &point.moved}) {
      x->assign(index(count), 0.0);
    }
  };
  for (Point& node : nodes_) size(node);
  for (Point* point : {&begin_point_, &end_point_, &scratch_}) size(*point);
  used_.assign(S, std::vector<double>(index(count), 0.0));
  impulse_begin_ = impulse_end_ = impulse_now_ = used_.front();
  for (LawChoice& law : laws) {
    Touch touch;
    touch.contact.surface = surface;
    if (const auto* compliant = std::get_if<AnyLaw>(&law)) touch.contact.law = *compliant;
    touch.law = std::move(law);
    contacts_.push_back(std::move(touch));
  }
  end_ = {0.0, start.q, start.v};
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
  end_point_.q = end_.q;
  end_point_.v = end_.v;
  compressions(0.0, end_point_);
  pass_events();
  begin_ = now_ = end_;
  loss_ = 0;
  ledger_ = Ledger(stored(end_));
  ledger_before_ = ledger_;
  highest_ = std::abs(ledger_.initial());
}

bool SystemMarch::touching() const noexcept {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [](const Touch& touch) { return touch.state.touching(); });
}

/// Compressions and their rates of all contacts at a point whose q and v are known.
void SystemMarch::compressions(double t, Point& point) {
  if (contacts_.empty()) return;
  system_.gaps(t, point.q, gaps_);
  system_.gap_gradients(t, point.q, gradients_);
  if (system_.has_gap_rates()) {
    system_.gap_rates(t, point.q, rates_);
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double side = contacts_[i].side;
    point.x[i] = -side * gaps_[row];
    point.moved[i] = -side * rates_[row];
    point.r[i] = -side * gradients_.row(row).dot(point.v) + point.moved[i];
  }
}

/// The accelerations at a point whose q and v are known; with `forces`, by these contact forces
/// instead of the laws' own.
void SystemMarch::evaluate(double t, Point& point, const std::vector<double>* forces) {
  dynamics_.set_position(point.q);
  if (!dynamics_.factor()) {
    // An iterate far off; a shorter step of collocation may have better ones.
    if (settings_.scheme != SystemScheme::collocation) status_ = MarchStatus::not_finite;
    point.a.setConstant(std::nan(""));
    return;
  }
  solved_.setZero();
  dynamics_.residual(t, point.v, solved_, force_);
  compressions(t, point);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    point.f[i] = point.lost[i] = point.target[i] = 0.0;
    if (!touch.state.touching()) continue;
    const Force force = touch.state.force(touch.contact, point.x[i], point.r[i]);
    point.target[i] = force.total();
    point.lost[i] = force.lost;
    point.f[i] = forces != nullptr ? (*forces)[i] : force.total();
    force_ += touch.side * point.f[i] * gradients_.row(static_cast<Eigen::Index>(i)).transpose();
  }
  dynamics_.solve(force_, point.a);
  point.dissipation = system_.dissipation(t, point.q, point.v);
  point.power = system_.power(t, point.q, point.v);
}

double SystemMarch::stored(const Moment& moment) {
  dynamics_.set_position(moment.q);
  double energy = dynamics_.kinetic_energy(moment.v) + dynamics_.potential_energy();
  scratch_.q = moment.q;
  scratch_.v = moment.v;
  compressions(moment.t, scratch_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    energy += contacts_[i].state.potential(contacts_[i].contact, scratch_.x[i]);
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
    internal_step();
    finished_.insert(finished_.end(), due_.begin(), due_.end());
    due_.clear();
  }
  ++sample_;
  sampled_ = true;
  state_at(target, now_);
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

double SystemMarch::first_step() const {
  const double speed = begin_point_.v.norm(), acceleration = begin_point_.a.norm();
  if (acceleration > 0 && speed > 0) return 0.1 * speed / acceleration;
  return acceleration > 0 || speed > 0 ? 1e-3 : 1.0;
}

void SystemMarch::internal_step() {
  loss_ = 0;
  pass_events();
  if (loss_ != 0) ledger_.close_step(stored(end_), std::exchange(loss_, 0.0), 0.0);
  ledger_before_ = ledger_;
  impulse_begin_ = impulse_end_;
  begin_ = end_;
  ++steps_;
  double longest = std::isfinite(settings_.end) && end_.t < settings_.end
                       ? settings_.end - end_.t
                       : std::max(16 / settings_.rate, 0.25 * end_.t);
  Work work;
  if (status_ == MarchStatus::at_rest) {
    end_.t += longest;
    ledger_.close_step(ledger_.stored(), loss_, 0.0);
    return;
  }
  if (status_ != MarchStatus::going) return;
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  begin_point_.q = begin_.q;
  begin_point_.v = begin_.v;
  evaluate(begin_.t, begin_point_);
  if (!own_steps) {
    const double sample =
        (std::floor(begin_.t * settings_.rate * (1 + 1e-14)) + 1) / settings_.rate;
    longest = std::min(longest, sample - begin_.t);
  }
  if (next_h_ == 0) next_h_ = first_step();
  const int onset = std::exchange(onset_power_, 0);
  double h = own_steps ? std::min(next_h_, longest) : longest;
  for (int tries = 0;; ++tries) {
    if (tries == max_tries || status_ == MarchStatus::not_finite) {
      if (status_ == MarchStatus::going) status_ = MarchStatus::not_converged;
      return;
    }
    clock_ = ClockKind::plain;
    power_ = 1;
    Event event;
    if (own_steps && onset > 0) {
      clock_ = ClockKind::onset;
      power_ = onset;
    } else if (own_steps) {
      // A plain step that ended just short of the edge would leave the singularity to the next.
      for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const Touch& touch = contacts_[i];
        const double r = begin_point_.r[i];
        if (!(r < 0) || !touch.state.touching()) continue;
        const double out = (begin_point_.x[i] - touch.state.edge(touch.contact)) / -r;
        if (!(out > 0) || !(out < 1.3 * h) || out > longest) continue;
        h = out;
        // A release by force comes a little earlier: first_event() finds it.
        if (touch.state.ends_at_edge(touch.contact)) event = {static_cast<int>(i), 0};
        clock_ = ClockKind::release;
        power_ = grade_of(touch.contact);
      }
    }
    if (!trial(h)) {
      h *= event.contact >= 0 ? 0.35 : 0.5;
      continue;
    }
    double factor = 4.0;
    if (own_steps) {
      const double error = step_error(h);
      factor = 0.9 * std::pow(settings_.tolerance / std::max(error, 1e-300), 0.5 * power_ / S);
      if (!(error <= settings_.tolerance)) {
        // Beyond the reach of 1.3 h, or the same release would be tried again.
        h *= std::clamp(factor, 0.2, 0.9) / (clock_ == ClockKind::release ? 1.5 : 1.0);
        continue;
      }
    }
    double when = h;
    const Event crossed = first_event(h, when, {});
    const bool other = crossed.contact != event.contact || crossed.guard != event.guard;
    if (crossed.contact >= 0 && other && (event.contact < 0 || when < (1 - 1e-9) * h)) {
      event = crossed;
      const Touch& touch = contacts_[index(event.contact)];
      const bool early = when < 0.5 * h && own_steps && event.guard == 0 &&
                         touch.state.ends_at_edge(touch.contact);
      h = when;
      if (early && tries + 1 < max_tries) continue;  // forces beyond the edge have spoilt the step
    }
    const double before_landing = h;
    if (event.contact >= 0) {
      const bool landed = land_first(event, h);
      // Led further than it was tried a step is another one.
      const bool too_long =
          own_steps && h > 1.1 * before_landing && !(step_error(h) <= settings_.tolerance);
      if (!landed || too_long) {
        h = 0.5 * before_landing;
        continue;
      }
    }
    work = work_of(h);
    if (passive() && !close(h, work, event.contact >= 0)) {
      h *= 0.5;
      continue;
    }
    event_ = event;
    const bool flying = !touching();
    accept(h, work);
    next_h_ = h * std::clamp(factor, 0.3, 4.0);
    if (flying && event.contact < 0) flight_h_ = next_h_;
    break;
  }
  if (own_steps) check_rest();
  const double energy = stored(end_);
  if (!std::isfinite(energy)) status_ = MarchStatus::not_finite;
  highest_ = std::max(highest_, std::abs(energy));
  ledger_.close_step(energy, loss_, work.injected);
}

bool SystemMarch::trial(double h) {
  if (!(h > 0)) return false;
  const bool made = settings_.scheme == SystemScheme::collocation ? collocate(h) : one_step(h);
  if (!made) return false;
  evaluate(begin_.t + h, end_point_);
  return end_point_.a.allFinite();
}

/// Sweeps over the nodes until the accelerations repeat; contact forces too stiff for that are
/// corrected by Newton's method in contact space.
bool SystemMarch::collocate(double h) {
  const Collocation& c = table();
  const Eigen::VectorXd &q0 = begin_.q, &v0 = begin_.v;
  for (Point& node : nodes_) node.a = begin_point_.a;
  bool stiff = false, done = false;
  double last = 1e300, forces_off = 0, last_off = 1e300;
  const double enough = std::max(4 * rounding, 1e-4 * settings_.tolerance);
  for (int sweep = 0; sweep < max_sweeps && !done; ++sweep) {
    for (int k = 0; k < S; ++k) {
      const double t = h * c.time[k];
      nodes_[k].q = q0 + t * v0;
      nodes_[k].v = v0;
      for (int j = 0; j < S; ++j) {
        nodes_[k].q += (h * h * c.place[j][k]) * nodes_[j].a;
        nodes_[k].v += (h * c.rate[j][k]) * nodes_[j].a;
      }
    }
    double change = 0, size = 1e-300;
    for (int k = 0; k < S; ++k) {
      solved_ = nodes_[k].a;
      const Eigen::VectorXd before = solved_;
      evaluate(begin_.t + h * c.time[k], nodes_[k],
               stiff ? &used_[static_cast<std::size_t>(k)] : nullptr);
      change = std::max(change, (nodes_[k].a - before).lpNorm<Eigen::Infinity>());
      size = std::max(size, nodes_[k].a.lpNorm<Eigen::Infinity>());
    }
    if (!std::isfinite(change)) {
      if (stiff) return false;
      change = 1e300;
    }
    if (stiff) forces_off = correct_forces(h);
    const double left = sweep > 0 ? change * std::min(1.0, change / last) : change;
    // What no longer falls is rounding: gaps are differences of coordinates much larger than they.
    const bool forces_done =
        forces_off <= 1e-12 || (forces_off <= noise && forces_off >= 0.5 * last_off);
    done =
        (left <= enough * size || (change <= noise * size && change >= 0.5 * last)) && forces_done;
    last_off = forces_off;
    if (!done && !stiff && sweep > 1 && change > 0.4 * last) {
      if (!touching()) return false;
      stiff = true;
      for (int k = 0; k < S; ++k) {
        used_[static_cast<std::size_t>(k)] = begin_point_.f;
        nodes_[k].a = begin_point_.a;
      }
      change = 1e300;
    }
    last = change;
  }
  if (!done) return false;
  end_point_.q = q0 + h * v0;
  end_point_.v = v0;
  for (int j = 0; j < S; ++j) {
    end_point_.q += (h * h * c.end_place[j]) * nodes_[j].a;
    end_point_.v += (h * c.weight[j]) * nodes_[j].a;
  }
  return true;
}

/// (I + F_x h^2 W place + F_v h W rate) correction = law's force - force in use; returns the
/// largest relative difference there was.
double SystemMarch::correct_forces(double h) {
  const Collocation& c = table();
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].state.touching()) active.push_back(i);
  }
  const auto n = static_cast<Eigen::Index>(active.size());
  Eigen::MatrixXd w(n, n);
  dynamics_.set_position(begin_.q);
  if (!dynamics_.factor()) return 1.0;
  system_.gap_gradients(begin_.t, begin_.q, gradients_);
  for (Eigen::Index b = 0; b < n; ++b) {
    force_ = contacts_[active[b]].side *
             gradients_.row(static_cast<Eigen::Index>(active[b])).transpose();
    dynamics_.solve(force_, solved_);
    for (Eigen::Index a = 0; a < n; ++a) {
      w(a, b) = contacts_[active[a]].side *
                gradients_.row(static_cast<Eigen::Index>(active[a])).dot(solved_);
    }
  }
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Identity(n * S, n * S);
  Eigen::VectorXd residual(n * S);
  double size = 1e-300, off = 0;
  for (Eigen::Index a = 0; a < n; ++a) {
    const Touch& touch = contacts_[active[a]];
    for (int k = 0; k < S; ++k) {
      const double x = nodes_[k].x[active[a]], r = nodes_[k].r[active[a]];
      const double dx = 1e-7 * (std::abs(x) + 1e-3 * touch.length);
      const double dv = 1e-7 * (std::abs(r) + 1e-3 * touch.length / touch.period);
      const auto force = [&](double at_x, double at_r) {
        return touch.state.force(touch.contact, at_x, at_r).total();
      };
      const double f = force(x, r);
      const double slope_x = (force(x + dx, r) - f) / dx, slope_v = (force(x, r + dv) - f) / dv;
      const Eigen::Index row = a * S + k;
      residual[row] = f - used_[static_cast<std::size_t>(k)][active[a]];
      size = std::max(size, std::abs(f));
      off = std::max(off, std::abs(residual[row]));
      for (Eigen::Index b = 0; b < n; ++b) {
        for (int j = 0; j < S; ++j) {
          jacobian(row, b * S + j) +=
              w(a, b) * h * (slope_x * h * c.place[j][k] + slope_v * c.rate[j][k]);
        }
      }
    }
  }
  residual = jacobian.partialPivLu().solve(residual).eval();
  for (Eigen::Index a = 0; a < n; ++a) {
    for (int k = 0; k < S; ++k) {
      used_[static_cast<std::size_t>(k)][active[a]] += residual[a * S + k];
    }
  }
  return off / size;
}

bool SystemMarch::one_step(double h) {
  Point& p = scratch_;
  Point& out = end_point_;
  const Eigen::VectorXd &q0 = begin_.q, &v0 = begin_.v, &a0 = begin_point_.a;
  switch (settings_.scheme) {
    case SystemScheme::collocation:
      return false;
    case SystemScheme::rk4: {
      Eigen::VectorXd q = q0 + h / 6 * v0, v = v0 + h / 6 * a0;
      Eigen::VectorXd slope_q = v0, slope_v = a0;
      for (const auto& [share, weight] :
           {std::pair{0.5, 1.0 / 3}, {0.5, 1.0 / 3}, {1.0, 1.0 / 6}}) {
        p.q = q0 + share * h * slope_q;
        p.v = v0 + share * h * slope_v;
        slope_q = p.v;
        evaluate(begin_.t + share * h, p);
        slope_v = p.a;
        q += weight * h * slope_q;
        v += weight * h * slope_v;
      }
      out.q = q;
      out.v = v;
      return true;
    }
    case SystemScheme::heun:
      p.q = q0 + h * v0;
      p.v = v0 + h * a0;
      evaluate(begin_.t + h, p);
      out.q = q0 + 0.5 * h * (v0 + p.v);
      out.v = v0 + 0.5 * h * (a0 + p.a);
      return true;
    case SystemScheme::verlet:
      p.q = q0 + h * (v0 + 0.5 * h * a0);
      p.v = v0 + h * a0;
      evaluate(begin_.t + h, p);
      out.q = p.q;
      out.v = v0 + 0.5 * h * (a0 + p.a);
      return true;
    case SystemScheme::trapezoid: {
      p.q = q0 + h * v0;
      p.v = v0 + h * a0;
      double last = 1e300;
      for (int i = 0; i < 100; ++i) {
        evaluate(begin_.t + h, p);
        const Eigen::VectorXd v = v0 + 0.5 * h * (a0 + p.a);
        const double change = (v - p.v).lpNorm<Eigen::Infinity>();
        p.v = v;
        p.q = q0 + 0.5 * h * (v0 + v);
        if (change <= 1e-15 * v.lpNorm<Eigen::Infinity>() ||
            (i > 3 && change >= last && change < 1e-12))
          break;
        if (i > 20 && change > last) return false;
        last = change;
      }
      out.q = p.q;
      out.v = p.v;
      return true;
    }
  }
  return false;
}

/// As ContactMarch: what the polynomial of the accelerations cannot follow, squared, in the metric
/// of the mass against the energy of the motion.
double SystemMarch::step_error(double h) const {
  const Collocation& c = table();
  double error = 0, moving = 0, accelerated = 0;
  for (Eigen::Index j = 0; j < begin_.q.size(); ++j) {
    std::array<double, 3> last{};
    double largest = 1e-300;
    for (int k = 0; k < S; ++k) {
      const double a = nodes_[k].a[j];
      largest = std::max(largest, std::abs(a * c.slope[k]));
      for (int d = 0; d < 3; ++d) last[d] += c.tail[d][k] * a;
    }
    const double tail =
        std::max({std::abs(last[0]), 0.5 * std::abs(last[1]), 0.2 * std::abs(last[2])});
    const double off = h * tail * (tail / largest);
    error += square(off);
    moving += square(end_point_.v[j]);
    accelerated += square(h * largest);
  }
  // Below a millionth of the fastest so far there is but rounding to follow.
  return std::sqrt(error / std::max({moving, accelerated, 1e-12 * fastest_, 1e-300}));
}

/// The first phase that ends within the step, and an estimate of when; all but one.
SystemMarch::Event SystemMarch::first_event(double h, double& when, Event except) {
  Event first;
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const Touch& touch = contacts_[index(i)];
    const auto guards = [&](const Point& p) {
      return touch.state.guards(touch.contact, p.x[index(i)], p.r[index(i)]);
    };
    ContactState::Guards before = guards(begin_point_);
    const Point* last = &begin_point_;
    double t_before = 0;
    bool outside = !touch.ghost;
    for (int k = own_steps ? 0 : S; k <= S; ++k) {
      const ContactState::Guards now = guards(k < S ? nodes_[k] : end_point_);
      const double t = k < S ? h * table().time[k] : h;
      for (int g = 0; g < 2 && outside; ++g) {
        if (!(now[g] < 0) || (i == except.contact && g == except.guard)) continue;
        const bool known = before[g] > 0 && before[g] < ContactState::holds;
        const double crossing =
            t_before + (known ? before[g] / (before[g] - now[g]) : 0.5) * (t - t_before);
        if (first.contact >= 0 && crossing >= when) continue;
        when = std::min(h, crossing);
        first = {i, g};
      }
      if (first.contact == i) break;
      const Point& p = k < S ? nodes_[k] : end_point_;
      const double summit =
          summit_beyond(touch.state.onset(touch.contact), {last->x[index(i)], last->r[index(i)]},
                        {p.x[index(i)], p.r[index(i)]}, t - t_before);
      if (outside && touch.state.phase() == Phase::apart && summit > 0 && i != except.contact &&
          t_before + summit < when) {
        when = t_before + summit;
        first = {i, 0};
        break;
      }
      last = &p;
      before = now;
      t_before = t;
      outside = outside || now[0] > 0;
    }
  }
  return first;
}

/// Of gaps, which are differences of coordinates [m].
double SystemMarch::gap_rounding() const {
  return end_.q.size() > 0 ? 2 * rounding * end_.q.lpNorm<Eigen::Infinity>() : 0.0;
}

/// Leads the step to the event, or to another that turns out to be earlier.
bool SystemMarch::land_first(Event& event, double& h) {
  for (std::size_t n = 0; n <= 2 * contacts_.size(); ++n) {
    if (!land(event, h)) return false;
    double when = h;
    const Event earlier = first_event(h, when, event);
    if (earlier.contact < 0 || !(when < (1 - 1e-9) * h)) return true;
    event = earlier;
    h = when;
  }
  return false;
}

/// Leads the step to the instant at which the guard is zero. The last trial is for that h.
bool SystemMarch::land(Event event, double& h) {
  const std::size_t i = index(event.contact);
  const Touch& touch = contacts_[i];
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  if (own_steps && touch.state.ends_at_edge(touch.contact) && event.guard == 0) {
    if (clock_ == ClockKind::plain) {
      clock_ = ClockKind::release;
      power_ = grade_of(touch.contact);
    }
    const double edge = touch.state.edge(touch.contact);
    double last = 1e300;
    for (int n = 0; n < max_landings; ++n) {
      if (!trial(h)) return false;
      if (!(end_point_.r[i] < 0)) return false;
      const double miss = end_point_.x[i] - edge, correction = miss / end_point_.r[i];
      // What no longer falls is the rounding of the gap.
      const bool rounded = std::abs(correction) >= 0.5 * last && std::abs(correction) <= noise * h;
      if (std::abs(miss) <= 1e-15 * touch.length + gap_rounding() || rounded) return true;
      last = std::abs(correction);
      h -= correction;
      if (!(h > 0)) return false;
    }
    return false;
  }
  const auto guard = [&](double length) {
    if (!trial(length)) return std::nan("");
    return touch.state.guards(touch.contact, end_point_.x[i], end_point_.r[i])[event.guard];
  };
  const double instant = 4e-16 * (begin_.t + h);
  if (h <= instant) return trial(h);  // the guard is but rounding above zero
  // A contact that begins on its edge is outside half-way to the next touch.
  double low = touch.ghost ? 0.5 * h : 0.0, high = h, at_high = guard(high);
  for (int n = 0; n < 12 && at_high > 0; ++n) {
    low = high;
    high *= 1.1;
    at_high = guard(high);
  }
  if (!(at_high <= 0)) return false;
  double at_low = low > 0 ? guard(low)
                          : touch.state.guards(touch.contact, begin_point_.x[i],
                                               begin_point_.r[i])[event.guard];
  for (int n = 0; n < 60 && !(at_low < ContactState::holds); ++n) {
    const double middle = 0.5 * (low + high), value = guard(middle);
    (value <= 0 ? high : low) = middle;
    (value <= 0 ? at_high : at_low) = value;
  }
  // Left exactly on the edge: a place outside it, before the crossing, is needed for the bracket.
  for (int n = 0; n < 40 && !(at_low > 0); ++n) {
    low = low > 0 ? 0.5 * low : 0.5 * high;
    at_low = guard(low);
  }
  if (!(at_low > 0) || at_high == 0) {
    h = high;
    return trial(h);
  }
  std::uintmax_t evaluations = max_landings;
  const auto bracket = boost::math::tools::toms748_solve(
      guard, low, high, at_low, at_high,
      [&](double a, double b) { return std::abs(b - a) <= instant; }, evaluations);
  if (!(bracket.first <= bracket.second)) return false;  // a trial in between was not made
  h = bracket.second;
  return trial(h);
}

SystemMarch::Work SystemMarch::work_of(double h) {
  Work work;
  const auto add = [&](const Point& p, double weight) {
    double lost = p.dissipation, injected = p.power;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (!contacts_[i].state.touching()) continue;
      lost += std::max(0.0, p.lost[i] * p.r[i]);
      injected += p.f[i] * p.moved[i];
    }
    work.dissipated += weight * lost;
    work.injected += weight * injected;
  };
  if (settings_.scheme == SystemScheme::collocation) {
    for (int k = 0; k < S; ++k) add(nodes_[k], h * table().weight[k]);
  } else {
    // Simpson's rule over both ends and the middle of the cubic between them.
    const Eigen::VectorXd way = end_point_.q - begin_.q, &v0 = begin_.v, &v1 = end_point_.v;
    scratch_.q = begin_.q + 0.5 * way + h / 8 * (v0 - v1);
    scratch_.v = 1.5 / h * way - 0.25 * (v0 + v1);
    evaluate(begin_.t + 0.5 * h, scratch_);
    add(begin_point_, h / 6);
    add(scratch_, 4 * h / 6);
    add(end_point_, h / 6);
  }
  // A dent that a body is leaving gives its energy to its own damper.
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    if (touch.state.phase() != Phase::recovering) continue;
    work.dissipated += touch.state.potential(touch.contact, begin_point_.x[i]) -
                       touch.state.potential(touch.contact, end_point_.x[i]);
  }
  return work;
}

bool SystemMarch::close(double h, Work& work, bool landed) {
  const double before = ledger_.stored();
  Moment to{begin_.t + h, end_point_.q, end_point_.v};
  const auto excess_of = [&](const Moment& m) {
    return stored(m) - before - work.injected + work.dissipated;
  };
  double excess = excess_of(to);
  const double size =
      std::max({highest_, std::abs(before), work.dissipated, std::abs(work.injected)});
  if (!std::isfinite(excess)) return false;
  if (std::abs(excess) <= 0.5 * work.dissipated) {
    work.dissipated -= excess;
    return true;
  }
  if (std::abs(excess) <= 4 * rounding * size) return true;
  if (!(std::abs(excess) <= 1e-4 * size)) return false;
  double tau = landed ? 0.0 : h;
  for (const Touch& touch : contacts_) {
    if (touch.state.touching()) tau = std::min(tau, touch.period);
  }
  const Eigen::VectorXd dq = -(tau * tau) * end_point_.a, dv = end_point_.v;
  const auto moved = [&](double lambda) {
    to.q = end_point_.q + lambda * dq;
    to.v = end_point_.v + lambda * dv;
    return excess_of(to);
  };
  double lambda = 0, other = 1e-8, at_other = moved(other);
  for (int k = 0; k < 12 && std::abs(excess) > 4 * rounding * size && at_other != excess; ++k) {
    const double next = lambda - excess * (lambda - other) / (excess - at_other);
    other = lambda;
    at_other = excess;
    lambda = next;
    excess = moved(lambda);
  }
  if (!(std::abs(lambda) < 1e-2) || !(std::abs(excess) <= closing_noise * size)) return false;
  end_point_.q = to.q;
  end_point_.v = to.v;
  compressions(to.t, end_point_);
  return true;
}

void SystemMarch::accept(double h, const Work& work) {
  note_extremes(h);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Touch& touch = contacts_[i];
    if (touch.state.touching()) {
      double impulse = 0;
      if (settings_.scheme == SystemScheme::collocation) {
        for (int k = 0; k < S; ++k) impulse += h * table().weight[k] * nodes_[k].f[i];
      } else {
        impulse = 0.5 * h * (begin_point_.f[i] + end_point_.f[i]);
      }
      touch.impact.impulse += impulse;
      impulse_end_[i] += impulse;
    }
    if (touch.ghost && (end_point_.x[i] < touch.state.onset(touch.contact) ||
                        event_.contact == static_cast<int>(i))) {
      touch.ghost = false;
    }
  }
  fastest_ = std::max(fastest_, end_point_.v.squaredNorm());
  loss_ += work.dissipated;
  end_ = {begin_.t + h, end_point_.q, end_point_.v};
}

void SystemMarch::note_extremes(double h) {
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Touch& touch = contacts_[i];
    if (!touch.state.touching()) continue;
    ImpactRecord& record = touch.impact.record;
    const auto raise = [&](double x, double f) {
      record.max_compression = std::max(record.max_compression, x - touch.state.dent());
      record.max_force = std::max(record.max_force, f);
    };
    raise(end_point_.x[i],
          touch.state.force(touch.contact, end_point_.x[i], end_point_.r[i]).total());
    if (!own_steps) continue;
    for (const Point& node : nodes_) raise(node.x[i], node.f[i]);
    // Where it turns round and where the force is largest, on the polynomials.
    const auto at = [&](double t) {
      const Collocation& c = table();
      const double u = 2 * c.sigma_at(t / h) - 1;
      scratch_.q = begin_.q + t * begin_.v;
      scratch_.v = begin_.v;
      for (int j = 0; j < S; ++j) {
        double place = 0, speed = 0;
        for (std::size_t k = c.dense_place.size(); k-- > 0;)
          place = place * u + c.dense_place[k][j];
        for (std::size_t k = c.dense_rate.size(); k-- > 0;) speed = speed * u + c.dense_rate[k][j];
        scratch_.q += (h * h * place) * nodes_[j].a;
        scratch_.v += (h * speed) * nodes_[j].a;
      }
      compressions(begin_.t + t, scratch_);
      return touch.state.force(touch.contact, scratch_.x[i], scratch_.r[i]).total();
    };
    const auto rate = [&](double t) {
      at(t);
      return scratch_.r[i];
    };
    if (begin_point_.r[i] > 0 && rate(h) < 0) {
      std::uintmax_t evaluations = 40;
      const auto bracket = boost::math::tools::toms748_solve(
          rate, 0.0, h, begin_point_.r[i], rate(h),
          [&](double a, double b) { return std::abs(b - a) <= 1e-12 * h; }, evaluations);
      const double force = at(bracket.first);
      raise(scratch_.x[i], force);
    }
    int top = 0;
    for (int k = 1; k < S; ++k) {
      if (nodes_[k].f[i] > nodes_[top].f[i]) top = k;
    }
    if (nodes_[top].f[i] < 0.9 * record.max_force) continue;
    const auto place = [&](int k) { return k < 0 ? 0.0 : k < S ? h * table().time[k] : h; };
    const auto best = boost::math::tools::brent_find_minima([&](double t) { return -at(t); },
                                                            place(top - 1), place(top + 1), 40);
    raise(record.max_compression + touch.state.dent(), -best.second);
  }
}

/// The phases that end where the last step ended.
void SystemMarch::pass_events() {
  end_point_.q = end_.q;
  end_point_.v = end_.v;
  compressions(end_.t, end_point_);
  const Event event = std::exchange(event_, {});
  if (event.contact >= 0) pass(event.contact, event.guard);
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    Touch& touch = contacts_[index(i)];
    const double x = end_point_.x[index(i)], r = end_point_.r[index(i)];
    const double near = 1e-13 * touch.length + gap_rounding();
    if (touch.state.phase() == Phase::apart && !touch.ghost && i != event.contact &&
        x >= touch.state.onset(touch.contact) && r >= 0 && (r > 0 || x > 0)) {
      pass(i, 0);
    }
    // An impact next to it may have turned round a contact that has only begun.
    if (touch.state.touching() && i != event.contact && r < 0 &&
        (touch.state.ends_at_edge(touch.contact)
             ? x - touch.state.edge(touch.contact) <= near
             : touch.state.guards(touch.contact, x, r)[0] <= 0)) {
      pass(i, 0);
    }
    if (touch.state.touching() && !system_.can_touch(i, end_.q)) {
      loss_ += touch.state.potential(touch.contact, x);
      touch.state.part();
      touch.ghost = x > touch.state.onset(touch.contact);
      touch.impact.record.speed_out = std::abs(r);
      touch.impact.record.contact_time = end_.t - touch.impact.record.time;
      touch.impact.after = {end_.q, end_.v};
      due_.push_back(touch.impact);
    }
  }
}

double SystemMarch::mobility(int contact) {
  dynamics_.set_position(end_.q);
  if (!dynamics_.factor()) return 0.0;
  system_.gap_gradients(end_.t, end_.q, gradients_);
  force_ = gradients_.row(contact).transpose();
  dynamics_.solve(force_, solved_);
  return gradients_.row(contact).dot(solved_);
}

void SystemMarch::pass(int contact, int guard) {
  const std::size_t i = index(contact);
  Touch& touch = contacts_[i];
  const Phase before = touch.state.phase();
  const double x = end_point_.x[i], r = end_point_.r[i], dent = touch.state.dent();
  if (before == Phase::apart) {
    if (!system_.can_touch(contact, end_.q)) {
      if (system_.two_sided(contact)) {
        touch.side = -touch.side;
        end_point_.x[i] = -x;
        end_point_.r[i] = -r;
      } else {
        touch.ghost = true;
      }
      return;
    }
    const double mass = 1 / mobility(contact);
    touch.collision = {mass, std::abs(r)};
    touch.impact = {.contact = contact,
                    .record = {.time = end_.t, .speed_in = std::abs(r)},
                    .effective_mass = mass,
                    .impulse = 0.0,
                    .before = {end_.q, end_.v},
                    .after = {}};
    LawChoice law = touch.law;
    if (settings_.law_of_impact && std::abs(r) > 0)
      law = settings_.law_of_impact(contact, touch.collision);
    if (const auto* newton = std::get_if<NewtonRestitution>(&law)) {
      strike(touch, contact, newton->restitution);
      return;
    }
    touch.contact.law = std::get<AnyLaw>(law);
  }
  loss_ += touch.state.pass(touch.contact, guard, x, r);
  if (before != Phase::touching && touch.state.touching()) {
    if (before != Phase::apart) {
      touch.impact = {.contact = contact,
                      .record = {.time = end_.t, .speed_in = std::abs(r)},
                      .effective_mass = touch.collision.mass,
                      .impulse = 0.0,
                      .before = {end_.q, end_.v},
                      .after = {}};
    }
    const double mass = touch.collision.mass;
    const double energy =
        0.5 * mass * r * r + std::max(0.0, touch.state.potential(touch.contact, x));
    begin_point_.q = end_.q;
    begin_point_.v = end_.v;
    evaluate(end_.t, begin_point_);
    const double press = mass * std::abs(gradients_.row(contact).dot(begin_point_.a));
    touch.length = std::visit(
        [&](const auto& chosen) {
          double length = length_of_energy(chosen, energy);
          for (int n = 0; n < 4 && press > 0; ++n) {
            length = std::max(length,
                              length_of_energy(chosen, energy + press * std::max(length, 1e-12)));
          }
          return length;
        },
        touch.contact.law);
    const double speed = std::sqrt(2 * (energy + press * touch.length) / mass);
    touch.period = speed > 0 ? touch.length / speed : 1 / settings_.rate;
    touch.impact.record.max_force = std::max(0.0, touch.state.force(touch.contact, x, r).total());
    onset_power_ = std::max(onset_power_, grade_of(touch.contact));
    next_h_ = next_h_ > 0 ? std::min(next_h_, 0.4 * touch.period) : 0.4 * touch.period;
  }
  if (before == Phase::touching && !touch.state.touching()) {
    ImpactRecord& record = touch.impact.record;
    record.speed_out = std::abs(r);
    record.contact_time = end_.t - record.time;
    record.separation_compression = std::max(0.0, x - dent);
    touch.impact.after = {end_.q, end_.v};
    due_.push_back(touch.impact);
    if (!touching()) next_h_ = flight_h_ > 0 ? 0.5 * flight_h_ : 0.0;
  }
}

/// Newton's law: an impulse at an instant. The energy of the relative motion loses its share
/// 1 - e^2; an obstacle that moves does work on the system.
void SystemMarch::strike(Touch& touch, int contact, double restitution) {
  const std::size_t i = index(contact);
  const double r = end_point_.r[i], mass = touch.collision.mass;
  const double energy = 0.5 * mass * r * r, impulse = (1 + restitution) * mass * r;
  dynamics_.set_position(end_.q);
  if (!dynamics_.factor()) status_ = MarchStatus::not_finite;
  system_.gap_gradients(end_.t, end_.q, gradients_);
  force_ = touch.side * gradients_.row(contact).transpose();
  dynamics_.solve(force_, solved_);
  end_.v += impulse * solved_;
  loss_ += energy * (1 - restitution * restitution) - impulse * end_point_.moved[i];
  impulse_end_[i] += impulse;
  touch.impact.impulse = impulse;
  touch.impact.record.speed_out = restitution * r;
  touch.impact.record.max_force = std::numeric_limits<double>::infinity();
  touch.impact.after = {end_.q, end_.v};
  due_.push_back(touch.impact);
  touch.ghost = true;  // on its edge: apart again once it is outside
  if (energy <= bounce_share * highest_) status_ = MarchStatus::sustained_contact;
  end_point_.v = end_.v;
  compressions(end_.t, end_point_);
}

void SystemMarch::check_rest() {
  if (!touching() || highest_ == 0 || system_.has_gap_rates()) return;
  if (end_point_.power != 0) return;
  double tau = 1e300;
  for (const Touch& touch : contacts_) {
    if (touch.state.touching()) tau = std::min(tau, touch.period);
  }
  dynamics_.set_position(end_.q);
  const double moving =
      dynamics_.kinetic_energy(end_.v) + square(tau) * dynamics_.kinetic_energy(end_point_.a);
  if (!(moving <= rest_share * highest_)) return;
  loss_ += dynamics_.kinetic_energy(end_.v);
  end_.v.setZero();
  status_ = MarchStatus::at_rest;
}

void SystemMarch::state_at(double t, Moment& out) {
  if (t >= end_.t || status_ == MarchStatus::at_rest) {
    out = end_;
    out.t = t;
    impulse_now_ = impulse_end_;
    return;
  }
  const Collocation& c = table();
  const double since = t - begin_.t, h = end_.t - begin_.t, u = 2 * c.sigma_at(since / h) - 1;
  out = {t, begin_.q + since * begin_.v, begin_.v};
  impulse_now_ = impulse_begin_;
  for (int j = 0; j < S; ++j) {
    double place = 0, speed = 0;
    for (std::size_t k = c.dense_place.size(); k-- > 0;) place = place * u + c.dense_place[k][j];
    for (std::size_t k = c.dense_rate.size(); k-- > 0;) speed = speed * u + c.dense_rate[k][j];
    out.q += (h * h * place) * nodes_[j].a;
    out.v += (h * speed) * nodes_[j].a;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      impulse_now_[i] += h * speed * nodes_[j].f[i];
    }
  }
}

double SystemMarch::impulse() const noexcept {
  return std::accumulate(impulse_now_.begin(), impulse_now_.end(), 0.0);
}

double SystemMarch::compression(int contact) const {
  const Touch& touch = contacts_[index(contact)];
  Eigen::VectorXd gaps = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(contacts_.size()));
  system_.gaps(now_.t, now_.q, gaps);
  return -touch.side * gaps[contact];
}

double SystemMarch::force(int contact) const {
  const Touch& touch = contacts_[index(contact)];
  if (!touch.state.touching()) return 0.0;
  const auto count = static_cast<Eigen::Index>(contacts_.size());
  Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(count, now_.q.size());
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(count);
  system_.gap_gradients(now_.t, now_.q, gradients);
  if (system_.has_gap_rates()) system_.gap_rates(now_.t, now_.q, rates);
  const double r = -touch.side * (gradients.row(contact).dot(now_.v) + rates[contact]);
  return touch.state.force(touch.contact, compression(contact), r).total();
}

double SystemMarch::kinetic_energy() const {
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(now_.q.size(), now_.q.size());
  system_.mass_matrix(now_.q, mass);
  return 0.5 * now_.v.dot(mass * now_.v);
}

double SystemMarch::stored_energy() const {
  double energy = kinetic_energy() + system_.potential_energy(now_.q);
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const Touch& touch = contacts_[index(i)];
    energy += touch.state.potential(touch.contact, compression(i));
  }
  return energy;
}

void SystemMarch::archive(Archive& state) {
  for (Touch& touch : contacts_) {
    state(touch);
    if (!state.reading() || !settings_.law_of_impact || touch.state.phase() == Phase::apart)
      continue;
    const LawChoice law = settings_.law_of_impact(touch.impact.contact, touch.collision);
    if (const auto* compliant = std::get_if<AnyLaw>(&law)) touch.contact.law = *compliant;
  }
  for (Point& node : nodes_) state(node.a, node.f);
  state(begin_, end_, now_, clock_, power_, next_h_, flight_h_, event_, finished_, due_, ledger_,
        ledger_before_, impulse_begin_, impulse_end_, impulse_now_, highest_, fastest_,
        onset_power_, sampled_, status_, sample_, steps_);
}

}  // namespace carom
