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

enum class StrikeMethod {
  passive,       ///< StrikeMarch
  event_driven,  ///< EventDrivenStrike, the reference
};

/// How a strike is stepped.
struct StrikeSettings {
  StrikeMethod method = StrikeMethod::passive;
  double rate = 44100.0;  ///< [Hz], > 0
  /// Of the passive method: least number of steps in an undamped contact on a rigid wall, >= 1.
  int steps_per_contact = 200;
  /// Of the event-driven method: relative to the impact, of one step in contact, 1e-14..1e-3.
  double tolerance = 1e-12;
};

/// A body and a modal resonator in compliant contact, sample by sample: the case papetti2011 leaves
/// open. The modes move exactly. While a contact lasts the sample is divided into 2^level equal
/// steps, enough for steps_per_contact; in each a constant force f acts on the body and the modes,
///   f = (V(x') - V(x))/(x' - x) (1 + mu (x' - x)/h) + c (x' - x)/h, never negative,
/// where x' = x_free - G f: one scalar monotone equation, G the compliance of body and modes over
/// the step. The work of a constant force on exact motions is f times the way, so that the energy
/// of body, modes and contact falls by exactly what damper and modes take: passive at any stiffness
/// and rate. Second order in the step. step() allocates nothing, throws nothing; iterations are
/// bounded. A release at zero force (Hertz-damper) leaves a surface that recovers
/// (Surface::recovers).
/// Apart, a free step is taken whole if body and resonator cannot meet within it, however they move
/// between its ends: positions and velocities at both ends and a bound of the relative acceleration
/// say so. Otherwise it is halved, down to the length of the contact's own steps: no contact is
/// passed over because it begins and ends between two samples.
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
        compression_(-striker.gap),
        ledger_(0.5 * striker.mass * striker.speed * striker.speed) {}

  /// How the resonator moves at the start; without it, it is at rest.
  void set_resonator(const ModalState& state) {
    bank_.set_state(state);
    sums_ = bank_.sums();
    bend_ = bank_.most_acceleration();
    compression_ = position_ - sums_.hit;
    ledger_ = Ledger(stored());
  }

  void step() noexcept {
    const FlushDenormals flush;
    finished_count_ = 0;
    dissipated_ = injected_ = impulse_ = 0.0;
    constexpr int whole = 1 << (ModalBank::levels - 1);  // in ticks of the finest step
    int level = 0;
    for (int tick = 0; tick < whole;) {
      if (engaged_) {
        contact_step(std::ldexp(step_ * tick, 1 - ModalBank::levels), std::ldexp(step_, -level_));
        tick += whole >> level_;
        engaged_ = compression_ > 0;
        if (engaged_) continue;
        level = level_;
        if (disturbed_) bend_ = bank_.most_acceleration();
        disturbed_ = false;
      } else if (fly(level)) {
        tick += whole >> level;
        // Longer again where the grid allows it.
        if (level > 0 && tick % (whole >> (level - 1)) == 0) --level;
      } else if (level < wanted_level(level)) {
        ++level;
      } else {
        engaged_ = true;
        level_ = level;
      }
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
          disturbed_, converged_, level_, bend_, last_force_, impulse_, sample_, record_, finished_,
          finished_count_);
  }

 private:
  /// A free step of the length step/2^level, unless body and resonator might meet within it.
  bool fly(int level) noexcept {
    const double h = std::ldexp(step_, -level), a = striker_.force / striker_.mass;
    const ModalBank::Sums free = bank_.try_free(level);
    const double moved = position_ + h * (velocity_ + 0.5 * h * a), faster = velocity_ + h * a;
    const double x0 = compression_, v0 = velocity_ - sums_.hit_velocity;
    const double x1 = moved - free.hit, v1 = faster - free.hit_velocity;
    // x lies below both parabolas of the greatest curvature through its ends; they meet at t.
    const double bend = bend_ + std::abs(a);
    const double t = (x1 - x0 - h * (v1 - 0.5 * h * bend)) / (v0 - v1 + h * bend);
    fastest_ = 0.5 * (v0 + v1 + h * bend);
    if (x0 > 0 || x1 > 0 || (t > 0 && t < h && x0 + t * (v0 + 0.5 * t * bend) > 0)) {
      if (level == 0) bend_ = bank_.most_acceleration();
      return false;
    }
    bank_.accept();
    sums_ = free;
    injected_ += striker_.force * (moved - position_);
    dissipated_ += free.loss;
    position_ = moved;
    velocity_ = faster;
    compression_ = x1;
    return true;
  }

  /// The division of the sample that a contact needs if it begins with the speed that the last try
  /// to fly has found possible; no coarser than `level`.
  int wanted_level(int level) const noexcept {
    const ContactProblem<Law> wall{law_, 1 / (1 / striker_.mass + bank_.mobility()),
                                   std::max(0.0, striker_.force)};
    // Without damping a contact on a wall lasts about three of these times.
    const ContactScales scales =
        contact_scales(wall, std::max(0.0, compression_), std::max(0.0, fastest_));
    const double wanted = 3 * scales.time / steps_per_contact_;
    while (level + 1 < ModalBank::levels && std::ldexp(step_, -level) > wanted) ++level;
    return level;
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
    disturbed_ = disturbed_ || f != 0;
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
    return may_pull(law_) ? f : std::max(0.0, f);
  }

  /// x' - x_free + G f(x') = 0, which grows with x'; the force, found within a bracket.
  double solve(double x0, double free, double compliance, double h) noexcept {
    const double most = mean_force_to(x0, free, h);
    if (most == 0) return 0.0;
    double low = std::min(free, free - compliance * most);
    double high = std::max(free, free - compliance * most);
    double x = std::clamp(free - compliance * last_force_, low, high);
    double f = mean_force_to(x0, x, h);
    double previous_x = free, previous_r = compliance * most;
    for (int i = 0; i < most_iterations; ++i) {
      const double r = x - free + compliance * f;
      // Below the rounding of its terms r says nothing any more.
      if (std::abs(r) <= 1e-16 * (std::abs(x) + std::abs(free))) break;
      (r > 0 ? high : low) = x;
      double next = x - r * (x - previous_x) / (r - previous_r);
      // Halving where the secant leaves the bracket or gains less than halving would.
      if (!(next > low && next < high) || std::abs(r) > 0.5 * std::abs(previous_r)) {
        next = 0.5 * (low + high);
      }
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
  /// the compressions at its ends, and the speed there in between those at the ends.
  void note(double begin, double h, double x0, double f, double rate_before) noexcept {
    const double x1 = compression_, now = time() + begin;
    const double gained = velocity_ - sums_.hit_velocity - rate_before;
    if (f > 0 && !touching_) {
      touching_ = true;
      const double part = x0 < 0 && x1 > x0 ? std::min(1.0, -x0 / (x1 - x0)) : 0.0;
      record_ = {.time = now + part * h, .speed_in = std::abs(rate_before + part * gained)};
    }
    if (!touching_) return;
    record_.max_compression = std::max(record_.max_compression, x1);
    record_.max_force = std::max(record_.max_force, f);
    const bool ended = f == 0 || x1 <= 0;
    if (!ended) return;
    touching_ = false;
    const double part = x1 < 0 && x0 > x1 ? std::clamp(x0 / (x0 - x1), 0.0, 1.0) : 0.0;
    record_.speed_out = std::abs(rate_before + part * gained);
    record_.contact_time = now + part * h - record_.time;
    record_.separation_compression = std::max(0.0, x0 > 0 && x1 > 0 ? x0 : 0.0);
    if (finished_count_ < finished_.size()) finished_[finished_count_++] = record_;
  }

  Law law_;
  Damping damping_;
  Striker striker_;
  ModalBank bank_;
  double step_;
  int steps_per_contact_;
  double position_, velocity_, compression_;
  ModalBank::Sums sums_;
  Ledger ledger_;
  bool engaged_ = false, touching_ = false, disturbed_ = false, converged_ = true;
  int level_ = 0;
  double bend_ = 0.0;     ///< bound of the acceleration of the hit point while apart [m/s^2]
  double fastest_ = 0.0;  ///< approach that the last try to fly admits [m/s]
  double last_force_ = 0.0, dissipated_ = 0.0, injected_ = 0.0, impulse_ = 0.0;
  std::int64_t sample_ = 0;
  ImpactRecord record_;
  std::array<ImpactRecord, 64> finished_{};
  std::size_t finished_count_ = 0;
};

}  // namespace carom
