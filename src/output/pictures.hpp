#pragma once

#include <optional>
#include <string>
#include <vector>

#include <carom/output/figure.hpp>
#include <carom/output/sound.hpp>
#include <carom/scenario/kind.hpp>

#include "thinning.hpp"

namespace carom {

/// A drawn picture with the words that go with it.
struct DrawnPicture {
  std::string name, title, caption, svg;
  std::string plot = {};  ///< drawn in the page in place of the picture (report_plot.hpp)
};

/// The pictures every run gets. Each returns nothing when there is nothing to see.
std::optional<Figure> time_history(const EnvelopeSignals& envelope, const std::string& main_signal);
std::optional<Figure> energy_ledger(const std::vector<EnergySample>& samples);
std::optional<Figure> spectrum(const SoundWriter& sound);
std::optional<Figure> spectrogram(const SoundWriter& sound);

/// `pitch` [Hz], with the note next to it, where one partial stands out, and `decay` [s], the time
/// for 60 dB at the rate of the first 20, where the sound lasts that long.
std::vector<KeyNumber> heard_numbers(const SoundWriter& sound);

}  // namespace carom
