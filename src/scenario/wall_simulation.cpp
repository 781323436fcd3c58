#include "wall_simulation.hpp"

#include <cmath>
#include <limits>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/scenario/methods.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/nonsmooth_march.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/steppers/wall_march.hpp>
#include <carom/systems/small_systems.hpp>

#include "refusals.hpp"

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
      : mass_(s.mass),
        start_(s.position),
        in_flight_(s.force_in_flight),
        in_contact_(s.force_in_contact),
        march_(make_wall_march(march_settings(law, method, s, exact))) {}

  WallSample now() const override {
    const WallMarch::Sample& s = march_->now();
    const double kinetic = 0.5 * mass_ * s.velocity * s.velocity;
    WallSample sample{s.time,
                      s.position,
                      s.velocity,
                      s.force,
                      kinetic,
                      s.stored - kinetic,
                      ledger().dissipated(),
                      ledger().injected()};
    if (passive() && !finished_) {
      // Its steps end on events, not on samples: until the ledger is closed here, the work is that
      // of the constant forces up to this place, and the loss what their balance leaves.
      sample.injected = work(s.position) - work(start_);
      sample.dissipated = ledger().initial() + sample.injected - s.stored;
    }
    return sample;
  }
  void step() override { march_->step(); }
  std::span<const ImpactRecord> finished() const override { return march_->finished(); }
  const Ledger& ledger() const noexcept override { return march_->ledger(); }
  void finish() override {
    march_->finish();
    finished_ = true;
  }
  bool held() const override { return march_->held(); }
  bool passive() const override { return march_->promises_passivity(); }
  bool converged() const override { return march_->now().converged; }
  void archive(Archive& state) override { march_->archive(state); }

 private:
  /// Of the constant forces on the way to here from the surface of the wall [J].
  double work(double x) const { return (x > 0 ? in_contact_ : in_flight_) * x; }

  double mass_, start_, in_flight_, in_contact_;
  bool finished_ = false;
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

  void step() override {
    const double time = static_cast<double>(++sample_) / s_.rate;
    finished_.clear();
    while (!resting_ && next_impact() <= time) finished_.push_back(bounce(next_impact()));
    const WallSample sample = state(time);
    ledger_.close_step(sample.kinetic, sample.dissipated - seen_loss_,
                       sample.injected - seen_work_);
    seen_loss_ = sample.dissipated;
    seen_work_ = sample.injected;
  }
  std::span<const ImpactRecord> finished() const override { return finished_; }
  const Ledger& ledger() const noexcept override { return ledger_; }
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
  std::vector<ImpactRecord> finished_;
};

/// Newton's law by a scheme of nonsmooth dynamics, one step a sample.
template <class Scheme>
class NonsmoothWall final : public WallSimulation {
 public:
  template <class Settings>
  NonsmoothWall(const NewtonRestitution& law, const WallSettings& s, const Settings& settings)
      : mass_(s.mass),
        weight_(s.force_in_flight),
        march_(
            BouncingPoint{s.mass, s.force_in_flight / s.mass}, law,
            {Eigen::VectorXd::Constant(1, -s.position), Eigen::VectorXd::Constant(1, -s.velocity)},
            1 / s.rate, settings) {}

  void step() override {
    march_.step();
    finished_.clear();
    for (const SystemImpact& impact : march_.finished()) finished_.push_back(impact.record);
  }
  WallSample now() const override {
    const double x = -march_.position()[0], v = -march_.velocity()[0];
    // What the ledger holds beyond T(w) + U: in the two steps of an impact of paoli-schatzman it
    // takes the mean of the half-steps.
    const double within = ledger().stored() - march_.stored_energy();
    // The weight is a potential of the system; here it does work.
    return {march_.time(),
            x,
            v,
            march_.force(0),
            0.5 * mass_ * v * v + within,
            0,
            ledger().dissipated(),
            ledger().injected() + weight_ * x};
  }
  std::span<const ImpactRecord> finished() const override { return finished_; }
  const Ledger& ledger() const noexcept override { return march_.ledger(); }
  bool held() const override { return march_.held(0); }
  bool passive() const override { return false; }
  bool converged() const override { return march_.status() == MarchStatus::going; }
  void archive(Archive& state) override { state(march_); }

 private:
  double mass_, weight_;
  NonsmoothMarch<BouncingPoint, Scheme> march_;
  std::vector<ImpactRecord> finished_;
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
    all.emplace_back("moreau-jean");
    all.emplace_back("paoli-schatzman");
    return all;
  }();
  return names;
}

std::string wall_refusal(std::string_view law, std::string_view method) {
  const bool newton = law == NewtonRestitution::text.name;
  if (method == "exact") return {};
  if (method == "piecewise")
    return newton ? "the parabolas between impacts are exact: method 'exact' is that motion"
                  : "to replace the contact by an impulse, use law 'newton' with its restitution";
  if (method == "quadratised")
    return newton ? "an impact that takes no time stores no energy that could be quadratised"
                  : "it saves the iteration of many coupled contacts; one contact is one scalar "
                    "equation, which 'discrete-gradient' solves";
  if (refusals::is_nonsmooth(method)) return newton ? "" : std::string(refusals::impacts_only);
  if (newton)
    return "an impact that takes no time has no force to follow; use exact, moreau-jean or "
           "paoli-schatzman";
  return refusal(contact_method(method), law);
}

std::unique_ptr<WallSimulation> make_wall_simulation(const WallSettings& settings) {
  const auto* compliant = std::get_if<AnyLaw>(&settings.law);
  const std::string_view law = compliant ? law_name(*compliant) : NewtonRestitution::text.name;
  const std::string reason = wall_refusal(law, settings.method);
  if (!reason.empty()) throw InvalidInput(refusal_message(law, settings.method, reason));
  const bool exact = settings.method == "exact";
  if (settings.correct != Correct::none && (exact || compliant == nullptr)) {
    throw InvalidInput("run.correct must be none with method '" + settings.method +
                       "': there is nothing to correct");
  }
  if (const auto* newton = std::get_if<NewtonRestitution>(&settings.law)) {
    if (exact) return std::make_unique<RestitutionWall>(*newton, settings);
    const NonsmoothSettings common{.step = 1 / settings.rate};
    if (settings.method == "moreau-jean") {
      return std::make_unique<NonsmoothWall<MoreauJean<BouncingPoint>>>(
          *newton, settings, MoreauJeanSettings{.common = common});
    }
    return std::make_unique<NonsmoothWall<PaoliSchatzman<BouncingPoint>>>(*newton, settings,
                                                                          common);
  }
  // The exact motion of a compliant contact is the contact march to the last digits: with weight,
  // dents and rest it is more than a chain of single impacts.
  const ContactMethod method =
      exact ? ContactMethod::event_driven : contact_method(settings.method);
  return std::make_unique<Marched>(std::get<AnyLaw>(settings.law), method, settings, exact);
}

}  // namespace carom
