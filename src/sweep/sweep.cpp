#include <chrono>
#include <memory>
#include <sched.h>
#include <thread>

#include <carom/core/clock.hpp>
#include <carom/core/error.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/sweep.hpp>

#include "ranks.hpp"
#include "scheduler.hpp"
#include "worker_pool.hpp"

namespace carom {
namespace {

constexpr double between_looks = 0.05;  ///< [s] at the interrupt flag, and of progress
constexpr double between_looks_with_ranks = 0.0005;

int jobs_of(const SweepSettings& settings) {
  if (settings.jobs > 0) return settings.jobs;
  return settings.transport != nullptr ? 1 : available_cores();
}

/// The time loop of rank 0, or of the only process: hands out, takes in, reports, listens.
void supervise(const SweepPlan& plan, const SweepSettings& settings, Scheduler& scheduler,
               RankServer* server, const std::function<void()>& report) {
  std::vector<Exchange> exchanges;
  for (int thread = 1; thread <= jobs_of(settings); ++thread) {
    const std::size_t client = scheduler.enrol("thread " + std::to_string(thread));
    exchanges.push_back([&scheduler, client](const std::vector<RunRecord>& finished, bool leaves) {
      return scheduler.exchange(client, finished, leaves);
    });
  }
  WorkerPool pool(plan, std::move(exchanges), scheduler.stopped());
  double last_report = wall_now();
  bool home = false;
  while (!home || (server != nullptr && !server->all_gone())) {
    const bool busy = server != nullptr && server->serve(scheduler);
    home = pool.wait(busy ? 0 : server != nullptr ? between_looks_with_ranks : between_looks);
    if (home && server != nullptr && !busy)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (settings.interrupt != nullptr && *settings.interrupt) scheduler.stop();
    if (server != nullptr && scheduler.stopped()) server->tell_all_to_stop();
    if (wall_now() - last_report >= between_looks) {
      last_report = wall_now();
      report();
    }
  }
}

void validate_all(const SweepPlan& plan, const SweepSettings& settings) {
  validate(plan, jobs_of(settings), [&settings](double fraction) {
    if (settings.validation_progress) settings.validation_progress(fraction);
    return settings.interrupt == nullptr || !*settings.interrupt;
  });
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void give_up(Transport& transport, const std::string& reason) {
  if (transport.rank() == 0) {
    dismiss_ranks(transport);
  } else {
    work_for_rank_0(transport, nullptr, reason, 0, nullptr);
  }
}

SweepReport run_sweep(const SweepPlan& plan, const SweepSettings& settings) {
  if (settings.transport != nullptr && settings.transport->rank() != 0) {
    work_for_rank_0(*settings.transport, &plan, {}, jobs_of(settings), settings.interrupt);
    return {};
  }
  SweepReport report;
  const double begin = wall_now();
  std::unique_ptr<SweepStore> store;
  std::vector<std::int64_t> pending;
  const auto prepare = [&] {
    // The plan first: a store is only made for a plan that can be run.
    const std::filesystem::path folder = part_folder(settings.out, settings.part);
    const bool resume = settings.resume || settings.retry_failed;
    if (!std::filesystem::exists(folder / SweepStore::file_name)) validate_all(plan, settings);
    store = std::make_unique<SweepStore>(folder, plan, settings.part, resume);
    pending = store->missing(settings.retry_failed);
  };
  if (settings.transport == nullptr) {
    prepare();
  } else {
    try {
      prepare();
    } catch (...) {
      dismiss_ranks(*settings.transport);
      throw;
    }
  }
  const std::int64_t kept_before = store->done() + store->failed();
  const auto share = plan.size() / settings.part.of +
                     (settings.part.index <= plan.size() % settings.part.of ? 1 : 0);
  Scheduler scheduler({.pending = std::move(pending),
                       .keep = [&](const RunRecord& record,
                                   const std::string& worker) { store->write(record, worker); },
                       .commit = [&] { store->commit(); },
                       .max_failures = settings.max_failures,
                       .refuse_unknown_columns = kept_before == 0});
  const auto look = [&] {
    return SweepProgress{share, store->done(), store->failed(), scheduler.kept(),
                         wall_now() - begin};
  };
  {
    std::optional<RankServer> server;
    if (settings.transport != nullptr) {
      server.emplace(*settings.transport, plan);
      server->open(scheduler);
    }
    supervise(plan, settings, scheduler, server ? &*server : nullptr, [&] {
      if (settings.progress) settings.progress(look());
    });
  }
  if (scheduler.refused()) store->discard();
  scheduler.finish();
  report.progress = look();
  report.too_many_failures = scheduler.too_many_failures();
  report.interrupted = settings.interrupt != nullptr && *settings.interrupt;
  return report;
}

SweepTable sweep_in_memory(const SweepPlan& plan, const SweepSettings& settings) {
  validate_all(plan, settings);
  SweepTable table;
  table.parameters = plan.parameters().size();
  table.names.emplace_back("run");
  table.names.insert(table.names.end(), plan.parameters().begin(), plan.parameters().end());
  for (const SweepColumn& column : plan.columns()) table.names.push_back(column.path);
  table.names.insert(table.names.end(), {"status", "error"});
  table.rows.resize(static_cast<std::size_t>(plan.size()));
  std::vector<std::int64_t> pending(table.rows.size());
  for (std::size_t i = 0; i < pending.size(); ++i) pending[i] = static_cast<std::int64_t>(i) + 1;
  const double begin = wall_now();
  Scheduler scheduler({.pending = std::move(pending),
                       .keep =
                           [&](const RunRecord& record, const std::string&) {
                             auto& row = table.rows[static_cast<std::size_t>(record.run - 1)];
                             row.emplace_back(record.run);
                             for (const Json& value : plan.values(record.run)) {
                               row.push_back(to_cell(value));
                             }
                             row.insert(row.end(), record.cells.begin(), record.cells.end());
                             const bool done = record.error.empty();
                             row.emplace_back(std::string(done ? "done" : "failed"));
                             row.push_back(done ? Cell{} : Cell{record.error});
                           },
                       .max_failures = settings.max_failures,
                       .refuse_unknown_columns = true});
  supervise(plan, settings, scheduler, nullptr, [&] {
    if (settings.progress) {
      settings.progress({plan.size(), scheduler.kept() - scheduler.failures(), scheduler.failures(),
                         scheduler.kept(), wall_now() - begin});
    }
  });
  scheduler.finish();
  if (settings.interrupt != nullptr && *settings.interrupt) throw Interrupted();
  return table;
}

}  // namespace carom
