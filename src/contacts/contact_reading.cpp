#include <algorithm>
#include <cmath>

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

/// Lagrange's weights at sigma of the nodes, of the beginning and of the end of a step: the
/// barycentric formula.
std::array<double, S + 2> through_nodes(double sigma) {
  struct Tables {
    std::array<double, S + 2> at{}, weight{};
  };
  static const Tables tables = [] {
    Tables all;
    const Collocation& plain = Collocation::of(ClockKind::plain, 1);
    std::copy(plain.sigma.begin(), plain.sigma.end(), all.at.begin());
    all.at[S + 1] = 1;
    for (std::size_t i = 0; i < all.at.size(); ++i) {
      all.weight[i] = 1;
      for (std::size_t k = 0; k < all.at.size(); ++k) {
        if (k != i) all.weight[i] /= all.at[i] - all.at[k];
      }
    }
    return all;
  }();
  std::array<double, S + 2> weights{};
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (sigma == tables.at[i]) {
      weights.fill(0);
      weights[i] = 1;
      return weights;
    }
    weights[i] = tables.weight[i] / (sigma - tables.at[i]);
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Four chains side by side: a single one would wait for each of its products.
template <std::size_t Terms>
double horner(const std::array<double, Terms>& coefficients, double u) noexcept {
  static_assert(Terms % 4 == 0);
  const double u2 = u * u, u4 = u2 * u2;
  std::array<double, 4> sum{};
  for (std::size_t k = Terms; k > 0; k -= 4) {
    for (std::size_t r = 0; r < 4; ++r) sum[r] = sum[r] * u4 + coefficients[k - 4 + r];
  }
  return (sum[0] + u * sum[1]) + u2 * (sum[2] + u * sum[3]);
}

}  // namespace

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
      if (resonator_) {
        const auto weights = through_nodes(sigma);
        Point point{weights[S] * begin_.x[i] + weights[S + 1] * u.x1,
                    weights[S] * begin_.r[i] + weights[S + 1] * u.r1, t};
        for (int k = 0; k < S; ++k) {
          point.x += weights[static_cast<std::size_t>(k)] * u.x[k];
          point.v += weights[static_cast<std::size_t>(k)] * u.v[k];
        }
        return point;
      }
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
      kept_ = unknowns_;
      const bool onset = table.kind == ClockKind::onset;
      solved_ = nullptr;
      if (solve(point.t, onset ? table : Collocation::of(ClockKind::plain, 1))) {
        point = {unknowns_[a].x1, unknowns_[a].r1, point.t};
      }
      unknowns_ = kept_;
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
    const double first = force({begin_.x[i], begin_.r[i], 0}), last = force({u.x1, u.r1, h});
    const auto value = [&](int k) { return k < 0 ? first : k < S ? u.f[k] : last; };
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

/// The polynomials of the last internal step, made when a sample first falls into it.
void ContactMarch::expand() {
  if (expanded_ == steps_) return;
  expanded_ = steps_;
  const Collocation& table = Collocation::of(piece_.clock, piece_.power);
  expanded_clock_ = &table;
  const double h = piece_.h;
  polynomials_.assign(active_.size(), {});
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const Nodes& f = unknowns_[b].f;
    const auto combine = [&](const auto& rows, auto& out, double unit) {
      for (std::size_t k = 0; k < rows.size(); ++k) {
        double sum = 0;
        for (int j = 0; j < S; ++j) sum += rows[k][j] * f[j];
        out[k] = unit * sum;
      }
    };
    combine(table.dense_place, polynomials_[b].travel, h * h);
    combine(table.dense_rate, polynomials_[b].impulse, h);
  }
}

void ContactMarch::state_at(double time, Moment& out) {
  const double t = time - piece_.t;
  if (resonator_ && time == end_.t) {
    out = end_;
    inside_ = false;
    return;
  }
  out.t = time;
  const Eigen::Index modes = begin_.q.size();
  const std::size_t contacts = begin_.x.size();
  if (lone_) {
    read_lone_flight(time, out);
  } else {
    const double moving = at_rest_ ? 0.0 : t;
    const double* a = (piece_.in_contact ? pushed_ : flight_).data();
    const double* ax = (piece_.in_contact ? pushed_x_ : flight_x_).data();
    for (Eigen::Index j = 0; j < modes; ++j) {
      fly(begin_.q[j], begin_.v[j], a[j], moving, out.q[j], out.v[j]);
    }
    for (std::size_t i = 0; i < contacts; ++i) {
      fly(begin_.x[i], begin_.r[i], ax[i], moving, out.x[i], out.r[i]);
      out.impulse[i] = begin_.impulse[i];
    }
  }
  if (at_rest_ || !piece_.in_contact) return;
  const bool at_end = t == piece_.h;
  double u = 1;
  if (!at_end) {
    expand();
    u = 2 * expanded_clock_->sigma_at(t / piece_.h) - 1;
  }
  for (std::size_t b = 0; b < active_.size(); ++b) {
    double travel = unknowns_[b].travel, impulse = unknowns_[b].impulse;
    if (!at_end) {
      travel = horner(polynomials_[b].travel, u);
      impulse = horner(polynomials_[b].impulse, u);
    }
    if (lone_) {
      out.q[0] += travel * images_(0, 0);
      out.v[0] += impulse * images_(0, 0);
      out.impulse[0] += impulse;
      out.x[0] -= delassus_(0, 0) * travel;
      out.r[0] -= delassus_(0, 0) * impulse;
      return;
    }
    for (Eigen::Index j = 0; j < modes; ++j) {
      out.q[j] += travel * images_(j, active_[b]);
      out.v[j] += impulse * images_(j, active_[b]);
    }
    out.impulse[index(active_[b])] += impulse;
    if (resonator_) continue;
    for (std::size_t i = 0; i < contacts; ++i) {
      const double w = delassus_(static_cast<Eigen::Index>(i), active_[b]);
      out.x[i] -= w * travel;
      out.r[i] -= w * impulse;
    }
  }
  if (resonator_) read_modes(t, out);
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

}  // namespace carom
