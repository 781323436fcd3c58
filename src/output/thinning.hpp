#pragma once

#include <cstddef>
#include <vector>

#include <carom/scenario/run_context.hpp>

namespace carom {

/// The lowest and highest value of each signal in a bounded number of spans of rows: enough to draw
/// a time history of any length. When the spans are used up, neighbours are joined.
class EnvelopeSignals final : public SignalSink {
 public:
  static constexpr std::size_t few = 2400;  ///< as many as a picture has pixels, and some
  /// `values`: at most so many spans times signals, but at least `few` spans.
  explicit EnvelopeSignals(std::size_t values = 0) : values_(values) {}

  void begin(const std::vector<Signal>& names) override;
  void write(std::span<const double> values, std::size_t rows) override;

  struct Span {
    double time;  ///< of its first row [s]
    double last_time;
    std::vector<double> low, high;
  };
  std::vector<Signal> signals;
  std::vector<Span> spans;
  std::size_t rows_per_span = 1;

  /// The same in at most this many spans.
  EnvelopeSignals coarse(std::size_t most) const;

 private:
  void halve();

  std::size_t values_, most_ = few;
  std::size_t filled_ = 0;  ///< rows in the last span
};

/// Every k-th energy sample, k doubled whenever there are too many, and the last one.
class EnergyHistory {
 public:
  void add(const EnergySample& sample);
  std::vector<EnergySample> samples() const;

 private:
  std::vector<EnergySample> kept_;
  EnergySample last_;
  std::size_t stride_ = 1, seen_ = 0;
};

}  // namespace carom
