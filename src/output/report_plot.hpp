#pragma once

#include <optional>
#include <string>
#include <vector>

#include <carom/output/figure.hpp>

#include "thinning.hpp"

namespace carom {

/// Plots that are drawn in the page itself (report_script.hpp) from data in it, so that one can
/// look closer; each is empty when there is nothing to see.
std::string signals_plot(const EnvelopeSignals& envelope, const std::string& main_signal);
std::string energy_plot(const std::vector<EnergySample>& samples);
/// A figure of one panel of lines.
std::string figure_plot(const std::string& id, const std::optional<Figure>& figure);

/// What moves in a run of this kind, played over the part of the signals that their plot shows;
/// empty for kinds that bring their own film, or when a signal is missing.
std::string motion_film(const std::string& kind, const EnvelopeSignals& envelope);

/// Underscores of a signal's name read as blanks on a picture.
std::string words(std::string name);

/// The name and what it is, in one.
std::string signal_title(const Signal& signal);

/// Signals that are shown in one panel: one by itself, or what is recorded of several bodies or
/// contacts under names like `ball.v`.
struct ShownPanel {
  std::string title;
  std::vector<std::size_t> signals;
  std::string label(const EnvelopeSignals& envelope, std::size_t signal) const;
};
/// Which signals are shown, the main one first.
std::vector<ShownPanel> shown_panels(const EnvelopeSignals& envelope,
                                     const std::string& main_signal);

}  // namespace carom
