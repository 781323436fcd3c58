#pragma once

#include <string>

#include <carom/sweep/sweep.hpp>

#include "scheduler.hpp"

namespace carom {

/// Rank 0's side of a sweep over several ranks. Tag 0 is for orders; tag t for thread t of a rank.
class RankServer {
 public:
  RankServer(Transport& transport, const SweepPlan& plan);

  /// Hears from all ranks and tells them to begin. Throws InvalidInput, after sending them home,
  /// when a rank could not read the plan or reads another one.
  void open(Scheduler& scheduler);
  /// Answers the messages that have come. Returns whether there were any.
  bool serve(Scheduler& scheduler);
  void tell_all_to_stop();
  bool all_gone() const noexcept { return at_work_ == 0; }

 private:
  Transport& transport_;
  const SweepPlan& plan_;
  std::vector<std::vector<std::size_t>> clients_;  ///< by rank and thread
  std::size_t at_work_ = 0;
  bool told_ = false;
};

/// The work of every other rank. `trouble` is what kept it from reading the plan, if anything; then
/// the plan may be null. Returns when rank 0 has nothing left.
void work_for_rank_0(Transport& transport, const SweepPlan* plan, const std::string& trouble,
                     int jobs, const std::atomic<bool>* interrupt);

/// Rank 0 cannot begin: sends the others home.
void dismiss_ranks(Transport& transport);

}  // namespace carom
