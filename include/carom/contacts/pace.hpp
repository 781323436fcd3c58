#pragma once

#include <utility>

namespace carom {

/// Tells when the steps of a march have become so short that no machine reaches its end: contacts
/// whose times lie too far apart ask for that (a body of 1e-30 kg on one of 1 kg). Steps are
/// counted, not seconds, so that a run ends at the same place on every machine.
class Pace {
 public:
  /// After a step that ended at `time`: at the pace of the last 65 536 steps more than 1e13 would
  /// be left until `end`, a year and more of computing. A wave through a thousand stiff spheres,
  /// the slowest of what is worth following, is some 1e11.
  bool hopeless(double time, double end) noexcept {
    if (++steps_ % window != 0) return false;
    const double gone = time - std::exchange(since_, time);
    return !(end - time <= most / window * gone);
  }

 private:
  static constexpr int window = 65536;
  static constexpr double most = 1e13;
  long long steps_ = 0;
  double since_ = 0;
};

}  // namespace carom
