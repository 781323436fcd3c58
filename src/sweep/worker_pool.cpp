#include "worker_pool.hpp"

#include <chrono>

namespace carom {

WorkerPool::WorkerPool(const SweepPlan& plan, std::vector<Exchange> exchanges,
                       const std::atomic<bool>& stop)
    : plan_(plan),
      stop_(stop),
      exchanges_(std::move(exchanges)),
      threads_(tbb::global_control::max_allowed_parallelism, exchanges_.size() + 1),
      arena_(static_cast<int>(exchanges_.size()), 0),
      at_work_(exchanges_.size()) {
  for (const Exchange& exchange : exchanges_) {
    arena_.enqueue([this, &exchange] {
      work(exchange);
      const std::lock_guard lock(guard_);
      --at_work_;
      gone_.notify_all();
    });
  }
}

WorkerPool::~WorkerPool() {
  std::unique_lock lock(guard_);
  gone_.wait(lock, [this] { return at_work_ == 0; });
}

bool WorkerPool::wait(double seconds) {
  std::unique_lock lock(guard_);
  return gone_.wait_for(lock, std::chrono::duration<double>(seconds),
                        [this] { return at_work_ == 0; });
}

void WorkerPool::work(const Exchange& exchange) {
  std::vector<RunRecord> finished;
  while (true) {
    const std::vector<std::int64_t> chunk = exchange(std::move(finished), false);
    finished = {};
    if (chunk.empty()) return;
    for (const std::int64_t run : chunk) {
      std::optional<RunRecord> record;
      if (!stop_.load(std::memory_order_relaxed)) record = run_one(plan_, run, &stop_);
      if (!record) {
        exchange(std::move(finished), true);
        return;
      }
      finished.push_back(std::move(*record));
    }
  }
}

}  // namespace carom
