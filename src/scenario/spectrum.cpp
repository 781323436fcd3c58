#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <unsupported/Eigen/FFT>

#include <carom/scenario/spectrum.hpp>

namespace carom {

std::vector<double> spectrum_db(std::span<const double> samples) {
  const std::size_t n = samples.size() & ~std::size_t{1};
  if (n < 4) return {};
  std::vector<double> windowed(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    windowed[i] = samples[i] * (0.5 - 0.5 * std::cos(phase));
  }
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> bins;
  fft.fwd(bins, windowed);
  std::vector<double> levels(bins.size());
  const double scale =
      4.0 / static_cast<double>(n);  // Hann halves the amplitude, so does a real sine
  for (std::size_t i = 0; i < bins.size(); ++i) {
    levels[i] = 10 * std::log10(std::norm(scale * bins[i]) + 1e-300);
  }
  return levels;
}

std::vector<SpectralPeak> spectral_peaks(std::span<const double> samples, double rate,
                                         std::size_t max_peaks, double floor_db) {
  // A power of two keeps the transform quick; the end of a decaying sound carries little.
  std::size_t n = 1;
  while (2 * n <= samples.size()) n *= 2;
  const std::vector<double> levels = spectrum_db(samples.first(n));
  std::vector<SpectralPeak> peaks;
  for (std::size_t i = 2; i + 2 < levels.size(); ++i) {
    const double a = levels[i - 1], b = levels[i], c = levels[i + 1];
    // Higher than four neighbours: a side lobe of the window is not a peak of the sound.
    if (!(b > a && b >= c && b > levels[i - 2] && b >= levels[i + 2])) continue;
    const double shift = 0.5 * (a - c) / (a - 2 * b + c);
    peaks.push_back({(static_cast<double>(i) + shift) * rate / static_cast<double>(n),
                     b - 0.25 * (a - c) * shift});
  }
  std::sort(peaks.begin(), peaks.end(),
            [](const SpectralPeak& a, const SpectralPeak& b) { return a.level_db > b.level_db; });
  if (peaks.empty()) return peaks;
  const double top = peaks.front().level_db;
  std::erase_if(peaks, [&](const SpectralPeak& peak) { return peak.level_db < top + floor_db; });
  if (peaks.size() > max_peaks) peaks.resize(max_peaks);
  for (SpectralPeak& peak : peaks) peak.level_db -= top;
  return peaks;
}

}  // namespace carom
