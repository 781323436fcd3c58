#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/steppers/modal_march.hpp>

#include "modal/contact_windows.hpp"
#include "modal/gate.hpp"
#include "modal/modal_ledger.hpp"
#include "modal/one_contact.hpp"
#include "modal/schedule.hpp"
#include "modal/track.hpp"

namespace carom {
namespace {

int window_steps(const ModalMarchSettings& settings, double rate) {
  using modal::macro;
  if (settings.window > 0) return (settings.window + macro - 1) / macro * macro;
  return std::max(16, static_cast<int>(16e-6 * rate / macro) * macro);
}

}  // namespace

/// Which part acts when: leaps while the gate is open; with one contact its episodes, with several
/// windows for those that may act; the ledger when it is due.
struct ModalMarch::State {
  State(const ModalProblem& problem, const ModalMarchSettings& chosen)
      : settings(chosen),
        rate(problem.rate),
        window(window_steps(chosen, problem.rate)),
        track(problem),
        gate(problem, track.modes, track.contacts, window, chosen.levels),
        windows(track, gate, window),
        ledger(track, chosen.ledger_interval, chosen.audit_cost),
        schedule(window, chosen.levels) {
    if (!track.modes.unit_shape) return;
    one.emplace(track);
    schedule.begin_contact();
    one->begin();
  }

  void settle() {
    if (schedule.in_contact()) {
      one->settle();
    } else {
      windows.settle();
    }
  }

  bool try_leap(long long limit) {
    while (schedule.level() > 0 && gate.steps(schedule.level()) > limit) schedule.lower();
    if (gate.steps(schedule.level()) > limit) return false;
    do {
      const int level = schedule.level();
      if (track.contact_count() == 0) {
        gate.fly(level, track.q.data(), track.dq.data());
      } else if (!gate.leap(level, track.step, track.q.data(), track.dq.data())) {
        continue;
      }
      count_leap(level);
      schedule.leapt();
      return true;
    } while (schedule.refused());
    return false;
  }

  void count_leap(int level) {
    track.step += gate.steps(level);
    track.statistics.leapt += gate.steps(level);
    ++track.statistics.leaps;
  }

  /// One operation of at most `limit` steps.
  void operate(long long limit) {
    if (track.contact_count() == 0) {
      if (!try_leap(limit)) windows.fly(limit);
    } else if (one) {
      operate_one(limit);
    } else {
      operate_many(limit);
    }
    track.statistics.steps = track.step;
    track.statistics.unsolved = track.contacts.unsolved();
    if (ledger.due()) close_ledger();
  }

  // With one contact: macro-steps until it has been quiet for a while, then leaps.
  void operate_one(long long limit) {
    if (!schedule.in_contact()) {
      if (try_leap(limit)) return;
      schedule.begin_contact();
      one->begin();
    }
    const long long stretch = std::min<long long>(limit, window);
    one->run(stretch);
    if (!settings.gate || limit < stretch + window) return;
    if (!schedule.may_ask(track.step, one->quiet()) || !one->open()) return;
    one->settle();
    gate.disturb();
    const long long asked_at = track.step;
    const bool opened = gate.leap(0, track.step, track.q.data(), track.dq.data());
    if (opened) count_leap(0);
    schedule.asked(asked_at, opened);
  }

  void operate_many(long long limit) {
    const long long stretch = std::min<long long>(limit, window);
    if (!settings.gate || schedule.skips_gate()) {
      windows.run(stretch, true);
      return;
    }
    if (!windows.touching() && try_leap(limit)) {
      schedule.gate_opened();
      return;
    }
    windows.run(stretch, !settings.candidates || limit < window);
    schedule.stepped_window(windows.was_full());
  }

  void close_ledger() {
    settle();
    ledger.close();
  }

  // Everything that a later step depends on; the rest is scratch or follows from the problem.
  void archive(Archive& kept) {
    kept(track, gate, windows);
    if (one) kept(*one);
    kept(ledger, schedule);
  }

  /// A modal amplitude of the track in the problem's order and normalisation.
  Eigen::VectorXd in_order(const modal::Array& values) const {
    const modal::Modes& modes = track.modes;
    Eigen::VectorXd ordered(modes.count);
    for (std::size_t j = 0; j < modes.order.size(); ++j) {
      ordered[modes.order[j]] = values[j] / modes.scale[j];
    }
    return ordered;
  }

  ModalMarchSettings settings;
  double rate;
  int window;
  modal::Track track;
  modal::Gate gate;
  modal::ContactWindows windows;
  std::optional<modal::OneContact> one;
  modal::ModalLedger ledger;
  modal::Schedule schedule;
};

ModalMarch::ModalMarch(const ModalProblem& problem, const ModalMarchSettings& settings) {
  if (settings.levels < 1 || settings.levels > 10) {
    throw InvalidInput("levels = " + std::to_string(settings.levels) + ": must be 1..10");
  }
  if (settings.ledger_interval < 1) {
    throw InvalidInput("ledger_interval = " + std::to_string(settings.ledger_interval) +
                       ": must be at least 1");
  }
  if (!(settings.audit_cost >= 0)) {
    throw InvalidInput("audit_cost = " + std::to_string(settings.audit_cost) +
                       ": must be at least 0");
  }
  const FlushDenormals flush;
  state_ = std::make_unique<State>(problem, settings);
}
ModalMarch::~ModalMarch() = default;
ModalMarch::ModalMarch(ModalMarch&&) noexcept = default;
ModalMarch& ModalMarch::operator=(ModalMarch&&) noexcept = default;

void ModalMarch::step() {
  const FlushDenormals flush;
  state_->operate(std::numeric_limits<long long>::max() / 2);
}

void ModalMarch::advance(long long steps) {
  const FlushDenormals flush;
  const long long end = state_->track.step + steps;
  while (state_->track.step < end) state_->operate(end - state_->track.step);
}

double ModalMarch::time() const noexcept {
  return static_cast<double>(state_->track.step) / state_->rate;
}
long long ModalMarch::steps() const noexcept { return state_->track.step; }
const Ledger& ModalMarch::ledger() const noexcept { return state_->ledger.ledger(); }
const ModalMarchStatistics& ModalMarch::statistics() const noexcept {
  return state_->track.statistics;
}
std::span<const ContactImpulse> ModalMarch::impulses() const noexcept {
  return state_->track.impulses;
}

void ModalMarch::clear_impulses() noexcept {
  state_->ledger.keep_impulses();
  state_->track.impulses.clear();
}

void ModalMarch::reserve_impulses(std::size_t count) { state_->track.impulses.reserve(count); }

void ModalMarch::close_ledger() {
  if (state_->ledger.open()) state_->close_ledger();
}

void ModalMarch::archive(Archive& state) { state_->archive(state); }

Eigen::VectorXd ModalMarch::position() const {
  state_->settle();
  return state_->in_order(state_->track.q);
}

Eigen::VectorXd ModalMarch::difference() const {
  state_->settle();
  return state_->in_order(state_->track.dq);
}

}  // namespace carom
