#include "scheduler.hpp"

#include <algorithm>
#include <chrono>

#include <carom/core/error.hpp>

namespace carom {
namespace {

constexpr double chunk_seconds = 0.2;     ///< work handed out at a time
constexpr double target_exchanges = 1e4;  ///< aimed at, a second; rank 0 answers about 7e4
constexpr double commit_seconds = 0.25;   ///< between commits: what a power loss can cost
/// A chunk grows by at most this factor, since the first runs may be unlike the others.
constexpr double growth = 4;

}  // namespace

double Scheduler::now() const {
  if (settings_.clock) return settings_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t Scheduler::enrol(std::string worker) {
  const std::lock_guard lock(guard_);
  clients_.push_back({std::move(worker)});
  return clients_.size() - 1;
}

std::vector<std::int64_t> Scheduler::exchange(std::size_t client,
                                              const std::vector<RunRecord>& finished,
                                              bool leaving) {
  const std::lock_guard lock(guard_);
  try {
    if (!trouble_) take_in(clients_[client], finished);
  } catch (...) {
    trouble_ = std::current_exception();
    stopped_ = true;
  }
  if (leaving || stopped_) return {};
  return hand_out(clients_[client]);
}

void Scheduler::take_in(const Client& client, const std::vector<RunRecord>& finished) {
  for (const RunRecord& record : finished) {
    if (record.unknown_column && settings_.refuse_unknown_columns && kept_ == 0) {
      refusal_ = record.error;
      stopped_ = true;
      return;
    }
    if (settings_.keep) settings_.keep(record, client.worker);
    ++kept_;
    if (record.error.empty()) continue;
    ++failures_;
    if (too_many_failures()) stopped_ = true;
  }
  const double time = now();
  if (settings_.commit && time - last_commit_ > commit_seconds) {
    settings_.commit();
    last_commit_ = time;
  }
}

std::vector<std::int64_t> Scheduler::hand_out(Client& client) {
  const double time = now();
  double wanted = 1;
  if (client.chunk > 0) {
    const double each = (time - client.since) / static_cast<double>(client.chunk);
    wanted =
        std::min(chunk_seconds / std::max(each, 1e-9), growth * static_cast<double>(client.chunk));
  }
  const std::size_t left = settings_.pending.size() - next_;
  const std::size_t fair = std::max<std::size_t>(1, left / (2 * clients_.size()));
  const std::size_t count =
      std::min({left, fair, std::max<std::size_t>(1, static_cast<std::size_t>(wanted))});
  const auto begin = settings_.pending.begin() + static_cast<std::ptrdiff_t>(next_);
  std::vector<std::int64_t> chunk(begin, begin + static_cast<std::ptrdiff_t>(count));
  next_ += count;
  client.since = time;
  client.chunk = count;
  return chunk;
}

void Scheduler::finish() {
  const std::lock_guard lock(guard_);
  if (trouble_) std::rethrow_exception(trouble_);
  if (!refusal_.empty()) throw InvalidInput("results.columns: " + refusal_);
  if (settings_.commit) settings_.commit();
}

}  // namespace carom
