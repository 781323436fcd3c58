// carom_live_figures SCENARIO [BLOCKS [SAMPLES [TURNS]]]: an instrument of a scenario, played in
// blocks of 128 samples at 44.1 kHz. Prints how long blocks take, and a hash of what sounds, as
// JSON; the same in a browser is web/tests/figures.mjs. SAMPLES: a file for what sounds, as
// doubles, or -. TURNS: the passage so often; a block counts by its shortest time, since what it
// computes is the same and the machine's interruptions are not.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include <carom/core/error.hpp>
#include <carom/scenario/kind.hpp>

namespace {

constexpr double rate = 44100;
constexpr std::size_t block_size = 128;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A note every hundredth block, one after another.
carom::PlayEvent played(const carom::InstrumentTables& tables, int count) {
  const bool string = tables.body.string_length > 0;
  return {.offset = 0,
          .gesture = string ? carom::Gesture::pluck : carom::Gesture::strike,
          .note = -tables.lowest + (count * 5) % 13 - 6,
          .index = 0,
          .amount = string ? tables.pluck_height : tables.strike_speed,
          .place = string ? tables.pluck_place : -1.0};
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("usage: carom_live_figures SCENARIO [BLOCKS [SAMPLES [TURNS]]]\n", stderr);
    return 2;
  }
  try {
    const long blocks = count > 2 ? std::stol(words[2]) : 100000;
    const carom::Scenario scenario = carom::load_scenario(words[1]);
    const carom::Kind& kind = carom::find_kind(scenario.kind());
    if (kind.played == nullptr) throw carom::InvalidInput(kind.name + ": cannot be played");
    const carom::InstrumentTables tables = kind.played(scenario, rate);
    const int turns = count > 4 ? std::stoi(words[4]) : 1;
    const bool saved = count > 3 && std::string(words[3]) != "-";
    std::vector<double> out(block_size), times(static_cast<std::size_t>(blocks), 1e300);
    const std::span<double> block(out);
    std::uint64_t hash = 1469598103934665603u;  // FNV-1a over the first thousand blocks
    double awake = 0, busy = 0;
    std::FILE* samples = saved ? std::fopen(words[3], "wb") : nullptr;
    std::optional<carom::Instrument> played_on;
    for (long k = 0; k < turns * blocks; ++k) {
      const long i = k % blocks;
      if (i == 0)
        played_on.emplace(tables.body, tables.notes,
                          carom::InstrumentSettings{.voice = {.rate = rate}, .voices = 1});
      carom::Instrument& one = *played_on;
      if (i % 100 == 0) one.post(played(tables, static_cast<int>(i / 100)));
      const double begin = now();
      one.process({&block, 1});
      const double taken = now() - begin;
      double& shortest = times[static_cast<std::size_t>(i)];
      shortest = std::min(shortest, taken);
      // Linux stops a real-time process that computes for 0.95 s of a second: a player rests, too.
      if ((busy += taken) > 0.05) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        busy = 0;
      }
      if (k != i) continue;
      awake += one.awake();
      if (samples != nullptr) std::fwrite(out.data(), sizeof(double), out.size(), samples);
      if (i >= 1000) continue;
      for (const double sample : out) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &sample, 8);
        for (int byte = 0; byte < 8; ++byte)
          hash = (hash ^ (bits >> (8 * byte) & 255)) * 1099511628211u;
      }
    }
    if (samples != nullptr) std::fclose(samples);
    double sum = 0;
    for (const double time : times) sum += time;
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
      return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))] * 1e6;
    };
    std::printf(
        "{\"modes\": %zu, \"contacts\": %zu, \"blocks\": %ld, \"median\": %.2f, \"p99\": %.2f, "
        "\"p999\": %.2f, \"worst\": %.2f, \"load\": %.5f, \"hash\": \"%016llx\", "
        "\"unsolved\": %lld, \"unexplained\": %.3g}\n",
        tables.notes.front().size(), tables.body.problem.heights.size(), blocks, at(0.5), at(0.99),
        at(0.999), at(1), sum / std::max(1.0, awake) / (block_size / rate),
        static_cast<unsigned long long>(hash), played_on->front().space().unsolved(),
        played_on->energy().residual / played_on->energy().injected);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carom_live_figures: error: %s\n", error.what());
    return 2;
  }
}
