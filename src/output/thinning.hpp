#pragma once

#include <cstddef>
#include <vector>

#include <carom/scenario/run_context.hpp>

namespace carom {

/// The lowest and highest value of each signal in at most a thousand or so spans of rows: enough to
/// draw a time history of any length. When the spans are used up, neighbours are joined.
class EnvelopeSignals final : public SignalSink {
 public:
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

 private:
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
