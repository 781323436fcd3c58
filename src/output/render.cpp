#include <algorithm>
#include <cmath>
#include <memory>
#include <sndfile.h>
#include <tuple>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/output/folder.hpp>
#include <carom/output/render.hpp>
#include <carom/output/run.hpp>
#include <carom/scenario/note.hpp>

namespace carom {
namespace {

using Sample = RenderReport::Sample;

/// The key that says how hard the object is struck or plucked.
std::string blow_of(const Scenario& scenario) {
  for (const char* key : {"strike.speed", "hammer.speed", "pluck.height", "body.speed"}) {
    if (scenario.given(key)) return key;
  }
  throw InvalidInput("'" + scenario.file().string() +
                     "' gives none of strike.speed, hammer.speed, pluck.height, body.speed: there "
                     "is nothing to strike harder");
}

/// The pitch that a sampler transposes from: of a string its lowest mode, else the middle C, on
/// which the sound is then as it was computed.
double pitch_of(const Scenario& scenario) {
  const std::string& note = find_kind(scenario.kind()).note_key;
  if (!note.empty() && scenario.has(note)) return note_key(scenario.text(note));
  if (scenario.kind() != "string" || scenario.has("string.modes_file")) return 60;
  const double wave =
      std::sqrt(scenario.number("string.tension") / scenario.number("string.linear_density"));
  return key_of_frequency(wave / (2 * scenario.number("string.length")) *
                          std::sqrt(1 + scenario.number("string.inharmonicity")));
}

/// Copies a sound at another gain, in 24 bit: 144 dB hold the softest layer, too.
void copy_at_gain(const std::filesystem::path& from, const std::filesystem::path& to, double gain) {
  const auto open = [](const std::filesystem::path& file, int mode, SF_INFO& info) {
    const auto close = [](SNDFILE* sound) { sf_close(sound); };
    std::unique_ptr<SNDFILE, decltype(close)> sound(sf_open(file.c_str(), mode, &info), close);
    if (sound == nullptr)
      throw InvalidInput("cannot open '" + file.string() + "': " + sf_strerror(nullptr));
    return sound;
  };
  SF_INFO info{};
  const auto source = open(from, SFM_READ, info);
  info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_24;
  const auto target = open(to, SFM_WRITE, info);
  sf_command(target.get(), SFC_SET_CLIPPING, nullptr, SF_TRUE);
  std::vector<double> samples(static_cast<std::size_t>(1 << 14) *
                              static_cast<std::size_t>(info.channels));
  for (;;) {
    const sf_count_t got = sf_readf_double(source.get(), samples.data(), 1 << 14);
    if (got <= 0) break;
    for (double& sample : samples) sample *= gain;
    if (sf_writef_double(target.get(), samples.data(), got) != got)
      throw InvalidInput("cannot write '" + to.string() + "': " + sf_strerror(target.get()));
  }
}

/// Ranges that meet half-way between neighbours, for values in ascending order; the ends reach
/// `low` and `high`.
std::vector<std::pair<int, int>> ranges(const std::vector<double>& values, int low, int high) {
  std::vector<std::pair<int, int>> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int begin = all.empty() ? low : all.back().second + 1;
    const int end = i + 1 == values.size()
                        ? high
                        : static_cast<int>(std::floor((values[i] + values[i + 1]) / 2));
    if (end < begin)
      throw InvalidInput("--velocities: two of them are closer than one of MIDI's 127 steps");
    all.emplace_back(begin, end);
  }
  return all;
}

std::string sfz_map(const RenderReport& report, const std::string& scenario) {
  // amp_veltrack=0: the loudness of a layer is in its samples; a sampler must not add its own.
  std::string text = fmt::format(
      "// Made by carom from {}: {} scaled, one gain of {:.6g} for all files.\n"
      "<group> loop_mode=one_shot amp_veltrack=0\n",
      scenario, report.blow, report.gain);
  for (const Sample& sample : report.samples) {
    text += fmt::format(
        "<region> sample={} pitch_keycenter={} tune={} lokey={} hikey={} lovel={} hivel={}\n",
        sample.file, sample.key, -static_cast<int>(std::lround(sample.cents)), sample.low_key,
        sample.high_key, sample.low_velocity, sample.high_velocity);
  }
  return text;
}

/// What is asked for, checked before anything is run: notes by pitch, velocities from soft to hard.
struct Plan {
  std::vector<std::string> notes;
  std::vector<double> velocities;
  std::vector<std::pair<int, int>> key_ranges, velocity_ranges;
};

Plan plan_of(const Scenario& scenario, const RenderSettings& settings) {
  Plan plan{settings.notes, settings.velocities, {{0, 127}}, {}};
  require_sound(scenario);
  if (!plan.notes.empty() && find_kind(scenario.kind()).note_key.empty())
    throw InvalidInput("--notes: kind " + scenario.kind() + " has no note to set");
  if (plan.velocities.empty()) throw InvalidInput("--velocities: at least one is needed");
  for (const double velocity : plan.velocities) require_positive("--velocities", velocity);
  std::sort(plan.velocities.begin(), plan.velocities.end());
  std::vector<double> midi;
  for (const double velocity : plan.velocities)
    midi.push_back(127 * velocity / plan.velocities.back());
  plan.velocity_ranges = ranges(midi, 1, 127);
  std::sort(plan.notes.begin(), plan.notes.end(),
            [](const auto& a, const auto& b) { return note_key(a) < note_key(b); });
  if (!plan.notes.empty()) {
    std::vector<double> keys;
    for (const std::string& note : plan.notes) {
      keys.push_back(note_key(note));
      if (keys.size() > 1 && keys.back() == keys[keys.size() - 2])
        throw InvalidInput("--notes: '" + note + "' is given twice");
    }
    plan.key_ranges = ranges(keys, 0, 127);
  }
  return plan;
}

}  // namespace

RenderReport render_samples(const std::filesystem::path& file, const RenderSettings& settings) {
  const Scenario base = load_scenario(file, settings.overrides);
  const Plan plan = plan_of(base, settings);
  RenderReport report;
  report.blow = blow_of(base);
  const double blow = base.number(report.blow);
  OutputFolder folder(settings.out);
  const std::size_t count = std::max<std::size_t>(1, plan.notes.size()) * plan.velocities.size();
  double loudest = 0;
  std::vector<double> gains;  // of the single runs
  const auto scratch = [&](std::size_t i) { return folder.scratch("run_" + std::to_string(i)); };
  for (std::size_t n = 0; n < std::max<std::size_t>(1, plan.notes.size()); ++n) {
    for (std::size_t v = 0; v < plan.velocities.size(); ++v) {
      std::vector<Override> overrides = settings.overrides;
      overrides.push_back({report.blow, fmt::format("{}", blow * plan.velocities[v])});
      if (!plan.notes.empty()) overrides.push_back({"note", "\"" + plan.notes[n] + "\""});
      // In floating point: the gain of all is known when all have been heard.
      overrides.push_back({"sound.bits", "32"});
      const Scenario scenario = load_scenario(file, overrides);
      const std::size_t done = report.samples.size();
      const RunReport run = run_to_folder(
          scenario, {.out = scratch(done),
                     .progress =
                         [&](const Progress& progress) {
                           if (settings.progress)
                             settings.progress({(static_cast<double>(done) + progress.fraction) /
                                                    static_cast<double>(count),
                                                progress.simulated_time});
                         },
                     .interrupt = settings.interrupt,
                     .sound_only = true});
      if (!run.passed) {
        throw InvalidInput(fmt::format("{} = {:g}: {}: {}", report.blow, blow * plan.velocities[v],
                                       run.summary["status"].get<std::string>(), run.verdict));
      }
      const double pitch = pitch_of(scenario);
      Sample sample;
      sample.key = static_cast<int>(std::lround(pitch));
      sample.velocity = plan.velocities[v];
      if (sample.key < 0 || sample.key > 127)
        throw InvalidInput("the pitch is beyond the keys of MIDI, 8 Hz to 12.5 kHz");
      sample.cents = 100 * (pitch - sample.key);
      sample.file =
          fmt::format("{}_{}_v{}.wav", file.stem().string(), note_name(sample.key), v + 1);
      std::replace(sample.file.begin(), sample.file.end(), '#', 's');
      std::tie(sample.low_key, sample.high_key) = plan.key_ranges[n];
      std::tie(sample.low_velocity, sample.high_velocity) = plan.velocity_ranges[v];
      sample.peak = run.summary["sound"]["peak_before"].get<double>();
      gains.push_back(run.summary["sound"]["gain"].get<double>());
      loudest = std::max(loudest, sample.peak);
      report.samples.push_back(std::move(sample));
    }
  }
  if (!(loudest > 0)) throw InvalidInput("nothing is heard: every file would be silent");
  report.gain = base.maybe_number("sound.gain").value_or(base.number("sound.peak") / loudest);
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    Sample& sample = report.samples[i];
    sample.peak *= report.gain;
    copy_at_gain(scratch(i) / "sound.wav", folder.add(sample.file), report.gain / gains[i]);
  }
  write_file(folder.add(file.stem().string() + ".sfz"), sfz_map(report, file.filename().string()));
  folder.commit();
  for (const std::string& name : folder.names()) report.files.push_back(folder.folder() / name);
  return report;
}

}  // namespace carom
