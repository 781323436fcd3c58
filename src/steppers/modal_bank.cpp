#include <cmath>
#include <numbers>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_bank.hpp>

// The compiler makes one version of the loops for AVX2 and one for any machine; contraction is off,
// so both give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define CAROM_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CAROM_WIDE
#endif

namespace carom {
namespace {

using Real = long double;  // the tables lose digits to cancellation at small steps

/// The exact step of one mode of unit mass under a constant acceleration.
struct ExactStep {
  Real qq, qv, vq, vv, qa, va;  ///< of the changes of q and v
};

/// By Taylor series when |omega h|, sigma h < 1; the solution is entire in h.
ExactStep series_step(Real omega2, Real sigma, Real h) {
  const auto solve = [&](Real q, Real v, Real a) {
    // Coefficients of q in t/h; returns the changes of q and v.
    Real c0 = q, c1 = v * h, sum = c1, slope = 0;
    for (int k = 0; k < 40; ++k) {
      const Real drive = k == 0 ? a : Real(0);
      const Real c2 = (h * h * (drive - omega2 * c0) - 2 * sigma * h * (k + 1) * c1) /
                      (Real(k + 1) * Real(k + 2));
      sum += c2;
      slope += (k + 2) * c2;
      c0 = c1;
      c1 = c2;
    }
    return std::pair{sum, slope / h};
  };
  const auto [qq, vq] = solve(1, 0, 0);
  const auto [qv, vv] = solve(0, 1, 0);
  const auto [qa, va] = solve(0, 0, 1);
  return {qq, qv, vq, vv, qa, va};
}

/// Two steps of the same length after each other.
ExactStep doubled(const ExactStep& s) {
  const Real qq = 1 + s.qq, vv = 1 + s.vv;
  return {s.qq + qq * s.qq + s.qv * s.vq,          s.qv + s.qq * s.qv + s.qv * s.vv + s.qv,
          s.vq + s.vq * s.qq + s.vv * s.vq + s.vq, s.vv + s.vq * s.qv + vv * s.vv,
          2 * s.qa + s.qq * s.qa + s.qv * s.va,    2 * s.va + s.vq * s.qa + s.vv * s.va};
}

ExactStep exact_step(Real omega2, Real sigma, Real h) {
  int halvings = 0;
  while ((std::sqrt(omega2) * h > 0.5L || sigma * h > 0.5L) && halvings < 60) {
    h /= 2;
    ++halvings;
  }
  ExactStep step = series_step(omega2, sigma, h);
  for (int i = 0; i < halvings; ++i) step = doubled(step);
  return step;
}

/// The sum of the lanes in a fixed order.
template <class Lane>
double total(const Lane& lane) noexcept {
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

}  // namespace

ModalBank::ModalBank(const ModalBody& body, int hit, int heard, double step)
    : mode_count_(static_cast<int>(body.mode_count())) {
  validate(body);
  for (const int row : {hit, heard})
    if (row < 0 || row >= body.point_count())
      throw InvalidInput("shapes: point " + std::to_string(row) + " is not there");
  const auto blocks = static_cast<std::size_t>((mode_count_ + lanes - 1) / lanes);
  roots_.resize(blocks * lanes, 1.0);
  state_.resize(blocks);
  next_.resize(blocks);
  points_.resize(blocks);
  for (Level& level : levels_) {
    level.free.resize(blocks);
    level.forced.resize(blocks);
  }
  std::array<Real, levels> compliance{};
  Real mobility = 0;
  for (int j = 0; j < mode_count_; ++j) {
    const auto b = static_cast<std::size_t>(j / lanes), l = static_cast<std::size_t>(j % lanes);
    const Mode& mode = body.modes[static_cast<std::size_t>(j)];
    const Real omega = 2 * std::numbers::pi_v<Real> * Real(mode.frequency);
    const Real omega2 = omega * omega, sigma = Real(mode.damping);
    roots_[static_cast<std::size_t>(j)] = std::sqrt(mode.mass);
    const Real shape = Real(body.shapes(hit, j)) / std::sqrt(Real(mode.mass));
    points_[b].hit[l] = static_cast<double>(shape);
    points_[b].heard[l] =
        static_cast<double>(Real(body.shapes(heard, j)) / std::sqrt(Real(mode.mass)));
    points_[b].stiffness[l] = static_cast<double>(omega2);
    mobility += shape * shape;
    bends_.push_back(static_cast<double>(std::abs(shape) * (2 * sigma + omega)));
    for (std::size_t level = 0; level < levels; ++level) {
      const ExactStep s =
          exact_step(omega2, sigma, std::ldexp(Real(step), -static_cast<int>(level)));
      Free& t = levels_[level].free[b];
      Forced& g = levels_[level].forced[b];
      t.qq[l] = static_cast<double>(s.qq);
      t.qv[l] = static_cast<double>(s.qv);
      t.vq[l] = static_cast<double>(s.vq);
      t.vv[l] = static_cast<double>(s.vv);
      g.qa[l] = static_cast<double>(s.qa);
      g.va[l] = static_cast<double>(s.va);
      // Energy before minus after plus work, (v^2 + w q^2)/2 - (v1^2 + w q1^2)/2 + a (q1 - q).
      const Real q1 = 1 + s.qq, v1 = 1 + s.vv;
      t.loss_qq[l] = static_cast<double>((-omega2 * s.qq * (2 + s.qq) - s.vq * s.vq) / 2);
      t.loss_vv[l] = static_cast<double>((-s.vv * (2 + s.vv) - omega2 * s.qv * s.qv) / 2);
      t.loss_qv[l] = static_cast<double>(-(s.vq * v1 + omega2 * q1 * s.qv));
      g.loss_qa[l] = static_cast<double>(s.qq - (s.vq * s.va + omega2 * q1 * s.qa));
      g.loss_va[l] = static_cast<double>(s.qv - (v1 * s.va + omega2 * s.qv * s.qa));
      g.loss_aa[l] = static_cast<double>(s.qa - (s.va * s.va + omega2 * s.qa * s.qa) / 2);
      compliance[level] += shape * shape * s.qa;
    }
  }
  for (std::size_t level = 0; level < levels; ++level)
    compliance_[level] = static_cast<double>(compliance[level]);
  mobility_ = static_cast<double>(mobility);
}

CAROM_WIDE double ModalBank::free_travel(int level) const noexcept {
  const std::vector<Free>& table = levels_[static_cast<std::size_t>(level)].free;
  Lane sum{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    const Block& s = state_[b];
    const Free& t = table[b];
    const Points& p = points_[b];
    sum += p.hit * (t.qq * s.q + t.qv * s.v);
  }
  return total(sum);
}

double ModalBank::most_acceleration() const noexcept {
  double sum = 0.0;
  for (std::size_t j = 0; j < bends_.size(); ++j) {
    const std::size_t b = j / lanes, l = j % lanes;
    const double q = state_[b].q[l], v = state_[b].v[l];
    sum += bends_[j] * std::sqrt(v * v + points_[b].stiffness[l] * q * q);
  }
  return sum;
}

CAROM_WIDE ModalBank::Sums ModalBank::try_free(int level) noexcept {
  const std::vector<Free>& table = levels_[static_cast<std::size_t>(level)].free;
  Lane hit{}, hit_v{}, heard{}, heard_v{}, energy{}, loss{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    const Block& s = state_[b];
    const Free& t = table[b];
    const Points& p = points_[b];
    Block& n = next_[b];
    const Lane q = s.q, v = s.v;
    const Lane q1 = q + (t.qq * q + t.qv * v), v1 = v + (t.vq * q + t.vv * v);
    n.q = q1;
    n.v = v1;
    hit += p.hit * q1;
    hit_v += p.hit * v1;
    heard += p.heard * q1;
    heard_v += p.heard * v1;
    energy += v1 * v1 + p.stiffness * q1 * q1;
    loss += (t.loss_qq * q + t.loss_qv * v) * q + t.loss_vv * v * v;
  }
  return {total(hit), total(hit_v), total(heard), total(heard_v), 0.5 * total(energy), total(loss)};
}

CAROM_WIDE ModalBank::Sums ModalBank::advance(int level, double f) noexcept {
  const Level& table = levels_[static_cast<std::size_t>(level)];
  Lane hit{}, hit_v{}, heard{}, heard_v{}, energy{}, loss{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    Block& s = state_[b];
    const Free& t = table.free[b];
    const Forced& g = table.forced[b];
    const Points& p = points_[b];
    const Lane q = s.q, v = s.v, a = p.hit * f;
    const Lane q1 = q + (t.qq * q + t.qv * v + g.qa * a);
    const Lane v1 = v + (t.vq * q + t.vv * v + g.va * a);
    s.q = q1;
    s.v = v1;
    hit += p.hit * q1;
    hit_v += p.hit * v1;
    heard += p.heard * q1;
    heard_v += p.heard * v1;
    energy += v1 * v1 + p.stiffness * q1 * q1;
    loss += (t.loss_qq * q + t.loss_qv * v + g.loss_qa * a) * q +
            (t.loss_vv * v + g.loss_va * a) * v + g.loss_aa * a * a;
  }
  return {total(hit), total(hit_v), total(heard), total(heard_v), 0.5 * total(energy), total(loss)};
}

ModalState ModalBank::state() const {
  ModalState out{Eigen::VectorXd(mode_count_), Eigen::VectorXd(mode_count_)};
  for (int j = 0; j < mode_count_; ++j) {
    const auto b = static_cast<std::size_t>(j / lanes), l = static_cast<std::size_t>(j % lanes);
    const double root = roots_[static_cast<std::size_t>(j)];
    out.position[j] = state_[b].q[l] / root;
    out.velocity[j] = state_[b].v[l] / root;
  }
  return out;
}

void ModalBank::set_state(const ModalState& state) {
  for (int j = 0; j < mode_count_; ++j) {
    const auto b = static_cast<std::size_t>(j / lanes), l = static_cast<std::size_t>(j % lanes);
    const double root = roots_[static_cast<std::size_t>(j)];
    state_[b].q[l] = state.position[j] * root;
    state_[b].v[l] = state.velocity[j] * root;
  }
}

ModalBank::Sums ModalBank::sums() const noexcept {
  Lane hit{}, hit_v{}, heard{}, heard_v{}, energy{};
  for (std::size_t b = 0; b < state_.size(); ++b) {
    const Lane q = state_[b].q, v = state_[b].v;
    const Points& p = points_[b];
    hit += p.hit * q;
    hit_v += p.hit * v;
    heard += p.heard * q;
    heard_v += p.heard * v;
    energy += v * v + p.stiffness * q * q;
  }
  return {total(hit), total(hit_v), total(heard), total(heard_v), 0.5 * total(energy), 0.0};
}

}  // namespace carom
