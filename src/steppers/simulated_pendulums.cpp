#include <algorithm>
#include <cmath>

#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include <carom/core/error.hpp>
#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

namespace carom {
namespace {

/// Angles, rates, energy lost in the contact, impulse of the contact.
using State = std::array<double, 6>;

PendulumState pendulum_state(const State& y) noexcept { return {{y[0], y[1]}, {y[2], y[3]}}; }

/// Everything about the contact that is under way or about to begin.
struct Touch {
  int tip = 0;
  double side = 1.0;    ///< of the tip: sign of its distance while apart
  double offset = 0.0;  ///< depth of the dent that counts as no compression [m]

  double compression(const TipContact& c) const noexcept { return -side * c.distance - offset; }
  double rate(const TipContact& c, const State& y) const noexcept {
    return -side * c.rate({y[2], y[3]});
  }
};

double contact_force(const AnyLaw& law, double x, double v) noexcept {
  return std::visit(
      [&](const auto& l) {
        return ContactProblem<std::decay_t<decltype(l)>>{l, 1.0}.contact_force(x, v);
      },
      law);
}
double dissipated_power(const AnyLaw& law, double x, double v) noexcept {
  return std::visit(
      [&](const auto& l) {
        return ContactProblem<std::decay_t<decltype(l)>>{l, 1.0}.dissipated_power(x, v);
      },
      law);
}
double release_function(const AnyLaw& law, double x, double v) noexcept {
  return std::visit(
      [&](const auto& l) {
        return ContactProblem<std::decay_t<decltype(l)>>{l, 1.0}.release_function(x, v);
      },
      law);
}
double potential(const AnyLaw& law, double x) noexcept {
  return std::visit([&](const auto& l) { return l.potential(x); }, law);
}

class Simulation {
 public:
  Simulation(const PendulumRods& rods, const PendulumState& start, const PendulumContact& contact,
             const PendulumSettings& settings)
      : rods_(rods),
        contact_(contact),
        settings_(settings),
        y_{start.angles[0], start.angles[1], start.rates[0], start.rates[1], 0.0, 0.0},
        guess_(1e-3) {
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
  struct Trial {
    State y;
    double h;
  };

  void archive(Archive& state) {
    state(y_, t_, guess_, next_sample_, touch_, active_, in_dent_, touching_, law_, dent_law_,
          impact_, approach_, peak_compression_, fastest_, run_.impacts, run_.samples, run_.ledger,
          run_.status);
  }

  void keep() {
    if (!(settings_.interval > 0)) return;
    const double x = touching_ ? compression(y_) : 0.0;
    run_.samples.push_back({t_, pendulum_state(y_), touching_ ? force(y_) : 0.0, x});
    next_sample_ = static_cast<double>(run_.samples.size()) * settings_.interval;
  }

  TipContact geometry(const State& y, int tip) const noexcept {
    return tip_contact(rods_, {y[0], y[1]}, tip);
  }
  double compression(const State& y) const noexcept {
    return touch_[active_].compression(geometry(y, active_));
  }
  double rate(const State& y) const noexcept {
    return touch_[active_].rate(geometry(y, active_), y);
  }
  double force(const State& y) const noexcept {
    return contact_force(law_, compression(y), rate(y));
  }

  void slopes(const State& y, State& dy) const noexcept {
    std::array<double, 2> torque{};
    dy[4] = dy[5] = 0.0;
    if (touching_) {
      const TipContact c = geometry(y, active_);
      const Touch& touch = touch_[active_];
      const double x = touch.compression(c), v = touch.rate(c, y), f = contact_force(law_, x, v);
      for (int i = 0; i < 2; ++i) torque[i] = f * touch.side * c.gradient[i];
      dy[4] = dissipated_power(law_, x, v);
      dy[5] = f;
    }
    const auto a = accelerations(rods_, {y[0], y[1]}, torque);
    dy[0] = y[2], dy[1] = y[3], dy[2] = a[0], dy[3] = a[1];
  }

  /// One step of length h from the present state; `error` in units of the tolerance.
  State tried(double h, double* error = nullptr) {
    State out{}, wrong{};
    stepper_.do_step([this](const State& y, State& dy, double) { slopes(y, dy); }, y_, t_, out, h,
                     wrong);
    if (error != nullptr) {
      // Angles against 1 rad, rates against the fastest tip; in contact against the compression
      // that builds up, which is what the force depends on.
      const double fastest = std::max({std::abs(y_[2]), std::abs(y_[3]), 1e-3});
      double scale_angle = 1.0;
      if (touching_)
        scale_angle = std::max(peak_compression_, 1e-3 * approach_) /
                      std::max(rods_.lengths[0], rods_.lengths[1]);
      const double e = std::max({std::abs(wrong[0]) / scale_angle, std::abs(wrong[1]) / scale_angle,
                                 std::abs(wrong[2]) / fastest, std::abs(wrong[3]) / fastest});
      *error = e / settings_.tolerance;
    }
    return out;
  }

  /// The longest step up to `most` that keeps the tolerance.
  Trial accepted(double most) {
    double h = std::min(guess_, most);
    for (int i = 0; i < 60; ++i) {
      double error = 0.0;
      const State y = tried(h, &error);
      const double factor = 0.9 * std::pow(std::max(error, 1e-10), -1.0 / 8);
      if (error <= 1) {
        if (h < most || factor < 1) guess_ = h * std::clamp(factor, 0.2, 4.0);
        return {y, h};
      }
      h *= std::clamp(factor, 0.1, 0.9);
      guess_ = h;
    }
    run_.status = PendulumStatus::step_limit;
    return {tried(h), h};
  }

  /// The step length in (0, h] where `f` of the end state crosses zero from positive; f(end) <= 0.
  template <class F>
  Trial located(const Trial& end, double f_begin, F f) {
    double low = 0.0, high = end.h, f_low = f_begin, f_high = f(end.y);
    State y = end.y;
    for (int i = 0; i < 120 && high - low > 1e-16 * std::max(high, 1e-12) && f_high < 0; ++i) {
      double h = f_low > 0 ? high - f_high * (high - low) / (f_high - f_low) : 0.5 * (low + high);
      if (!(h > low && h < high) || i % 3 == 2) h = 0.5 * (low + high);
      const State trial = tried(h);
      const double value = f(trial);
      if (value > 0) {
        low = h, f_low = value;
      } else {
        high = h, f_high = value, y = trial;
      }
    }
    return {y, high};
  }

  /// Free swing until the next touch or `until`.
  void apart(double until) {
    const double dent = dent_energy();
    Trial step = accepted(until - t_);
    const auto gap = [this](const State& y, int tip) {
      return -touch_[tip].compression(geometry(y, tip));
    };
    int touching = -1;
    for (int tip = 0; tip < 2; ++tip) {
      const double before = gap(y_, tip), after = gap(step.y, tip);
      if (in_dent_ == tip) {
        // Still within a dent that is left behind: it ends where the rods are clear of it, and a
        // new contact begins where they turn round before that.
        const auto opening = [this, tip](const State& y) {
          return -touch_[tip].rate(geometry(y, tip), y);
        };
        if (after < 0 && opening(step.y) <= 0) {
          step = located(step, opening(y_), opening);
          touching = tip;
        } else if (after >= 0) {
          in_dent_ = -1;
        }
        continue;
      }
      if (after > 0) continue;
      const Trial at = before > 0
                           ? located(step, before, [&](const State& y) { return gap(y, tip); })
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
    return in_dent_ < 0
               ? 0.0
               : potential(dent_law_, touch_[in_dent_].compression(geometry(y_, in_dent_)));
  }

  /// `dent`: the energy of the dent before the step; what is gone of it went to its own damper.
  void advance(const Trial& step, double dent) {
    const double lost = step.y[4] - y_[4];
    y_ = step.y;
    t_ = step.h < settings_.duration - t_ ? t_ + step.h : settings_.duration;
    close(lost + dent - dent_energy());
  }

  void close(double lost) {
    const double contact = touching_ ? potential(law_, compression(y_)) : dent_energy();
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
    if (!from_dent) {
      const Collision collision{mass, approach_};
      law_ = std::holds_alternative<AnyLaw>(contact_) ? std::get<AnyLaw>(contact_)
                                                      : std::get<LawOfImpact>(contact_)(collision);
      validate(law_);
    } else {
      law_ = dent_law_;
    }
    touching_ = true;
    y_[4] = y_[5] = 0.0;
    peak_compression_ = std::max(0.0, compression(y_));
    impact_.record.max_force = std::max(0.0, force(y_));
    guess_ = std::visit(
        [&](const auto& l) {
          const ContactProblem<std::decay_t<decltype(l)>> problem{l, mass};
          return 1e-3 * contact_scales(problem, compression(y_), std::max(approach_, 1e-9)).time;
        },
        law_);
  }

  /// Newton's law: the impulse that reverses the normal speed, at one instant.
  void jump(const NewtonRestitution& newton, const TipContact& c, double mass) {
    const double v = approach_;
    // Touching with so little speed that the next impact follows within rounding of this one.
    if (v < 1e-9 * std::max(fastest_, 1e-6)) {
      run_.status = PendulumStatus::sustained_contact;
      return;
    }
    fastest_ = std::max(fastest_, v);
    const double impulse = mass * (v - newton.outgoing(v));
    for (int i = 0; i < 2; ++i)
      y_[2 + i] += impulse * touch_[active_].side * c.gradient[i] / rods_.inertia(i);
    impact_.impulse = impulse;
    impact_.record.speed_out = newton.restitution * v;
    impact_.after = pendulum_state(y_);
    run_.impacts.push_back(impact_);
    close(0.5 * mass * v * v * (1 - newton.restitution * newton.restitution));
  }

  void in_contact(double until) {
    Trial step = accepted(until - t_);
    const auto holding = [this](const State& y) {
      return release_function(law_, compression(y), rate(y));
    };
    const bool releasing = holding(step.y) <= 0 && rate(step.y) < 0;
    if (releasing) step = located(step, holding(y_), holding);
    note_peaks(step);
    advance(step, 0.0);
    if (releasing || !geometry(y_, active_).facing) release();
  }

  /// Greatest compression where the rate vanishes; greatest force by ternary search in the step
  /// within which it rises first and falls then.
  void note_peaks(const Trial& step) {
    if (rate(y_) > 0 && rate(step.y) <= 0) {
      const Trial turn = located(step, rate(y_), [this](const State& y) { return rate(y); });
      peak_compression_ = std::max(peak_compression_, compression(turn.y));
    }
    peak_compression_ = std::max(peak_compression_, compression(step.y));
    double& greatest = impact_.record.max_force;
    greatest = std::max(greatest, force(step.y));
    if (!(force(tried(1e-3 * step.h)) > force(y_) && force(tried(0.999 * step.h)) > force(step.y)))
      return;
    double low = 0.0, high = step.h;
    for (int i = 0; i < 60; ++i) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      if (force(tried(a)) < force(tried(b))) {
        low = a;
      } else {
        high = b;
      }
    }
    greatest = std::max(greatest, force(tried(0.5 * (low + high))));
  }

  void release() {
    const double x = compression(y_);
    Touch& touch = touch_[active_];
    impact_.record.speed_out = std::abs(rate(y_));
    impact_.record.contact_time = t_ - impact_.record.time;
    impact_.record.separation_compression = std::max(0.0, x);
    impact_.record.max_compression = peak_compression_;
    impact_.impulse = y_[5];
    impact_.after = pendulum_state(y_);
    run_.impacts.push_back(impact_);
    dent_law_ = law_;
    if (x > 0 && settings_.surface == Surface::keeps_indentation) {
      touch.offset += x;
      const double kept = potential(law_, x);
      touching_ = false;
      close(kept);
    } else {
      in_dent_ = x > 0 ? active_ : -1;
      touching_ = false;
    }
    guess_ = 1e-4;
  }

  PendulumRods rods_;
  const PendulumContact& contact_;
  PendulumSettings settings_;
  State y_;
  double t_ = 0.0, guess_, next_sample_ = 0.0;
  std::array<Touch, 2> touch_{};
  int active_ = 0, in_dent_ = -1;
  bool touching_ = false;
  AnyLaw law_ = PowerLaw{1.0}, dent_law_ = law_;  ///< in force only while touching, or in a dent
  PendulumImpact impact_{};
  double approach_ = 0.0, peak_compression_ = 0.0, fastest_ = 0.0;
  PendulumRun run_;
  boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper_;
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
  require_within("tolerance", settings.tolerance, 1e-14, 1e-3);
  require_not_negative("interval", settings.interval);
  return Simulation(rods, start, contact, settings).run();
}

}  // namespace carom
