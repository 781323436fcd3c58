#pragma once

#include <span>
#include <vector>

#include <carom/live/instrument.hpp>

namespace carom {

/// Everything an Instrument is made of, from a scenario. It is made where there is time (the
/// runner, a worker) and handed as plain numbers to where there is none (the audio thread, a
/// plug-in).
struct InstrumentTables {
  PlayedBody body = {};
  std::vector<std::vector<Mode>> notes = {};
  int lowest = 0;              ///< semitones of the first note above the scenario's own pitch
  double pitch = 0.0;          ///< of the scenario [Hz]
  std::vector<double> places;  ///< of the contacts on a string, 0..1; empty: not a string
  int obstacle = -1;           ///< contact that a player moves; -1: there is none
  int finger = -1;             ///< contact that is pressed on the string; -1: there is none
  double pluck_height = 1e-3;  ///< of a strong pluck [m]
  double strike_speed = 2.0;   ///< of a strong strike [m/s]
  double strike_place = -1.0;  ///< where on a string, 0..1; < 0: where the body is hit
  double pluck_place = 0.25;   ///< where on a string, 0..1
};

/// As numbers, and back. The second throws InvalidInput where they are not of such tables.
std::vector<double> numbers_of(const InstrumentTables& tables);
InstrumentTables tables_of(std::span<const double> numbers);

}  // namespace carom
