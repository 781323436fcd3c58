#pragma once

#include <span>
#include <string>

namespace carom {

/// A sound for a page: resampled to 44.1 kHz, scaled to its peak, 16 bit, losslessly compressed, as
/// a data: URL. `rate` of the samples [Hz].
std::string sound_url(std::span<const double> samples, double rate);

}  // namespace carom
