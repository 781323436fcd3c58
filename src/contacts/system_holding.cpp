// Contacts without duration that are held closed.

#include <algorithm>
#include <cmath>
#include <iterator>

#include <Eigen/QR>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr double presses = 1e-12;  // of the largest acceleration: no force to speak of
/// Of the longest step so far, and of a sample: drives are slower than the rate. Differences of
/// fourth order over these have lost neither to their own error nor to rounding more than 1e-12.
constexpr double of_a_step = 1e-3, of_a_sample = 0.1;
constexpr double kinked = 0.01;   // of second differences: how much smooth ones change
constexpr double smoother = 0.1;  // beside a kink than across it

/// The largest second difference of five values, and by how much they change from one to the next.
struct Bends {
  double bend, change;
};
template <class Five>
Bends bends(const Five& f) {
  const double a = f[0] - 2 * f[1] + f[2], b = f[1] - 2 * f[2] + f[3], c = f[2] - 2 * f[3] + f[4];
  return {std::max({std::abs(a), std::abs(b), std::abs(c)}),
          std::max(std::abs(b - a), std::abs(c - b))};
}

}  // namespace

/// What the gaps of held contacts do to forces on them, at the place that dynamics_ and rows_ have.
void SystemMarch::Held::read(const SystemMarch& march) {
  const auto count = static_cast<Eigen::Index>(contacts.size());
  images.resize(march.force_.size(), count);
  Eigen::MatrixXd mobility(count, count);
  Eigen::VectorXd force(march.force_.size()), image(march.force_.size());
  for (Eigen::Index b = 0; b < count; ++b) {
    const int i = contacts[static_cast<std::size_t>(b)];
    force.setZero();
    march.rows_.push(i, march.contacts_[index(i)].side, force);
    march.dynamics_.solve(force, image);
    images.col(b) = image;
  }
  for (Eigen::Index a = 0; a < count; ++a) {
    const int i = contacts[static_cast<std::size_t>(a)];
    for (Eigen::Index b = 0; b < count; ++b) {
      image = images.col(b);
      mobility(a, b) = march.contacts_[index(i)].side * march.rows_.rate(i, image);
    }
  }
  solver.compute(mobility);
}

/// The multipliers that keep the gaps from changing at `rates`: W lambda = -rates. Where several
/// contacts share what one could carry, the smallest of them.
Eigen::VectorXd SystemMarch::Held::multipliers(const Eigen::VectorXd& rates) const {
  return solver.solve(-rates);
}

/// G v of the held contacts.
Eigen::VectorXd SystemMarch::held_rates(const Eigen::VectorXd& v) const {
  Eigen::VectorXd rates(static_cast<Eigen::Index>(held_.contacts.size()));
  for (Eigen::Index a = 0; a < rates.size(); ++a) {
    const int i = held_.contacts[static_cast<std::size_t>(a)];
    rates[a] = contacts_[index(i)].side * rows_.rate(i, v);
  }
  return rates;
}

/// The accelerations of the gaps at constant velocities, d/ds (G v + dg/dt)(t + s, q + s v), by
/// differences of fourth order. Curvature jumps where a corner takes over from a side: if a jump
/// shows among the places, those to the other side of here are taken, of two at best those ahead.
Eigen::VectorXd SystemMarch::gap_curvatures(double t, const Point& point) const {
  const double own = longest_h_ > 0 ? longest_h_ : first_step();
  const double s = std::min(of_a_sample / settings_.rate, of_a_step * own);
  const auto count = static_cast<Eigen::Index>(contacts_.size());
  Eigen::VectorXd moved = Eigen::VectorXd::Zero(count);
  const auto read = [&](int steps, Eigen::Ref<Eigen::VectorXd> rates) {
    const Eigen::VectorXd q = point.q + steps * s * point.v;
    shifted_.read(system_, t + steps * s, q);
    if (system_.has_gap_rates()) system_.gap_rates(t + steps * s, q, moved);
    for (Eigen::Index i = 0; i < count; ++i) rates[i] = shifted_.rate(i, point.v) + moved[i];
  };
  Eigen::MatrixXd around(count, 5);
  for (const int k : {-2, -1, 1, 2}) read(k, around.col(k + 2));
  Eigen::VectorXd result =
      (around.col(0) - 8 * around.col(1) + 8 * around.col(3) - around.col(4)) / (12 * s);
  Eigen::MatrixXd ahead, behind;  // from here outwards
  for (Eigen::Index i = 0; i < count; ++i) {
    const Touch& touch = contacts_[static_cast<std::size_t>(i)];
    if (!is_newton(touch)) continue;
    around(i, 2) = -touch.side * point.r[static_cast<std::size_t>(i)];
    const Bends here = bends(around.row(i));
    Eigen::VectorXd row = Eigen::VectorXd::Zero(point.v.size());
    rows_.push(i, 1.0, row);
    const double no_kink = 8 * rounding *
                           (row.cwiseAbs().dot(point.v.cwiseAbs()) +
                            std::abs(point.moved[static_cast<std::size_t>(i)]));
    if (here.change <= std::max(no_kink, kinked * here.bend)) continue;
    if (ahead.size() == 0) {
      ahead.resize(count, 5);
      behind.resize(count, 5);
      for (const int k : {1, 2}) {
        ahead.col(k) = around.col(2 + k);
        behind.col(k) = around.col(2 - k);
      }
      for (const int k : {3, 4}) {
        read(k, ahead.col(k));
        read(-k, behind.col(k));
      }
    }
    ahead(i, 0) = behind(i, 0) = around(i, 2);
    const double rough_ahead = bends(ahead.row(i)).change;
    const double rough_behind = bends(behind.row(i)).change;
    if (std::min(rough_ahead, rough_behind) > std::max(smoother * here.change, no_kink)) continue;
    const bool to_come = rough_ahead <= std::max(rough_behind, no_kink);
    const auto f = to_come ? ahead.row(i) : behind.row(i);
    const double outwards = -25 * f[0] + 48 * f[1] - 36 * f[2] + 16 * f[3] - 3 * f[4];
    result[i] = (to_come ? outwards : -outwards) / (12 * s);
  }
  return result;
}

/// The forces of held contacts at a point, whose accelerations without them are known:
/// W lambda = -(G a + curvature).
void SystemMarch::hold(double t, Point& point) {
  if (held_.contacts.empty()) return;
  held_.read(*this);
  Eigen::VectorXd rates = held_rates(point.a);
  const Eigen::VectorXd curvatures = gap_curvatures(t, point);
  for (Eigen::Index a = 0; a < rates.size(); ++a) {
    const int i = held_.contacts[static_cast<std::size_t>(a)];
    rates[a] += contacts_[index(i)].side * curvatures[i];
  }
  const Eigen::VectorXd forces = held_.multipliers(rates);
  for (Eigen::Index a = 0; a < rates.size(); ++a)
    point.f[index(held_.contacts[static_cast<std::size_t>(a)])] = forces[a];
  point.a += held_.images * forces;
}

/// Takes from q and v at the end of a step what rounding and differences have opened held gaps by.
void SystemMarch::keep_closed(double t, Point& point) {
  if (held_.contacts.empty()) return;
  dynamics_.set_position(point.q);
  if (!dynamics_.factor()) return;
  compressions(t, point);
  held_.read(*this);
  Eigen::VectorXd gaps(static_cast<Eigen::Index>(held_.contacts.size())), rates = gaps;
  for (Eigen::Index a = 0; a < gaps.size(); ++a) {
    const std::size_t i = index(held_.contacts[static_cast<std::size_t>(a)]);
    gaps[a] = -point.x[i];
    rates[a] = -point.r[i];
  }
  point.q += held_.images * held_.multipliers(gaps);
  point.v += held_.images * held_.multipliers(rates);
}

/// Of a held contact at the present sample [N]; 0 of any other.
double SystemMarch::held_force(std::size_t contact) const {
  if (contacts_[contact].state.phase() != Phase::resting) return 0.0;
  if (now_.t >= end_.t || settings_.scheme != SystemScheme::collocation)
    return end_point_.f[contact];
  const Collocation::Nodes at =
      table().basis_at(table().sigma_at((now_.t - begin_.t) / (end_.t - begin_.t)));
  double force = 0.0;
  for (int j = 0; j < S; ++j) force += at[j] * nodes_[j].f[contact];
  return force;
}

/// Which contacts are held from here on: those that press, 0 <= lambda _|_ gap acceleration >= 0.
/// One at a time changes sides: of those that pull the worst, else the one that closes fastest. If
/// that goes round in circles, the first in the list, by which it comes to an end [Murty1974].
void SystemMarch::choose_held() {
  if (parts_.local) return;  // no contact without duration
  held_.contacts.clear();
  std::vector<int> closed;
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    if (phase(i) == Phase::resting && !system_.can_touch(i, end_.q)) let_go(i);
    if (phase(i) == Phase::resting || waits(i)) closed.push_back(i);
  }
  const std::vector<int> before = held_among(closed);
  const std::size_t in_turn = 2 * closed.size() + 2, at_most = in_turn * in_turn;
  int chosen = closed.empty() ? -1 : 0;
  for (std::size_t round = 0; chosen >= 0; ++round) {
    held_.contacts = held_among(closed);
    evaluate(end_.t, end_point_);
    const Eigen::VectorXd curvatures = gap_curvatures(end_.t, end_point_);
    chosen = -1;
    double pulls = 0.0, closes = presses * end_point_.a.lpNorm<Eigen::Infinity>();
    for (const int i : closed) {
      const double force = end_point_.f[index(i)];
      const double opens = contacts_[index(i)].side * (rows_.rate(i, end_point_.a) + curvatures[i]);
      if (phase(i) == Phase::resting) {
        if (!(-force > std::max(pulls, rounded(index(i), 0, end_point_)))) continue;
        pulls = -force;
      } else {
        if (pulls > 0 || !(-opens > closes)) continue;
        closes = -opens;
      }
      chosen = i;
      if (round >= in_turn) break;
    }
    if (chosen < 0) break;
    if (round == at_most) {
      status_ = MarchStatus::not_converged;
      break;
    }
    ContactState& state = contacts_[index(chosen)].state;
    if (state.phase() == Phase::resting) {
      state.part();
    } else {
      state.rest();
    }
  }
  for (const int i : held_.contacts) {
    contacts_[index(i)].ghost = false;
    // What stays closed and rubs is not followed, however it came to be closed.
    if (!settings_.friction.empty() && settings_.friction[index(i)] > 0)
      status_ = MarchStatus::sustained_contact;
  }
  for (const int i : before) {
    if (phase(i) != Phase::resting) let_go(i);
  }
}

std::vector<int> SystemMarch::held_among(const std::vector<int>& contacts) const {
  std::vector<int> held;
  std::copy_if(contacts.begin(), contacts.end(), std::back_inserter(held),
               [&](int i) { return phase(i) == Phase::resting; });
  return held;
}

/// A contact without duration that is closed, does not move, and has not just been let go.
bool SystemMarch::waits(int contact) const {
  const Touch& touch = contacts_[index(contact)];
  return is_newton(touch) && touch.state.phase() == Phase::apart && !touch.ghost &&
         just_touches(contact) && system_.can_touch(contact, end_.q);
}

void SystemMarch::let_go(int contact) {
  Touch& touch = contacts_[index(contact)];
  touch.state.part();
  touch.ghost = true;  // on its edge: apart once it is outside
}

}  // namespace carom
