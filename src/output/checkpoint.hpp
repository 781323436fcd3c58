#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carom/scenario/run_context.hpp>
#include <carom/scenario/scenario.hpp>

#include "journal.hpp"

namespace carom {

/// A run under way, kept in two files of its output folder: `checkpoint.journal` with everything
/// that has gone to the sinks, and `checkpoint.state` with the state of the time loop and the
/// length of the journal that belongs to it. The state is written under a temporary name, flushed
/// to disk and renamed, after the journal: whenever the run ends, the two fit together. A run that
/// resumes sends the journal to its own sinks once more, so that files, sound and pictures come out
/// as if there had been no interruption, whatever their format.
class Checkpoint final : public RunKeeper {
 public:
  struct Settings {
    double seconds = 0;   ///< between two checkpoints; 0: only when the run is interrupted
    bool resume = false;  ///< goes on from the checkpoint, if there is one
  };
  /// Throws InvalidInput when there is a checkpoint that is not to be resumed, is damaged, or is
  /// that of another scenario or version.
  Checkpoint(const Scenario& scenario, const std::filesystem::path& folder,
             const Settings& settings);

  /// Sinks that write down what goes to `sinks`.
  RunContext::Sinks wrap(RunContext::Sinks sinks);

  std::optional<std::string> resume() override;
  bool due(double now) override;
  void keep(const std::string& state) override;

  /// The run has ended and its files are in their places.
  void remove();

 private:
  class Signals;
  class Sound;
  class Rows;
  void note(std::uint64_t what, std::span<const double> values) {
    if (journal_) journal_->add(what, values);
  }
  void replay(std::uint64_t what, std::span<const double> values);
  void read(const Scenario& scenario);

  std::filesystem::path file_, journal_file_;
  std::string scenario_, identity_;
  Settings settings_;
  std::optional<std::string> kept_;  ///< the state that is resumed
  Journal::Mark mark_;
  double last_;  ///< when a checkpoint was written [s], monotonic
  std::unique_ptr<Journal> journal_;
  RunContext::Sinks sinks_;
  std::unique_ptr<SignalSink> signals_;
  std::unique_ptr<SoundSink> sound_;
  std::vector<std::unique_ptr<TableSink>> tables_;
  std::vector<std::size_t> table_widths_;  ///< columns of each
  std::size_t width_ = 1;                  ///< columns of the signals, with time
};

}  // namespace carom
