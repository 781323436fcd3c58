#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/steppers/wall_march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom::detail {

/// Seen on the sample after it, the turn from loading to unloading has another potential there: the
/// difference is gained or lost.
inline bool branches_in_time(const WallMarchSettings& s) {
  return s.events == Events::subsample ||
         !std::visit([]<class Law>(const Law&) { return BranchingLaw<Law>; }, s.law);
}

/// A one-step method (Core: Rk4, Verlet, ...) on a wall: one step a sample, cut where a phase of
/// the contact ends when events are located. The end is the step length at which the method itself
/// arrives at it, found within a bracket in a bounded number of trials. Free flight is the exact
/// parabola from the last release, never accumulated. No allocation.
template <class Core>
class OneStepWall final : public WallMarch {
 public:
  explicit OneStepWall(const WallMarchSettings& s)
      : WallMarch(Core::traits.passive && s.correct == Correct::none && branches_in_time(s)),
        problem_{.contact = {s.law, s.surface},
                 .state = {},
                 .mass = s.mass,
                 .force = s.force_in_contact,
                 .events_located = s.events == Events::subsample},
        force_in_contact_(s.force_in_contact),
        force_in_flight_(s.force_in_flight),
        flight_acceleration_(s.force_in_flight / s.mass),
        step_(1 / s.rate),
        point_{s.position, s.velocity, 0.0},
        launch_(point_),
        correction_(s.correct == Correct::none ? nullptr
                                               : std::make_unique<TrajectoryCorrection>(
                                                     s.correct, s.exit, s.exit_threshold_percent)),
        ledger_(0.5 * s.mass * s.velocity * s.velocity) {
    const double onset = problem_.state.onset(problem_.contact);
    if (s.position > onset || (s.position == onset && s.velocity > 0)) {
      if (problem_.events_located) touch(0.0);
      ledger_ = Ledger(stored());
    }
    read();
  }

  void step() override {
    finished_count_ = 0;
    dissipated_ = injected_ = 0.0;
    if (problem_.events_located) {
      step_located();
    } else {
      step_blind();
    }
    double energy = stored();
    // A body that creeps back to the surface has arrived when nothing is left of its energy.
    if (problem_.state.touching() && problem_.events_located && !at_rest_ &&
        force_in_contact_ == 0 && energy <= rest_share * ledger_.initial()) {
      settle();
      energy = stored();
    }
    if (!std::isfinite(point_.x + point_.v)) converged_ = false;
    ++sample_;
    read(energy);
    ledger_.close_step(now_.stored, dissipated_, injected_);
  }

  const Ledger& ledger() const noexcept override { return ledger_; }
  double dent() const noexcept override { return problem_.state.dent(); }
  bool held() const noexcept override {
    if (at_rest_) return true;
    if (!problem_.state.touching() || !(force_in_contact_ > 0)) return false;
    const double edge = problem_.state.edge(problem_.contact);
    return problem_.energy(point_.x, point_.v) - force_in_contact_ * (point_.x - edge) <
           problem_.potential(edge);
  }
  void archive(Archive& state) override {
    state(problem_.state, problem_.force, point_, launch_, launch_offset_, seen_touching_, at_rest_,
          converged_, sample_, launch_sample_, ledger_, record_, records_, finished_count_);
    state.require(launch_sample_ >= 0 && launch_sample_ <= sample_);
    if (correction_) state(*correction_);
    finished_count_ = std::min(finished_count_, records_.size());
    next_known_ = false;
    read();
  }

 private:
  static constexpr int max_events = 32;  ///< that may fall within one sample
  static constexpr int max_iterations = 100;
  static constexpr double rest_share = 1e-20;  ///< of the initial energy

  double begin_time() const noexcept { return static_cast<double>(sample_) * step_; }
  double stored() const noexcept {
    const double kinetic = 0.5 * problem_.mass * point_.v * point_.v;
    if (!problem_.events_located)
      return kinetic + (point_.x > 0 ? problem_.potential(point_.x) : 0.0);
    return kinetic + problem_.state.potential(problem_.contact, point_.x);
  }
  bool in_contact() const noexcept {
    return problem_.events_located ? problem_.state.touching() : seen_touching_;
  }
  void read() noexcept { read(stored()); }
  void read(double energy) noexcept {
    finished_ = {records_.data(), finished_count_};
    now_ = {begin_time(),
            point_.x,
            point_.v,
            std::max(0.0, point_.x - problem_.state.dent()),
            at_rest_       ? std::max(0.0, force_in_flight_)
            : in_contact() ? point_.f
                           : 0.0,
            energy,
            in_contact(),
            converged_};
  }

  void step_located() {
    double used = 0.0;
    for (int events = 0; used < step_ && !at_rest_; ++events) {
      if (events > max_events) {
        // It bounces ever lower within one sample: what is left of its motion is lost.
        settle();
        return;
      }
      used += problem_.state.touching() ? contact(used, step_ - used) : flight(used, step_ - used);
      if (!(step_ - used > 1e-15 * step_)) used = step_;
    }
  }

  void settle() noexcept {
    const double x = std::max(point_.x, problem_.state.onset(problem_.contact));
    const double work = force_in_flight_ * (x - point_.x);
    at_rest_ = true;
    injected_ += work;
    dissipated_ += 0.5 * problem_.mass * point_.v * point_.v + work;
    point_ = {x, 0.0, 0.0};
  }

  /// As much of `longest` as passes before the phase ends; `before` has passed of this sample.
  double flight(double before, double longest) {
    const double a = flight_acceleration_;
    ContactState& state = problem_.state;
    if (!next_known_) {
      next_ = next_crossing(state, problem_.contact, launch_.x, launch_.v, a);
      next_known_ = true;
    }
    // Counted from the launch, so that rounding does not add up over a long flight.
    const double flown =
        static_cast<double>(sample_ - launch_sample_) * step_ + (before - launch_offset_);
    const bool ends = next_.time <= flown + longest;
    const double end = ends ? next_.time : flown + longest;
    const double used = ends ? std::max(0.0, end - flown) : longest;
    double x = launch_.x + end * (launch_.v + 0.5 * end * a);
    const double v = launch_.v + end * a;
    if (ends && state.phase() == Phase::apart) x = state.onset(problem_.contact);
    if (ends && state.phase() == Phase::recovering && next_.guard == 0) x = state.dent();
    injected_ += force_in_flight_ * (x - point_.x);
    // A dent that the body is leaving gives its energy to its own damper, not to the body.
    if (state.phase() == Phase::recovering) {
      dissipated_ +=
          state.potential(problem_.contact, point_.x) - state.potential(problem_.contact, x);
    }
    point_ = {x, v, 0.0};
    if (ends) pass(next_.guard, before + used);
    return used;
  }

  double contact(double before, double longest) {
    int ended = -1;
    const double used =
        problem_.with_law([&](const auto& problem) { return advance(problem, longest, ended); });
    if (ended == 0 && problem_.state.ends_at_edge(problem_.contact)) {
      point_.x = problem_.state.edge(problem_.contact);
    }
    if (ended >= 0) {
      if (correction_ && ended == 0) correction_->at_release(point_);
      pass(ended, before + used);
    } else {
      if (correction_) correction_->in_contact(point_);
      note();
    }
    return used;
  }

  /// One step of the method, or as much of it as passes before guard `ended` is zero.
  template <class Problem>
  double advance(const Problem& problem, double longest, int& ended) noexcept {
    const ContactPoint from = point_;
    ContactPoint to = core_.step(problem, from, longest);
    double used = longest;
    const ContactState::Guards guards = problem.state.guards(problem.law, to.x, to.v);
    for (int g = 0; g < 2 && ended < 0; ++g) {
      if (guards[g] < 0 && (g == 1 || to.v < 0 || to.x <= problem_.state.edge(problem_.contact))) {
        used = locate(problem, from, longest, g, to);
        ended = g;
      }
    }
    point_ = to;
    const StepWork work = work_of(problem, from, to, used);
    dissipated_ += work.dissipated;
    injected_ += work.injected;
    return used;
  }

  /// The step length whose end state meets guard g; `to` becomes that state.
  template <class Problem>
  double locate(const Problem& problem, const ContactPoint& from, double dt, int g,
                ContactPoint& to) noexcept {
    const auto guard = [&](const ContactPoint& p) {
      const double value = problem.state.guards(problem.law, p.x, p.v)[g];
      return value < ContactState::holds ? value
                                         : std::abs(problem.contact_force(p.x, p.v).total());
    };
    const auto at = [&](double h) { return guard(core_.step(problem, from, h)); };
    double low = 0.0, high = dt, f_high = guard(to), f_low = guard(from);
    if (!(f_high < 0)) return high;
    // A contact that has just begun is on its guard and holds only from a little later on.
    for (int i = 0; i < max_iterations && !(f_low > 0); ++i) {
      const double middle = 0.5 * (low + high), f = at(middle);
      (f > 0 ? low : high) = middle;
      (f > 0 ? f_low : f_high) = f;
    }
    if (f_low > 0 && f_high < 0) {
      std::uintmax_t evaluations = max_iterations;
      std::tie(low, high) = boost::math::tools::toms748_solve(
          at, low, high, f_low, f_high, [dt](double a, double b) { return b - a <= 4e-16 * dt; },
          evaluations);
      if (!(high - low <= 1e-9 * dt)) converged_ = false;
    }
    to = core_.step(problem, from, high);
    return high;
  }

  template <class Problem>
  StepWork work_of(const Problem& problem, const ContactPoint& from, const ContactPoint& to,
                   double h) const noexcept {
    if constexpr (requires { core_.work(problem, from, to, h); }) {
      return core_.work(problem, from, to, h);
    } else {
      return {0.5 * h *
                  (problem.dissipated_power(from.x, from.v) + problem.dissipated_power(to.x, to.v)),
              problem.force * (to.x - from.x)};
    }
  }

  /// The phase ends at the present point, `at` after the last sample.
  void pass(int guard, double at) {
    const Phase before = problem_.state.phase();
    const double dent = problem_.state.dent();
    dissipated_ += problem_.state.pass(problem_.contact, guard, point_.x, point_.v);
    const Phase now = problem_.state.phase();
    if (now == Phase::touching && before != Phase::touching) {
      record_ = {.time = begin_time() + at, .speed_in = std::abs(point_.v)};
      if (correction_ && before == Phase::apart) correction_->begin(problem_, std::abs(point_.v));
      point_.f = problem_.contact_force(point_.x, point_.v).total();
      note();
    }
    if (before == Phase::touching && now != Phase::touching) {
      end_record(at, dent);
      if (finished_count_ < records_.size()) records_[finished_count_++] = record_;
    }
    if (now != Phase::touching) {
      point_.f = 0.0;
      launch_ = point_;
      launch_sample_ = sample_;
      launch_offset_ = at;
      next_known_ = false;
    }
  }

  void touch(double at) { pass(0, at); }

  void end_record(double at, double dent) noexcept {
    record_.speed_out = std::abs(point_.v);
    record_.contact_time = begin_time() + at - record_.time;
    record_.separation_compression = std::max(0.0, point_.x - dent);
  }

  void note() noexcept {
    record_.max_compression = std::max(record_.max_compression, point_.x - problem_.state.dent());
    record_.max_force = std::max(record_.max_force, point_.f);
  }

  /// The papers' way: one step of the method, the law's own case distinction, contact known only
  /// from the samples.
  void step_blind() {
    const bool inside = point_.x > problem_.state.edge(problem_.contact);
    problem_.force = inside ? force_in_contact_ : force_in_flight_;
    const ContactPoint from = point_;
    const StepWork work = problem_.with_law([&](const auto& problem) {
      point_ = core_.step(problem, from, step_);
      return work_of(problem, from, point_, step_);
    });
    dissipated_ += work.dissipated;
    injected_ += work.injected;
    const bool touching = point_.x > problem_.state.edge(problem_.contact) &&
                          problem_.contact_force(point_.x, point_.v).total() != 0;
    if (touching && !seen_touching_) {
      seen_touching_ = true;
      problem_.state.touch();
      record_ = {.time = begin_time() + step_, .speed_in = std::abs(from.v)};
      if (correction_) correction_->begin(problem_, std::abs(from.v));
    }
    if (touching) {
      if (correction_) correction_->in_contact(point_);
      note();
      const ContactState::Guards guards =
          problem_.state.guards(problem_.contact, point_.x, point_.v);
      if (guards[1] < 0) {
        dissipated_ += problem_.state.pass(problem_.contact, 1, point_.x, point_.v);
      }
    } else if (seen_touching_) {
      seen_touching_ = false;
      if (correction_) correction_->at_release(point_);
      end_record(step_, problem_.state.dent());
      if (finished_count_ < records_.size()) records_[finished_count_++] = record_;
      problem_.state.part();
      point_.f = 0.0;
    }
  }

  WallProblem problem_;
  Core core_;
  double force_in_contact_, force_in_flight_, flight_acceleration_;
  double step_;
  ContactPoint point_, launch_;
  double launch_offset_ = 0.0;
  Crossing next_{};  ///< the end of the present flight
  bool next_known_ = false;
  bool seen_touching_ = false, at_rest_ = false, converged_ = true;
  std::int64_t sample_ = 0, launch_sample_ = 0;
  std::unique_ptr<TrajectoryCorrection> correction_;  ///< none: nothing is corrected
  Ledger ledger_;
  double dissipated_ = 0.0, injected_ = 0.0;
  ImpactRecord record_;
  std::array<ImpactRecord, max_events> records_{};
  std::size_t finished_count_ = 0;
};

}  // namespace carom::detail
