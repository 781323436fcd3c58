#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <carom/papers/reproduction.hpp>

namespace carom {

/// Calls work(0) .. work(count - 1) on all cores, in any order. The calling thread, which works
/// too, says how far it is between `from` and `to` of the paper.
template <class Work>
void on_all_cores(const Reproduction& paper, double from, double to, std::size_t count,
                  const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&](bool reports) {
    for (std::size_t i = next++; i < count; i = next++) {
      if (reports) paper.report(from + (to - from) * double(i) / double(count));
      work(i);
    }
  };
  std::vector<std::jthread> helpers;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < cores; ++i) helpers.emplace_back([&] { run(false); });
  run(true);
  helpers.clear();  // waits for all of them
}

}  // namespace carom
