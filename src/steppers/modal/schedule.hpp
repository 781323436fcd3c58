#pragma once

#include <algorithm>

#include <carom/core/archive.hpp>

namespace carom::modal {

/// When ModalMarch asks the gate and how long a leap it asks for. Nothing here changes the motion:
/// a leap is only taken where the gate proves it free. What it decides is how much asking costs,
/// which is about a window's worth of steps each time.
class Schedule {
 public:
  Schedule(int window, int levels) : window_(window), levels_(levels), patience_(window) {}

  // Leaps: of twice the length after two that succeeded, of half the length after a refusal.
  int level() const { return level_; }
  void lower() { --level_; }
  void leapt() {
    if (++successes_ < 2 || level_ + 1 >= levels_) return;
    ++level_;
    successes_ = 0;
  }
  /// Whether a shorter leap is left to ask for.
  bool refused() {
    successes_ = 0;
    if (level_ == 0) return false;
    --level_;
    return true;
  }

  // Several contacts: where the gate found every one of them possible three times in a row it is
  // left alone for 2, 4, ... 16 windows.
  bool skips_gate() {
    if (skip_ == 0) return false;
    --skip_;
    return true;
  }
  void stepped_window(bool every_contact) {
    full_windows_ = every_contact ? std::min(full_windows_ + 1, 6) : 0;
    skip_ = full_windows_ > 2 ? 1 << (full_windows_ - 2) : 0;
  }
  void gate_opened() { full_windows_ = 0; }

  // One contact: stepped from the first refusal until it has been quiet for `patience` steps, which
  // double up to 64 windows as long as the gate stays shut.
  bool in_contact() const { return in_contact_; }
  void begin_contact() { in_contact_ = true; }
  bool may_ask(long long step, long long quiet) const {
    return std::min(quiet, step - asked_at_) >= patience_;
  }
  void asked(long long step, bool opened) {
    asked_at_ = step;
    level_ = 0;
    in_contact_ = !opened;
    patience_ = opened ? window_ : std::min<long long>(2 * patience_, 64LL * window_);
  }

  void archive(Archive& state) {
    state(level_, successes_, full_windows_, skip_, patience_, asked_at_, in_contact_);
    state.require(level_ >= 0 && level_ < levels_ && successes_ >= 0 && full_windows_ >= 0 &&
                  full_windows_ <= 6 && skip_ >= 0 && skip_ <= 16 && patience_ >= window_ &&
                  patience_ <= 64LL * window_ && asked_at_ >= 0);
  }

 private:
  int window_, levels_;
  int level_ = 0, successes_ = 0, full_windows_ = 0;
  long long skip_ = 0, patience_, asked_at_ = 0;
  bool in_contact_ = false;
};

}  // namespace carom::modal
