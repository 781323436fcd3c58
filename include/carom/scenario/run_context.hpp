#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carom/core/archive.hpp>

namespace carom {

/// A recorded quantity: one column of signals.csv, one dataset of signals.h5.
struct Signal {
  std::string name;  ///< a word: "compression", "point_1"
  std::string unit;  ///< "m"; empty for plain numbers
  std::string help;  ///< one phrase
};

/// Where recorded rows go: a CSV file, an HDF5 file, memory, a plot. Implemented in output/.
class SignalSink {
 public:
  virtual ~SignalSink() = default;
  virtual void begin(const std::vector<Signal>& signals) = 0;
  /// `rows` whole rows, one after another: time, then the signals in order.
  virtual void write(std::span<const double> values, std::size_t rows) = 0;
};

/// Where samples to be heard go, at the rate given to begin().
class SoundSink {
 public:
  virtual ~SoundSink() = default;
  virtual void begin(double rate) = 0;
  virtual void write(std::span<const double> samples) = 0;
};

/// Where the rows of an extra table go, e.g. impulses.csv.
class TableSink {
 public:
  virtual ~TableSink() = default;
  virtual void row(std::span<const double> values) = 0;
  void row(std::initializer_list<double> values) {
    row(std::span<const double>(values.begin(), values.size()));
  }
};

/// The energy at one instant, for the picture of the ledger.
struct EnergySample {
  double time = 0;        ///< [s]
  double kinetic = 0;     ///< [J]
  double elastic = 0;     ///< [J], all that is stored and not kinetic: springs, contacts, height
  double dissipated = 0;  ///< [J], so far
  double injected = 0;    ///< [J], so far
};

/// How far a run has come; sent at most a few times a second.
struct Progress {
  double fraction = 0;        ///< 0..1
  double simulated_time = 0;  ///< [s]
};

/// Keeps a run that is under way where an interruption cannot reach it. Implemented in output/.
class RunKeeper {
 public:
  virtual ~RunKeeper() = default;
  /// The state an earlier run has left, after its rows, samples and energies have been sent to the
  /// sinks once more; none: the run starts anew.
  virtual std::optional<std::string> resume() = 0;
  /// Asked a few times a second with the time now [s].
  virtual bool due(double now) = 0;
  virtual void keep(const std::string& state) = 0;
};

/// What a kind sees of the outside while it runs: where to put signals, sound, energy and extra
/// tables; whether to go on; the random seed. Nothing here grows with simulated time: rows go to
/// the sinks in blocks.
class RunContext {
 public:
  struct Sinks {
    std::vector<SignalSink*> signals;
    SoundSink* sound = nullptr;  ///< none: the scenario has no [sound]
    std::function<void(const EnergySample&)> energy;
    std::function<std::unique_ptr<TableSink>(const std::string& file, const std::vector<Signal>&)>
        table;
    std::function<void(const Progress&)> progress;
    const std::atomic<bool>* interrupt = nullptr;
    RunKeeper* keeper = nullptr;  ///< none: the run leaves no checkpoints
    bool pictures = true;         ///< false: nobody looks at what the kind draws
  };

  RunContext() = default;
  explicit RunContext(Sinks sinks, std::uint64_t seed = 1)
      : sinks_(std::move(sinks)), seed_(seed) {}

  std::uint64_t seed() const noexcept { return seed_; }

  /// Declares the columns after `time`. Once, before the first row.
  void signals(const std::vector<Signal>& signals);
  /// One row: `values` in the order of the declaration.
  void record(double time, std::span<const double> values);
  void record(double time, std::initializer_list<double> values) {
    record(time, std::span<const double>(values.begin(), values.size()));
  }

  /// Will anybody look at RunOutcome::pictures? When not, they need not be made.
  bool pictures() const noexcept { return sinks_.pictures; }

  /// Is there anybody listening? When not, hear() need not be called.
  bool heard() const noexcept { return sinks_.sound != nullptr; }
  /// The rate at which hear() will be called [Hz]. Once, before the first sample.
  void sound_rate(double rate);
  /// One sample of what is heard, at every step of the sound rate; any scale, it is normalised.
  void hear(double sample);

  /// The energy now; call it at each recorded row or less often. Bounded: samples are thinned.
  void energy(const EnergySample& sample);

  /// An extra file of numbers, e.g. ("impulses.csv", {{"step"}, {"time", "s"}, ...}). Never null.
  std::unique_ptr<TableSink> table(const std::string& file, const std::vector<Signal>& columns);

  /// Call once, when everything is declared and before the first row. `state` writes or reads all
  /// that changes in the time loop; it is used from within keep_going(), where everything up to
  /// the present step must have been recorded. True: it has been read; the rows before it, the
  /// first one included, have been recorded already.
  bool resume(StateOf state);

  /// Call once before the time loop and once after it: they delimit `cpu_seconds`. The cost of
  /// writing rows in between is taken out.
  void begin_loop();
  void end_loop();
  double loop_cpu_seconds() const noexcept { return loop_seconds_; }

  /// Call at each step (it is a countdown most of the time): false means stop now and return what
  /// there is; the caller sees interrupted() and discards it.
  bool keep_going(double fraction, double simulated_time) {
    if (--countdown_ > 0) return true;
    return poll(fraction, simulated_time);
  }
  bool interrupted() const noexcept { return interrupted_; }
  const std::atomic<bool>* interrupt() const noexcept { return sinks_.interrupt; }
  /// The time of the first row with a number that is not finite [s]; none: all of them are.
  std::optional<double> not_finite_from() const noexcept { return not_finite_from_; }

  /// Sends what is still in the buffers on to the sinks. Called by the runner after the run.
  void finish();

 private:
  bool poll(double fraction, double simulated_time);
  void archive(Archive& state);
  void keep();
  void flush_rows();
  void flush_sound();

  Sinks sinks_;
  std::uint64_t seed_ = 1;
  std::size_t width_ = 0;  ///< columns with time
  std::vector<double> rows_, samples_;
  double loop_begin_ = 0, loop_seconds_ = 0, output_seconds_ = 0;
  int countdown_ = 1, stride_ = 16;
  std::optional<double> not_finite_from_;
  double last_look_ = 0;  ///< [s], monotonic
  double last_report_ = 0;
  bool interrupted_ = false, in_loop_ = false;
  StateOf state_;  ///< of the kind that runs; none: it cannot be kept
};

}  // namespace carom
