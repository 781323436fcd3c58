#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <carom/contacts/resonator.hpp>
#include <carom/core/double_double.hpp>
#include <carom/core/error.hpp>

#include "parts.hpp"
#include "wide.hpp"

namespace carom {

using namespace detail;

namespace {

using Real = DoubleDouble;  // the tables of a sample lose digits to cancellation at small steps

/// The exact free step of one mode: the changes of q and v.
struct ExactStep {
  Real qq, qv, vq, vv;
};

/// By Taylor series when omega h, sigma h < 1; the solution is entire in h.
ExactStep series_step(Real omega2, Real sigma, Real h) {
  const auto solve = [&](Real q, Real v) {
    Real c0 = q, c1 = v * h, sum = c1, slope = 0;  // coefficients of q in t/h
    for (int k = 0; k < 40; ++k) {
      const Real c2 =
          (-h * h * omega2 * c0 - 2 * sigma * h * (k + 1) * c1) / (Real(k + 1) * Real(k + 2));
      if (c1.high == 0 && c2.high == 0) break;
      sum += c2;
      slope += (k + 2) * c2;
      c0 = c1;
      c1 = c2;
    }
    return std::pair{sum, slope / h};
  };
  const auto [qq, vq] = solve(1, 0);
  const auto [qv, vv] = solve(0, 1);
  return {qq, qv, vq, vv};
}

ExactStep exact_step(Real omega2, Real sigma, Real h) {
  int halvings = 0;
  while ((sqrt(omega2) * h > 0.5 || sigma * h > 0.5) && halvings < 60) {
    h /= 2;
    ++halvings;
  }
  ExactStep s = series_step(omega2, sigma, h);
  for (int i = 0; i < halvings; ++i) {  // two steps of the same length after each other
    s = {2 * s.qq + s.qq * s.qq + s.qv * s.vq, 2 * s.qv + s.qq * s.qv + s.qv * s.vv,
         2 * s.vq + s.vq * s.qq + s.vv * s.vq, 2 * s.vv + s.vq * s.qv + s.vv * s.vv};
  }
  return s;
}

/// Coefficients of cos(sqrt(z)) - 1 and of sin(sqrt(z))/sqrt(z) - 1 in powers of z from the first
/// on, and of the exponential series.
constexpr auto series(int from) {
  std::array<double, 9> coefficients{};
  double term = 1;
  for (int n = 1; n <= 9; ++n) {
    term /= -static_cast<double>((2 * n - 1 + from) * (2 * n + from));
    coefficients[static_cast<std::size_t>(n - 1)] = term;
  }
  return coefficients;
}
constexpr std::array<double, 9> cosine_series = series(0), sine_series = series(1);
constexpr auto inverse = [] {
  std::array<double, 20> values{};
  for (int n = 1; n < 20; ++n) values[static_cast<std::size_t>(n)] = 1.0 / n;
  return values;
}();

/// The sum of the lanes in a fixed order.
template <class Lane>
double total(const Lane& lane) noexcept {
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

}  // namespace

Resonator::Resonator(const ModalBody& body, int hit, int heard, double sample)
    : mode_count_(static_cast<int>(body.mode_count())),
      longest_step_(std::numeric_limits<double>::infinity()) {
  validate(body);
  for (const int row : {hit, heard}) {
    if (row < 0 || row >= body.point_count())
      throw InvalidInput("shapes: point " + std::to_string(row) + " is not there");
  }
  const auto blocks = static_cast<std::size_t>((mode_count_ + lanes - 1) / lanes);
  roots_.resize(blocks * lanes, 1.0);
  state_.resize(blocks);
  next_.resize(blocks);
  read_.resize(blocks);
  constants_.resize(blocks);
  sample_.resize(blocks);
  responses_.resize(blocks);
  reading_.resize(blocks);
  Real mobility = 0, stiffening = 0;
  for (int j = 0; j < mode_count_; ++j) {
    const auto b = static_cast<std::size_t>(j / lanes), l = static_cast<std::size_t>(j % lanes);
    const Mode& mode = body.modes[static_cast<std::size_t>(j)];
    const Real omega = 2 * pi_of_two_doubles * Real(mode.frequency);
    const Real omega2 = omega * omega, sigma = Real(mode.damping), root = sqrt(Real(mode.mass));
    const Real shape = Real(body.shapes(hit, j)) / root;
    roots_[static_cast<std::size_t>(j)] = static_cast<double>(root);
    Constants& c = constants_[b];
    c.hit[l] = static_cast<double>(shape);
    c.heard[l] = static_cast<double>(Real(body.shapes(heard, j)) / root);
    c.stiffness[l] = static_cast<double>(omega2);
    c.damping[l] = mode.damping;
    c.square[l] = static_cast<double>((omega - sigma) * (omega + sigma));
    mobility += shape * shape;
    stiffening += omega2 * shape * shape;
    bends_.push_back(static_cast<double>(abs(shape) * (2 * sigma + omega)));
    fastest_ = std::max(fastest_, std::sqrt(std::abs(c.square[l])));
    strongest_ = std::max(strongest_, mode.damping);
    // An overdamped mode is a small difference of cosh and sinh.
    const double pace = std::max(static_cast<double>(omega), 2.5 * mode.damping);
    if (pace > 0) longest_step_ = std::min(longest_step_, ResponseTable::longest / pace);
    const ExactStep s = exact_step(omega2, sigma, Real(sample));
    Sample& t = sample_[b];
    t.qq[l] = static_cast<double>(s.qq);
    t.qv[l] = static_cast<double>(s.qv);
    t.vq[l] = static_cast<double>(s.vq);
    t.vv[l] = static_cast<double>(s.vv);
    // Energy before minus after, (v^2 + w q^2)/2 - (v1^2 + w q1^2)/2.
    const Real q1 = 1 + s.qq, v1 = 1 + s.vv;
    t.loss_qq[l] = static_cast<double>((-omega2 * s.qq * (2 + s.qq) - s.vq * s.vq) / 2);
    t.loss_vv[l] = static_cast<double>((-s.vv * (2 + s.vv) - omega2 * s.qv * s.qv) / 2);
    t.loss_qv[l] = static_cast<double>(-(s.vq * v1 + omega2 * q1 * s.qv));
  }
  mobility_ = static_cast<double>(mobility);
  stiffening_ = static_cast<double>(stiffening);
}

double Resonator::max_acceleration() const noexcept {
  double sum = 0.0;
  for (std::size_t j = 0; j < bends_.size(); ++j) {
    const std::size_t b = j / lanes, l = j % lanes;
    const double q = state_[b].q[l], v = state_[b].v[l];
    sum += bends_[j] * std::sqrt(v * v + constants_[b].stiffness[l] * q * q);
  }
  return sum;
}

CAROM_WIDE Resonator::Sums Resonator::try_sample() noexcept {
  Lane hit{}, hit_v{}, heard{}, heard_v{}, energy{}, loss{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    const Sample& t = sample_[b];
    const Constants& c = constants_[b];
    const Lane q = state_[b].q, v = state_[b].v;
    const Lane q1 = q + (t.qq * q + t.qv * v), v1 = v + (t.vq * q + t.vv * v);
    next_[b].q = q1;
    next_[b].v = v1;
    hit += c.hit * q1;
    hit_v += c.hit * v1;
    heard += c.heard * q1;
    heard_v += c.heard * v1;
    energy += v1 * v1 + c.stiffness * q1 * q1;
    loss += (t.loss_qq * q + t.loss_qv * v) * q + t.loss_vv * v * v;
  }
  return {total(hit), total(hit_v), total(heard), total(heard_v), 0.5 * total(energy), total(loss)};
}

// With s^2 = omega^2 - sigma^2: S = e^{-sigma t} sin(st)/s, S' = e^{-sigma t} cos(st) - sigma S.
// cos(st) - 1, sin(st)/s and e^{-sigma t} - 1 by their series at t/2^n, doubled n times. The points
// lie symmetrically: those of the second half follow from the first by the addition theorems.
CAROM_WIDE void Resonator::respond(double h, std::vector<Response>& to) const noexcept {
  const Points& fractions = ResponseTable::fractions();
  int turns = 0, decays = 0, terms = 1;
  while (std::ldexp(fastest_ * h, -turns) > 1.3 && turns < 60) ++turns;
  while (std::ldexp(strongest_ * h, -decays) > 0.15 && decays < 60) ++decays;
  const double turn = std::ldexp(h, -turns), decay = std::ldexp(h, -decays);
  for (double term = strongest_ * decay; term > 1e-17; term *= strongest_ * decay / terms) ++terms;
  for (std::size_t b = 0; b < constants_.size(); ++b) {
    const Constants& c = constants_[b];
    const Lane z_h = c.square * (turn * turn), y_h = c.damping * -decay;
    Lane cosine[M], sine[M];
    const auto turned = [&](int q) {
      const double fraction = fractions[q];
      const Lane z = z_h * (fraction * fraction);
      Lane cos = z * cosine_series[8] + cosine_series[7], sin = z * sine_series[8] + sine_series[7];
      for (int n = 6; n >= 0; --n) {
        cos = cos * z + cosine_series[n];
        sin = sin * z + sine_series[n];
      }
      cos = cos * z;
      sin = (1 + sin * z) * (turn * fraction);
      for (int n = 0; n < turns; ++n) {
        sin = 2 * sin * (1 + cos);
        cos = 2 * cos * (2 + cos);
      }
      cosine[q] = cos;
      sine[q] = sin;
    };
    turned(M - 1);
    for (int q = 1; q <= M / 2; ++q) turned(q);
    const Lane last_cosine = cosine[M - 1], last_sine = sine[M - 1];
    for (int q = 1; q < M / 2; ++q) {
      const Lane cos = cosine[q], sin = sine[q];
      cosine[M - 1 - q] = last_cosine + cos + last_cosine * cos + c.square * last_sine * sin;
      sine[M - 1 - q] = last_sine * (1 + cos) - (1 + last_cosine) * sin;
    }
    Response& r = to[b];
    r.s[0] = Lane{};
    r.d[0] = Lane{};
    for (int q = 1; q < M; ++q) {
      const Lane y = y_h * fractions[q];
      Lane fall{};
      for (int n = terms; n >= 1; --n) fall = (1 + fall) * y * inverse[n];
      for (int n = 0; n < decays; ++n) fall = fall * (2 + fall);
      const Lane s = (1 + fall) * sine[q];
      r.s[q] = s;
      r.d[q] = fall + cosine[q] + fall * cosine[q] - c.damping * s;
    }
  }
}

CAROM_WIDE void Resonator::prepare(double h) noexcept {
  if (h == prepared_) return;
  prepared_ = h;
  respond(h, responses_);
  Lane s[M]{}, d[M]{};
  for (std::size_t b = 0; b < constants_.size(); ++b) {
    const Lane weight = constants_[b].hit * constants_[b].hit;
    for (int q = 0; q < M; ++q) {
      s[q] += weight * responses_[b].s[q];
      d[q] += weight * responses_[b].d[q];
    }
  }
  for (int q = 0; q < M; ++q) {
    response_[q] = total(s[q]);
    response_rate_[q] = mobility_ + total(d[q]);
  }
}

CAROM_WIDE void Resonator::free_motion(Points& moved, Points& velocity) const noexcept {
  Lane u[M]{}, w[M]{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    const Constants& c = constants_[b];
    const Response& r = responses_[b];
    const Lane q = c.hit * state_[b].q, v = c.hit * state_[b].v;
    const Lane driven = v + 2 * c.damping * q, pulled = c.stiffness * q;
    for (int i = 0; i < M; ++i) {
      u[i] += r.d[i] * q + r.s[i] * driven;
      w[i] += v + (r.d[i] * v - r.s[i] * pulled);
    }
  }
  for (int i = 0; i < M; ++i) {
    moved[i] = total(u[i]);
    velocity[i] = total(w[i]);
  }
}

CAROM_WIDE Resonator::Sums Resonator::step(const std::vector<Block>& from,
                                           const std::vector<Response>& by, const Points& moments,
                                           std::vector<Block>& to) const noexcept {
  double impulse = 0;
  for (const double moment : moments) impulse += moment;
  Lane hit{}, hit_v{}, heard{}, heard_v{}, energy{}, pull{};
  for (std::size_t b = 0; b < from.size(); ++b) {
    const Constants& c = constants_[b];
    const Response& r = by[b];
    const Lane q = from[b].q, v = from[b].v;
    Lane travel{}, kick{};
    for (int i = 0; i < M; ++i) {
      travel += r.s[i] * moments[i];
      kick += r.d[i] * moments[i];
    }
    const Lane s = r.s[M - 1], d = r.d[M - 1];
    const Lane q1 = q + (d * q + s * (v + 2 * c.damping * q) + c.hit * travel);
    const Lane v1 = v + (d * v - s * c.stiffness * q + c.hit * (impulse + kick));
    to[b].q = q1;
    to[b].v = v1;
    hit += c.hit * q1;
    hit_v += c.hit * v1;
    heard += c.heard * q1;
    heard_v += c.heard * v1;
    energy += v1 * v1 + c.stiffness * q1 * q1;
    pull += c.hit * c.stiffness * q1;
  }
  return {.hit = total(hit),
          .hit_velocity = total(hit_v),
          .heard = total(heard),
          .heard_velocity = total(heard_v),
          .energy = 0.5 * total(energy),
          .pull = total(pull)};
}

Resonator::Sums Resonator::try_step(const Points& moments) noexcept {
  return step(state_, responses_, moments, next_);
}

Resonator::Sums Resonator::read(double t, const Points& moments) noexcept {
  respond(t, reading_);
  return step(next_, reading_, moments, read_);
}

CAROM_WIDE double Resonator::step_loss(const Collocation& clock,
                                       const std::array<Nodes, ResponseTable::points>& pushes,
                                       double h) const noexcept {
  const ResponseTable& table = ResponseTable::of(clock);
  Nodes impulse{};
  for (int q = 0; q < M; ++q) {
    for (int k = 0; k < S; ++k) impulse[k] += pushes[q][k];
  }
  Lane loss{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    const Constants& c = constants_[b];
    const Response& r = responses_[b];
    const Lane v = state_[b].v, pulled = c.stiffness * state_[b].q;
    Lane free[M], forced[M];
    for (int q = 0; q < M; ++q) {
      free[q] = r.d[q] * v - r.s[q] * pulled;
      forced[q] = r.d[q] * c.hit;
    }
    Lane squares{};
    for (int k = 0; k < S; ++k) {
      Lane velocity = v + c.hit * impulse[k];
      for (int q = 0; q < M; ++q)
        velocity += free[q] * table.at_node[q][k] + forced[q] * pushes[q][k];
      squares += clock.weight[k] * velocity * velocity;
    }
    loss += 2 * c.damping * squares;
  }
  return h * total(loss);
}

void Resonator::push(double displacement, double impulse) noexcept {
  for (std::size_t b = 0; b < state_.size(); ++b) {
    state_[b].q += constants_[b].hit * displacement;
    state_[b].v += constants_[b].hit * impulse;
  }
}

Resonator::Sums Resonator::sums_of(const std::vector<Block>& state) const noexcept {
  Lane hit{}, hit_v{}, heard{}, heard_v{}, energy{}, pull{};
  for (std::size_t b = 0; b < state.size(); ++b) {
    const Lane q = state[b].q, v = state[b].v;
    const Constants& c = constants_[b];
    hit += c.hit * q;
    hit_v += c.hit * v;
    heard += c.heard * q;
    heard_v += c.heard * v;
    energy += v * v + c.stiffness * q * q;
    pull += c.hit * c.stiffness * q;
  }
  return {.hit = total(hit),
          .hit_velocity = total(hit_v),
          .heard = total(heard),
          .heard_velocity = total(heard_v),
          .energy = 0.5 * total(energy),
          .pull = total(pull)};
}

ModalState Resonator::state(bool inside) const {
  const std::vector<Block>& from = inside ? read_ : state_;
  ModalState out{Eigen::VectorXd(mode_count_), Eigen::VectorXd(mode_count_)};
  for (int j = 0; j < mode_count_; ++j) {
    const auto b = static_cast<std::size_t>(j / lanes), l = static_cast<std::size_t>(j % lanes);
    const double root = roots_[static_cast<std::size_t>(j)];
    out.position[j] = from[b].q[l] / root;
    out.velocity[j] = from[b].v[l] / root;
  }
  return out;
}

void Resonator::set_state(const ModalState& state) {
  for (int j = 0; j < mode_count_; ++j) {
    const auto b = static_cast<std::size_t>(j / lanes), l = static_cast<std::size_t>(j % lanes);
    const double root = roots_[static_cast<std::size_t>(j)];
    state_[b].q[l] = state.position[j] * root;
    state_[b].v[l] = state.velocity[j] * root;
  }
}

void Resonator::archive(Archive& saved) {
  const std::size_t blocks = constants_.size();
  saved(state_, next_, read_);
  if (state_.size() != blocks || next_.size() != blocks || read_.size() != blocks) {
    throw InvalidInput("the checkpoint is of another number of modes");
  }
  if (saved.reading()) prepared_ = 0.0;
}

}  // namespace carom
