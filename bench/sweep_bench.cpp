// What a sweep costs beside the runs themselves.
#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>

#include <carom/sweep/sweep.hpp>

#include "../src/sweep/scheduler.hpp"

namespace carom {
namespace {

/// A sweep over a scenario that does next to nothing.
class TrivialSweep {
 public:
  explicit TrivialSweep(std::int64_t runs) {
    std::string pattern = std::filesystem::temp_directory_path() / "carom-bench-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ / "bounce.toml")
        << "kind = \"bounce\"\n[body]\nmass = 1\nspeed = 1\n[contact]\nlaw = \"newton\"\n"
           "restitution = 0\n[run]\nimpacts = 1\nrate = 10\n";
    std::ofstream(folder_ / "sweep.toml")
        << "scenario = \"bounce.toml\"\n[grid]\n\"body.speed\" = { from = 1, to = 2, count = "
        << runs << " }\n[results]\ncolumns = [\"energy.dissipated\", \"results.impacts.1.time\"]\n";
  }
  ~TrivialSweep() { std::filesystem::remove_all(folder_); }
  TrivialSweep(const TrivialSweep&) = delete;
  TrivialSweep& operator=(const TrivialSweep&) = delete;
  SweepPlan plan() const { return load_plan(folder_ / "sweep.toml"); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

benchmark::Counter rate(double count) { return {count, benchmark::Counter::kIsRate}; }

void whole_sweep(benchmark::State& state) {
  const TrivialSweep sweep(state.range(0));
  const SweepPlan plan = sweep.plan();
  for (auto _ : state) {
    std::filesystem::remove_all(sweep.folder() / "out");
    run_sweep(plan, {.out = sweep.folder() / "out", .jobs = 1});
  }
  const auto runs = static_cast<double>(state.iterations() * plan.size());
  state.counters["overhead_per_run"] = {runs,
                                        benchmark::Counter::kIsRate | benchmark::Counter::kInvert};
}
BENCHMARK(whole_sweep)
    ->Arg(100'000)
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->Iterations(1);

void one_run_of_a_plan(benchmark::State& state) {
  const TrivialSweep sweep(1000);
  const SweepPlan plan = sweep.plan();
  std::int64_t run = 0;
  for (auto _ : state) benchmark::DoNotOptimize(run_one(plan, run++ % 1000 + 1));
}
BENCHMARK(one_run_of_a_plan)->Unit(benchmark::kMicrosecond);

/// What rank 0 does for each message of `records` results: unpack, write, commit now and then, hand
/// out, pack. The time on the wire comes on top.
void message_at_rank_0(benchmark::State& state) {
  const TrivialSweep sweep(1'000'000);
  const SweepPlan plan = sweep.plan();
  SweepStore store(sweep.folder() / "out", plan, {}, false);
  std::vector<std::int64_t> pending = store.missing(false);
  Scheduler scheduler({.pending = pending,
                       .keep = [&](const RunRecord& record,
                                   const std::string& worker) { store.write(record, worker); },
                       .commit = [&] { store.commit(); }});
  const std::size_t client = scheduler.enrol("rank 1");
  const auto records = static_cast<std::int64_t>(state.range(0));
  std::int64_t next = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<RunRecord> finished;
    for (std::int64_t i = 0; i < records; ++i) {
      finished.push_back(
          {.run = next++ % plan.size() + 1, .seconds = 1e-3, .cells = {Cell{0.5}, Cell{1.5}}});
    }
    const std::string bytes = pack(finished);
    state.ResumeTiming();
    benchmark::DoNotOptimize(scheduler.exchange(client, unpack(bytes)));
  }
  state.counters["messages/s"] = rate(static_cast<double>(state.iterations()));
  state.counters["rows/s"] = rate(static_cast<double>(state.iterations() * records));
}
BENCHMARK(message_at_rank_0)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMicrosecond);

void checking_a_plan(benchmark::State& state) {
  const TrivialSweep sweep(10'000);
  const SweepPlan plan = sweep.plan();
  for (auto _ : state) validate(plan, 1);
  state.counters["per_run"] = {static_cast<double>(state.iterations() * plan.size()),
                               benchmark::Counter::kIsRate | benchmark::Counter::kInvert};
}
BENCHMARK(checking_a_plan)->Unit(benchmark::kMillisecond);

/// The same 60 runs of the impacting bar with one and with two threads: the ratio of the real times
/// is the speed-up. It means something on a machine with two idle cores only.
void bar_runs(benchmark::State& state) {
  const TrivialSweep sweep(1);
  std::ofstream(sweep.folder() / "bar.toml")
      << "kind = \"bar\"\n[bar]\nmodel = \"pairs\"\nsegments = 9\nlength = 0.2\nradius = 0.00635\n"
         "density = 7876.74\nyoung = 2.1e11\nangle = 80\nheight = 0.01\nspeed = 1.0\n"
         "averaging = 2.5e-3\n[contact]\nlaw = \"newton\"\nrestitution = 0.5\n[run]\n"
         "method = \"paoli-schatzman\"\nstep = 2e-7\nuntil = \"rebound\"\n[output]\nevery = 100\n";
  std::ofstream(sweep.folder() / "sweep.toml")
      << "scenario = \"bar.toml\"\n[grid]\n\"bar.angle\" = { from = 72, to = 90, count = 60 }\n"
         "[results]\ncolumns = [\"results.apparent_restitution\"]\n";
  const SweepPlan plan = sweep.plan();
  for (auto _ : state) {
    std::filesystem::remove_all(sweep.folder() / "out");
    run_sweep(plan, {.out = sweep.folder() / "out", .jobs = static_cast<int>(state.range(0))});
  }
}
BENCHMARK(bar_runs)->Arg(1)->Arg(2)->Unit(benchmark::kSecond)->UseRealTime()->Repetitions(3);

}  // namespace
}  // namespace carom
