#include <cmath>
#include <stdexcept>

#include <carom/core/clock.hpp>
#include <carom/scenario/run_context.hpp>

namespace carom {
namespace {

constexpr std::size_t rows_per_block = 4096;
constexpr std::size_t samples_per_block = 8192;
constexpr double seconds_between_looks = 0.02;
/// Calls between two looks at most: one call may take a hundred steps where contacts chatter.
constexpr int longest_stride = 64;
constexpr double seconds_between_reports = 0.1;

class NoTable final : public TableSink {
 public:
  using TableSink::row;
  void row(std::span<const double>) override {}
};

}  // namespace

void RunContext::signals(const std::vector<Signal>& signals) {
  if (width_ != 0) throw std::logic_error("signals were declared twice");
  width_ = signals.size() + 1;
  rows_.reserve(width_ * rows_per_block);
  for (SignalSink* sink : sinks_.signals) sink->begin(signals);
}

void RunContext::record(double time, std::span<const double> values) {
  if (values.size() + 1 != width_) throw std::logic_error("a row does not fit the signals");
  rows_.push_back(time);
  rows_.insert(rows_.end(), values.begin(), values.end());
  if (rows_.size() >= width_ * rows_per_block) flush_rows();
}

void RunContext::sound_rate(double rate) {
  samples_.reserve(samples_per_block);
  if (sinks_.sound != nullptr) sinks_.sound->begin(rate);
}

void RunContext::hear(double sample) {
  if (sinks_.sound == nullptr) return;
  samples_.push_back(sample);
  if (samples_.size() >= samples_per_block) flush_sound();
}

void RunContext::energy(const EnergySample& sample) {
  if (sinks_.energy) sinks_.energy(sample);
}

std::unique_ptr<TableSink> RunContext::table(const std::string& file,
                                             const std::vector<Signal>& columns) {
  if (!sinks_.table) return std::make_unique<NoTable>();
  return sinks_.table(file, columns);
}

void RunContext::begin_loop() {
  in_loop_ = true;
  output_seconds_ = 0;
  loop_begin_ = cpu_now();
}

void RunContext::end_loop() {
  if (in_loop_) loop_seconds_ += cpu_now() - loop_begin_ - output_seconds_;
  in_loop_ = false;
}

// The buffers belong to the state: what is in them has not reached the sinks.
void RunContext::archive(Archive& state) {
  double seconds_so_far =
      loop_seconds_ + (in_loop_ ? cpu_now() - loop_begin_ - output_seconds_ : 0.0);
  state(rows_, samples_, seconds_so_far, not_finite_from_);
  state.require(width_ > 0 ? rows_.size() % width_ == 0 : rows_.empty());
  if (state.reading()) loop_seconds_ = seconds_so_far;
  state_(state);
}

bool RunContext::resume(StateOf state) {
  if (sinks_.keeper == nullptr) return false;
  state_ = std::move(state);
  const double begin = cpu_now();
  const std::optional<std::string> kept = sinks_.keeper->resume();
  if (!kept) return false;
  Archive read(*kept);
  archive(read);
  if (!read.exhausted()) {
    throw InvalidInput("the checkpoint does not fit this run: there is more in it than is needed");
  }
  output_seconds_ += cpu_now() - begin;
  return true;
}

void RunContext::keep() {
  const double begin = cpu_now();
  Archive written;
  archive(written);
  sinks_.keeper->keep(written.bytes());
  output_seconds_ += cpu_now() - begin;
}

bool RunContext::poll(double fraction, double simulated_time) {
  if (sinks_.interrupt != nullptr && sinks_.interrupt->load(std::memory_order_relaxed)) {
    interrupted_ = true;
    countdown_ = 1;
    if (sinks_.keeper != nullptr && state_) keep();
    return false;
  }
  const double now = wall_now();
  // Look up about fifty times a second, whatever a step costs.
  if (last_look_ > 0) {
    const double passed = now - last_look_;
    if (passed < 0.5 * seconds_between_looks && stride_ < longest_stride) stride_ *= 2;
    if (passed > 2 * seconds_between_looks && stride_ > 1) stride_ /= 2;
  }
  last_look_ = now;
  countdown_ = stride_;
  if (sinks_.keeper != nullptr && state_ && sinks_.keeper->due(now)) keep();
  if (sinks_.progress && now - last_report_ >= seconds_between_reports) {
    last_report_ = now;
    sinks_.progress({fraction, simulated_time});
  }
  return true;
}

void RunContext::flush_rows() {
  if (rows_.empty()) return;
  const double begin = cpu_now();
  for (std::size_t i = 0; i < rows_.size() && !not_finite_from_; ++i) {
    if (!std::isfinite(rows_[i])) not_finite_from_ = rows_[i / width_ * width_];
  }
  for (SignalSink* sink : sinks_.signals) sink->write(rows_, rows_.size() / width_);
  rows_.clear();
  output_seconds_ += cpu_now() - begin;
}

void RunContext::flush_sound() {
  if (samples_.empty() || sinks_.sound == nullptr) return;
  const double begin = cpu_now();
  sinks_.sound->write(samples_);
  samples_.clear();
  output_seconds_ += cpu_now() - begin;
}

void RunContext::finish() {
  flush_rows();
  flush_sound();
}

}  // namespace carom
