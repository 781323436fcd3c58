#include "one_contact.hpp"

#include <algorithm>

namespace carom::modal {
namespace {

constexpr std::size_t history_room = 8192;

}  // namespace

OneContact::OneContact(Track& track)
    : track_(track), fading_(track.modes), height_(track.modes.heights.front()) {
  impulse_responses(track.modes, macro, [&](int k, const auto&, const auto& weights) {
    double sum = 0;
    for (int j = 0; j < track.modes.count; ++j) sum += weights[static_cast<std::size_t>(j)];
    response_[static_cast<std::size_t>(k)] = sum;
  });
  history_.assign(history_room + static_cast<std::size_t>(fading_.longest()), 0.0);
}

void OneContact::begin() {
  const Modes& modes = track_.modes;
  double sum = 0, difference = 0;
  const double* row = modes.row(0);
  track_.kernels.project(&row, 1, track_.q.data(), modes.n, modes.n, 1, &sum);
  track_.kernels.project(&row, 1, track_.dq.data(), modes.n, modes.n, 1, &difference);
  now_ = sum - height_;
  before_ = now_ - difference;
  is_pending_ = false;
  stage_ = -1;
  active_ = modes.n;
  begun_ = track_.step;
  last_impulse_ = begun_;
  const auto longest = static_cast<std::size_t>(fading_.longest());
  std::fill_n(history_.begin(), longest, 0.0);
  newest_ = longest;
  ahead_from_ = -1;
}

// Modes leave the passes as soon as they have forgotten how the episode began.
void OneContact::choose_active() {
  const auto& stages = fading_.stages();
  const auto next = static_cast<std::size_t>(stage_ + 1);
  if (next >= stages.size() || track_.step - begun_ < stages[next].memory) return;
  ++stage_;
  active_ = stages[next].from;
  ahead_from_ = -1;
}

// What the forgotten modes contribute to the next four gaps.
void OneContact::add_forgotten(double* predicted) {
  if (stage_ < 0) return;
  const Fading::Stage& stage = fading_.stages()[static_cast<std::size_t>(stage_)];
  if (track_.step - last_impulse_ >= stage.memory) return;
  const double* newest = history_.data() + newest_ - 1;
  int since = static_cast<int>(std::min<long long>(track_.step - ahead_from_, reach));
  if (ahead_from_ < 0 || since + macro > reach) {
    track_.kernels.convolve(stage.response.data(), newest, stage.memory, ahead_.data());
    ahead_from_ = track_.step;
    since = 0;
  }
  for (int k = 0; k < macro; ++k) predicted[k] += ahead_[static_cast<std::size_t>(since + k)];
  // The convolution was done ahead; what was pushed since is added here.
  for (int i = 0; i < since; ++i) {
    const double* response = stage.response.data() + i;
    for (int k = 0; k < macro; ++k) predicted[k] += response[k] * newest[-i];
  }
}

void OneContact::remember(const double* impulses, int count) {
  const auto longest = static_cast<std::size_t>(fading_.longest());
  if (longest == 0) return;
  if (newest_ + static_cast<std::size_t>(count) > history_.size()) {
    std::copy(history_.begin() + static_cast<std::ptrdiff_t>(newest_ - longest),
              history_.begin() + static_cast<std::ptrdiff_t>(newest_), history_.begin());
    newest_ = longest;
  }
  std::copy_n(impulses, count, history_.begin() + static_cast<std::ptrdiff_t>(newest_));
  newest_ += static_cast<std::size_t>(count);
}

/// The step that would end at the gap `free`; returns its impulse.
double OneContact::contact(double free) {
  const double impulse = track_.contacts.step_one(before_, now_, free);
  before_ = now_;
  now_ = free + response_[0] * impulse;
  if (impulse == 0) return 0;
  ++track_.statistics.contact;
  ++track_.statistics.impulses;
  return impulse;
}

// Brings the active modes up to date with the pending impulses and, if `sums` is not null, four
// steps on.
void OneContact::pass(double* sums) {
  const Modes& modes = track_.modes;
  track_.kernels.predict_one(track_.q.data(), track_.dq.data(), modes.e.data(), modes.d.data(),
                             modes.a.data(), active_, modes.fast_from, modes.fast_to,
                             is_pending_ ? pending_.data() : nullptr, sums);
}

void OneContact::macro_step() {
  const Modes& modes = track_.modes;
  alignas(64) std::array<double, macro> predicted{};
  choose_active();
  pass(predicted.data());
  add_forgotten(predicted.data());
  is_pending_ = false;
  for (int k = 0; k < macro; ++k) {
    const double p = contact(predicted[static_cast<std::size_t>(k)] - height_);
    pending_[static_cast<std::size_t>(k)] = p;
    if (p == 0) continue;
    is_pending_ = true;
    last_impulse_ = track_.step + k + 1;
    track_.impulses.push_back({.step = last_impulse_, .contact = 0, .impulse = p});
    for (int later = k + 1; later < macro; ++later) {
      predicted[static_cast<std::size_t>(later)] +=
          response_[static_cast<std::size_t>(later - k)] * p;
    }
  }
  remember(pending_.data(), macro);
  track_.statistics.convolved += static_cast<long long>(modes.n - active_) * macro;
  track_.step += macro;
}

void OneContact::single_step() {
  const Modes& modes = track_.modes;
  if (is_pending_) pass(nullptr);
  choose_active();
  track_.kernels.advance(track_.q.data(), track_.dq.data(), modes.e.data(), modes.d.data(),
                         modes.a.data(), active_, nullptr, 0, nullptr, 1, nullptr, nullptr);
  alignas(64) std::array<double, macro> predicted{};
  const double* row = modes.row(0);
  track_.kernels.project(&row, 1, track_.q.data(), modes.n, active_, 1, predicted.data());
  add_forgotten(predicted.data());
  const double p = contact(predicted[0] - height_);
  // An impulse in the last of four steps that were otherwise free.
  pending_ = {0, 0, 0, p};
  is_pending_ = p != 0;
  ++track_.step;
  if (is_pending_) {
    last_impulse_ = track_.step;
    track_.impulses.push_back({.step = track_.step, .contact = 0, .impulse = p});
  }
  remember(&p, 1);
}

void OneContact::run(long long steps) {
  for (; steps >= macro; steps -= macro) macro_step();
  for (; steps > 0; --steps) single_step();
}

void OneContact::settle() {
  const Modes& modes = track_.modes;
  if (is_pending_) pass(nullptr);
  is_pending_ = false;
  int to = modes.n;
  for (int s = 0; s <= stage_; ++s) {
    const Fading::Stage& stage = fading_.stages()[static_cast<std::size_t>(s)];
    const int from = stage.from;
    track_.kernels.revive(track_.q.data() + from, track_.dq.data() + from, modes.e.data() + from,
                          modes.d.data() + from, modes.a.data() + from, to - from,
                          history_.data() + newest_ - stage.memory, stage.memory);
    to = from;
  }
}

}  // namespace carom::modal
