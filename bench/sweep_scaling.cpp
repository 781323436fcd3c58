// carom_bench_scaling: sweeps over up to 10 000 ranks in virtual time, with the real scheduler.
//
// A discrete-event simulation: each client computes its chunk, sends a message, which reaches rank
// 0 after a latency and waits there until rank 0 is free; rank 0 needs a + b * records for it. The
// times of runs are exponential about their mean, which is harsher than most plans.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <queue>
#include <random>

#include "../src/sweep/scheduler.hpp"

namespace {

struct Machine {
  double latency = 30e-6;      ///< [s] one way, a napping client included on average
  double per_message = 15e-6;  ///< [s] of rank 0, measured: see docs/scaling.md
  double per_record = 4e-6;    ///< [s] of rank 0, measured
};

struct Result {
  double efficiency;   ///< useful CPU time / (ranks * elapsed)
  double office_load;  ///< share of the time rank 0 is busy
  double messages;     ///< per second
};

Result simulate(int ranks, double mean_run, std::int64_t runs, const Machine& machine) {
  double now = 0;
  std::vector<std::int64_t> pending(static_cast<std::size_t>(runs));
  for (std::size_t i = 0; i < pending.size(); ++i) pending[i] = static_cast<std::int64_t>(i) + 1;
  carom::Scheduler scheduler({.pending = std::move(pending), .clock = [&now] { return now; }});
  struct Arrival {
    double time;
    std::size_t client;
    bool operator>(const Arrival& other) const { return time > other.time; }
  };
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  std::vector<std::vector<carom::RunRecord>> finished(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) arrivals.push({machine.latency, scheduler.enrol("")});
  std::mt19937_64 random(1);
  double office_free = 0, busy = 0, useful = 0, end = 0;
  std::int64_t messages = 0;
  while (!arrivals.empty()) {
    const auto [time, client] = arrivals.top();
    arrivals.pop();
    now = std::max(time, office_free);
    const double service =
        machine.per_message + machine.per_record * static_cast<double>(finished[client].size());
    office_free = now + service;
    busy += service;
    ++messages;
    const auto chunk = scheduler.exchange(client, finished[client]);
    finished[client].clear();
    end = std::max(end, office_free);
    if (chunk.empty()) continue;
    double work = 0;
    for (const std::int64_t run : chunk) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      work -= mean_run * std::log1p(-u);
      finished[client].push_back({.run = run});
    }
    useful += work;
    arrivals.push({office_free + work + 2 * machine.latency, client});
  }
  return {useful / (ranks * end), busy / end, static_cast<double>(messages) / end};
}

}  // namespace

int main() {
  std::printf("%8s %12s %10s %12s %12s %12s\n", "ranks", "run [s]", "runs", "efficiency",
              "rank 0 busy", "messages/s");
  for (const double mean_run : {1e-3, 1e-2, 0.1, 1.0}) {
    for (const int ranks : {1, 10, 100, 1000, 10'000}) {
      // Half a minute of work for each, within what a simulation should take.
      const auto runs = static_cast<std::int64_t>(
          std::min(2e6, std::max(100.0 * ranks, 30.0 * ranks / mean_run)));
      const Result result = simulate(ranks, mean_run, runs, {});
      std::printf("%8d %12g %10lld %11.1f%% %11.1f%% %12.0f\n", ranks, mean_run,
                  static_cast<long long>(runs), 100 * result.efficiency, 100 * result.office_load,
                  result.messages);
    }
  }
}
