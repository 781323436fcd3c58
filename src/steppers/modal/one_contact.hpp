#pragma once

#include <array>

#include "fading.hpp"
#include "track.hpp"

namespace carom::modal {

/// Steps of a body with a single contact: passes over the modes that do four steps at once, the
/// contact's march between them, and a convolution in place of the modes that have forgotten the
/// beginning of the contact episode.
class OneContact {
 public:
  explicit OneContact(Track& track);

  /// A contact episode begins with the modes as they are.
  void begin();
  void run(long long steps);
  /// Brings the modes up to date with all impulses.
  void settle();

  /// Whether the contact is over, with its last two gaps open.
  bool open() const { return before_ >= 0 && now_ >= 0 && !track_.contacts.engaged(0); }
  /// Steps since the last impulse of the episode, or since it began.
  long long quiet() const { return track_.step - std::max(last_impulse_, begun_); }
  void archive(Archive& state) {
    state(before_, now_, pending_, is_pending_, stage_, active_, begun_, last_impulse_, history_,
          newest_, ahead_, ahead_from_);
    const auto& stages = fading_.stages();
    const auto longest = static_cast<std::size_t>(fading_.longest());
    state.require(stage_ >= -1 && stage_ < static_cast<int>(stages.size()));
    state.require(stage_ < 0 ? active_ == 0 || active_ == track_.modes.n
                             : active_ == stages[static_cast<std::size_t>(stage_)].from);
    state.require(newest_ <= history_.size() && (newest_ == 0 || newest_ >= longest));
    state.require(stage_ < 0 || newest_ >= longest);
    for (const long long step : {begun_, last_impulse_}) {
      state.require(step >= 0 && step <= track_.step);
    }
    state.require(ahead_from_ >= -1 && ahead_from_ <= track_.step);
  }

 private:
  void choose_active();
  void pass(double* sums);
  void add_forgotten(double* predicted);
  void macro_step();
  void single_step();
  double contact(double free);
  void remember(const double* impulses, int count);

  Track& track_;
  Fading fading_;
  std::array<double, macro> response_{};  // G_0..G_3 of all modes
  double height_ = 0.0;
  double before_ = 0.0, now_ = 0.0;
  alignas(64) std::array<double, macro> pending_{};
  bool is_pending_ = false;
  int stage_ = -1;  // the modes of this stage are left out of the passes
  int active_ = 0;
  long long begun_ = 0, last_impulse_ = 0;
  Array history_;  // impulses of the episode, one a step, after fading_.longest() zeros
  std::size_t newest_ = 0;
  static constexpr int reach = 16;     // steps of one convolution
  std::array<double, reach> ahead_{};  // what the forgotten modes will contribute after ahead_from_
  long long ahead_from_ = -1;
};

}  // namespace carom::modal
