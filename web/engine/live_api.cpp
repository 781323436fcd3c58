// What the audio thread of the page calls: numbers in, blocks of sound out. See
// live/instrument.hpp; only live_open allocates.
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <carom/live/tables.hpp>

#define EXPORTED extern "C" __attribute__((used, visibility("default")))

namespace {

constexpr std::size_t max_samples = 4096, max_points = 256;

std::optional<carom::Instrument> instrument;
std::optional<carom::InstrumentTables> tables;
std::string message;
std::vector<double> left(max_samples), picture(max_points), rows, energy(8);
std::vector<carom::Mode> modes;

}  // namespace

EXPORTED void* live_take(std::size_t size) { return std::malloc(size); }
EXPORTED void live_free(void* block) { std::free(block); }

/// Makes the instrument of these numbers; 0: it cannot be made, live_message says why.
EXPORTED int live_open(const double* numbers, std::size_t count, double rate, int oversampling,
                       int voices) {
  try {
    instrument.reset();
    tables = carom::tables_of({numbers, count});
    instrument.emplace(
        tables->body, tables->notes,
        carom::InstrumentSettings{.voice = {.rate = rate, .oversampling = oversampling},
                                  .voices = voices});
    modes.resize(tables->notes.front().size());
    const std::size_t width = tables->body.problem.body.modes.size();
    rows.assign(max_points * width, 0.0);
    for (std::size_t i = 0; i < max_points; ++i) {
      const double place = static_cast<double>(i) / (max_points - 1);
      instrument->front().shapes_at(place, std::span(rows).subspan(i * width, width));
    }
    return 1;
  } catch (const std::exception& error) {
    message = error.what();
    return 0;
  }
}
EXPORTED const char* live_message() { return message.c_str(); }

/// The notes of other tables of the same size, while it sounds; 0: they do not fit.
EXPORTED int live_retune(const double* numbers, std::size_t count) {
  try {
    const carom::InstrumentTables next = carom::tables_of({numbers, count});
    if (!instrument || next.notes.size() != tables->notes.size() ||
        next.notes.front().size() != modes.size())
      return 0;
    for (std::size_t i = 0; i < next.notes.size(); ++i)
      instrument->retune(static_cast<int>(i), next.notes[i]);
    return 1;
  } catch (const std::exception& error) {
    message = error.what();
    return 0;
  }
}

EXPORTED int live_post(int offset, int gesture, int note, int index, double amount, double place) {
  if (!instrument) return 0;
  return instrument->post({.offset = offset,
                           .gesture = static_cast<carom::Gesture>(gesture),
                           .note = note,
                           .index = index,
                           .amount = amount,
                           .place = place})
             ? 1
             : 0;
}

/// The next samples of the first ear.
EXPORTED const double* live_process(std::size_t frames) {
  const std::span<double> out = std::span(left).first(std::min(frames, max_samples));
  if (instrument) instrument->process({&out, 1});
  return left.data();
}

/// The string that was played last, `points` of it, 2 to 256; of another body its amplitudes.
EXPORTED const double* live_picture(std::size_t points) {
  if (!instrument) return picture.data();
  const carom::Voice& voice = instrument->front();
  const std::size_t count = std::min(points, max_points);
  if (tables->body.string_length > 0) {
    const std::size_t width = static_cast<std::size_t>(voice.mode_count());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = count < 2 ? 0 : i * (max_points - 1) / (count - 1);
      voice.shape(std::span(rows).subspan(row * width, width), std::span(picture).subspan(i, 1));
    }
  } else {
    const auto amplitudes = voice.amplitudes();
    for (std::size_t i = 0; i < count; ++i) picture[i] = i < amplitudes.size() ? amplitudes[i] : 0;
  }
  return picture.data();
}

/// stored, injected, dissipated, gained, residual; voices awake; height of the hammer, of obstacle
/// `contact`.
EXPORTED const double* live_energy(int contact) {
  if (!instrument) return energy.data();
  const carom::VoiceEnergy now = instrument->energy();
  const carom::Voice& voice = instrument->front();
  const bool known = contact >= 0 && contact < voice.contact_count();
  const double all[] = {now.stored,
                        now.injected,
                        now.dissipated,
                        now.gained,
                        now.residual,
                        static_cast<double>(instrument->awake()),
                        voice.hammer_height(),
                        known ? voice.height(contact) : 0.0};
  std::copy(std::begin(all), std::end(all), energy.begin());
  return energy.data();
}
