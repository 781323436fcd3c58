#pragma once

#include <string>
#include <string_view>

namespace carom {

/// Number of the key, as MIDI counts: "C4" is 60, "A4" 69; sharps "F#3", flats "Bb2", octaves -1
/// to 9. Throws InvalidInput for anything else and beyond 0..127.
int note_key(std::string_view note);

/// "D2", with sharps.
std::string note_name(int key);

/// In equal temperament with A4 = 440 Hz [Hz].
double note_frequency(double key);

/// The inverse: 69 at 440 Hz; a hundredth is a cent.
double key_of_frequency(double frequency);

}  // namespace carom
