#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <carom/contacts/contact.hpp>
#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// How a simulation sees the beginning and the end of a contact.
enum class Events {
  subsample,  ///< located inside the step: the result does not depend on the sample grid
  sample,     ///< seen on samples only, as the papers do; no matter to passive and event-driven
};

/// Leaves the state alone. Other corrections are in corrections.hpp.
struct NoCorrection {
  template <ContactLaw Law>
  void begin(const ContactProblem<Law>&, double /*speed*/) noexcept {}
  void in_contact(ContactPoint&) const noexcept {}
  void at_release(ContactPoint&) const noexcept {}
};

/// A body and a wall.
template <ContactLaw Law>
struct WallSystem {
  Law law;
  double mass;                    ///< m [kg], > 0
  double force_in_contact = 0.0;  ///< [N], > 0 pushes into the wall
  double force_in_flight = 0.0;   ///< [N]; papetti2011 Sect. IV-B suspends gravity in contact
  Surface surface = Surface::recovers;
};

/// A point mass on a wall, sample by sample. Free flight is the exact parabola from the last
/// release, never accumulated. No allocation, no exceptions.
/// `position` x > 0 is inside the undeformed wall, `velocity` v > 0 approaches it.
template <ContactLaw Law, class Method, class Correction = NoCorrection>
class WallMarch {
 public:
  static constexpr StepperTraits traits = Method::traits;
  /// Methods whose steps follow the contact locate its ends whatever is asked.
  static constexpr bool locates_events = requires(const Method& m) { m.extremes(); };
  static constexpr int most_events = 32;  ///< contacts that may begin within one sample

  WallMarch(const WallSystem<Law>& system, double rate, double position, double velocity,
            Events events = Events::subsample, Correction correction = {}) noexcept
      : system_(system),
        problem_{system.law, system.mass, system.force_in_contact,
                 events == Events::subsample || locates_events},
        step_(1 / rate),
        point_{position, velocity, 0.0},
        launch_(point_),
        correction_(std::move(correction)),
        ledger_(0.5 * system.mass * velocity * velocity + system.law.potential(position)) {
    if (position > 0 || (position == 0 && velocity > 0)) touch(0.0);
  }

  void step() noexcept {
    finished_count_ = 0;
    dissipated_ = injected_ = 0.0;
    if (problem_.events_located) {
      step_located();
    } else {
      step_blind();
    }
    ++sample_;
    ledger_.close_step(stored(), dissipated_, injected_);
  }

  double time() const noexcept { return static_cast<double>(sample_) * step_; }
  const Ledger& ledger() const noexcept { return ledger_; }
  double position() const noexcept { return point_.x + offset_; }  ///< [m]
  double velocity() const noexcept { return point_.v; }            ///< [m/s]
  double compression() const noexcept { return std::max(0.0, point_.x); }
  double contact_force() const noexcept { return in_contact_ ? point_.f : 0.0; }  ///< [N]
  double indentation() const noexcept { return offset_; }  ///< left by earlier contacts
  bool in_contact() const noexcept { return in_contact_; }
  bool converged() const noexcept { return converged_; }
  /// The contacts that ended within the last step, in order.
  std::span<const ImpactRecord> finished() const noexcept {
    return {finished_.data(), finished_count_};
  }
  const Method& method() const noexcept { return method_; }
  /// Kinetic energy, and elastic energy while the surface is compressed [J].
  double stored() const noexcept {
    return 0.5 * system_.mass * point_.v * point_.v + system_.law.potential(point_.x);
  }
  void archive(Archive& state) {
    state(problem_.force, point_, launch_, launch_offset_, offset_, in_contact_, converged_,
          sample_, launch_sample_, method_, correction_, ledger_, record_, finished_,
          finished_count_);
  }

 private:
  void step_located() noexcept {
    double used = 0.0;
    for (int events = 0; used < step_; ++events) {
      if (events > most_events) {
        converged_ = false;
        return;
      }
      used += in_contact_ ? contact(used, step_ - used) : flight(used, step_ - used);
      if (!(step_ - used > 1e-15 * step_)) used = step_;
    }
  }

  /// As much of `most` as passes before the next touch; `before` has passed of this sample.
  double flight(double before, double most) noexcept {
    const double a = system_.force_in_flight / system_.mass;
    const Touch next = next_touch(a);
    // Counted from the launch, so that rounding does not add up over a long flight.
    const double flown =
        static_cast<double>(sample_ - launch_sample_) * step_ + (before - launch_offset_);
    const bool touching = next.time <= flown + most;
    const double end = touching ? next.time : flown + most;
    const double used = touching ? std::max(0.0, end - flown) : most;
    const double x = touching ? next.x : launch_.x + end * (launch_.v + 0.5 * end * a);
    const double v = touching ? next.v : launch_.v + end * a;
    injected_ += system_.force_in_flight * (x - point_.x);
    // A dent that the body is leaving gives its energy to its own damper, not to the body.
    dissipated_ += system_.law.potential(point_.x) - system_.law.potential(x);
    point_ = {x, v, 0.0};
    if (touching) touch(before + used);
    return used;
  }

  struct Touch {
    double time;  ///< after launch [s]
    double x, v;
  };
  /// The way back through x = 0, or the turning point if that lies inside the dent.
  Touch next_touch(double a) const noexcept {
    constexpr Touch never{1e300, 0.0, 0.0};
    const double x0 = launch_.x, v0 = launch_.v;
    const double square = v0 * v0 - 2 * a * x0;
    if (x0 > 0 && square < 0) return a > 0 ? Touch{-v0 / a, x0 - v0 * v0 / (2 * a), 0.0} : never;
    if (square < 0) return never;
    const double speed = std::sqrt(square);
    if (!(x0 > 0) && v0 > 0) return {-2 * x0 / (v0 + speed), 0.0, speed};
    return a > 0 ? Touch{(-v0 + speed) / a, 0.0, speed} : never;
  }

  void touch(double at) noexcept {
    in_contact_ = true;
    record_ = {.time = time() + at, .speed_in = std::abs(point_.v)};
    method_.begin(problem_, point_);
    correction_.begin(problem_, std::abs(point_.v));
    note();
  }

  double contact(double before, double most) noexcept {
    const Advance done = method_.advance(problem_, point_, most);
    converged_ = converged_ && done.converged;
    dissipated_ += done.dissipated;
    injected_ += done.injected;
    if (done.released) {
      correction_.at_release(point_);
      release(before + done.used);
    } else {
      correction_.in_contact(point_);
      note();
    }
    return done.used;
  }

  void note() noexcept {
    record_.max_compression = std::max(record_.max_compression, point_.x);
    record_.max_force = std::max(record_.max_force, point_.f);
  }

  /// `at`: time since the last sample.
  void release(double at) noexcept {
    in_contact_ = false;
    record_.speed_out = std::abs(point_.v);
    record_.contact_time = time() + at - record_.time;
    record_.separation_compression = std::max(0.0, point_.x);
    if constexpr (locates_events) {
      record_.max_compression = method_.extremes().max_compression;
      record_.max_force = method_.extremes().max_force;
    }
    if (finished_count_ < finished_.size()) finished_[finished_count_++] = record_;
    if (system_.surface == Surface::keeps_indentation && point_.x > 0) {
      dissipated_ += system_.law.potential(point_.x);
      offset_ += point_.x;
      point_.x = 0.0;
    }
    point_.f = 0.0;
    launch_ = point_;
    launch_sample_ = sample_;
    launch_offset_ = at;
  }

  /// The papers' way: one step of the method, the law's own case distinction, contact known only
  /// from the sign of x on samples.
  void step_blind() noexcept {
    problem_.force = point_.x > 0 ? system_.force_in_contact : system_.force_in_flight;
    const double v_before = point_.v;
    const Advance done = method_.advance(problem_, point_, step_);
    dissipated_ += done.dissipated;
    injected_ += done.injected;
    converged_ = converged_ && done.converged;
    const bool touching = problem_.release_function(point_.x, point_.v) > 0 && point_.x > 0;
    if (touching && !in_contact_) {
      in_contact_ = true;
      record_ = {.time = time() + step_, .speed_in = std::abs(v_before)};
      correction_.begin(problem_, std::abs(v_before));
    }
    if (touching) {
      correction_.in_contact(point_);
      note();
    } else if (in_contact_) {
      correction_.at_release(point_);
      release(step_);
    }
  }

  WallSystem<Law> system_;
  ContactProblem<Law> problem_;
  double step_;
  ContactPoint point_, launch_;
  double launch_offset_ = 0.0, offset_ = 0.0;
  bool in_contact_ = false, converged_ = true;
  std::int64_t sample_ = 0, launch_sample_ = 0;
  Method method_;
  Correction correction_;
  Ledger ledger_;
  double dissipated_ = 0.0, injected_ = 0.0;
  ImpactRecord record_;
  std::array<ImpactRecord, most_events> finished_{};
  std::size_t finished_count_ = 0;
};

}  // namespace carom
