#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include <carom/core/error.hpp>
#include <carom/identify/modes.hpp>

#include "exponentials.hpp"

namespace carom {
namespace {

using Complex = std::complex<double>;

constexpr double decades_60 = 6.907755278982137;  ///< ln 1000
constexpr std::size_t longest = 1 << 20;          ///< samples that are looked at
constexpr long band_samples = 400;                ///< of a decimated band, for the poles
constexpr double above_floor = 4;                 ///< of the magnitude: 12 dB

struct Peak {
  double frequency, width;  ///< [Hz], the width at half the power
  double height;
};

struct Spectrum {
  std::vector<Complex> bins;  ///< of the signal with as many zeros behind it
  double rate;

  double spacing() const { return rate / double(bins.size()); }
  std::size_t bin(double f) const { return static_cast<std::size_t>(std::lround(f / spacing())); }
};

/// The peaks that stand out of their neighbourhood.
std::vector<Peak> peaks_of(const Spectrum& spectrum, const ModesSettings& settings) {
  const double highest = settings.highest > 0 ? settings.highest : 0.45 * spectrum.rate;
  const std::size_t first = std::max<std::size_t>(2, spectrum.bin(settings.lowest)),
                    last = std::min(spectrum.bins.size() / 2 - 2, spectrum.bin(highest));
  std::vector<double> size(spectrum.bins.size() / 2);
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::abs(spectrum.bins[i]);
  double strongest = 0;
  for (std::size_t i = first; i <= last; ++i) strongest = std::max(strongest, size[i]);
  // A mode that decays fast has a low and wide peak: its height times its width is its amplitude.
  const double least = strongest * std::pow(10.0, settings.weakest / 20) * 0.01;
  const auto reach = std::max<std::size_t>(16, static_cast<std::size_t>(150 / spectrum.spacing()));
  std::vector<Peak> peaks;
  std::vector<double> near;
  double floor = 0;
  std::size_t known = 0;
  for (std::size_t i = first; i <= last; ++i) {
    if (size[i] < least || size[i] < size[i - 1] || size[i] <= size[i + 1]) continue;
    if (near.empty() || i - known > reach / 4) {  // the floor changes slowly
      near.assign(size.begin() + long(i > reach ? i - reach : 0),
                  size.begin() + long(std::min(size.size(), i + reach)));
      std::nth_element(near.begin(), near.begin() + long(near.size() / 2), near.end());
      floor = near[near.size() / 2];
      known = i;
    }
    if (size[i] < above_floor * floor) continue;
    std::size_t low = i, high = i;
    while (low > 1 && size[low] > size[i] / std::numbers::sqrt2) --low;
    while (high + 1 < size.size() && size[high] > size[i] / std::numbers::sqrt2) ++high;
    // A side lobe or a wiggle of noise on a flank has a higher neighbour within its width.
    bool top = true;
    const std::size_t around = std::max<std::size_t>(3, high - low);
    for (std::size_t k = i > around ? i - around : 0; k < std::min(size.size(), i + around); ++k)
      top = top && size[k] <= size[i];
    if (top)
      peaks.push_back(
          {double(i) * spectrum.spacing(), double(high - low) * spectrum.spacing(), size[i]});
  }
  std::sort(peaks.begin(), peaks.end(),
            [](const Peak& a, const Peak& b) { return a.height * a.width > b.height * b.width; });
  if (peaks.size() > static_cast<std::size_t>(2 * settings.modes))
    peaks.resize(std::size_t(2 * settings.modes));
  std::sort(peaks.begin(), peaks.end(),
            [](const Peak& a, const Peak& b) { return a.frequency < b.frequency; });
  return peaks;
}

/// Neighbouring peaks whose skirts overlap are solved together.
struct Band {
  double low, high;  ///< [Hz], where modes are looked for
  int peaks;
};

std::vector<Band> bands_of(const std::vector<Peak>& peaks) {
  std::vector<Band> bands;
  for (const Peak& peak : peaks) {
    const double skirt = std::max(15.0, 6 * peak.width);
    const double low = std::max(1.0, peak.frequency - skirt), high = peak.frequency + skirt;
    if (!bands.empty() && low < bands.back().high && bands.back().peaks < 8) {
      bands.back().high = std::max(bands.back().high, high);
      ++bands.back().peaks;
    } else {
      bands.push_back({low, high, 1});
    }
  }
  return bands;
}

/// The modes of one band. `delay` is the time from the blow to the first sample.
void solve_band(const Spectrum& spectrum, const Band& band, double length, double delay,
                std::vector<HeardMode>& modes) {
  // Flat over the band, with cosine flanks of a quarter of it: short ringing at the first sample.
  const double centre = (band.low + band.high) / 2, half = (band.high - band.low) / 2,
               flank = half / 2, full = half + flank;
  const auto count = static_cast<long>(std::ceil(2 * full / spectrum.spacing()));
  const double rate = double(count) * spectrum.spacing();
  std::vector<Complex> picked(std::size_t(count), 0.0), band_signal;
  double passed = 0;
  const long middle = std::lround(centre / spectrum.spacing());
  for (long k = -count / 2; k < count - count / 2; ++k) {
    const long from = middle + k;
    if (from <= 0 || from >= long(spectrum.bins.size() / 2)) continue;
    const double off = std::abs(double(k)) * spectrum.spacing();
    const double gain =
        off <= half ? 1.0
                    : 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, (off - half) / flank)));
    passed += gain * gain;
    picked[std::size_t((k + count) % count)] = gain * spectrum.bins[std::size_t(from)];
  }
  Eigen::FFT<double> transform;
  transform.inv(band_signal, picked);
  const double scale = 2 * double(count) / double(spectrum.bins.size());
  // The filter rings for about the inverse of its flanks at either end.
  const long skip = std::lround(2.5 * rate / (2 * flank));
  const long available = std::lround(length * rate) - 2 * skip;
  const long n = std::min(available, band_samples);
  if (n < 24) return;
  Eigen::VectorXcd signal(n);
  for (long k = 0; k < n; ++k) signal(k) = scale * band_signal[std::size_t(k + skip)];
  const Exponentials found = find_exponentials(signal, band.peaks + 4);
  // The noise fills the pass band only: denser there than a white one of the same power.
  const double denser = std::sqrt(double(count) / passed);
  for (Eigen::Index j = 0; j < found.log_poles.size(); ++j) {
    const Complex pole = found.log_poles(j);
    HeardMode mode{};
    mode.frequency =
        double(middle) * spectrum.spacing() + pole.imag() * rate / (2 * std::numbers::pi);
    mode.damping = -pole.real() * rate;
    mode.frequency_sd = denser * found.pole_sd(j) * rate / (2 * std::numbers::pi);
    mode.damping_sd = denser * found.pole_sd(j) * rate;
    if (!(mode.frequency > band.low && mode.frequency < band.high && mode.damping > 0)) continue;
    // Back to the blow.
    const double back = delay + double(skip) / rate, growth = std::exp(mode.damping * back);
    mode.amplitude = std::abs(found.amplitudes(j)) * growth;
    mode.amplitude_sd = denser * growth *
                        std::hypot(found.amplitude_sd(j),
                                   std::abs(found.amplitudes(j)) * mode.damping_sd / denser * back);
    mode.phase =
        std::remainder(std::arg(found.amplitudes(j)) - 2 * std::numbers::pi * mode.frequency * back,
                       2 * std::numbers::pi);
    if (mode.amplitude > 4 * mode.amplitude_sd && mode.damping > 3 * mode.damping_sd)
      modes.push_back(mode);
  }
}

}  // namespace

double HeardMode::t60() const { return decades_60 / damping; }
double HeardMode::t60_sd() const { return t60() * damping_sd / damping; }

std::vector<HeardMode> identify_modes(std::span<const double> samples, double rate,
                                      const ModesSettings& settings) {
  require_positive("rate", rate);
  require_positive("lowest frequency", settings.lowest);
  if (samples.size() < 256) throw InvalidInput("fewer than 256 samples: too short for modes");
  std::size_t blow = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    require_finite("sample", samples[i]);
    if (std::abs(samples[i]) > std::abs(samples[blow])) blow = i;
  }
  if (samples[blow] == 0) throw InvalidInput("silent: all samples are zero");
  const std::size_t begin = blow + static_cast<std::size_t>(settings.blow * rate);
  if (begin + 256 > samples.size())
    throw InvalidInput("the strongest blow is at the end: nothing is heard after it");
  const std::size_t length = std::min(samples.size() - begin, longest);
  // As many zeros behind: filters wrap around into them.
  std::size_t size = 2;
  while (size < 2 * length) size *= 2;
  std::vector<double> padded(size, 0.0);
  std::copy_n(samples.begin() + long(begin), length, padded.begin());
  Spectrum spectrum{{}, rate};
  Eigen::FFT<double> transform;
  transform.fwd(spectrum.bins, padded);
  std::vector<HeardMode> modes;
  for (const Band& band : bands_of(peaks_of(spectrum, settings))) {
    solve_band(spectrum, band, double(length) / rate, double(begin - blow) / rate, modes);
  }
  double strongest = 0;
  for (const HeardMode& mode : modes) strongest = std::max(strongest, mode.amplitude);
  const double least = strongest * std::pow(10.0, settings.weakest / 20);
  std::erase_if(modes, [&](const HeardMode& mode) { return mode.amplitude < least; });
  std::sort(modes.begin(), modes.end(),
            [](const HeardMode& a, const HeardMode& b) { return a.amplitude > b.amplitude; });
  if (modes.size() > std::size_t(settings.modes)) modes.resize(std::size_t(settings.modes));
  std::sort(modes.begin(), modes.end(),
            [](const HeardMode& a, const HeardMode& b) { return a.frequency < b.frequency; });
  return modes;
}

}  // namespace carom
