#include <algorithm>
#include <cmath>
#include <numbers>

#include <carom/core/double_double.hpp>
#include <carom/core/interrupt.hpp>

#include "gate.hpp"

namespace carom::modal {
namespace {

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
  for (Array* array : {&amplitude_, &slope_q_, &slope_dq_, &low_q_, &low_dq_})
    array->assign(at(n), 0.0);
  z_.assign(at((fine_parts + 1) * n), 0.0);
  weights_.assign(at((levels + 1) * n), 0.0);
  sums_.assign(at(levels + 1), 0.0);
  valid_for_ = static_cast<long long>(window) << (levels - 1);

  const std::vector<Bounded> bounded = bound_modes(problem, contact_space);
  double* weights = weights_.data();
  for (int l = 0; l < levels; ++l, weights += n) {
    Level& level = levels_[at(l)];
    level.steps = window << l;
    level.leap = modes.leap(level.steps);
    std::vector<double> deviation(at(n), 0.0);
    place_proxies(level, bounded, deviation);
    weigh(level, bounded, deviation, weights);
    const int length = padded(level.prefix);
    level.proxy_shapes.assign(level.proxies.size() * at(length), 0.0);
    double* shape = level.proxy_shapes.data();
    for (const int proxy : level.proxies) {
      std::copy_n(modes.row(proxy), level.prefix, shape);
      level.proxy_rows.push_back(shape);
      shape += length;
    }
  }
  fine_.steps = window / fine_parts;
  fine_.leap = modes.leap(fine_.steps);
  weigh(fine_, bounded, std::vector<double>(at(n), 0.0), weights);
  fine_rows_.reserve(at(contacts));
  fine_sums_.resize(at((fine_parts + 1) * contacts));
}

// Also finds what C is made of.
std::vector<Gate::Bounded> Gate::bound_modes(const ModalProblem& problem,
                                             const ContactSpace& contacts) {
  using Motion = Bounded::Motion;
  std::vector<Bounded> result;
  const double dt = 1 / problem.rate;
  const bool mixed = contacts.mixed();
  for (int j = 0; j < modes_.count; ++j) {
    const Mode& mode = problem.body.modes[at(modes_.order[at(j)])];
    Bounded bounded{.motion = Motion::other,
                    .largest = 0,
                    .turn = 2 * std::numbers::pi * mode.frequency * dt,
                    .extrapolated = 0};
    for (int c = 0; c < contacts.contact_count(); ++c)
      bounded.largest = std::max(bounded.largest, std::abs(modes_.row(c)[j]));
    if (mode.frequency == 0 && mode.damping == 0) bounded.motion = Motion::straight;

    const double sigma_dt = mode.damping * dt;
    const double squared = (bounded.turn - sigma_dt) * (bounded.turn + sigma_dt);
    const double theta = squared > 0 ? std::sqrt(squared) : 0, sine = std::sin(theta);
    // Nearer to half the rate the rounding of theta alone is more than the gate's margin, see
    // Gate::bound.
    if (squared > 0 && std::abs(sine) > 1e-6 * theta) {
      // q_n = Re(C lambda^n), lambda = r e^{i theta}; z multiplies C by 1 + lead (1 - 1/lambda).
      const double r = std::exp(-sigma_dt), half = std::sin(theta / 2);
      const double re = 1 + lead_ * (1 - std::cos(theta) / r), im = lead_ * sine / r;
      const double factor = std::hypot(re, im);
      bounded.motion = Motion::oscillates;
      if (mixed) bounded.extrapolated = std::hypot(re - 1, im) / factor;
      amplitude_[at(j)] = factor;
      slope_q_[at(j)] = factor * (std::expm1(-sigma_dt) + 2 * half * half) / sine;
      slope_dq_[at(j)] = -factor * r / sine;
    } else {
      // alpha |q| + beta |dq| <= sqrt(2) hypot(alpha q, beta dq), over as long as a bound is kept
      const DoubleDouble e = modes_.e[at(j)], d = modes_.d[at(j)], lead = lead_;
      DoubleDouble max_q = 1, max_dq = abs(lead);
      DoubleDouble u = 0, difference = 1;  // the impulse response u_k and u_k - u_{k-1}
      for (long long k = 1; k <= 2 * valid_for_; ++k) {
        if (k % 65536 == 0) answer_interrupt();  // a window is 16 us, whatever the rate
        const DoubleDouble before = u;
        u += difference;
        max_q = std::max(max_q, abs(u * (1.0 - d) - e * before - lead * d * u));
        max_dq = std::max(max_dq, abs(e * u + lead * e * difference));
        if (mixed) {
          max_q = std::max(max_q, abs(lead * d * u));
          max_dq = std::max(max_dq, abs(lead * e * difference));
        }
        difference = e * difference - d * u;
      }
      if (mixed) bounded.extrapolated = 1;
      amplitude_[at(j)] = std::sqrt(2.0) * static_cast<double>(max_q);
      slope_dq_[at(j)] = std::sqrt(2.0) * static_cast<double>(max_dq);
    }
    result.push_back(bounded);
  }
  return result;
}

// Every contact, or with many of them every r-th. Any r is safe, since `deviation`, how far a shape
// can be from the line between its proxies, is measured and goes into the weights; it only has to
// pay. The proxies may err in space somewhat more than the line does in time, because a closer look
// at single contacts follows where the gate refuses. Modes count as in a plucked string, amplitudes
// falling as 1/j, and up to the angle beyond which a mode is no longer in l anyway: angle^2/8 = 1
// at 2.8.
void Gate::place_proxies(Level& level, const std::vector<Bounded>& modes,
                         std::vector<double>& deviation) {
  const auto contacts = static_cast<int>(modes_.heights.size());
  constexpr double space_over_time = 1.5, largest_angle = 2.5;
  int stride = 1;
  if (contacts > 64) {
    for (const int wider : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48}) {
      std::vector<double> distance = proxy_distance(modes_, every(wider, contacts));
      double space = 0, time = 0;
      for (std::size_t j = 0; j < modes.size(); ++j) {
        const double angle = modes[j].turn * level.steps;
        if (angle > largest_angle) break;
        const double share = 1 / (static_cast<double>(j) + 1);
        space += share * distance[j];
        time += share * modes[j].largest * angle * angle / 8;
      }
      if (space > space_over_time * time) break;
      stride = wider;
      deviation = std::move(distance);
    }
  }
  level.proxies = every(stride, contacts);
  const int count = static_cast<int>(level.proxies.size());
  for (int p = 0; p < count; ++p) {
    const int first = stride == 1 ? p : level.proxies[at(std::max(p - 1, 0))];
    const int last = stride == 1 ? p : level.proxies[at(std::min(p + 1, count - 1))];
    level.cover.emplace_back(first, last);
    level.thresholds.push_back(
        *std::max_element(modes_.heights.begin() + first, modes_.heights.begin() + last + 1));
  }
  level.at_start.resize(at(count));
  level.at_end.resize(at(count));
}

// With the J that makes the sum of the weights smallest.
void Gate::weigh(Level& level, const std::vector<Bounded>& modes,
                 const std::vector<double>& deviation, double* weights) {
  const auto inside = [&](std::size_t j) {
    const double angle = modes[j].turn * level.steps;
    const double off_the_line = modes[j].motion == Bounded::Motion::oscillates ? angle * angle / 8
                                : modes[j].motion == Bounded::Motion::straight ? 0.0
                                                                               : 2.0;
    return off_the_line * modes[j].largest + deviation[j];
  };
  double before = 0, best = 0;
  for (std::size_t j = 0; j < modes.size(); ++j) {
    before += inside(j) - modes[j].largest;
    if (before > best) continue;
    best = before;
    level.prefix = static_cast<int>(j) + 1;
  }
  for (std::size_t j = 0; j < modes.size(); ++j) {
    weights[j] = (static_cast<int>(j) < level.prefix ? inside(j) : modes[j].largest) +
                 modes[j].extrapolated * modes[j].largest;
  }
}

}  // namespace carom::modal
