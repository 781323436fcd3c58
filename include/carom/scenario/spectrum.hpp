#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace carom {

/// Power of the samples in dB at k rate/n, k = 0..n/2, through a Hann window; a sine of amplitude 1
/// between two bins shows as 0 dB to 1.4 dB below. n is the number of samples (any, even).
std::vector<double> spectrum_db(std::span<const double> samples);

struct SpectralPeak {
  double frequency;  ///< [Hz], interpolated between bins
  double level_db;   ///< below the strongest peak, 0 for that one
};

/// The strongest peaks of a signal, by falling level, none more than `floor_db` below the first.
std::vector<SpectralPeak> spectral_peaks(std::span<const double> samples, double rate,
                                         std::size_t max_peaks = 8, double floor_db = -60);

}  // namespace carom
