#include <algorithm>
#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/live/instrument.hpp>

namespace carom {
namespace {

/// Beyond these a gesture is a mistake, and the contacts of a block would take long to solve.
double max_amount(Gesture gesture) noexcept {
  switch (gesture) {
    case Gesture::pluck:
    case Gesture::obstacle:
      return 0.1;  // [m]
    case Gesture::strike:
      return 100;  // [m/s]
    case Gesture::damp:
    case Gesture::damp_all:
    case Gesture::listen:
      break;
  }
  return 1e4;  // [1/s]
}

}  // namespace

Instrument::Instrument(const PlayedBody& body, std::vector<std::vector<Mode>> notes,
                       const InstrumentSettings& settings)
    : notes_(std::move(notes)), silence_(settings.silence) {
  const std::size_t modes = body.problem.body.modes.size() - (body.hammer >= 0 ? 1 : 0);
  if (notes_.empty()) throw InvalidInput("notes: at least one is needed");
  for (const std::vector<Mode>& note : notes_) {
    if (note.size() != modes)
      throw InvalidInput("notes: " + std::to_string(note.size()) + " modes: must be " +
                         std::to_string(modes));
  }
  if (settings.voices < 1)
    throw InvalidInput("voices = " + std::to_string(settings.voices) + ": must be at least 1");
  if (body.ears.rows() > static_cast<Eigen::Index>(max_ears))
    throw InvalidInput("ears: at most " + std::to_string(max_ears));
  const Player first{.voice = Voice(body, settings.voice)};
  voices_.assign(static_cast<std::size_t>(settings.voices), first);
}

bool Instrument::post(const PlayEvent& event) noexcept {
  if (event_count_ == max_events || !(std::abs(event.amount) <= max_amount(event.gesture)) ||
      !std::isfinite(event.place))
    return false;
  // In the order of their offsets; those of one moment in the order they came.
  std::size_t at = event_count_++;
  for (; at > 0 && events_[at - 1].offset > event.offset; --at) events_[at] = events_[at - 1];
  events_[at] = event;
  return true;
}

void Instrument::process(std::span<const std::span<double>> outs) noexcept {
  const std::size_t length = outs.front().size();
  for (const std::span<double>& out : outs) std::fill(out.begin(), out.end(), 0.0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < event_count_; ++i) {
    const auto offset = static_cast<std::size_t>(std::max(0, events_[i].offset));
    const std::size_t next = std::clamp(offset, at, length);
    sound(outs, at, next);
    at = next;
    perform(events_[i]);
  }
  event_count_ = 0;
  sound(outs, at, length);
  for (Player& one : voices_) {
    if (!one.awake) continue;
    one.greatest = std::max(one.greatest, one.voice.stored());
    one.awake = !one.voice.silent(silence_ * one.greatest);
  }
}

void Instrument::sound(std::span<const std::span<double>> outs, std::size_t from,
                       std::size_t to) noexcept {
  if (from == to) return;
  std::array<std::span<double>, max_ears> parts;
  const std::size_t ears = std::min(outs.size(), max_ears);
  for (std::size_t e = 0; e < ears; ++e) parts[e] = outs[e].subspan(from, to - from);
  for (Player& one : voices_) {
    if (one.awake) one.voice.process({parts.data(), ears});
  }
}

/// The voice that has the note, else one that sleeps, else the quietest.
Instrument::Player& Instrument::player_of(int note) noexcept {
  const auto rank = [&](const Player& one) {
    return one.note == note ? -2.0 : !one.awake ? -1.0 : one.voice.stored();
  };
  Player* best = &voices_.front();
  for (Player& one : voices_) {
    if (rank(one) < rank(*best)) best = &one;
  }
  if (best->note != note) {
    best->voice.reset();
    best->voice.glide(notes_[static_cast<std::size_t>(note)]);
    best->note = note;
    best->greatest = 0;
  }
  return *best;
}

void Instrument::perform(const PlayEvent& event) noexcept {
  switch (event.gesture) {
    case Gesture::pluck:
    case Gesture::strike: {
      if (event.note < 0 || event.note >= note_count()) return;
      Player& one = player_of(event.note);
      one.awake = true;
      front_ = static_cast<int>(&one - voices_.data());
      one.voice.damp(0);
      if (event.gesture == Gesture::pluck) {
        one.voice.pluck(event.place, event.amount);
      } else if (event.place < 0) {
        one.voice.strike(event.amount);
      } else {
        one.voice.strike(event.amount, event.place);
      }
      return;
    }
    case Gesture::damp:
    case Gesture::damp_all:
      for (Player& one : voices_) {
        if (event.gesture == Gesture::damp_all || one.note == event.note)
          one.voice.damp(event.amount);
      }
      return;
    case Gesture::obstacle:
      for (Player& one : voices_) {
        if (event.place < 0) {
          one.voice.move_obstacle(event.index, event.amount);
        } else {
          one.voice.move_obstacle(event.index, event.amount, event.place);
        }
      }
      return;
    case Gesture::listen:
      for (Player& one : voices_) one.voice.listen(event.index, event.place);
      return;
  }
}

void Instrument::retune(int note, std::span<const Mode> modes) noexcept {
  if (note < 0 || note >= note_count()) return;
  std::vector<Mode>& kept = notes_[static_cast<std::size_t>(note)];
  std::copy_n(modes.begin(), std::min(modes.size(), kept.size()), kept.begin());
  for (Player& one : voices_) {
    if (one.note == note) one.voice.glide(kept);
  }
}

int Instrument::awake() const noexcept {
  return static_cast<int>(
      std::count_if(voices_.begin(), voices_.end(), [](const Player& one) { return one.awake; }));
}

VoiceEnergy Instrument::energy() const noexcept {
  VoiceEnergy sum;
  for (const Player& one : voices_) {
    if (!one.awake) continue;
    const VoiceEnergy now = one.voice.energy();
    sum.stored += now.stored;
    sum.injected += now.injected;
    sum.dissipated += now.dissipated;
    sum.gained += now.gained;
    sum.residual += now.residual;
  }
  return sum;
}

}  // namespace carom
