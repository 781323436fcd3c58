#include "checkpoint.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <fmt/format.h>

#include <carom/core/clock.hpp>
#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/files.hpp>
#include <carom/output/run.hpp>

#include "../scenario/document.hpp"
#include "hash.hpp"

namespace carom {
namespace {

constexpr const char* checkpoint_name = "checkpoint.state";
constexpr std::string_view checkpoint_format = "carom checkpoint 1\n";

/// What a block of the journal holds; a row of the k-th extra table is first_table + k.
enum Contents : std::uint64_t { signal_rows, sound_samples, energy_sample, first_table };

std::string hash_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.text();
}

/// All that the course of a run depends on: the program, every value, the files it reads.
std::string identity_of(const Scenario& scenario) {
  Hash hash;
  hash.add(checkpoint_format);
  hash.add(version());
  hash.add(json_text(scenario.values()));
  for (const InputFile& file : input_files(scenario)) hash.add_file(file.path);
  return hash.text();
}

/// What checkpoint.state holds behind its first line and its checksum.
struct Contained {
  std::string carom = {}, scenario = {}, identity = {}, state = {};
  Journal::Mark mark = {};
  void archive(Archive& all) { all(carom, scenario, identity, state, mark); }
};

/// Where a checkpoint is while it is written.
std::filesystem::path part_of(const std::filesystem::path& path) { return path.string() + ".part"; }

/// Whole or not at all, even if the power fails.
void write_durably(const std::filesystem::path& path, const std::string& contents) {
  const std::filesystem::path temporary = part_of(path);
  const auto fail = [&] {
    const int reason = errno;
    std::error_code code;
    std::filesystem::remove(temporary, code);
    throw InvalidInput("cannot write '" + path.string() + "': " + std::strerror(reason));
  };
  std::FILE* file = create_new(temporary);
  if (file == nullptr) fail();
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size() &&
                       std::fflush(file) == 0 && fsync(fileno(file)) == 0;
  if (std::fclose(file) != 0 || !written) fail();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail();
  const int folder = open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

}  // namespace

class Checkpoint::Signals final : public SignalSink {
 public:
  explicit Signals(Checkpoint& owner) : owner_(owner) {}
  void begin(const std::vector<Signal>& signals) override {
    owner_.width_ = signals.size() + 1;
    for (SignalSink* sink : owner_.sinks_.signals) sink->begin(signals);
  }
  void write(std::span<const double> values, std::size_t rows) override {
    owner_.note(signal_rows, values);
    for (SignalSink* sink : owner_.sinks_.signals) sink->write(values, rows);
  }

 private:
  Checkpoint& owner_;
};

class Checkpoint::Sound final : public SoundSink {
 public:
  explicit Sound(Checkpoint& owner) : owner_(owner) {}
  void begin(double rate) override { owner_.sinks_.sound->begin(rate); }
  void write(std::span<const double> samples) override {
    owner_.note(sound_samples, samples);
    owner_.sinks_.sound->write(samples);
  }

 private:
  Checkpoint& owner_;
};

class Checkpoint::Rows final : public TableSink {
 public:
  Rows(Checkpoint& owner, std::size_t number) : owner_(owner), number_(number) {}
  using TableSink::row;
  void row(std::span<const double> values) override {
    owner_.note(first_table + number_, values);
    owner_.tables_[number_]->row(values);
  }

 private:
  Checkpoint& owner_;
  std::size_t number_;
};

Checkpoint::Checkpoint(const Scenario& scenario, const std::filesystem::path& folder,
                       const Settings& settings)
    : file_(folder / checkpoint_name),
      journal_file_(folder / "checkpoint.journal"),
      scenario_(scenario.file().filename().string()),
      identity_(identity_of(scenario)),
      settings_(settings),
      last_(wall_now()) {
  if (!has_checkpoint(folder)) return;
  if (!settings.resume) {
    throw InvalidInput("'" + file_.string() +
                       "' belongs to an unfinished run: --resume continues it, removing it "
                       "makes room for a new one");
  }
  read(scenario);
}

void Checkpoint::read(const Scenario& scenario) {
  const std::string name = "'" + file_.string() + "'";
  std::error_code code;
  if (!std::filesystem::is_regular_file(file_, code)) {
    throw InvalidInput(name + " is not a regular file; remove it to start over");
  }
  std::ifstream stream(file_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::string_view rest = bytes;
  if (!rest.starts_with(checkpoint_format)) {
    throw InvalidInput(name + " is not a checkpoint of this version; remove it to start over");
  }
  rest.remove_prefix(checkpoint_format.size());
  const std::string_view sum = rest.substr(0, 16);
  rest.remove_prefix(sum.size());
  if (hash_of(rest) != sum) {
    throw InvalidInput(name + " is damaged: its checksum is wrong; remove it to start over");
  }
  Contained contained;
  Archive archive(rest);
  archive(contained);
  if (contained.identity != identity_) {
    const std::string what = contained.carom != version() ? "of carom " + contained.carom
                             : contained.scenario != scenario_
                                 ? "of '" + contained.scenario + "'"
                                 : "of '" + scenario_ + "' with other values";
    throw InvalidInput(name + " is a checkpoint " + what + ", this run is '" +
                       scenario.file().filename().string() + "' of carom " +
                       std::string(version()) + "; remove it to start over");
  }
  kept_ = std::move(contained.state);
  mark_ = contained.mark;
}

RunContext::Sinks Checkpoint::wrap(RunContext::Sinks sinks) {
  sinks_ = std::move(sinks);
  RunContext::Sinks outer = sinks_;
  signals_ = std::make_unique<Signals>(*this);
  outer.signals = {signals_.get()};
  if (sinks_.sound != nullptr) {
    sound_ = std::make_unique<Sound>(*this);
    outer.sound = sound_.get();
  }
  outer.energy = [this](const EnergySample& s) {
    note(energy_sample, std::array{s.time, s.kinetic, s.elastic, s.dissipated, s.injected});
    sinks_.energy(s);
  };
  outer.table = [this](const std::string& file, const std::vector<Signal>& columns) {
    tables_.push_back(sinks_.table(file, columns));
    table_widths_.push_back(columns.size());
    return std::make_unique<Rows>(*this, tables_.size() - 1);
  };
  outer.keeper = this;
  return outer;
}

void Checkpoint::replay(std::uint64_t what, std::span<const double> values) {
  const auto require = [](bool holds) {
    if (!holds) {
      throw InvalidInput("the checkpoint does not fit this run: its journal has other columns");
    }
  };
  switch (what) {
    case signal_rows:
      require(values.size() % width_ == 0);
      for (SignalSink* sink : sinks_.signals) sink->write(values, values.size() / width_);
      return;
    case sound_samples:
      if (sinks_.sound != nullptr) sinks_.sound->write(values);
      return;
    case energy_sample:
      require(values.size() == 5);
      sinks_.energy({values[0], values[1], values[2], values[3], values[4]});
      return;
    default:
      require(what - first_table < tables_.size() &&
              values.size() == table_widths_[what - first_table]);
      tables_[what - first_table]->row(values);
  }
}

std::optional<std::string> Checkpoint::resume() {
  journal_ = std::make_unique<Journal>(
      journal_file_, mark_,
      [this](std::uint64_t what, std::span<const double> values) { replay(what, values); });
  return std::exchange(kept_, {});
}

bool Checkpoint::due(double now) {
  return settings_.seconds > 0 && now - last_ >= settings_.seconds;
}

void Checkpoint::keep(const std::string& state) {
  Contained contained{.carom = std::string(version()),
                      .scenario = scenario_,
                      .identity = identity_,
                      .state = state,
                      .mark = journal_->sync()};
  Archive archive;
  archive(contained);
  write_durably(file_, std::string(checkpoint_format) + hash_of(archive.bytes()) + archive.bytes());
  last_ = wall_now();
}

void Checkpoint::remove() {
  std::error_code code;
  std::filesystem::remove(file_, code);           // first: a journal alone means nothing
  std::filesystem::remove(part_of(file_), code);  // of a run that was killed while it wrote
  journal_.reset();
  std::filesystem::remove(journal_file_, code);
}

bool has_checkpoint(const std::filesystem::path& folder) {
  std::error_code code;
  return std::filesystem::exists(folder / checkpoint_name, code);
}

}  // namespace carom
