#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/steppers/modal_march.hpp>

#include "modal/contact_windows.hpp"
#include "modal/energy_book.hpp"
#include "modal/gate.hpp"
#include "modal/one_contact.hpp"
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
/// windows for those that may act; the book when it is due.
struct ModalMarch::State {
  State(const ModalProblem& problem, const ModalMarchSettings& chosen)
      : settings(chosen),
        rate(problem.rate),
        window(window_steps(chosen, problem.rate)),
        track(problem),
        gate(problem, track.modes, track.contacts, window, chosen.levels),
        windows(track, gate, window),
        book(track, chosen.ledger_interval, chosen.audit_every) {
    if (!track.modes.unit_shape) return;
    one.emplace(track);
    in_contact = true;
    one->begin();
  }

  void settle() {
    if (in_contact) {
      one->settle();
    } else {
      windows.settle();
    }
  }

  bool try_leap(long long limit) {
    while (level > 0 && gate.steps(level) > limit) --level;
    if (gate.steps(level) > limit) return false;
    for (;;) {
      if (track.contact_count() == 0) {
        gate.fly(level, track.q.data(), track.dq.data());
      } else if (!gate.leap(level, track.step, track.q.data(), track.dq.data())) {
        successes = 0;
        if (level == 0) return false;
        --level;
        continue;
      }
      count_leap();
      if (++successes >= 2 && level + 1 < gate.level_count()) {
        ++level;
        successes = 0;
      }
      return true;
    }
  }

  void count_leap() {
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
    if (book.due()) close_book();
  }

  // With one contact: macro-steps until it has been quiet for a while, then leaps.
  void operate_one(long long limit) {
    if (!in_contact) {
      if (try_leap(limit)) return;
      in_contact = true;
      one->begin();
    }
    const long long stretch = std::min<long long>(limit, window);
    one->run(stretch);
    if (!settings.gate || limit < stretch + window) return;
    if (std::min(one->quiet(), track.step - asked_at) < patience || !one->open()) return;
    one->settle();
    gate.disturb();
    level = 0;
    asked_at = track.step;
    if (gate.leap(0, track.step, track.q.data(), track.dq.data())) {
      count_leap();
      in_contact = false;
      patience = window;
    } else {  // A gate that stays shut is asked less and less often.
      patience = std::min<long long>(2 * patience, 64LL * window);
    }
  }

  void operate_many(long long limit) {
    const long long stretch = std::min<long long>(limit, window);
    if (!settings.gate || skip > 0) {
      if (skip > 0) --skip;
      windows.run(stretch, true);
      return;
    }
    if (!windows.touching() && try_leap(limit)) {
      refusals = 0;
      return;
    }
    windows.run(stretch, !settings.candidates || limit < window);
    // Where the gate finds every contact possible again and again, asking is wasted.
    if (windows.was_full()) {
      refusals = std::min(refusals + 1, 6);
      skip = refusals > 2 ? 1 << (refusals - 2) : 0;
    } else {
      refusals = 0;
    }
  }

  void close_book() {
    settle();
    book.close();
  }

  // Everything that a later step depends on; the rest is scratch or follows from the problem.
  void archive(Archive& kept) {
    kept(track, gate, windows);
    if (one) kept(*one);
    kept(book, level, successes, refusals, skip, patience, asked_at, in_contact);
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
  modal::EnergyBook book;

  int level = 0, successes = 0, refusals = 0;
  long long skip = 0, patience = window, asked_at = 0;
  bool in_contact = false;
};

ModalMarch::ModalMarch(const ModalProblem& problem, const ModalMarchSettings& settings) {
  if (settings.levels < 1 || settings.levels > 10) {
    throw InvalidInput("levels = " + std::to_string(settings.levels) + ": must be 1..10");
  }
  if (settings.ledger_interval < 1) {
    throw InvalidInput("ledger_interval = " + std::to_string(settings.ledger_interval) +
                       ": must be at least 1");
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
const Ledger& ModalMarch::ledger() const noexcept { return state_->book.ledger(); }
const ModalMarchStatistics& ModalMarch::statistics() const noexcept {
  return state_->track.statistics;
}
std::span<const ContactImpulse> ModalMarch::impulses() const noexcept {
  return state_->track.impulses;
}

void ModalMarch::clear_impulses() noexcept {
  state_->book.keep_impulses();
  state_->track.impulses.clear();
}

void ModalMarch::reserve_impulses(std::size_t count) { state_->track.impulses.reserve(count); }

void ModalMarch::close_ledger() {
  if (state_->book.open()) state_->close_book();
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
