#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/csv.hpp>
#include <carom/output/files.hpp>
#include <carom/output/folder.hpp>
#include <carom/output/hdf5.hpp>
#include <carom/output/run.hpp>
#include <carom/output/sound.hpp>
#include <carom/scenario/workload.hpp>

#include "checkpoint.hpp"
#include "hash.hpp"
#include "pictures.hpp"
#include "provenance.hpp"
#include "report.hpp"
#include "report_plot.hpp"
#include "run_kind.hpp"
#include "summary.hpp"
#include "thinning.hpp"
#include "units.hpp"

namespace carom {
namespace {

/// Hands the rows of a kind to a file that the runner closes.
class TableHandle final : public TableSink {
 public:
  explicit TableHandle(CsvFile& file) : file_(file) {}
  using TableSink::row;
  void row(std::span<const double> values) override { file_.row(values); }

 private:
  CsvFile& file_;
};

/// The files of one run while it runs.
class FolderRun {
 public:
  FolderRun(const Scenario& scenario, const RunSettings& settings)
      : scenario_(scenario),
        settings_(settings),
        provenance_(provenance(scenario)),
        folder_(settings.out) {
    if (settings.sound_only) require_sound(scenario);
    require_room(workload(scenario), settings.out);
    if (settings.checkpoint > 0 || settings.resume) {
      checkpoint_.emplace(
          scenario, settings.out,
          Checkpoint::Settings{.seconds = settings.checkpoint, .resume = settings.resume});
    }
  }

  RunReport run() {
    RunContext context(checkpoint_ ? checkpoint_->wrap(sinks()) : sinks(), seed_of(scenario_));
    const RunOutcome outcome = run_kind(scenario_, context);
    if (csv_) csv_->close();
    if (hdf5_) hdf5_->close();
    for (const auto& table : tables_) table->close();

    RunReport report;
    report.summary =
        make_summary(scenario_, outcome, envelope_.signals, context.loop_cpu_seconds());
    for (const char* key : {"given", "source", "input_files"}) {
      report.summary[key] = provenance_.at(key);
    }
    report.summary["scenario_folder"] = scenario_folder();
    if (sound_) finish_sound(*sound_, report.summary);
    Json& hashes = report.summary["sha256"] = Json::object();
    for (const std::string& name : std::vector<std::string>(folder_.names())) {
      hashes[name] = sha256_of_file(folder_.add(name));
    }
    const EnergyVerdict verdict = judge(outcome);
    report.passed = outcome.converged && verdict.kept;
    report.verdict = verdict.message;
    for (const KeyNumber& number : outcome.key_numbers) {
      const auto [value, unit] = for_people(number.value, number.unit);
      report.numbers.push_back({number.label, value, unit, number.note});
    }
    if (!settings_.sound_only) {
      const std::string page = draw_page(outcome, report.summary);
      write_file(folder_.add("report.html"), page);
    }
    // Last, so that a folder with a summary is a folder with everything.
    report.summary["files"] = folder_.names();
    report.summary["files"].push_back("summary.json");
    write_file(folder_.add("summary.json"), json_text(report.summary, 2) + "\n");
    folder_.commit();
    if (checkpoint_) checkpoint_->remove();
    for (const std::string& name : folder_.names()) report.files.push_back(folder_.folder() / name);
    return report;
  }

 private:
  RunContext::Sinks sinks() {
    RunContext::Sinks sinks;
    if (scenario_.has("sound")) {
      sound_.emplace(sound_settings(scenario_), folder_.scratch("sound.spool"));
      sinks.sound = &*sound_;
    }
    sinks.progress = settings_.progress;
    sinks.interrupt = settings_.interrupt;
    sinks.pictures = !settings_.sound_only;
    sinks.energy = [this](const EnergySample& sample) { energy_.add(sample); };
    sinks.signals.push_back(&envelope_);
    if (settings_.sound_only) {
      sinks.table = [](const std::string& file, const std::vector<Signal>& columns) {
        return RunContext().table(file, columns);  // its rows go nowhere
      };
      return sinks;
    }
    if (settings_.format == SignalFormat::hdf5) {
      hdf5_.emplace(folder_.add("signals.h5"), std::vector<std::pair<std::string, std::string>>{
                                                   {"kind", scenario_.kind()},
                                                   {"scenario", json_text(scenario_.values())},
                                                   {"source", scenario_.source()},
                                                   {"provenance", json_text(provenance_)},
                                                   {"carom", std::string(version())}});
      sinks.signals.push_back(&*hdf5_);
    } else {
      csv_.emplace(folder_.add("signals.csv"));
      sinks.signals.push_back(&*csv_);
    }
    sinks.table = [this](const std::string& file, const std::vector<Signal>& columns) {
      std::vector<std::string> header;
      header.reserve(columns.size());
      for (const Signal& column : columns) header.push_back(column.name);
      tables_.push_back(std::make_unique<CsvFile>(folder_.add(file), header));
      return std::make_unique<TableHandle>(*tables_.back());
    };
    return sinks;
  }

  /// From the results to the files that the scenario names, for `carom rerun`.
  std::string scenario_folder() const {
    std::error_code code;
    const auto home = std::filesystem::absolute(scenario_.file()).parent_path();
    const auto path = std::filesystem::relative(home, settings_.out, code);
    return (code || path.empty() ? home : path).string();
  }

  /// What the sound is of, for people.
  std::string heard() const {
    if (scenario_.has("sound.source")) return scenario_.text("sound.source");
    if (!scenario_.has("sound.point")) return find_kind(scenario_.kind()).main_signal;
    return scenario_.text("sound.quantity") + " of point " +
           std::to_string(scenario_.whole_number("sound.point")) +
           (scenario_.has("sound.right")
                ? " left, " + std::to_string(scenario_.whole_number("sound.right")) + " right"
                : "");
  }

  /// Of the quantity that became sound.
  std::string heard_unit() const {
    const std::string what = heard();
    const auto says = [&](const char* word) { return what.find(word) != std::string::npos; };
    return says("velocity") || says("floor") ? "m/s" : says("force") ? "N" : "m";
  }

  void finish_sound(SoundWriter& sound, Json& summary) {
    sound.finish();
    sound.write_wav(folder_.add("sound.wav"), json_text(provenance_));
    const SoundInfo& info = sound.info();
    summary["sound"] = {{"file", "sound.wav"},
                        {"rate", info.rate},
                        {"bits", info.bits},
                        {"channels", info.channels},
                        {"frames", info.frames},
                        {"seconds", static_cast<double>(info.frames) / info.rate},
                        {"source", heard()},
                        {"unit", heard_unit()},
                        {"source_rate", info.source_rate},
                        {"gain", info.gain},
                        {"peak_before", info.peak},
                        {"peak", info.file_peak()},
                        {"loudness_lufs", info.loudness ? Json(*info.loudness) : Json(nullptr)},
                        {"fade", info.fade},
                        {"text", info.text()}};
    for (const KeyNumber& number : heard_numbers(sound)) {
      summary["sound"][number.label == "pitch" ? "pitch" : "decay_time"] = number.value;
    }
    if (info.clipped()) {
      summary["warnings"].push_back(fmt::format(
          "sound.wav is clipped: its peak would be {:.3g} times full scale; sound.gain = {:.3g} "
          "or less, or sound.bits = 32, keeps it",
          info.wanted_peak(), 0.9 / info.peak));
    }
  }

  void draw(ReportContents& page, const std::string& name, const std::string& title,
            const std::string& caption, const std::optional<Figure>& figure,
            std::string plot = {}) {
    if (figure) page.pictures.push_back({name, title, caption, draw_svg(*figure), std::move(plot)});
  }

  /// Comes of trial impacts. Interrupted, the run is whole, and its results are written without it.
  std::vector<Advice> advice(const Kind& kind) const {
    const InterruptScope interruptible(settings_.interrupt);
    try {
      return kind.advise(scenario_);
    } catch (const Interrupted&) {
      return {};
    }
  }

  std::string draw_page(const RunOutcome& outcome, const Json& summary) {
    const Kind& kind = find_kind(scenario_.kind());
    ReportContents page{.scenario = &scenario_,
                        .kind = &kind,
                        .outcome = &outcome,
                        .summary = &summary,
                        .scenario_text = scenario_.source(),
                        .command = settings_.command.empty()
                                       ? "carom run " + scenario_.file().string()
                                       : settings_.command,
                        .files = folder_.names()};
    if (kind.advise != nullptr) page.advice = advice(kind);
    std::size_t shown = 0;
    for (const ShownPanel& panel : shown_panels(envelope_, kind.main_signal))
      shown += panel.signals.size();
    const std::size_t all = envelope_.signals.size();
    draw(
        page, "signals", "What happened",
        (shown < all ? fmt::format("{} of the {} recorded signals over time; the others are in the "
                                   "file of signals.",
                                   shown, all)
                     : std::string("The recorded signals over time.")) +
            " Every peak of the full record is shown. Wheel, pinch or the buttons zoom, dragging "
            "moves; with the keyboard arrows, + and -, 0.",
        time_history(envelope_, kind.main_signal), signals_plot(envelope_, kind.main_signal));
    if (outcome.films.empty() && outcome.body_films.empty())
      page.motion = motion_film(kind.name, envelope_);
    for (const Picture& picture : outcome.pictures) {
      Figure figure;
      figure.columns = 1;
      figure.panels.push_back(picture.panel);
      figure.panels.front().title.clear();
      draw(page, picture.name, picture.panel.title, picture.caption, figure);
    }
    const std::vector<EnergySample> energies = energy_.samples();
    draw(
        page, "energy", "Energy over time",
        fmt::format("Drawn at {} instants, joined by straight lines; kinetic and stored energy can "
                    "swing between them.",
                    energies.size()),
        energy_ledger(energies), energy_plot(energies));
    if (sound_ && sound_->info().frames > 0) {
      page.heard = heard_numbers(*sound_);
      const std::optional<Figure> power = spectrum(*sound_);
      draw(page, "spectrum", "Spectrum", "The mean power of the sound over its whole length.",
           power, figure_plot("spectrum", power));
      draw(page, "spectrogram", "Spectrogram",
           "How the sound changes: time to the right, pitch upward.", spectrogram(*sound_));
      const std::filesystem::path flac = folder_.scratch("sound.flac");
      sound_->write_flac(flac, seconds_in_page);
      std::ifstream bytes(flac, std::ios::binary);
      page.sound_data =
          data_url("audio/flac", std::string{std::istreambuf_iterator<char>(bytes), {}});
      page.sound_is_whole =
          static_cast<double>(sound_->info().frames) <= seconds_in_page * sound_->info().rate;
    }
    return report_page(page);
  }

  static constexpr double seconds_in_page = 60;

  const Scenario& scenario_;
  const RunSettings& settings_;
  Json provenance_;
  OutputFolder folder_;
  EnvelopeSignals envelope_{400000};
  EnergyHistory energy_;
  std::optional<CsvSignals> csv_;
  std::optional<Hdf5Signals> hdf5_;
  std::optional<SoundWriter> sound_;
  std::vector<std::unique_ptr<CsvFile>> tables_;
  std::optional<Checkpoint> checkpoint_;
};

}  // namespace

void require_sound(const Scenario& scenario) {
  if (scenario.has("sound")) return;
  const std::vector<Table>& tables = find_kind(scenario.kind()).tables;
  const auto sound = std::find_if(tables.begin(), tables.end(),
                                  [](const Table& table) { return table.name == "sound"; });
  if (sound == tables.end()) {
    throw InvalidInput("'" + scenario.file().string() + "': kind " + scenario.kind() +
                       " has no sound");
  }
  const auto& fields = sound->fields;
  const auto needed = std::find_if(fields.begin(), fields.end(),
                                   [](const Field& field) { return field.must_be_given; });
  throw InvalidInput("'" + scenario.file().string() + "' has no table [sound]; `--set sound." +
                     (needed == fields.end() ? "rate=44100" : needed->name + "=...") +
                     "` adds one");
}

RunReport run_to_folder(const Scenario& scenario, const RunSettings& settings) {
  return FolderRun(scenario, settings).run();
}

}  // namespace carom
