#include "wall_simulation.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>
#include <carom/steppers/any_wall_march.hpp>

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

WallMarchSettings march_settings(const AnyLaw& law, ContactMethod method, const WallSettings& s) {
  WallMarchSettings settings = wall_march_settings(law, method, s.mass, s);
  settings.force_in_contact = s.force_in_contact;
  settings.force_in_flight = s.force_in_flight;
  settings.position = s.position;
  settings.velocity = s.velocity;
  return settings;
}

/// A time-stepping method, sample by sample.
class Marched final : public WallSimulation {
 public:
  Marched(const AnyLaw& law, ContactMethod method, const WallSettings& s)
      : mass_(s.mass), march_(make_wall_march(march_settings(law, method, s))) {}

  WallSample now() const override {
    const AnyWallMarch::Sample& s = march_->now();
    const double kinetic = 0.5 * mass_ * s.velocity * s.velocity;
    return {s.time,
            s.position,
            s.velocity,
            s.force,
            kinetic,
            s.stored - kinetic,
            ledger().dissipated(),
            ledger().injected()};
  }
  void advance(std::span<WallSample> samples, std::vector<Ended>& finished) override {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      march_->step();
      for (const ImpactRecord& impact : march_->finished()) finished.push_back({i, impact});
      samples[i] = now();
    }
  }
  const Ledger& ledger() const override { return march_->ledger(); }
  bool passive() const override { return march_->promises_passivity(); }
  bool converged() const override { return march_->now().converged; }
  void archive(Archive& state) override { march_->archive(state); }

 private:
  double mass_;
  std::unique_ptr<AnyWallMarch> march_;
};

/// No steps at all: parabolas in flight and the exact motion in contact, read at the samples.
class Exact final : public WallSimulation {
 public:
  explicit Exact(const WallSettings& settings)
      : s_(settings),
        launch_x_(settings.position),
        launch_v_(settings.velocity),
        ledger_(0.5 * settings.mass * settings.velocity * settings.velocity) {
    if (s_.position > 0) throw InvalidInput("the exact method starts outside the wall");
    if (s_.position == 0 && s_.velocity > 0) touch(0, s_.velocity);
  }

  WallSample now() const override { return state(static_cast<double>(sample_) / s_.rate); }

  void advance(std::span<WallSample> samples, std::vector<Ended>& finished) override {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double time = static_cast<double>(++sample_) / s_.rate;
      for (int events = 0; !resting_ && next_event() <= time; ++events) {
        if (events == most_events) {
          resting_ = true;  // it bounces ever lower within a sample: what is left cannot be seen
          break;
        }
        if (contact_) {
          finished.push_back({i, leave(*contact_)});
        } else {
          const double at = next_event(), flown = at - launch_time_;
          touch(at, launch_v_ + flown * s_.force_in_flight / s_.mass);
        }
      }
      samples[i] = state(time);
      ledger_.close_step(samples[i].kinetic + samples[i].elastic,
                         samples[i].dissipated - seen_loss_, samples[i].injected - seen_work_);
      seen_loss_ = samples[i].dissipated;
      seen_work_ = samples[i].injected;
    }
  }
  const Ledger& ledger() const override { return ledger_; }
  bool passive() const override { return true; }
  bool converged() const override { return true; }
  void archive(Archive& state) override {
    bool touching = contact_.has_value();
    double time = touching ? contact_->time : 0, speed = touching ? contact_->speed : 0;
    state(launch_time_, launch_x_, launch_v_, loss_, work_, seen_loss_, seen_work_, resting_,
          sample_, ledger_, touching, time, speed);
    if (!state.reading()) return;
    contact_.reset();
    if (touching) touch(time, speed);
  }

 private:
  static constexpr int most_events = 1000;

  struct Contact {
    double time, speed;
    Impact impact;
    std::optional<ImpactHistory> history;  ///< none for Newton's law: it takes no time
  };

  void touch(double time, double speed) {
    const Collision collision{s_.mass, speed, s_.force_in_contact};
    contact_ = std::visit(
        [&](const auto& law) -> Contact {
          if constexpr (std::is_same_v<std::decay_t<decltype(law)>, NewtonRestitution>) {
            return {time, speed, exact_impact(law, collision), {}};
          } else {
            const ImpactHistory history(law, collision);
            return {time, speed, history.summary(), history};
          }
        },
        s_.law);
  }

  ImpactRecord leave(const Contact& contact) {
    const Impact& impact = contact.impact;
    const double m = s_.mass, in = contact.speed, out = impact.rebound_speed;
    const ImpactRecord record{.time = contact.time,
                              .speed_in = in,
                              .speed_out = out,
                              .contact_time = impact.contact_time,
                              .max_compression = impact.max_compression,
                              .max_force = impact.max_force,
                              .separation_compression = impact.separation_compression};
    const double work = s_.force_in_contact * impact.separation_compression;
    loss_ += 0.5 * m * (in - out) * (in + out) + work;
    work_ += work;
    launch_time_ = contact.time + impact.contact_time;
    launch_x_ = impact.separation_compression;
    launch_v_ = -out;
    // Work in flight is counted from here on.
    contact_.reset();
    resting_ = !(out > 0);
    return record;
  }

  /// When the contact ends, or the next one begins [s].
  double next_event() const {
    if (contact_) return contact_->time + contact_->impact.contact_time;
    const double a = s_.force_in_flight / s_.mass, x = launch_x_, v = launch_v_;
    const double square = v * v - 2 * a * x;
    if (square < 0) return infinity;
    const double root = std::sqrt(square);
    if (x <= 0 && v > 0) return launch_time_ - 2 * x / (v + root);
    return a > 0 ? launch_time_ + (-v + root) / a : infinity;
  }

  WallSample state(double time) const {
    const double m = s_.mass;
    if (resting_)
      return {time,
              0,
              0,
              std::max(0.0, s_.force_in_flight),
              0,
              0,
              loss_ + 0.5 * m * launch_v_ * launch_v_,
              work_};
    if (contact_) {
      const double since = time - contact_->time;
      if (!contact_->history)
        return {time,  0,    contact_->speed, 0, 0.5 * m * contact_->speed * contact_->speed, 0,
                loss_, work_};
      const ImpactState at = contact_->history->at(since);
      const double kinetic = 0.5 * m * at.rate * at.rate;
      const double work = s_.force_in_contact * at.compression;
      const double in = 0.5 * m * contact_->speed * contact_->speed;
      return {time,
              at.compression,
              at.rate,
              at.force,
              kinetic,
              at.energy - kinetic,
              loss_ + in + work - at.energy,
              work_ + work};
    }
    const double a = s_.force_in_flight / m, flown = time - launch_time_;
    const double x = launch_x_ + flown * (launch_v_ + 0.5 * a * flown), v = launch_v_ + a * flown;
    return {time, x, v, 0, 0.5 * m * v * v, 0, loss_, work_ + s_.force_in_flight * (x - launch_x_)};
  }

  WallSettings s_;
  double launch_time_ = 0, launch_x_, launch_v_;
  double loss_ = 0, work_ = 0, seen_loss_ = 0, seen_work_ = 0;
  std::optional<Contact> contact_;
  bool resting_ = false;
  std::int64_t sample_ = 0;
  Ledger ledger_;
};

}  // namespace

Impact exact_impact(const WallLaw& law, const Collision& collision) {
  return std::visit(
      [&](const auto& one) {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, NewtonRestitution>) {
          const double out = one.restitution * collision.speed, m = collision.mass;
          const double energy = 0.5 * m * collision.speed * collision.speed;
          return Impact{.rebound_speed = out,
                        .restitution = one.restitution,
                        .max_compression = 0,
                        .max_compression_time = 0,
                        .max_force = infinity,
                        .max_force_time = 0,
                        .contact_time = 0,
                        .separation_compression = 0,
                        .energy_in = energy,
                        .energy_lost = energy - 0.5 * m * out * out,
                        .releases = true,
                        .equilibrium_compression = 0};
        } else {
          return impact(one, collision);
        }
      },
      law);
}

const std::vector<std::string>& wall_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"exact"};
    for (const ContactMethodEntry& each : contact_methods()) all.emplace_back(each.traits.name);
    return all;
  }();
  return names;
}

std::unique_ptr<WallSimulation> make_wall_simulation(const WallSettings& settings) {
  if (settings.method == "exact") {
    if (settings.correct != Correct::none) {
      throw InvalidInput(
          "run.correct must be none with method 'exact': there is nothing to correct");
    }
    return std::make_unique<Exact>(settings);
  }
  const ContactMethod method = contact_method(settings.method);
  return std::visit(
      [&]<class Law>(const Law& law) -> std::unique_ptr<WallSimulation> {
        if constexpr (std::is_same_v<Law, NewtonRestitution>) {
          throw InvalidInput("run.method '" + settings.method +
                             "' does not work with law 'newton': an impact that takes no time is "
                             "answered by method 'exact'");
        } else {
          return std::make_unique<Marched>(law, method, settings);
        }
      },
      settings.law);
}

}  // namespace carom
