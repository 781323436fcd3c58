#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/scenario/workload.hpp>

namespace carom {
namespace {

/// The quickest kinds take some 10 ns for a sample: 10^11 of them are a quarter of an hour there
/// and a day where a sample costs a microsecond. More is a mistake in a key.
constexpr double max_steps = 1e11;
constexpr double quickest_step = 1e-8;  ///< [s]

constexpr double bytes_per_row = 40;    ///< of signals.csv: time and one signal
constexpr double bytes_per_frame = 12;  ///< of the spool (double) and of sound.wav (float)
/// The length of a RIFF file is a 32-bit number.
constexpr double max_sound_bytes = 4294967295.0 - 4096;

std::string amount(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string span_of(double seconds) {
  if (seconds < 3600) return fmt::format("{:.3g} s", seconds);
  if (seconds < 86400 * 365.25) return fmt::format("{:.3g} hours", seconds / 3600);
  return fmt::format("{:.3g} years", seconds / (86400 * 365.25));
}

std::optional<double> first_number(const Scenario& scenario,
                                   std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto value = scenario.maybe_number(key)) return value;
  }
  return {};
}

/// The key that was set, where both are possible: people change what they wrote.
const char* key_to_change(const Scenario& scenario) {
  if (scenario.given("run.rate")) {
    // The further of the two from what is usual, a second at 100 kHz.
    const double duration = first_number(scenario, {"run.duration"}).value_or(0);
    return scenario.number("run.rate") / 1e5 > duration ? "run.rate" : "run.duration";
  }
  if (scenario.given("run.duration")) return "run.duration";
  return scenario.has("run.rate") ? "run.rate" : "run.step";
}

}  // namespace

Workload workload(const Scenario& scenario) {
  Workload work;
  const Kind& kind = find_kind(scenario.kind());
  if (const auto given = first_number(scenario, {"run.duration", "run.longest"})) {
    work.duration = *given;
  } else if (kind.shortest_run != nullptr) {
    work.duration = kind.shortest_run(scenario);
  }
  const double rate =
      scenario.has("run.rate") ? scenario.number("run.rate") : 1 / scenario.number("run.step");
  work.steps = work.duration * rate;
  const auto interval = scenario.maybe_number("output.interval");
  const auto every = scenario.maybe_number("output.every");
  work.rows = interval ? work.duration / *interval : work.steps / every.value_or(1);
  if (scenario.has("sound")) work.sound_frames = work.duration * scenario.number("sound.rate");
  work.disk = bytes_per_row * work.rows +
              bytes_per_frame * work.sound_frames * (scenario.has("sound.right") ? 2 : 1);
  return work;
}

std::string describe(const Workload& work) {
  return fmt::format("{:.3g} samples, {:.3g} rows, at least {} on disk", work.steps, work.rows,
                     amount(work.disk));
}

void check_workload(const Scenario& scenario, Problems& problems) {
  const Workload work = workload(scenario);
  if (!(work.steps <= max_steps)) {
    const std::string key = key_to_change(scenario);
    problems.add(key,
                 fmt::format("{} = {:g}: the run would take {}, {} of computing or more; at most "
                             "{:g} samples, change {}",
                             key, scenario.maybe_number(key).value_or(0), describe(work),
                             span_of(work.steps * quickest_step), max_steps, key));
    return;
  }
  if (!scenario.has("sound")) return;
  if (scenario.has("sound.gain") && scenario.given("sound.peak")) {
    problems.add("sound.gain", "sound.gain and sound.peak are both given; give one");
  }
  if (scenario.has("sound.fade") && scenario.has("run.duration")) {
    const std::vector<double> fade = scenario.numbers("sound.fade");
    const double longest = std::max(fade.front(), fade.back());
    if (longest > work.duration / 2) {
      problems.add("sound.fade",
                   fmt::format("sound.fade = [{:g}, {:g}]: {:g} s is more than half of the run",
                               fade.front(), fade.back(), longest));
    }
  }
  const double channels = scenario.has("sound.right") ? 2 : 1;
  const double bytes =
      channels * work.sound_frames * static_cast<double>(scenario.whole_number("sound.bits") / 8);
  if (bytes > max_sound_bytes) {
    problems.add("sound.rate",
                 fmt::format("sound.rate = {:g}: {} of sound in {} do not fit into a "
                             "WAV file, 4.29 GB at most; shorten run.duration",
                             scenario.number("sound.rate"), span_of(work.duration), amount(bytes)));
  }
}

void require_room(const Workload& work, const std::filesystem::path& folder) {
  std::error_code code;
  const auto space = std::filesystem::space(folder, code);
  if (code || work.disk <= static_cast<double>(space.available)) return;
  throw InvalidInput(
      fmt::format("'{}' has room for {}: the run would take {}; raise output.every "
                  "or output.interval, or shorten run.duration",
                  folder.string(), amount(static_cast<double>(space.available)), describe(work)));
}

}  // namespace carom
