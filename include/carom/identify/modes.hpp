#pragma once

#include <span>
#include <vector>

namespace carom {

/// One mode of a struck object, as it is heard: amplitude exp(-damping t) cos(2 pi frequency t +
/// phase) with t from the blow. The sd are standard deviations from the noise beside the modes.
struct HeardMode {
  double frequency, frequency_sd;  ///< of the decaying oscillation [Hz]
  double damping, damping_sd;      ///< sigma [1/s]
  double amplitude, amplitude_sd;  ///< in units of the samples
  double phase;                    ///< [rad]

  double t60() const;     ///< time in which the amplitude falls by 60 dB [s]
  double t60_sd() const;  ///< of that
};

struct ModesSettings {
  double lowest = 20;    ///< frequency [Hz]
  double highest = 0;    ///< [Hz]; 0: 0.45 of the rate
  double weakest = -60;  ///< amplitude below the strongest mode [dB] that is still looked for
  int modes = 100;       ///< at most that many, the strongest
  double blow = 2e-3;    ///< what is left out after the onset [s]: the contact itself
};

/// The modes of the strongest blow in a recording, by frequency. In each band around peaks of the
/// spectrum the signal is shifted to zero frequency and decimated; ESPRIT (Roy and Kailath, IEEE
/// Trans. ASSP 37 (1989) 984) finds the poles, their number by the Bayesian criterion, and
/// Gauss-Newton steps on the exponentials give the least-squares answer with its covariance. Throws
/// InvalidInput when the samples are too few, not finite, or silent.
std::vector<HeardMode> identify_modes(std::span<const double> samples, double rate,
                                      const ModesSettings& settings = {});

}  // namespace carom
