#pragma once

#include <optional>
#include <string>
#include <vector>

namespace carom::cli {

struct SweepOptions {
  std::string file, store, out, part, format, of, where, plot;
  std::vector<std::string> by;
  std::optional<long> jobs, max_failures, rows;
  bool resume = false, retry_failed = false, dry_run = false, csv = false, quiet = false,
       json = false;
};

/// `carom sweep show DIR`: tables, marginals and pictures from a store.
int show_sweep(const SweepOptions& options);

}  // namespace carom::cli
