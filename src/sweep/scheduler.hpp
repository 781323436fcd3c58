#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <carom/sweep/record.hpp>

namespace carom {

/// Hands out runs and takes in records; the only one who writes. A client is a thread, here or on
/// another rank. Chunks are sized so that a client comes back a few times a second: rare enough for
/// a thousand ranks, often enough that little is lost with any of them. Towards the end chunks
/// shrink, so that all clients end together.
class Scheduler {
 public:
  struct Settings {
    std::vector<std::int64_t> pending = {};  ///< in the order they are handed out
    std::function<void(const RunRecord&, const std::string& worker)> keep = {};
    std::function<void()> commit = {};  ///< makes durable what was kept
    std::optional<std::int64_t> max_failures = {};
    bool refuse_unknown_columns = false;  ///< while nothing has been kept: stop instead
    std::function<double()> clock = {};  ///< [s]; without it real time. A simulation brings its own
  };
  explicit Scheduler(Settings settings) : settings_(std::move(settings)) {}

  /// Call for each client before its first exchange. Returns its number.
  std::size_t enrol(std::string worker);

  /// Takes what a client has finished and gives it what to do next; empty: go home. A client that
  /// is `leaving` gets nothing. Never throws: what goes wrong in keeping stops everything and is
  /// rethrown by finish().
  std::vector<std::int64_t> exchange(std::size_t client, const std::vector<RunRecord>& finished,
                                     bool leaving = false);

  void stop() { stopped_ = true; }
  const std::atomic<bool>& stopped() const noexcept { return stopped_; }

  std::int64_t kept() const noexcept { return kept_; }
  std::int64_t failures() const noexcept { return failures_; }
  bool too_many_failures() const noexcept {
    return settings_.max_failures && failures_ >= *settings_.max_failures;
  }
  /// Commits the rest. Rethrows what went wrong; throws InvalidInput when a column is unknown.
  void finish();
  bool refused() const noexcept { return !refusal_.empty(); }

 private:
  struct Client {
    std::string worker;
    double since = 0;  ///< when it got its chunk [s]
    std::size_t chunk = 0;
  };
  double now() const;
  void take_in(const Client& client, const std::vector<RunRecord>& finished);
  std::vector<std::int64_t> hand_out(Client& client);

  Settings settings_;
  std::mutex guard_;
  std::vector<Client> clients_;
  std::size_t next_ = 0;  ///< in pending
  double last_commit_ = 0;
  std::atomic<std::int64_t> kept_{0}, failures_{0};
  std::atomic<bool> stopped_{false};
  std::string refusal_;
  std::exception_ptr trouble_;
};

}  // namespace carom
