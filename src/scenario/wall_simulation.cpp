#include "wall_simulation.hpp"

#include <cmath>
#include <limits>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

WallMarchSettings march_settings(const AnyLaw& law, ContactMethod method, const WallSettings& s,
                                 bool exact) {
  WallMarchSettings settings = wall_march_settings(law, method, s.mass, s);
  settings.force_in_contact = s.force_in_contact;
  settings.force_in_flight = s.force_in_flight;
  settings.position = s.position;
  settings.velocity = s.velocity;
  if (exact) settings.tolerance = 1e-15;
  return settings;
}

/// A time-stepping method, sample by sample.
class Marched final : public WallSimulation {
 public:
  Marched(const AnyLaw& law, ContactMethod method, const WallSettings& s, bool exact)
      : mass_(s.mass), march_(make_wall_march(march_settings(law, method, s, exact))) {}

  WallSample now() const override {
    const WallMarch::Sample& s = march_->now();
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
  void finish() override { march_->finish(); }
  bool held() const override { return march_->held(); }
  bool passive() const override { return march_->promises_passivity(); }
  bool converged() const override { return march_->now().converged; }
  void archive(Archive& state) override { march_->archive(state); }

 private:
  double mass_;
  std::unique_ptr<WallMarch> march_;
};

/// Newton's law without steps: parabolas between impacts that take no time, read at the samples.
/// Bounces that follow each other ever faster end in rest: when one has less than 1e-16 of the
/// energy there was, the rest of the geometric series of flights, T/(1 - e), is waited for at the
/// wall.
class RestitutionWall final : public WallSimulation {
 public:
  RestitutionWall(const NewtonRestitution& law, const WallSettings& settings)
      : e_(law.restitution),
        s_(settings),
        launch_x_(settings.position),
        launch_v_(settings.velocity),
        highest_(0.5 * settings.mass * settings.velocity * settings.velocity),
        ledger_(highest_) {
    if (s_.position > 0) throw InvalidInput("the exact method starts outside the wall");
  }

  WallSample now() const override { return state(static_cast<double>(sample_) / s_.rate); }

  void advance(std::span<WallSample> samples, std::vector<Ended>& finished) override {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double time = static_cast<double>(++sample_) / s_.rate;
      while (!resting_ && next_impact() <= time) finished.push_back({i, bounce(next_impact())});
      samples[i] = state(time);
      ledger_.close_step(samples[i].kinetic, samples[i].dissipated - seen_loss_,
                         samples[i].injected - seen_work_);
      seen_loss_ = samples[i].dissipated;
      seen_work_ = samples[i].injected;
    }
  }
  const Ledger& ledger() const override { return ledger_; }
  bool passive() const override { return true; }
  bool converged() const override { return true; }
  bool held() const override { return resting_; }
  void archive(Archive& state) override {
    state(launch_time_, launch_x_, launch_v_, highest_, loss_, work_, seen_loss_, seen_work_,
          resting_, sample_, ledger_);
  }

 private:
  ImpactRecord bounce(double at) {
    const double m = s_.mass, in = launch_v_ + (at - launch_time_) * s_.force_in_flight / m;
    const double out = e_ * in;
    highest_ = std::max(highest_, 0.5 * m * in * in);
    work_ += s_.force_in_flight * (0.0 - launch_x_);
    loss_ += 0.5 * m * (in - out) * (in + out);
    launch_time_ = at;
    launch_x_ = 0.0;
    launch_v_ = -out;
    if (s_.force_in_flight > 0 && 0.5 * m * out * out <= 1e-16 * highest_) {
      resting_ = true;
      loss_ += 0.5 * m * out * out;
      launch_v_ = 0.0;
    }
    return {.time = at, .speed_in = in, .speed_out = out, .max_force = infinity};
  }

  double next_impact() const {
    const double a = s_.force_in_flight / s_.mass, x = launch_x_, v = launch_v_;
    const double square = v * v - 2 * a * x;
    if (square < 0) return infinity;
    const double root = std::sqrt(square);
    if (v > 0) return launch_time_ - 2 * x / (v + root);
    return a > 0 ? launch_time_ + (-v + root) / a : infinity;
  }

  WallSample state(double time) const {
    const double m = s_.mass;
    if (resting_) return {time, 0, 0, std::max(0.0, s_.force_in_flight), 0, 0, loss_, work_};
    const double a = s_.force_in_flight / m, flown = time - launch_time_;
    const double x = launch_x_ + flown * (launch_v_ + 0.5 * a * flown), v = launch_v_ + a * flown;
    return {time, x, v, 0, 0.5 * m * v * v, 0, loss_, work_ + s_.force_in_flight * (x - launch_x_)};
  }

  double e_;
  WallSettings s_;
  double launch_time_ = 0, launch_x_, launch_v_, highest_;
  double loss_ = 0, work_ = 0, seen_loss_ = 0, seen_work_ = 0;
  bool resting_ = false;
  std::int64_t sample_ = 0;
  Ledger ledger_;
};

}  // namespace

Impact exact_impact(const LawChoice& law, const Collision& collision) {
  if (const auto* compliant = std::get_if<AnyLaw>(&law)) return impact(*compliant, collision);
  const double m = collision.mass, e = std::get<NewtonRestitution>(law).restitution;
  const double out = e * collision.speed, energy = 0.5 * m * collision.speed * collision.speed;
  return {.rebound_speed = out,
          .restitution = e,
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
  }
  // The exact motion of a compliant contact is the contact march to the last digits: with weight,
  // dents and rest it is more than a chain of single impacts.
  const bool exact = settings.method == "exact";
  const ContactMethod method =
      exact ? ContactMethod::event_driven : contact_method(settings.method);
  if (const auto* newton = std::get_if<NewtonRestitution>(&settings.law)) {
    if (exact) return std::make_unique<RestitutionWall>(*newton, settings);
    throw InvalidInput("run.method '" + settings.method +
                       "' does not work with law 'newton': an impact that takes no time is "
                       "answered by method 'exact'");
  }
  return std::make_unique<Marched>(std::get<AnyLaw>(settings.law), method, settings, exact);
}

}  // namespace carom
