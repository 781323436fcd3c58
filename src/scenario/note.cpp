#include <array>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/scenario/note.hpp>

namespace carom {

int note_key(std::string_view note) {
  constexpr std::string_view letters = "C D EF G A B";
  const auto refuse = [&] {
    throw InvalidInput("note '" + std::string(note.substr(0, 20)) +
                       "': must be a letter from A to G, # or b where wanted, and an octave from "
                       "-1 to 9, such as D2 or Bb3, within C-1 and G9");
  };
  std::string_view rest = note;
  const auto take = [&](char wanted) {
    const bool there = !rest.empty() && rest.front() == wanted;
    if (there) rest.remove_prefix(1);
    return there;
  };
  if (rest.empty()) refuse();
  const std::size_t letter = rest.front() == ' ' ? letters.npos : letters.find(rest.front());
  if (letter == letters.npos) refuse();
  rest.remove_prefix(1);
  int key = static_cast<int>(letter) + 12;
  if (take('#')) {
    ++key;
  } else if (take('b')) {
    --key;
  }
  const bool below = take('-');
  if (rest.size() != 1 || rest.front() < '0' || rest.front() > '9' || (below && rest != "1"))
    refuse();
  key += 12 * (below ? -1 : rest.front() - '0');
  if (key < 0 || key > 127) refuse();
  return key;
}

std::string note_name(int key) {
  constexpr std::array names{"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
  return names[static_cast<std::size_t>(key % 12)] + std::to_string(key / 12 - 1);
}

double note_frequency(double key) { return 440 * std::exp2((key - 69) / 12); }

double key_of_frequency(double frequency) { return 69 + 12 * std::log2(frequency / 440); }

}  // namespace carom
