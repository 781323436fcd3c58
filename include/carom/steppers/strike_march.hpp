#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include <carom/core/archive.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/modal_bank.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {

/// A body that strikes a resonator at its hit point.
struct Striker {
  double mass;         ///< [kg], > 0
  double speed;        ///< towards the resonator at the start [m/s]
  double gap = 0.0;    ///< to the resonator at rest, at the start [m], >= 0
  double force = 0.0;  ///< constant external force [N], > 0 towards the resonator
};

/// How a strike is stepped.
struct StrikeSettings {
  double rate = 44100.0;        ///< [Hz], > 0
  int steps_per_contact = 200;  ///< least number of steps in an undamped contact on a rigid wall
};

/// A body and a modal resonator in compliant contact, sample by sample: the case papetti2011 leaves
/// open. The modes move exactly. While a contact lasts the sample is divided into 2^level equal
/// steps, enough for steps_per_contact; in each a constant force f acts on the body and the modes,
///   f = (V(x') - V(x))/(x' - x) (1 + mu (x' - x)/h) + c (x' - x)/h, never negative,
/// where x' = x_free - G f: one scalar monotone equation, G the compliance of body and modes over
/// the step. The work of a constant force on exact motions is f times the way, so that the energy
/// of body, modes and contact falls by exactly what damper and modes take: passive at any stiffness
/// and rate. Second order in the step. A contact begins when the free motion over a sample would
/// end in compression. step() allocates nothing, throws nothing; iterations are bounded.
/// A release at zero force (Hertz-damper) leaves a surface that recovers (Surface::recovers).
template <ContactLaw Law>
class StrikeMarch {
 public:
  static constexpr StepperTraits traits{.name = "passive", .order = 2, .passive = true};
  static constexpr int most_iterations = 120;

  /// Allocates. `resonator.shapes` row 0 is the hit point, row 1 the heard point.
  StrikeMarch(const Law& law, const Striker& striker, const ModalBody& resonator,
              const StrikeSettings& settings)
      : law_(law),
        damping_(damping(law)),
        striker_(striker),
        bank_(resonator, 0, 1, 1 / settings.rate),
        step_(1 / settings.rate),
        steps_per_contact_(settings.steps_per_contact),
        position_(-striker.gap),
        velocity_(striker.speed),
        sums_(bank_.sums()),
        ledger_(0.5 * striker.mass * striker.speed * striker.speed + sums_.energy) {}

  void step() noexcept {
    const FlushDenormals flush;
    finished_count_ = 0;
    dissipated_ = injected_ = impulse_ = 0.0;
    if (!engaged_) {
      const ModalBank::Sums free = bank_.try_free();
      const double a = striker_.force / striker_.mass;
      const double moved = position_ + step_ * (velocity_ + 0.5 * step_ * a);
      if (moved - free.hit > 0) {
        engage(free, moved);
      } else {
        bank_.accept();
        sums_ = free;
        injected_ += striker_.force * (moved - position_);
        dissipated_ += free.loss;
        position_ = moved;
        velocity_ += step_ * a;
        compression_ = position_ - sums_.hit;
      }
    }
    if (engaged_) {
      const int count = 1 << level_;
      const double h = step_ / count;
      for (int i = 0; i < count; ++i) contact_step(i * h, h);
      engaged_ = compression_ > 0;
    }
    ++sample_;
    ledger_.close_step(stored(), dissipated_, injected_);
  }

  double time() const noexcept { return static_cast<double>(sample_) * step_; }
  const Ledger& ledger() const noexcept { return ledger_; }
  double position() const noexcept { return position_; }           ///< of the body [m]
  double velocity() const noexcept { return velocity_; }           ///< of the body [m/s]
  double compression() const noexcept { return compression_; }     ///< [m], < 0 apart
  double mean_force() const noexcept { return impulse_ / step_; }  ///< over the last sample [N]
  const ModalBank::Sums& resonator() const noexcept { return sums_; }
  const ModalBank& bank() const noexcept { return bank_; }
  ModalBank& bank() noexcept { return bank_; }
  bool in_contact() const noexcept { return touching_; }
  bool converged() const noexcept { return converged_; }
  /// Kinetic energy of the body, energy of the modes and of the contact [J].
  double stored() const noexcept {
    return 0.5 * striker_.mass * velocity_ * velocity_ + sums_.energy +
           law_.potential(compression_);
  }
  /// The contacts that ended within the last step; speeds are relative ones.
  std::span<const ImpactRecord> finished() const noexcept {
    return {finished_.data(), finished_count_};
  }
  void archive(Archive& state) {
    state(bank_, position_, velocity_, compression_, sums_, ledger_, engaged_, touching_,
          converged_, level_, last_force_, impulse_, sample_, record_, finished_, finished_count_);
  }

 private:
  /// Chooses the division of the sample from the contact that is about to begin.
  void engage(const ModalBank::Sums& free, double moved) noexcept {
    engaged_ = true;
    compression_ = position_ - sums_.hit;
    const double closing = std::max({velocity_ - sums_.hit_velocity, velocity_ - free.hit_velocity,
                                     (moved - free.hit - compression_) / step_});
    const ContactProblem<Law> wall{law_, 1 / (1 / striker_.mass + bank_.mobility()),
                                   std::max(0.0, striker_.force)};
    // Without damping a contact on a wall lasts about three of these times.
    const double wanted = 3 * contact_scales(wall, 0.0, closing).time / steps_per_contact_;
    level_ = 0;
    while (level_ + 1 < ModalBank::levels && std::ldexp(step_, -level_) > wanted) ++level_;
  }

  void contact_step(double begin, double h) noexcept {
    const double a = striker_.force / striker_.mass, m = striker_.mass, x0 = compression_;
    const double free = x0 + (h * (velocity_ + 0.5 * h * a) - bank_.free_travel(level_));
    const double compliance = h * h / (2 * m) + bank_.compliance(level_);
    const double f = solve(x0, free, compliance, h);
    const double x1 = free - compliance * f;
    const ModalBank::Sums after = bank_.advance(level_, f);
    const double way = h * (velocity_ + 0.5 * h * (a - f / m));
    const double gained = law_.potential(x1) - law_.potential(x0);
    const double before = velocity_ - sums_.hit_velocity;
    dissipated_ += after.loss + std::max(0.0, f * (x1 - x0) - gained);
    injected_ += striker_.force * way;
    impulse_ += f * h;
    position_ += way;
    velocity_ += h * (a - f / m);
    sums_ = after;
    compression_ = x1;
    note(begin, h, x0, f, before);
  }

  /// f as a function of where the step ends.
  double mean_force_to(double x0, double x1, double h) const noexcept {
    const double rate = (x1 - x0) / h;
    double f = mean_elastic_force(law_, x0, x1) * std::max(0.0, 1 + damping_.mu * rate);
    if (damping_.linear > 0) {
      // The damper acts on the part of the way that lies in contact.
      const double in = std::max(0.0, std::max(x0, x1)), out = std::max(0.0, std::min(x0, x1));
      const double share = x1 != x0 ? (in - out) / std::abs(x1 - x0) : (x0 > 0 ? 1.0 : 0.0);
      f += damping_.linear * rate * share;
    }
    return std::max(0.0, f);
  }

  /// x' - x_free + G f(x') = 0, which grows with x'; the force, found within a bracket.
  double solve(double x0, double free, double compliance, double h) noexcept {
    const double most = mean_force_to(x0, free, h);
    if (!(most > 0)) return 0.0;
    double low = free - compliance * most, high = free;
    double x = std::clamp(free - compliance * last_force_, low, high);
    double f = mean_force_to(x0, x, h);
    double previous_x = high, previous_r = compliance * most;
    for (int i = 0; i < most_iterations; ++i) {
      const double r = x - free + compliance * f;
      if (r == 0) break;
      (r > 0 ? high : low) = x;
      double next = r != previous_r ? x - r * (x - previous_x) / (r - previous_r) : x;
      if (!(next > low && next < high) || i % 5 == 4) next = 0.5 * (low + high);
      previous_x = x;
      previous_r = r;
      const double change = std::abs(next - x);
      x = next;
      f = mean_force_to(x0, x, h);
      if (change <= 2e-16 * std::max(std::abs(x), std::abs(x0))) break;
      if (i + 1 == most_iterations) converged_ = false;
    }
    last_force_ = f;
    return f;
  }

  /// Keeps the record of the contact. Touch and release are placed within the step in the ratio of
  /// the compressions at its ends.
  void note(double begin, double h, double x0, double f, double rate_before) noexcept {
    const double x1 = compression_, now = time() + begin;
    if (f > 0 && !touching_) {
      touching_ = true;
      const double t = x0 < 0 && x1 > x0 ? h * std::min(1.0, -x0 / (x1 - x0)) : 0.0;
      record_ = {.time = now + t, .speed_in = std::abs(rate_before)};
    }
    if (!touching_) return;
    record_.max_compression = std::max(record_.max_compression, x1);
    record_.max_force = std::max(record_.max_force, f);
    const bool ended = f == 0 || x1 <= 0;
    if (!ended) return;
    touching_ = false;
    const double t = x1 < 0 && x0 > x1 ? h * std::clamp(x0 / (x0 - x1), 0.0, 1.0) : 0.0;
    record_.speed_out = std::abs(velocity_ - sums_.hit_velocity);
    record_.contact_time = now + t - record_.time;
    record_.separation_compression = std::max(0.0, x0 > 0 && x1 > 0 ? x0 : 0.0);
    if (finished_count_ < finished_.size()) finished_[finished_count_++] = record_;
  }

  Law law_;
  Damping damping_;
  Striker striker_;
  ModalBank bank_;
  double step_;
  int steps_per_contact_;
  double position_, velocity_, compression_ = 0.0;
  ModalBank::Sums sums_;
  Ledger ledger_;
  bool engaged_ = false, touching_ = false, converged_ = true;
  int level_ = 0;
  double last_force_ = 0.0, dissipated_ = 0.0, injected_ = 0.0, impulse_ = 0.0;
  std::int64_t sample_ = 0;
  ImpactRecord record_;
  std::array<ImpactRecord, 64> finished_{};
  std::size_t finished_count_ = 0;
};

}  // namespace carom
