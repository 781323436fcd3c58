#include <algorithm>
#include <cmath>

#include <carom/nonsmooth/impact_problem.hpp>

namespace carom {
namespace {

constexpr int max_rounds = 2000;     // of one impact after the other, for each contact
constexpr int halvings = 50;         // of the reduced restitution
constexpr double settled = 1e-12;    // an approach that slow, of the fastest, has ended
constexpr double rounding = 1e-14;   // of the terms of a sliding speed
constexpr double no_rebound = 1e-9;  // a share of the restitution that rounding has left

LcpSettings pivoting(LcpSettings settings) {
  settings.method = LcpMethod::lemke;  // friction makes the matrix unsymmetric
  return settings;
}

}  // namespace

ImpactProblem::ImpactProblem(int contacts, bool frictional, const LcpSettings& settings)
    : contacts_(contacts),
      frictional_(frictional),
      normal_(contacts, settings),
      frictional_solver_(frictional ? 4 * contacts : 0, pivoting(settings)) {
  const int size = frictional ? 4 * contacts : contacts,
            rows = frictional ? 2 * contacts : contacts;
  matrix_.setZero(size, size);
  q_.setZero(size);
  z_.setZero(size);
  for (Eigen::VectorXd* x : {&target_, &rates_, &trial_, &compressed_, &returned_})
    x->setZero(rows);
}

/// One contact with friction by its cases: no more is pressed than `given`, or it is; it sticks, or
/// slides either way.
bool ImpactProblem::one_contact(const Input& input, int contact, const Eigen::VectorXd& target,
                                double given, Eigen::VectorXd& p) const {
  const int row = contacts_ + contact;
  const double bn = target[contact], bt = target[row];
  const double wn = input.W(contact, contact), wt = input.W(row, row), wc = input.W(contact, row);
  const double mu = input.friction[static_cast<std::size_t>(contact)];
  const auto found = [&](double normal, double tangential) {
    p.setZero();
    p[contact] = normal;
    p[row] = tangential;
    return true;
  };
  const double drag = std::clamp(-bt / wt, -mu * given, mu * given);
  if (bn + wc * drag >= -rounding * std::abs(wc * drag)) return found(0.0, drag);
  const double det = wn * wt - wc * wc;
  if (det > 1e-12 * wn * wt) {
    const double normal = (wc * bt - wt * bn) / det, tangential = (wc * bn - wn * bt) / det;
    if (normal >= 0 && std::abs(tangential) <= mu * (normal + given))
      return found(normal, tangential);
  }
  const double onwards = bt < 0 ? -1.0 : 1.0;
  for (const double way : {onwards, -onwards}) {
    const double normal = (way * mu * wc * given - bn) / (wn - way * mu * wc),
                 tangential = -way * mu * (normal + given);
    // Of a body that only turns about a fixed point the slip ends where the approach does.
    const double terms = std::abs(bt) + std::abs(wc * normal) + std::abs(wt * tangential);
    if (normal >= 0 && std::isfinite(normal) &&
        way * (bt + wc * normal + wt * tangential) >= -rounding * terms)
      return found(normal, tangential);
  }
  return false;
}

/// 0 <= (W p + target)_n _|_ p_n >= 0 with friction, over active_. `given` impulses along the
/// normals are in the target already, but the friction that they allow is not.
LcpResult ImpactProblem::one_problem(const Input& input, const Eigen::VectorXd& target,
                                     Eigen::VectorXd& p, const Eigen::VectorXd* given,
                                     bool smooth) {
  const auto n = static_cast<Eigen::Index>(active_.size());
  const auto rubs = [&](Eigen::Index i) {
    return frictional_ && !smooth && input.friction[static_cast<std::size_t>(active_[i])] > 0;
  };
  std::vector<Eigen::Index> sliding;  // which of the active ones have friction
  for (Eigen::Index i = 0; i < n; ++i) {
    if (rubs(i)) sliding.push_back(i);
  }
  const auto k = static_cast<Eigen::Index>(sliding.size());
  const auto pressed = [&](int contact) { return given != nullptr ? (*given)[contact] : 0.0; };
  if (n == 1 && k == 1 && one_contact(input, active_[0], target, pressed(active_[0]), p))
    return {LcpStatus::solved, 0, 0.0};
  const Eigen::Index size = n + 3 * k;
  auto M = matrix_.topLeftCorner(size, size);
  auto q = q_.head(size);
  M.setZero();
  q.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) M(i, j) = input.W(active_[i], active_[j]);
    q[i] = target[active_[i]];
    z_[i] = p[active_[i]];
  }
  std::vector<double> scale;
  for (Eigen::Index a = 0; a < k; ++a) {
    const int contact = active_[sliding[a]], row = contacts_ + contact;
    // The sliding speed in units that give its rows entries of one, as the others have.
    const double unit = std::sqrt(input.W(row, row));
    scale.push_back(unit);
    const Eigen::Index plus = n + a, minus = n + k + a, slip = n + 2 * k + a;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double w = input.W(row, active_[j]);
      M(plus, j) = M(j, plus) = w;
      M(minus, j) = M(j, minus) = -w;
    }
    for (Eigen::Index b = 0; b < k; ++b) {
      const double w = input.W(row, contacts_ + active_[sliding[b]]);
      M(plus, n + b) = M(minus, n + k + b) = w;
      M(plus, n + k + b) = M(minus, n + b) = -w;
    }
    M(plus, slip) = M(minus, slip) = unit;
    M(slip, sliding[a]) = unit * input.friction[static_cast<std::size_t>(contact)];
    M(slip, plus) = M(slip, minus) = -unit;
    q[plus] = target[row];
    q[minus] = -target[row];
    q[slip] = M(slip, sliding[a]) * pressed(contact);
    z_[plus] = z_[minus] = z_[slip] = 0.0;
  }
  LcpResult result = (k > 0 ? frictional_solver_ : normal_).solve(M, q, z_.head(size));
  p.setZero();
  for (Eigen::Index i = 0; i < n; ++i) p[active_[i]] = z_[i];
  for (Eigen::Index a = 0; a < k; ++a)
    p[contacts_ + active_[sliding[a]]] = z_[n + a] - z_[n + k + a];
  return result;
}

/// A contact that closes no faster than the forces of one step make it is at rest.
double ImpactProblem::restitution(const Input& input, int contact) const {
  const double closing = input.before[contact];
  const double by_forces = std::abs(input.free[contact] - closing);
  if (input.law != ImpactLaw::newton && !(closing < -by_forces)) return 0.0;
  return input.restitution[static_cast<std::size_t>(contact)];
}

LcpResult ImpactProblem::with_restitution(const Input& input, double share, Eigen::VectorXd& p) {
  target_ = input.free;
  if (input.law == ImpactLaw::sequential) return sequential(input, share, p);
  if (input.law == ImpactLaw::newton) {
    for (const int i : active_) target_[i] += share * restitution(input, i) * input.before[i];
    return one_problem(input, target_, p);
  }
  LcpResult result = one_problem(input, target_, p);
  if (result.status != LcpStatus::solved) return result;
  // What compression stored is given back; bodies that would still approach are held apart.
  compressed_ = p;
  returned_.setZero();
  for (const int i : active_) returned_[i] = share * restitution(input, i) * p[i];
  target_ = input.free + input.W * (compressed_ + returned_);
  result = one_problem(input, target_, p, &returned_);
  p += compressed_ + returned_;
  return result;
}

LcpResult ImpactProblem::sequential(const Input& input, double share, Eigen::VectorXd& p) {
  const std::vector<int> all = active_;
  rates_ = input.free;
  Eigen::VectorXd total = Eigen::VectorXd::Zero(p.size()), one = total;
  double fastest = 0.0;
  for (const int i : all) fastest = std::max(fastest, -rates_[i]);
  LcpResult result{LcpStatus::solved, 0, 0.0};
  bool ended = false;
  for (int round = 0; round < max_rounds * static_cast<int>(all.size()); ++round) {
    const int next = *std::min_element(all.begin(), all.end(),
                                       [&](int a, int b) { return rates_[a] < rates_[b]; });
    ended = !(rates_[next] < -settled * fastest);
    if (ended) break;
    active_ = {next};
    // A contact that was at rest may be hit through its neighbours: then it rebounds as they do.
    const double by_forces = std::abs(input.free[next] - input.before[next]);
    const double e =
        rates_[next] < -by_forces ? share * input.restitution[static_cast<std::size_t>(next)] : 0.0;
    target_ = rates_;
    target_[next] += e * rates_[next];
    one.setZero();
    result = one_problem(input, target_, one);
    if (result.status != LcpStatus::solved) break;
    total += one;
    rates_ += input.W * one;
  }
  // What has not come to an end by then is held together.
  active_ = all;
  one.setZero();
  if (!ended && result.status == LcpStatus::solved) {
    result = one_problem(input, rates_, one);
    // Redundant contacts that stick in every direction may have no solution with friction.
    if (result.status != LcpStatus::solved) result = one_problem(input, rates_, one, nullptr, true);
  }
  p = total + one;
  return result;
}

/// Work of the impulses on the motion: p.(u+ + u-)/2.
double ImpactProblem::gain(const Input& input, const Eigen::VectorXd& p) const {
  return 0.5 * p.dot(input.before + input.free + input.W * p);
}

LcpResult ImpactProblem::solve(const Input& input, const std::vector<char>& considered,
                               Eigen::VectorXd& impulses) {
  active_.clear();
  for (int i = 0; i < contacts_; ++i) {
    if (considered[static_cast<std::size_t>(i)] != 0) active_.push_back(i);
  }
  const LcpResult result = with_restitution(input, 1.0, impulses);
  if (!frictional_) return result;
  const double size = std::abs(impulses.dot(input.free)) + 1e-300;
  if (result.status == LcpStatus::solved && !(gain(input, impulses) > 1e-13 * size)) return result;
  ++reduced_;
  double low = 0.0, high = 1.0;
  trial_ = impulses;
  for (int n = 0; n < halvings; ++n) {
    const double middle = 0.5 * (low + high);
    const LcpResult at = with_restitution(input, middle, trial_);
    (at.status == LcpStatus::solved && gain(input, trial_) <= 0.0 ? low : high) = middle;
  }
  return with_restitution(input, low < no_rebound ? 0.0 : low, impulses);
}

}  // namespace carom
