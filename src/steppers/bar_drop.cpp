#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>
#include <carom/steppers/bar_drop.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/bar_spiral.hpp>

namespace carom {
namespace {

constexpr std::size_t max_times = 1000;

/// Mean and deviation in one pass (Welford).
class Statistics {
 public:
  void add(double x) noexcept {
    ++count_;
    const double deviation = x - mean_;
    mean_ += deviation / static_cast<double>(count_);
    squares_ += deviation * (x - mean_);
    highest_ = std::max(highest_, x);
    lowest_ = std::min(lowest_, x);
  }
  BarEnergy result(double expected) const noexcept {
    if (count_ == 0) return {expected, expected, expected, expected, 0.0};
    return {expected, highest_, lowest_, mean_, std::sqrt(squares_ / static_cast<double>(count_))};
  }

 private:
  long long count_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
  double highest_ = -std::numeric_limits<double>::infinity();
  double lowest_ = std::numeric_limits<double>::infinity();
};

template <class Bar>
MotionState start_of(const Bar& bar, const BarDrop& drop) {
  MotionState state = bar.at(drop.start);
  if (drop.excitation.fraction > 0.0) {
    const BarModes modes = bar.modes(drop.start.angle);
    const int k = modes.bending(drop.excitation.mode);
    if (k < 0) {
      throw InvalidInput("excitation.mode = " + std::to_string(drop.excitation.mode) +
                         ": a bar of " + std::to_string(drop.bar.segments) + " segments has " +
                         std::to_string(drop.bar.segments - 1) + " bending modes");
    }
    const double kinetic =
        0.5 * bar.parameters().total_mass() * drop.start.speed * drop.start.speed;
    excite(state, modes.shapes.col(k), modes.frequencies[k], drop.excitation.fraction * kinetic,
           drop.excitation.phase);
  }
  return state;
}

/// Follows the contacts of a run and knows when the bar has rebounded.
class Watcher {
 public:
  explicit Watcher(const BarDrop& drop) : drop_(drop) {
    result_.impact_times.reserve(max_times);
    result_.intervals.reserve(64);
  }

  /// After each step: `contact` is a push of the floor in it, `new_impacts` how many began.
  void step(double time, double height, double energy, bool contact, int new_impacts,
            double impulse) {
    if (contact) {
      if (!result_.first_impact_time) result_.first_impact_time = time;
      if (result_.intervals.empty() || time - result_.last_contact_time > drop_.separation) {
        result_.intervals.push_back({time, time, 0.0, 0});
      }
      BarContactInterval& interval = result_.intervals.back();
      interval.end = result_.last_contact_time = time;
      interval.impulse += impulse;
      interval.impacts += new_impacts;
      result_.impacts += new_impacts;
      for (int i = 0; i < new_impacts && result_.impact_times.size() < max_times; ++i) {
        result_.impact_times.push_back(time);
      }
      height_at_contact_ = height;
      averaged_.reset();
    } else if (result_.first_impact_time && !averaged_ &&
               time - result_.last_contact_time >= drop_.averaging) {
      averaged_ = (height - height_at_contact_) / (time - result_.last_contact_time);
    }
    if (result_.first_impact_time) energy_.add(energy);
    ++result_.steps;
    result_.time = time;
  }

  bool finished() const noexcept { return !drop_.duration && averaged_.has_value(); }

  BarDropResult take(double speed, const Ledger& ledger, const StepReport& report) {
    result_.impact_speed = speed;
    if (averaged_) result_.apparent_restitution = *averaged_ / speed;
    result_.energy = energy_.result(ledger.initial());
    result_.ledger = ledger;
    result_.report = report;
    return std::move(result_);
  }

  void archive(Archive& state) {
    state(result_.first_impact_time, result_.last_contact_time, result_.impacts,
          result_.impact_times, result_.intervals, result_.time, result_.steps, energy_,
          height_at_contact_, averaged_);
  }

 private:
  const BarDrop& drop_;
  BarDropResult result_;
  Statistics energy_;
  double height_at_contact_ = 0.0;
  std::optional<double> averaged_;
};

/// A bar on a compliant floor, as the nonsmooth steppers show themselves to run().
class CompliantBar {
 public:
  CompliantBar(AnySystem bar, const AnyLaw& law, const MotionState& start,
               const SystemMarchSettings& settings)
      : march_(std::move(bar), {law}, Surface::recovers, start, settings) {}

  void step() {
    const double before = march_.impulse(0);
    const int begun = this->begun();
    do {
      march_.step();
      if (march_.sampled()) ended_ += static_cast<int>(march_.finished().size());
    } while (!march_.sampled() && !stopped());
    impulses_[0] = march_.impulse(0) - before;
    new_impacts_ = this->begun() - begun;
    if (march_.status() == MarchStatus::not_converged)
      report_.fail(StepStatus::not_converged, time(), 0.0);
    if (march_.status() == MarchStatus::not_finite)
      report_.fail(StepStatus::not_finite, time(), 0.0);
  }

  double time() const noexcept { return march_.time(); }
  const Ledger& ledger() const noexcept { return march_.ledger(); }
  const StepReport& report() const noexcept { return report_; }
  const Eigen::VectorXd& position() const noexcept { return march_.position(); }
  const Eigen::VectorXd& velocity() const noexcept { return march_.velocity(); }
  const Eigen::VectorXd& impulses() const noexcept { return impulses_; }
  bool touching() const noexcept {
    return impulses_[0] != 0.0 || march_.phase(0) == Phase::touching;
  }
  int new_impacts() const noexcept { return new_impacts_; }
  double kinetic_energy() const { return march_.kinetic_energy(); }
  double energy() const { return march_.stored_energy(); }
  bool stopped() const noexcept {
    return march_.status() != MarchStatus::going && march_.status() != MarchStatus::at_rest;
  }
  void finish() { march_.finish(); }
  void archive(Archive& state) { state(march_, impulses_, ended_, new_impacts_, report_); }

 private:
  int begun() const noexcept { return ended_ + (march_.phase(0) == Phase::touching ? 1 : 0); }

  SystemMarch march_;
  Eigen::VectorXd impulses_ = Eigen::VectorXd::Zero(1);
  int ended_ = 0, new_impacts_ = 0;
  StepReport report_;
};

template <class Stepper>
BarDropResult run(const BarDrop& drop, Stepper& stepper, const BarRecorder& recorder) {
  Watcher watcher(drop);
  bool before = false;
  double impulse = 0.0;
  int to_sample = recorder.every;
  const auto sample = [&] {
    const double pushed = std::exchange(impulse, 0.0);
    return !recorder.sample ||
           recorder.sample({stepper.time(), stepper.position(), stepper.velocity(), pushed,
                            stepper.kinetic_energy(), stepper.energy(),
                            stepper.ledger().dissipated()});
  };
  const auto unfinished = [&] {
    if constexpr (requires { stepper.stopped(); }) {
      if (stepper.stopped()) return false;
    }
    return !watcher.finished() && stepper.report().status != StepStatus::not_finite;
  };
  const auto watch = [&](const Stepper& s) {
    const bool contact = s.touching();
    double push = s.impulses()[0];
    int new_impacts = contact && !before ? 1 : 0;
    if constexpr (requires { s.holding_forces(); }) {
      new_impacts = s.impact() ? 1 : 0;
      push += s.holding_forces()[0] * drop.step;
    }
    if constexpr (requires { s.new_impacts(); }) new_impacts = s.new_impacts();
    before = contact;
    impulse += push;
    watcher.step(s.time(), s.position()[1], s.energy(), contact, new_impacts, push);
    if (--to_sample == 0) {
      to_sample = recorder.every;
      if (!sample()) return false;
    }
    return unfinished();
  };
  const bool resumed = recorder.resume && recorder.resume([&](Archive& state) {
    state(stepper, watcher, before, impulse, to_sample);
    state.require(to_sample > 0 && to_sample <= recorder.every);
  });
  if (resumed ? unfinished() : sample())
    march(stepper, drop.duration.value_or(drop.longest), watch);
  if constexpr (requires { stepper.finish(); }) stepper.finish();
  return watcher.take(impact_speed(drop), stepper.ledger(), stepper.report());
}

SystemScheme scheme_of(BarMethod method) {
  switch (method) {
    case BarMethod::rk4:
      return SystemScheme::rk4;
    case BarMethod::heun:
      return SystemScheme::heun;
    case BarMethod::verlet:
      return SystemScheme::verlet;
    case BarMethod::trapezoid:
      return SystemScheme::trapezoid;
    default:
      return SystemScheme::collocation;
  }
}

template <class Bar>
BarDropResult run(const BarDrop& drop, const BarRecorder& recorder) {
  const Bar bar(drop.bar);
  const MotionState start = start_of(bar, drop);
  if (const auto* compliant = std::get_if<AnyLaw>(&drop.law)) {
    CompliantBar stepper(AnySystem(bar), *compliant, start,
                         {.scheme = scheme_of(drop.method),
                          .rate = 1 / drop.step,
                          .closes_energy = drop.method == BarMethod::passive,
                          .end = drop.duration.value_or(drop.longest)});
    return run(drop, stepper, recorder);
  }
  const auto& law = std::get<NewtonRestitution>(drop.law);
  const NonsmoothSettings common{.step = drop.step};
  if (drop.method == BarMethod::paoli_schatzman) {
    PaoliSchatzman stepper(bar, {law}, start, common);
    return run(drop, stepper, recorder);
  }
  if (drop.method == BarMethod::moreau_jean) {
    MoreauJean stepper(bar, {law}, start, {.common = common, .theta = drop.theta});
    return run(drop, stepper, recorder);
  }
  NewmarkImpacts stepper(bar, {law}, start,
                         {.common = common, .instant = drop.instant, .flight = drop.flight});
  return run(drop, stepper, recorder);
}

template <class Bar>
double tip_mass_of(const Bar& bar, const BarStart& start) {
  const Eigen::VectorXd q = bar.at(start).q;
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(1, q.size());
  bar.gap_gradients(0.0, q, gradient);
  DenseDynamics<Bar> dynamics(bar);
  dynamics.set_position(q);
  if (!dynamics.factor()) throw InvalidInput("bar: its mass matrix is not positive definite");
  const Eigen::VectorXd push = gradient.row(0).transpose();
  Eigen::VectorXd moved = push;
  dynamics.solve(push, moved);
  return 1 / push.dot(moved);
}

}  // namespace

double tip_mass(const BarDrop& drop) {
  return drop.model == BarModel::spiral ? tip_mass_of(BarSpiral(drop.bar), drop.start)
                                        : tip_mass_of(BarPairs(drop.bar), drop.start);
}

double impact_speed(const BarDrop& drop) {
  const double fall = drop.start.height - drop.bar.radius;
  return std::sqrt(drop.start.speed * drop.start.speed + 2.0 * drop.bar.gravity * fall);
}

std::string refusal(BarMethod method, const LawChoice& law) {
  if (method == BarMethod::event_driven) return "";
  const bool of_impacts = method == BarMethod::paoli_schatzman || method == BarMethod::moreau_jean;
  const auto* compliant = std::get_if<AnyLaw>(&law);
  if (compliant != nullptr && of_impacts) {
    return "paoli-schatzman and moreau-jean: their impacts take no time, the law '" +
           std::string(law_name(*compliant)) +
           "' is a force; use passive, event-driven or a classical method";
  }
  if (compliant == nullptr && !of_impacts) {
    return "passive and the classical methods: they follow a force, and an impact that takes no "
           "time has none; use event-driven, moreau-jean or paoli-schatzman";
  }
  return "";
}

void validate(const BarDrop& drop) {
  validate(drop.bar);
  std::visit([](const auto& law) { validate(law); }, drop.law);
  if (const std::string reason = refusal(drop.method, drop.law); !reason.empty())
    throw InvalidInput(reason);
  require_finite("angle", drop.start.angle);
  require_finite("height", drop.start.height);
  if (!(drop.start.height >= drop.bar.radius)) {
    throw InvalidInput("height = " + number_text(drop.start.height) +
                       ": must be at least the radius, " + number_text(drop.bar.radius) +
                       ", or the bar starts in the floor");
  }
  require_finite("speed", drop.start.speed);
  require_not_negative("excitation.fraction", drop.excitation.fraction);
  require_finite("excitation.phase", drop.excitation.phase);
  require_within("excitation.mode", drop.excitation.mode, 0, 1000);
  require_positive("step", drop.step);
  require_within("theta", drop.theta, 0.5, 1.0);
  if (drop.duration) require_positive("duration", *drop.duration);
  require_positive("averaging", drop.averaging);
  require_positive("longest", drop.longest);
  require_positive("separation", drop.separation);
}

BarDropResult drop_bar(const BarDrop& drop, const BarRecorder& recorder) {
  validate(drop);
  require_within("every", recorder.every, 1, 1e9);
  return drop.model == BarModel::spiral ? run<BarSpiral>(drop, recorder)
                                        : run<BarPairs>(drop, recorder);
}

Eigen::Matrix2Xd bar_outline(const BarDrop& drop, const Eigen::VectorXd& q) {
  Eigen::Matrix2Xd points;
  if (drop.model == BarModel::spiral) {
    BarSpiral(drop.bar).outline(q, points);
  } else {
    BarPairs(drop.bar).outline(q, points);
  }
  return points;
}

double stable_step(const BarDrop& drop) {
  const BarModes modes = drop.model == BarModel::spiral
                             ? BarSpiral(drop.bar).modes(drop.start.angle)
                             : BarPairs(drop.bar).modes(drop.start.angle);
  return 2.0 / modes.frequencies.maxCoeff();
}

}  // namespace carom
