#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <carom/steppers/event_driven_strike.hpp>

#include "adaptive_motion.hpp"
#include "any_contact.hpp"

namespace carom {

class EventDrivenStrike::Motion final : detail::AdaptiveSystem {
 public:
  /// Position and velocity of the body, positions and velocities of the modes, what contact and
  /// modes have lost, impulse of the contact.
  using State = detail::AdaptiveSystem::State;
  using Trial = detail::AdaptiveMotion::Trial;

  enum class Phase {
    apart,
    touching,
    recovering,  ///< released at zero force: the surface comes back and pushes nobody
  };

  Motion(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
         const StrikeSettings& settings)
      : striker_(striker),
        body_(resonator),
        settings_(settings),
        count_(resonator.modes.size()),
        y_(2 * count_ + 4, 0.0),
        adaptive_(0.0) {
    double mobility = 1 / striker.mass;
    for (std::size_t j = 0; j < count_; ++j) {
      const Mode& mode = body_.modes[j];
      omega_.push_back(2 * std::numbers::pi * mode.frequency);
      hit_.push_back(resonator.shapes(0, static_cast<Eigen::Index>(j)));
      heard_.push_back(resonator.shapes(1, static_cast<Eigen::Index>(j)));
      mobility += hit_[j] * hit_[j] / mode.mass;
    }
    contact_ = {law, 1 / mobility};
    y_[0] = -striker.gap;
    y_[1] = striker.speed;
    start();
  }

  void set_modes(const ModalState& state) {
    for (std::size_t j = 0; j < count_; ++j) {
      y_[2 + j] = state.position[static_cast<Eigen::Index>(j)];
      y_[2 + count_ + j] = state.velocity[static_cast<Eigen::Index>(j)];
    }
    start();
  }

  void step() {
    finished_.clear();
    dissipated_ = 0.0;
    y_[lost()] = y_[impulse()] = 0.0;
    const double from = y_[0];
    const double until = static_cast<double>(sample_ + 1) / settings_.rate;
    for (int events = 0; t_ < until; ++events) {
      if (events == most_events) {
        converged_ = false;
        break;
      }
      if (phase_ == Phase::apart) {
        apart(until);
      } else {
        while (t_ < until && phase_ != Phase::apart) in_contact(until);
      }
    }
    ++sample_;
    mean_force_ = y_[impulse()] * settings_.rate;
    read();
    ledger_.close_step(stored(), dissipated_ + y_[lost()], striker_.force * (y_[0] - from));
    converged_ = converged_ && adaptive_.converged();
  }

  void archive(Archive& state) {
    state(y_, launch_, adaptive_, phase_, t_, launch_time_, bend_, length_, energy_, sums_, ledger_,
          mean_force_, converged_, sample_, record_, finished_);
  }

  // What AdaptiveMotion asks for.
  void slopes(const State& y, State& dy) const noexcept override {
    const auto [x, v] = relative(y);
    const bool touching = phase_ == Phase::touching;
    const double f = touching ? contact_.force(x, v) : 0.0;
    dy[0] = y[1];
    dy[1] = (striker_.force - f) / striker_.mass;
    double taken = touching ? contact_.dissipated_power(x, v) : 0.0;
    for (std::size_t j = 0; j < count_; ++j) {
      const Mode& mode = body_.modes[j];
      const double q = y[2 + j], w = y[2 + count_ + j];
      dy[2 + j] = w;
      dy[2 + count_ + j] =
          hit_[j] * f / mode.mass - 2 * mode.damping * w - omega_[j] * omega_[j] * q;
      taken += 2 * mode.damping * mode.mass * w * w;
    }
    dy[lost()] = taken;
    dy[impulse()] = f;
  }
  /// The energy of the error against that of the impact, and the compression against its scale.
  double step_error(const State& wrong) const noexcept override {
    double sum = striker_.mass * wrong[1] * wrong[1];
    for (std::size_t j = 0; j < count_; ++j) {
      const double q = omega_[j] * wrong[2 + j], w = wrong[2 + count_ + j];
      sum += body_.modes[j].mass * (q * q + w * w);
    }
    const double x = relative(wrong).x / length_;
    return std::sqrt(sum / energy_ + x * x) / settings_.tolerance;
  }

  double time() const noexcept { return static_cast<double>(sample_) / settings_.rate; }
  double compression() const noexcept { return relative(y_).x; }
  double stored() const noexcept {
    const double x = phase_ == Phase::apart ? 0.0 : compression();
    return 0.5 * striker_.mass * y_[1] * y_[1] + sums_.energy + contact_.potential(x);
  }
  ModalState modes() const {
    const auto count = static_cast<Eigen::Index>(count_);
    ModalState state{Eigen::VectorXd(count), Eigen::VectorXd(count)};
    for (Eigen::Index j = 0; j < count; ++j) {
      state.position[j] = y_[2 + static_cast<std::size_t>(j)];
      state.velocity[j] = y_[2 + count_ + static_cast<std::size_t>(j)];
    }
    return state;
  }

 private:
  friend EventDrivenStrike;
  static constexpr int most_events = 1000;     ///< a sample
  static constexpr int most_trials = 1000000;  ///< in search of one touch

  struct Relative {
    double x, v;
  };
  std::size_t lost() const noexcept { return 2 * count_ + 2; }
  std::size_t impulse() const noexcept { return 2 * count_ + 3; }

  Relative relative(const State& y) const noexcept {
    Relative r{y[0], y[1]};
    for (std::size_t j = 0; j < count_; ++j) {
      r.x -= hit_[j] * y[2 + j];
      r.v -= hit_[j] * y[2 + count_ + j];
    }
    return r;
  }
  double mode_energy(const State& y, std::size_t j) const noexcept {
    const double q = omega_[j] * y[2 + j], w = y[2 + count_ + j];
    return 0.5 * body_.modes[j].mass * (q * q + w * w);
  }
  double modes_energy(const State& y) const noexcept {
    double sum = 0.0;
    for (std::size_t j = 0; j < count_; ++j) sum += mode_energy(y, j);
    return sum;
  }

  void start() {
    launch();
    read();
    ledger_ = Ledger(stored());
  }

  void read() noexcept {
    sums_ = {};
    for (std::size_t j = 0; j < count_; ++j) {
      const double q = y_[2 + j], w = y_[2 + count_ + j];
      sums_.hit += hit_[j] * q;
      sums_.hit_velocity += hit_[j] * w;
      sums_.heard += heard_[j] * q;
      sums_.heard_velocity += heard_[j] * w;
    }
    sums_.energy = modes_energy(y_);
  }

  /// The body and the modes go their own ways from here on.
  void launch() {
    phase_ = Phase::apart;
    launch_ = y_;
    launch_time_ = t_;
    // |q''| <= (2 sigma + omega) sqrt(2 E/m) for a mode of the energy E, which only falls.
    bend_ = std::abs(striker_.force) / striker_.mass;
    for (std::size_t j = 0; j < count_; ++j) {
      const Mode& mode = body_.modes[j];
      bend_ += std::abs(hit_[j]) * (2 * mode.damping + omega_[j]) *
               std::sqrt(2 * mode_energy(y_, j) / mode.mass);
    }
  }

  /// The free motion from the launch, at the time t.
  void fly_to(double t) {
    const double s = t - launch_time_, a = striker_.force / striker_.mass;
    const double before = modes_energy(y_);
    y_[0] = launch_[0] + s * (launch_[1] + 0.5 * s * a);
    y_[1] = launch_[1] + s * a;
    for (std::size_t j = 0; j < count_; ++j) {
      const ModePropagator p = free_motion(body_.modes[j], s);
      const double q = launch_[2 + j], w = launch_[2 + count_ + j];
      y_[2 + j] = p.q_from_q * q + p.q_from_v * w;
      y_[2 + count_ + j] = p.v_from_q * q + p.v_from_v * w;
    }
    dissipated_ += before - modes_energy(y_);
    t_ = t;
  }

  void apart(double until) {
    for (int i = 0; i < most_trials; ++i) {
      const auto [x, v] = relative(y_);
      const double s = safe_time(x, v);
      if (!(s > 4e-16 * (t_ + 1 / settings_.rate))) {
        touch();
        return;
      }
      if (t_ + s >= until) {
        fly_to(until);
        return;
      }
      fly_to(t_ + s);
    }
    converged_ = false;
    fly_to(until);
  }

  /// For how long body and resonator cannot meet: until x + v s + bend s^2/2 = 0.
  double safe_time(double x, double v) const noexcept {
    if (x > 0) return 0.0;
    const double root = std::sqrt(v * v - 2 * bend_ * x);
    if (v > 0) return -2 * x / (v + root);
    return bend_ > 0 ? (root - v) / bend_ : std::numeric_limits<double>::infinity();
  }

  void touch() {
    phase_ = Phase::touching;
    const auto [x, v] = relative(y_);
    record_ = {.time = t_, .speed_in = std::abs(v)};
    // A body that is laid down touches without speed: what moves it gives the scales then.
    const double all = 0.5 * striker_.mass * y_[1] * y_[1] + modes_energy(y_);
    const double least = 1e-9 * std::sqrt(2 * all / striker_.mass);
    const ContactScales scales = contact_.scales(std::max(0.0, x), std::max(std::abs(v), least),
                                                 std::max(0.0, striker_.force));
    length_ = scales.length;
    // Beside a loud resonator the rounding of its own energy bounds what a step can keep.
    energy_ = 0.5 * contact_.mass() * scales.speed * scales.speed + 1e-6 * all;
    adaptive_.restart(1e-3 * scales.time);
  }

  void in_contact(double until) {
    Trial step = adaptive_.accepted(*this, y_, std::min(until - t_, smooth_time()));
    const auto compression_of = [this](const State& y) { return relative(y).x; };
    const auto holding = [this](const State& y) {
      const auto [x, v] = relative(y);
      return contact_.release_function(x, v);
    };
    Phase next = phase_;
    if (phase_ == Phase::touching) {
      if (holding(step.y) <= 0 && relative(step.y).v < 0) {
        step = adaptive_.located(*this, y_, step, holding);
        next = compression_of(step.y) > 0 ? Phase::recovering : Phase::apart;
      }
      note_peaks(step);
    } else if (compression_of(step.y) <= 0) {
      step = adaptive_.located(*this, y_, step, compression_of);
      next = Phase::apart;
    } else if (holding(step.y) > 0) {
      step = adaptive_.located(*this, y_, step, [&](const State& y) { return -holding(y); });
      next = Phase::touching;
    }
    // A surface that comes back by itself keeps what it gives up.
    if (phase_ == Phase::recovering)
      dissipated_ += contact_.potential(compression()) - contact_.potential(compression_of(step.y));
    y_ = step.y;
    t_ = step.h < until - t_ ? t_ + step.h : until;
    if (next == phase_) return;
    if (phase_ == Phase::touching) finish();
    if (next == Phase::touching) {
      touch();
    } else if (next == Phase::apart) {
      launch();
    } else {
      phase_ = next;
    }
  }

  /// How long a step may be so that no part of it is near x = 0, where k x^n is not smooth, beside
  /// its length; within `edge` the force no longer matters.
  double smooth_time() const noexcept {
    const double edge = 1e-6 * length_;
    const auto [x, v] = relative(y_);
    if (phase_ == Phase::touching && v > 0) return 2 * (x + edge) / v;
    if (phase_ == Phase::touching && v < 0 && x > edge) return -0.7 * x / v;
    return std::numeric_limits<double>::infinity();
  }

  void note_peaks(const Trial& step) {
    const auto note = [&](double& peak, auto&& f) {
      peak = std::max(peak, adaptive_.greatest(*this, y_, step, f));
    };
    note(record_.max_compression, [this](const State& y) { return relative(y).x; });
    note(record_.max_force, [this](const State& y) {
      const auto [x, v] = relative(y);
      return contact_.force(x, v);
    });
  }

  void finish() {
    const auto [x, v] = relative(y_);
    record_.speed_out = std::abs(v);
    record_.contact_time = t_ - record_.time;
    record_.separation_compression = std::max(0.0, x);
    finished_.push_back(record_);
  }

  Striker striker_;
  ModalBody body_;
  StrikeSettings settings_;
  std::size_t count_;
  std::vector<double> omega_, hit_, heard_;
  detail::AnyContact contact_;
  State y_, launch_;
  detail::AdaptiveMotion adaptive_;
  Phase phase_ = Phase::apart;
  double t_ = 0.0, launch_time_ = 0.0;
  double bend_ = 0.0;                   ///< bound of the relative acceleration while apart [m/s^2]
  double length_ = 1.0, energy_ = 1.0;  ///< scales of the contact under way [m], [J]
  ModalBank::Sums sums_;
  Ledger ledger_;
  double dissipated_ = 0.0, mean_force_ = 0.0;
  bool converged_ = true;
  std::int64_t sample_ = 0;
  ImpactRecord record_;
  std::vector<ImpactRecord> finished_;
};

EventDrivenStrike::EventDrivenStrike(const AnyLaw& law, const Striker& striker,
                                     const ModalBody& resonator, const StrikeSettings& settings)
    : motion_(std::make_unique<Motion>(law, striker, resonator, settings)) {}
EventDrivenStrike::~EventDrivenStrike() = default;
EventDrivenStrike::EventDrivenStrike(EventDrivenStrike&&) noexcept = default;
EventDrivenStrike& EventDrivenStrike::operator=(EventDrivenStrike&&) noexcept = default;

void EventDrivenStrike::set_resonator(const ModalState& state) { motion_->set_modes(state); }
void EventDrivenStrike::step() { motion_->step(); }
double EventDrivenStrike::time() const noexcept { return motion_->time(); }
const Ledger& EventDrivenStrike::ledger() const noexcept { return motion_->ledger_; }
double EventDrivenStrike::position() const noexcept { return motion_->y_[0]; }
double EventDrivenStrike::velocity() const noexcept { return motion_->y_[1]; }
double EventDrivenStrike::compression() const noexcept { return motion_->compression(); }
double EventDrivenStrike::mean_force() const noexcept { return motion_->mean_force_; }
const ModalBank::Sums& EventDrivenStrike::resonator() const noexcept { return motion_->sums_; }
bool EventDrivenStrike::in_contact() const noexcept {
  return motion_->phase_ == Motion::Phase::touching;
}
bool EventDrivenStrike::converged() const noexcept { return motion_->converged_; }
double EventDrivenStrike::stored() const noexcept { return motion_->stored(); }
std::span<const ImpactRecord> EventDrivenStrike::finished() const noexcept {
  return motion_->finished_;
}
ModalState EventDrivenStrike::modes() const { return motion_->modes(); }
void EventDrivenStrike::archive(Archive& state) { motion_->archive(state); }

}  // namespace carom
