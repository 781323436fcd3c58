#include "gate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace carom::modal {
namespace {

constexpr int fine_parts = 4;  // of the shortest leap, which is a multiple of it

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Some number of steps of free flight of one mode, (q, dq) to (q, dq).
struct Power {
  long double qq, qd, dq_q, dd;
};
Power product(const Power& a, const Power& b) {
  return {.qq = a.qq * b.qq + a.qd * b.dq_q,
          .qd = a.qq * b.qd + a.qd * b.dd,
          .dq_q = a.dq_q * b.qq + a.dd * b.dq_q,
          .dd = a.dq_q * b.qd + a.dd * b.dd};
}
Power raised(Power step, int exponent) {
  Power result{.qq = 1, .qd = 0, .dq_q = 0, .dd = 1};
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = product(result, step);
    step = product(step, step);
  }
  return result;
}

/// How far |shape of any contact - line between its proxies| can be, mode by mode.
std::vector<double> proxy_distance(const Modes& modes, const std::vector<int>& proxies) {
  std::vector<double> distance(at(modes.n), 0.0);
  for (std::size_t p = 0; p + 1 < proxies.size(); ++p) {
    const int first = proxies[p], last = proxies[p + 1];
    for (int c = first + 1; c < last; ++c) {
      const double part = static_cast<double>(c - first) / (last - first);
      const double *left = modes.row(first), *right = modes.row(last), *own = modes.row(c);
      for (int j = 0; j < modes.count; ++j) {
        const double line = left[j] + part * (right[j] - left[j]);
        distance[at(j)] = std::max(distance[at(j)], std::abs(own[j] - line));
      }
    }
  }
  return distance;
}

std::vector<int> every(int stride, int count) {
  std::vector<int> proxies;
  for (int c = 0; c < count; c += stride) proxies.push_back(c);
  if (!proxies.empty() && proxies.back() != count - 1) proxies.push_back(count - 1);
  return proxies;
}

}  // namespace

Gate::Gate(const ModalProblem& problem, const Modes& modes, const ContactSpace& contact_space,
           int window, int levels)
    : modes_(modes), kernels_(kernels()), lead_(contact_space.lead()), levels_(at(levels)) {
  const int n = modes.n, contacts = contact_space.contact_count();
  const double lead = lead_;
  const double dt = 1 / problem.rate;
  std::vector<double> largest(at(n), 0.0);  // Phi
  for (int c = 0; c < contacts; ++c) {
    for (int j = 0; j < modes.count; ++j)
      largest[at(j)] = std::max(largest[at(j)], std::abs(modes.row(c)[j]));
  }
  for (Array* array : {&amplitude_, &slope_q_, &slope_dq_, &low_q_, &low_dq_})
    array->assign(at(n), 0.0);
  z_.assign(at(fine_parts * n), 0.0);
  proxied_ = contacts > 64;
  weights_.assign(at((levels + 1) * n), 0.0);
  sums_.assign(at(levels + 1), 0.0);

  fine_.steps = window / fine_parts;
  for (int l = 0; l < levels; ++l) levels_[at(l)].steps = window << l;
  const auto make_room = [&](Level& level) {
    for (Array* array : {&level.qq, &level.qd, &level.dq_q, &level.dd}) array->assign(at(n), 0.0);
  };
  std::for_each(levels_.begin(), levels_.end(), make_room);
  make_room(fine_);
  const int longest = levels_.back().steps;
  valid_for_ = longest;
  std::vector<char> oscillates(at(n), 0);
  std::vector<double> omega(at(n), 0.0), beside(at(n), 0.0);  // lead |dq| <= beside C
  for (int j = 0; j < modes.count; ++j) {
    const Mode& mode = problem.body.modes[at(modes.order[at(j)])];
    omega[at(j)] = 2 * std::numbers::pi * mode.frequency;
    // Powers of one step of (q, dq), by squaring and in extended precision, so that a leap equals
    // its steps to rounding.
    const long double e = modes.e[at(j)], d = modes.d[at(j)];
    const auto take = [&](Level& level, const Power& power) {
      level.qq[at(j)] = static_cast<double>(power.qq);
      level.qd[at(j)] = static_cast<double>(power.qd);
      level.dq_q[at(j)] = static_cast<double>(power.dq_q);
      level.dd[at(j)] = static_cast<double>(power.dd);
    };
    Power power = raised({.qq = 1 - d, .qd = e, .dq_q = -d, .dd = e}, fine_.steps);
    take(fine_, power);
    power = raised(power, fine_parts);
    for (Level& level : levels_) {
      take(level, power);
      power = product(power, power);
    }
    const double sigma_dt = mode.damping * dt, omega_dt = omega[at(j)] * dt;
    const double squared = (omega_dt - sigma_dt) * (omega_dt + sigma_dt);
    const double theta = squared > 0 ? std::sqrt(squared) : 0, sine = std::sin(theta);
    if (squared > 0 && std::abs(sine) > 1e-12) {
      // q_n = Re(C lambda^n), lambda = r e^{i theta}; z multiplies C by 1 + lead (1 - 1/lambda).
      const double r = std::exp(-sigma_dt), half = std::sin(theta / 2);
      const double re = 1 + lead * (1 - std::cos(theta) / r), im = lead * sine / r;
      const double factor = std::hypot(re, im);
      oscillates[at(j)] = 1;
      if (contact_space.mixed()) beside[at(j)] = std::hypot(re - 1, im) / factor;
      amplitude_[at(j)] = factor;
      slope_q_[at(j)] = factor * (std::expm1(-sigma_dt) + 2 * half * half) / sine;
      slope_dq_[at(j)] = -factor * r / sine;
    } else {
      // alpha |q| + beta |dq| <= sqrt(2) hypot(alpha q, beta dq), over as long as a bound is kept
      long double most_q = 1, most_dq = std::abs(static_cast<long double>(lead));
      long double u = 0, difference = 1;  // the impulse response u_k and u_k - u_{k-1}
      for (int k = 1; k <= 2 * longest; ++k) {
        const long double before = u;
        u += difference;
        most_q = std::max(most_q, std::abs(u * (1 - d) - e * before - lead * d * u));
        most_dq = std::max(most_dq, std::abs(e * u + lead * e * difference));
        if (contact_space.mixed()) {
          most_q = std::max(most_q, std::abs(lead * d * u));
          most_dq = std::max(most_dq, std::abs(lead * e * difference));
        }
        difference = e * difference - d * u;
      }
      if (contact_space.mixed()) beside[at(j)] = 1;
      amplitude_[at(j)] = std::sqrt(2.0) * static_cast<double>(most_q);
      slope_dq_[at(j)] = std::sqrt(2.0) * static_cast<double>(most_dq);
    }
  }

  // The weights of a level, with the J that makes their sum smallest.
  const auto weigh = [&](Level& level, const std::vector<double>& distance, double* weights) {
    const double h = level.steps * dt;
    const auto inside = [&](int j) {
      const double bend = omega[at(j)] * h;
      return (oscillates[at(j)] ? largest[at(j)] * bend * bend / 8
              : omega[at(j)] == 0 && problem.body.modes[at(modes.order[at(j)])].damping == 0
                  ? 0.0
                  : 2 * largest[at(j)]) +
             distance[at(j)];
    };
    double before = 0, best = 0;
    for (int j = 0; j < modes.count; ++j) {
      before += inside(j) - largest[at(j)];
      if (before <= best) {
        best = before;
        level.prefix = j + 1;
      }
    }
    for (int j = 0; j < modes.count; ++j) {
      weights[j] = (j < level.prefix ? inside(j) : largest[at(j)]) + beside[at(j)] * largest[at(j)];
    }
  };
  const std::vector<double> none(at(n), 0.0);
  for (int l = 0; l < levels; ++l) {
    Level& level = levels_[at(l)];
    int stride = 1;
    std::vector<double> distance = none;
    if (proxied_) {
      // As coarse as the bend in time is: an error of the same size in space.
      for (const int finer : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48}) {
        const std::vector<double> wider = proxy_distance(modes, every(finer, contacts));
        double space = 0, time = 0;
        for (int j = 0; j < modes.count; ++j) {
          const double bend = omega[at(j)] * level.steps * dt;
          if (bend > 2.5) break;
          space += wider[at(j)] / (j + 1.0);
          time += largest[at(j)] * bend * bend / 8 / (j + 1.0);
        }
        if (space > time) break;
        stride = finer;
        distance = wider;
      }
    }
    level.proxies = every(stride, contacts);
    weigh(level, distance, weights_.data() + static_cast<std::ptrdiff_t>(l) * n);
    const int count = static_cast<int>(level.proxies.size()), length = padded(level.prefix);
    level.proxy_shapes.assign(at(count * length), 0.0);
    for (int p = 0; p < count; ++p) {
      double* const shape = level.proxy_shapes.data() + static_cast<std::ptrdiff_t>(p) * length;
      std::copy_n(modes.row(level.proxies[at(p)]), level.prefix, shape);
      level.proxy_rows.push_back(shape);
      const int first = stride == 1 ? p : level.proxies[at(std::max(p - 1, 0))];
      const int last = stride == 1 ? p : level.proxies[at(std::min(p + 1, count - 1))];
      level.cover.emplace_back(first, last);
      level.thresholds.push_back(
          *std::max_element(modes.heights.begin() + first, modes.heights.begin() + last + 1));
    }
    level.at_start.resize(at(count));
    level.at_end.resize(at(count));
  }
  weigh(fine_, none, weights_.data() + static_cast<std::ptrdiff_t>(levels) * n);
  fine_rows_.reserve(at(contacts));
  fine_.at_start.resize(at(contacts));
  fine_sums_.resize(at(fine_parts * contacts));
}

void Gate::refresh(long long now, const double* q, const double* dq) {
  kernels_.envelope(q, dq, amplitude_.data(), slope_q_.data(), slope_dq_.data(), weights_.data(),
                    level_count() + 1, modes_.n, sums_.data());
  envelope_at_ = now;
}

// l of every proxy, from the first modes of (q, dq).
void Gate::sum(const Level& level, const double* q, const double* dq, std::vector<double>& sums) {
  const int n = padded(level.prefix);
  kernels_.combine(q, dq, lead_, n, z_.data());
  kernels_.project(level.proxy_rows.data(), static_cast<int>(level.proxy_rows.size()), z_.data(), n,
                   n, 1, sums.data());
}

void Gate::sum_start(Level& level, long long now, const double* q, const double* dq) {
  if (level.start_known == now && level.start_epoch == epoch_) return;
  sum(level, q, dq, level.at_start);
  level.start_known = now;
  level.start_epoch = epoch_;
}

void Gate::sum_end(Level& level, long long now, const double* q, const double* dq) {
  kernels_.leap(q, dq, level.qq.data(), level.qd.data(), level.dq_q.data(), level.dd.data(),
                padded(level.prefix), low_q_.data(), low_dq_.data());
  sum(level, low_q_.data(), low_dq_.data(), level.at_end);
  level.end_known = now;
  level.end_epoch = epoch_;
}

bool Gate::clear(const Level& level, double bound, bool both_ends) const {
  const std::vector<double>& ends = both_ends ? level.at_end : level.at_start;
  for (std::size_t p = 0; p < level.thresholds.size(); ++p) {
    if (!(ends[p] - bound > level.thresholds[p])) return false;
  }
  return true;
}

bool Gate::leap(int level_index, long long now, double* q, double* dq) {
  Level& level = levels_[at(level_index)];
  if (envelope_at_ < 0 || now + level.steps - envelope_at_ > 2 * valid_for_) refresh(now, q, dq);
  sum_start(level, now, q, dq);
  if (!clear(level, bound(level_index), false)) {
    if (envelope_at_ == now) return false;
    refresh(now, q, dq);
    if (!clear(level, bound(level_index), false)) return false;
  }
  sum_end(level, now, q, dq);
  if (!clear(level, bound(level_index), true)) {
    if (envelope_at_ == now) return false;
    refresh(now, q, dq);
    if (!clear(level, bound(level_index), true)) return false;
  }
  const int low = padded(level.prefix);
  std::copy_n(low_q_.data(), low, q);
  std::copy_n(low_dq_.data(), low, dq);
  kernels_.leap(q + low, dq + low, level.qq.data() + low, level.qd.data() + low,
                level.dq_q.data() + low, level.dd.data() + low, modes_.n - low, q + low, dq + low);
  level.at_start.swap(level.at_end);
  level.start_known = now + level.steps;
  return true;
}

void Gate::fly(int level_index, double* q, double* dq) const {
  const Level& level = levels_[at(level_index)];
  kernels_.leap(q, dq, level.qq.data(), level.qd.data(), level.dq_q.data(), level.dd.data(),
                modes_.n, q, dq);
}

void Gate::candidates(long long now, const double* q, const double* dq, std::vector<int>& contacts,
                      std::vector<double>& slack) {
  Level& level = levels_.front();
  if (envelope_at_ != now) refresh(now, q, dq);
  sum_start(level, now, q, dq);
  if (level.end_known != now || level.end_epoch != epoch_) sum_end(level, now, q, dq);
  contacts.clear();
  std::fill(slack.begin(), slack.end(), std::numeric_limits<double>::infinity());
  for (std::size_t p = 0; p < level.thresholds.size(); ++p) {
    const double margin =
        std::min(level.at_start[p], level.at_end[p]) - bound(0) - level.thresholds[p];
    for (int c = level.cover[p].first; c <= level.cover[p].second; ++c) {
      slack[at(c)] = std::min(slack[at(c)], margin);
    }
  }
  for (std::size_t c = 0; c < slack.size(); ++c) {
    if (!(slack[c] > 0)) contacts.push_back(static_cast<int>(c));
  }
  if (contacts.empty()) return;
  // Now each of these by itself, and looked at more often.
  fine_rows_.clear();
  for (const int c : contacts) fine_rows_.push_back(modes_.row(c));
  const int count = static_cast<int>(contacts.size()), n = padded(fine_.prefix);
  const auto look = [&](const double* at_q, const double* at_dq, double* z) {
    kernels_.combine(at_q, at_dq, lead_, n, z);
    std::fill(z + fine_.prefix, z + n, 0.0);
  };
  look(q, dq, z_.data());
  kernels_.project(fine_rows_.data(), count, z_.data(), n, n, 1, fine_.at_start.data());
  for (int part = 0; part < fine_parts; ++part) {
    kernels_.leap(part == 0 ? q : low_q_.data(), part == 0 ? dq : low_dq_.data(), fine_.qq.data(),
                  fine_.qd.data(), fine_.dq_q.data(), fine_.dd.data(), n, low_q_.data(),
                  low_dq_.data());
    look(low_q_.data(), low_dq_.data(), z_.data() + static_cast<std::ptrdiff_t>(part) * n);
  }
  kernels_.project(fine_rows_.data(), count, z_.data(), n, n, fine_parts, fine_sums_.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int c = contacts[i];
    const auto first = fine_sums_.begin() + static_cast<std::ptrdiff_t>(i * fine_parts);
    const double least = std::min(fine_.at_start[i], *std::min_element(first, first + fine_parts));
    slack[at(c)] = least - bound(level_count()) - modes_.heights[at(c)];
    if (!(slack[at(c)] > 0)) contacts[kept++] = c;
  }
  contacts.resize(kept);
}

}  // namespace carom::modal
