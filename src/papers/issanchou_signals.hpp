#pragma once

#include <span>
#include <string>
#include <vector>

#include <carom/scenario/panel.hpp>

#include "issanchou_strings.hpp"

/// Signals of the strings as curves, spectra and spectrograms.
namespace carom::issanchou {

constexpr double millimetres = 1e3, micrometres = 1e6;
constexpr double sample = 1e-6;  ///< [s] between compared samples; rates are multiples of 1 MHz
inline constexpr NewtonRestitution sticks{.restitution = 0}, bounces{.restitution = 1};

/// The problem with another rate and law.
ModalProblem with(const ModalProblem& problem, double rate, ModalContactLaw law);

/// The compliant contact of the paper, K = 1e13 and alpha = 1.5. Its force is one per unit length
/// (eq. (1)), which a grid point carries for its share of the string, L/N.
PowerLaw stiff_contact(const Case& string);

Series curve(const std::string& label, const Signal& signal, double from, double to,
             Series::Style style = Series::Style::line, double unit = millimetres);
Signal minus(Signal a, const Signal& b);
Panel time_panel(const std::string& title, double unit = millimetres);

/// Begin and end of the contact periods: contact that pauses for more than a millisecond is over.
std::vector<double> contact_edges(const Signal& signal);

/// Level of partial 2 against partial 1 in the last 0.2 s [dB].
double second_partial(const Signal& signal, double fundamental);

/// Mean level between two frequencies in a part of the signal [dB].
double band_level(const Signal& signal, double from_time, double to_time, double low, double high);

/// Level over time and frequency up to `highest` [Hz], 70 dB below the strongest.
Panel spectrogram(const std::string& title, const Signal& signal, double highest = 5000);

}  // namespace carom::issanchou
