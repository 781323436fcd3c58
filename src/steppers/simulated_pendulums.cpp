#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

#include "adaptive_motion.hpp"
#include "any_contact.hpp"

namespace carom {
namespace {

/// Angles, rates, energy lost in the contact, impulse of the contact.
using PendulumVector = detail::AdaptiveSystem::State;

PendulumState pendulum_state(const PendulumVector& y) noexcept {
  return {{y[0], y[1]}, {y[2], y[3]}};
}

/// Everything about the contact that is under way or about to begin.
struct TipTouch {
  int tip = 0;
  double side = 1.0;    ///< of the tip: sign of its distance while apart
  double offset = 0.0;  ///< depth of the dent that counts as no compression [m]

  double compression(const TipContact& c) const noexcept { return -side * c.distance - offset; }
  double rate(const TipContact& c, const PendulumVector& y) const noexcept {
    return -side * c.rate({y[2], y[3]});
  }
};

class PendulumSimulation final : detail::AdaptiveSystem {
 public:
  PendulumSimulation(const PendulumRods& rods, const PendulumState& start,
                     const PendulumContact& contact, const PendulumSettings& settings)
      : rods_(rods),
        contact_(contact),
        settings_(settings),
        y_{start.angles[0], start.angles[1], start.rates[0], start.rates[1], 0.0, 0.0},
        motion_(1e-3, settings.step > 0 ? detail::AdaptiveMotion::Formula::classical
                                        : detail::AdaptiveMotion::Formula::fehlberg) {
    for (int tip = 0; tip < 2; ++tip) {
      touch_[tip].tip = tip;
      touch_[tip].side = tip_contact(rods, start.angles, tip).distance < 0 ? -1.0 : 1.0;
    }
    run_.ledger = Ledger(energy(rods, start));
  }

  PendulumRun run() {
    const bool resumed =
        settings_.resume && settings_.resume([this](Archive& state) { archive(state); });
    if (!resumed) keep();
    while (t_ < settings_.duration && run_.status == PendulumStatus::done) {
      if (settings_.keep_going && !settings_.keep_going(t_)) break;
      const double until =
          settings_.interval > 0 ? std::min(settings_.duration, next_sample_) : settings_.duration;
      if (touching_) {
        in_contact(until);
      } else {
        apart(until);
      }
      if (t_ >= next_sample_) keep();
    }
    run_.end = pendulum_state(y_);
    return std::move(run_);
  }

 private:
  using Trial = detail::AdaptiveMotion::Trial;

  void archive(Archive& state) {
    state(y_, t_, motion_, next_sample_, touch_, active_, in_dent_, touching_, acting_, impact_,
          approach_, peak_compression_, fastest_, impulse_, run_.impacts, run_.samples, run_.ledger,
          run_.status);
  }

  void keep() {
    if (!(settings_.interval > 0)) return;
    const double x = touching_ ? compression(y_) : 0.0;
    run_.samples.push_back({t_, pendulum_state(y_), touching_ ? force(y_) : 0.0, x,
                            impulse_ + (touching_ ? y_[5] : 0.0)});
    next_sample_ = static_cast<double>(run_.samples.size()) * settings_.interval;
  }

  TipContact geometry(const PendulumVector& y, int tip) const noexcept {
    return tip_contact(rods_, {y[0], y[1]}, tip);
  }
  double compression(const PendulumVector& y) const noexcept {
    return touch_[active_].compression(geometry(y, active_));
  }
  double rate(const PendulumVector& y) const noexcept {
    return touch_[active_].rate(geometry(y, active_), y);
  }
  double force(const PendulumVector& y) const noexcept {
    return acting_.force(compression(y), rate(y));
  }

  void slopes(const PendulumVector& y, PendulumVector& dy) const noexcept override {
    std::array<double, 2> torque{};
    dy[4] = dy[5] = 0.0;
    if (touching_) {
      const TipContact c = geometry(y, active_);
      const TipTouch& touch = touch_[active_];
      const double x = touch.compression(c), v = touch.rate(c, y), f = acting_.force(x, v);
      for (int i = 0; i < 2; ++i) torque[i] = f * touch.side * c.gradient[i];
      dy[4] = acting_.dissipated_power(x, v);
      dy[5] = f;
    }
    const auto a = accelerations(rods_, {y[0], y[1]}, torque);
    dy[0] = y[2], dy[1] = y[3], dy[2] = a[0], dy[3] = a[1];
  }

  /// Angles against 1 rad, rates against the fastest tip; in contact against the compression that
  /// builds up, which is what the force depends on.
  double step_error(const PendulumVector& wrong) const noexcept override {
    const double fastest = std::max({std::abs(y_[2]), std::abs(y_[3]), 1e-3});
    double scale_angle = 1.0;
    if (touching_)
      scale_angle = std::max(peak_compression_, 1e-3 * approach_) /
                    std::max(rods_.lengths[0], rods_.lengths[1]);
    const double e = std::max({std::abs(wrong[0]) / scale_angle, std::abs(wrong[1]) / scale_angle,
                               std::abs(wrong[2]) / fastest, std::abs(wrong[3]) / fastest});
    return e / settings_.tolerance;
  }

  /// To the next point of the grid, which events in between leave where it is.
  Trial to_grid(double most) {
    double h = (std::floor(t_ / settings_.step) + 1) * settings_.step - t_;
    if (h < 1e-9 * settings_.step) h += settings_.step;
    Trial step = motion_.tried(*this, y_, std::min(h, most));
    if (!std::isfinite(step.y[0] + step.y[1] + step.y[2] + step.y[3])) {
      run_.status = PendulumStatus::not_finite;
    }
    return step;
  }

  Trial accepted(double most) {
    if (settings_.step > 0) return to_grid(most);
    Trial step = motion_.accepted(*this, y_, most);
    if (!motion_.converged()) run_.status = PendulumStatus::step_limit;
    return step;
  }
  template <class F>
  Trial located(const Trial& end, F&& f) {
    return motion_.located(*this, y_, end, f);
  }

  /// Free swing until the next touch or `until`.
  void apart(double until) {
    const double dent = dent_energy();
    Trial step = accepted(until - t_);
    const auto gap = [this](const PendulumVector& y, int tip) {
      return -touch_[tip].compression(geometry(y, tip));
    };
    int touching = -1;
    for (int tip = 0; tip < 2; ++tip) {
      const double before = gap(y_, tip), after = gap(step.y, tip);
      if (in_dent_ == tip) {
        // Still within a dent that is left behind: it ends where the rods are clear of it, and a
        // new contact begins where they turn round before that.
        const auto opening = [this, tip](const PendulumVector& y) {
          return -touch_[tip].rate(geometry(y, tip), y);
        };
        if (after < 0 && opening(step.y) <= 0) {
          step = located(step, opening);
          touching = tip;
        } else if (after >= 0) {
          in_dent_ = -1;
        }
        continue;
      }
      if (after > 0) continue;
      const Trial at = before > 0
                           ? located(step, [&](const PendulumVector& y) { return gap(y, tip); })
                           : Trial{y_, 0.0};
      if (geometry(at.y, tip).facing) {
        if (touching < 0 || at.h < step.h) {
          step = at;
          touching = tip;
        }
      } else if (touching < 0) {
        touch_[tip].side = -touch_[tip].side;  // the tip swings past beyond the end of the rod
        touch_[tip].offset = 0.0;
      }
    }
    advance(step, dent);
    if (touching >= 0) begin(touching);
  }

  /// What the dent that the rods are leaving still stores [J].
  double dent_energy() const noexcept {
    return in_dent_ < 0 ? 0.0
                        : acting_.potential(touch_[in_dent_].compression(geometry(y_, in_dent_)));
  }

  /// `dent`: the energy of the dent before the step; what is gone of it went to its own damper.
  void advance(const Trial& step, double dent) {
    const double lost = step.y[4] - y_[4];
    y_ = step.y;
    t_ = step.h < settings_.duration - t_ ? t_ + step.h : settings_.duration;
    close(lost + dent - dent_energy());
  }

  void close(double lost) {
    const double contact = touching_ ? acting_.potential(compression(y_)) : dent_energy();
    run_.ledger.close_step(energy(rods_, pendulum_state(y_)) + contact, lost);
  }

  void begin(int tip) {
    const bool from_dent = in_dent_ == tip;
    active_ = tip;
    in_dent_ = -1;
    const TipContact c = geometry(y_, tip);
    approach_ = std::max(0.0, touch_[tip].rate(c, y_));
    const double mass = effective_mass(rods_, c.gradient);
    if (static_cast<int>(run_.impacts.size()) >= settings_.most_impacts) {
      run_.status = PendulumStatus::impact_limit;
      return;
    }
    impact_ = {.record = {.time = t_, .speed_in = approach_},
               .tip = tip,
               .along = c.along,
               .effective_mass = mass,
               .impulse = 0.0,
               .before = pendulum_state(y_),
               .after = {}};
    if (const auto* newton = std::get_if<NewtonRestitution>(&contact_)) {
      jump(*newton, c, mass);
      return;
    }
    if (const auto* chosen = std::get_if<RestitutionOfImpact>(&contact_)) {
      jump((*chosen)({mass, std::max(approach_, least_approach())}), c, mass);
      return;
    }
    if (!from_dent) {
      const Collision collision{mass, approach_};
      const AnyLaw law = std::holds_alternative<AnyLaw>(contact_)
                             ? std::get<AnyLaw>(contact_)
                             : std::get<LawOfImpact>(contact_)(collision);
      validate(law);
      acting_ = {law, mass};
    }
    touching_ = true;
    y_[4] = y_[5] = 0.0;
    peak_compression_ = std::max(0.0, compression(y_));
    impact_.record.max_force = std::max(0.0, force(y_));
    motion_.restart(1e-3 * acting_.scales(compression(y_), std::max(approach_, 1e-9)).time);
  }

  double least_approach() const noexcept { return 1e-9 * std::max(fastest_, 1e-6); }

  /// Newton's law: the impulse that reverses the normal speed, at one instant.
  void jump(const NewtonRestitution& newton, const TipContact& c, double mass) {
    const double v = approach_;
    // Touching with so little speed that the next impact follows within rounding of this one.
    if (v < least_approach()) {
      run_.status = PendulumStatus::sustained_contact;
      return;
    }
    fastest_ = std::max(fastest_, v);
    const double impulse = mass * (v - newton.outgoing(v));
    for (int i = 0; i < 2; ++i)
      y_[2 + i] += impulse * touch_[active_].side * c.gradient[i] / rods_.inertia(i);
    impact_.impulse = impulse;
    impulse_ += impulse;
    impact_.record.speed_out = newton.restitution * v;
    impact_.after = pendulum_state(y_);
    run_.impacts.push_back(impact_);
    close(0.5 * mass * v * v * (1 - newton.restitution * newton.restitution));
  }

  void in_contact(double until) {
    Trial step = accepted(until - t_);
    const auto holding = [this](const PendulumVector& y) {
      return acting_.release_function(compression(y), rate(y));
    };
    const bool releasing = holding(step.y) <= 0 && rate(step.y) < 0;
    if (releasing) step = located(step, holding);
    const auto greatest = [&](auto&& f) { return motion_.greatest(*this, y_, step, f); };
    double& force_peak = impact_.record.max_force;
    force_peak =
        std::max(force_peak, greatest([this](const PendulumVector& y) { return force(y); }));
    peak_compression_ = std::max(
        peak_compression_, greatest([this](const PendulumVector& y) { return compression(y); }));
    advance(step, 0.0);
    if (releasing || !geometry(y_, active_).facing) release();
  }

  void release() {
    const double x = compression(y_);
    TipTouch& touch = touch_[active_];
    impact_.record.speed_out = std::abs(rate(y_));
    impact_.record.contact_time = t_ - impact_.record.time;
    impact_.record.separation_compression = std::max(0.0, x);
    impact_.record.max_compression = peak_compression_;
    impact_.impulse = y_[5];
    impulse_ += y_[5];
    impact_.after = pendulum_state(y_);
    run_.impacts.push_back(impact_);
    if (x > 0 && settings_.surface == Surface::keeps_indentation) {
      touch.offset += x;
      const double kept = acting_.potential(x);
      touching_ = false;
      close(kept);
    } else {
      in_dent_ = x > 0 ? active_ : -1;
      touching_ = false;
    }
    motion_.restart(1e-4);
  }

  PendulumRods rods_;
  const PendulumContact& contact_;
  PendulumSettings settings_;
  PendulumVector y_;
  double t_ = 0.0, next_sample_ = 0.0;
  std::array<TipTouch, 2> touch_{};
  int active_ = 0, in_dent_ = -1;
  bool touching_ = false;
  detail::AnyContact acting_;  ///< in force only while touching, or in a dent
  PendulumImpact impact_{};
  double approach_ = 0.0, peak_compression_ = 0.0, fastest_ = 0.0, impulse_ = 0.0;
  PendulumRun run_;
  detail::AdaptiveMotion motion_;
};

}  // namespace

PendulumRun simulate_pendulums(const PendulumRods& rods, const PendulumState& start,
                               const PendulumContact& contact, const PendulumSettings& settings) {
  validate(rods);
  for (int i = 0; i < 2; ++i) {
    require_finite("angle", start.angles[i]);
    require_finite("rate", start.rates[i]);
  }
  if (const auto* law = std::get_if<AnyLaw>(&contact)) validate(*law);
  if (const auto* newton = std::get_if<NewtonRestitution>(&contact)) validate(*newton);
  require_positive("duration", settings.duration);
  require_within("tolerance", settings.tolerance, 1e-13, 1e-3);
  require_not_negative("step", settings.step);
  require_not_negative("interval", settings.interval);
  return PendulumSimulation(rods, start, contact, settings).run();
}

}  // namespace carom
