#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <carom/sweep/record.hpp>

namespace carom {

/// Gives finished records to the scheduler and gets the next runs; `leaving` when it stops early.
using Exchange =
    std::function<std::vector<std::int64_t>(std::vector<RunRecord> finished, bool leaving)>;

/// The threads of one process, each working until its exchange has nothing more.
class WorkerPool {
 public:
  /// One thread for each exchange. Setting `stop` makes them leave what they are doing.
  WorkerPool(const SweepPlan& plan, std::vector<Exchange> exchanges, const std::atomic<bool>& stop);
  ~WorkerPool();  ///< waits
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Waits until all have gone home, at most so long [s]. True: they have.
  bool wait(double seconds);

 private:
  void work(const Exchange& exchange);

  const SweepPlan& plan_;
  const std::atomic<bool>& stop_;
  std::vector<Exchange> exchanges_;
  // The thread that waits does no work, hence one more than there are workers.
  tbb::global_control threads_;
  tbb::task_arena arena_;
  std::mutex guard_;
  std::condition_variable gone_;
  std::size_t at_work_;
};

}  // namespace carom
