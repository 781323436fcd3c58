#include "thinning.hpp"

#include <algorithm>

namespace carom {
namespace {

constexpr std::size_t many = 1 << 17;
constexpr std::size_t max_samples = 1600;

}  // namespace

void EnvelopeSignals::begin(const std::vector<Signal>& names) {
  signals = names;
  // Even, so that all of them have a neighbour.
  most_ = std::clamp(values_ / std::max<std::size_t>(1, names.size()) / 2 * 2, few, many);
}

void EnvelopeSignals::halve() {
  const std::size_t pairs = spans.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    Span joined = std::move(spans[2 * i]);
    const Span& other = spans[2 * i + 1];
    joined.last_time = other.last_time;
    for (std::size_t k = 0; k < signals.size(); ++k) {
      joined.low[k] = std::min(joined.low[k], other.low[k]);
      joined.high[k] = std::max(joined.high[k], other.high[k]);
    }
    spans[i] = std::move(joined);
  }
  if (spans.size() % 2 == 1) {
    spans[pairs] = std::move(spans.back());
    spans.resize(pairs + 1);
  } else {
    spans.resize(pairs);
  }
  rows_per_span *= 2;
}

EnvelopeSignals EnvelopeSignals::coarse(std::size_t most) const {
  EnvelopeSignals thinned = *this;
  while (thinned.spans.size() > most) thinned.halve();
  return thinned;
}

void EnvelopeSignals::write(std::span<const double> values, std::size_t rows) {
  const std::size_t width = signals.size() + 1;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const double> line = values.subspan(row * width, width);
    if (spans.empty() || filled_ == rows_per_span) {
      if (spans.size() == most_) halve();
      const std::vector<double> first(line.begin() + 1, line.end());
      spans.push_back({line[0], line[0], first, first});
      filled_ = 1;
      continue;
    }
    Span& span = spans.back();
    for (std::size_t k = 0; k < signals.size(); ++k) {
      span.low[k] = std::min(span.low[k], line[k + 1]);
      span.high[k] = std::max(span.high[k], line[k + 1]);
    }
    span.last_time = line[0];
    ++filled_;
  }
}

void EnergyHistory::add(const EnergySample& sample) {
  last_ = sample;
  if (seen_++ % stride_ != 0) return;
  kept_.push_back(sample);
  if (kept_.size() < max_samples) return;
  for (std::size_t i = 0; i < max_samples / 2; ++i) kept_[i] = kept_[2 * i];
  kept_.resize(max_samples / 2);
  stride_ *= 2;
}

std::vector<EnergySample> EnergyHistory::samples() const {
  std::vector<EnergySample> all = kept_;
  if (!all.empty() && all.back().time < last_.time) all.push_back(last_);
  return all;
}

}  // namespace carom
