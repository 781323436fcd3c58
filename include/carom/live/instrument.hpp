#pragma once

#include <array>
#include <span>
#include <vector>

#include <carom/live/voice.hpp>

namespace carom {

/// What a player does.
enum class Gesture {
  pluck,     ///< a note: amount is the height [m], place 0..1
  strike,    ///< a note: amount is the speed [m/s], place 0..1; < 0: where the hammer is
  damp,      ///< a note: amount is the damping that is added [1/s]
  damp_all,  ///< every voice
  obstacle,  ///< `index`: amount is its height [m], place 0..1; < 0: it stays where it is
  listen,    ///< ear `index` at this place, 0..1
};
struct PlayEvent {
  int offset = 0;  ///< samples from the start of the block
  Gesture gesture = Gesture::pluck;
  int note = 0, index = 0;
  double amount = 0, place = 0;
};

struct InstrumentSettings {
  VoiceSettings voice = {};
  int voices = 6;         ///< >= 1
  double silence = 1e-9;  ///< a voice sleeps below this share of its greatest energy
};

/// A fixed number of voices of one body in several tunings, played by events. As of a Voice, every
/// call but the constructor is noexcept and does not allocate, lock or wait.
class Instrument {
 public:
  /// `notes`: the modes of the body in each tuning, without the hammer's. Allocates. Throws
  /// InvalidInput.
  Instrument(const PlayedBody& body, std::vector<std::vector<Mode>> notes,
             const InstrumentSettings& settings);

  /// Keeps an event for the next block; false: it is dropped, as there are 64 already, or its
  /// numbers are not finite or beyond what a player can mean: 0.1 m, 100 m/s, 1e4 1/s.
  bool post(const PlayEvent& event) noexcept;
  /// The next samples, one span for each ear.
  void process(std::span<const std::span<double>> outs) noexcept;
  /// The modes of a note have changed: the voices that play it follow. As many as before.
  void retune(int note, std::span<const Mode> modes) noexcept;

  int note_count() const noexcept { return static_cast<int>(notes_.size()); }
  int voice_count() const noexcept { return static_cast<int>(voices_.size()); }
  int awake() const noexcept;  ///< voices that sound
  /// The voice that was played last.
  const Voice& front() const noexcept { return voices_[static_cast<std::size_t>(front_)].voice; }
  int front_note() const noexcept { return voices_[static_cast<std::size_t>(front_)].note; }
  const Voice& voice(int index) const noexcept {
    return voices_[static_cast<std::size_t>(index)].voice;
  }
  VoiceEnergy energy() const noexcept;  ///< of all voices that sound

 private:
  struct Player {
    Voice voice;
    int note = -1;
    bool awake = false;
    double greatest = 0;  ///< energy since it woke [J]
  };
  void perform(const PlayEvent& event) noexcept;
  Player& player_of(int note) noexcept;
  void sound(std::span<const std::span<double>> outs, std::size_t from, std::size_t to) noexcept;

  static constexpr std::size_t max_events = 64, max_ears = 8;
  std::vector<std::vector<Mode>> notes_;
  double silence_;
  std::vector<Player> voices_;
  std::array<PlayEvent, max_events> events_{};
  std::size_t event_count_ = 0;
  int front_ = 0;
};

}  // namespace carom
