#include "scheduler.hpp"

#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

std::vector<std::int64_t> runs(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), std::int64_t{1});
  return all;
}

std::vector<RunRecord> records(const std::vector<std::int64_t>& chunk,
                               const std::string& error = {}) {
  std::vector<RunRecord> result;
  for (const std::int64_t run : chunk) result.push_back({.run = run, .error = error});
  return result;
}

TEST(Scheduler, HandsOutEveryRunOnceToManyClients) {
  std::vector<int> seen(10001);
  Scheduler scheduler(
      {.pending = runs(10000), .keep = [&](const RunRecord& record, const std::string&) {
         ++seen[static_cast<std::size_t>(record.run)];
       }});
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&scheduler, client = scheduler.enrol("x")] {
      std::vector<std::int64_t> chunk;
      do chunk = scheduler.exchange(client, records(chunk));
      while (!chunk.empty());
    });
  }
  for (std::thread& client : clients) client.join();
  scheduler.finish();
  EXPECT_EQ(scheduler.kept(), 10000);
  EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), 1), 10000);
}

TEST(Scheduler, BeginsWithSingleRunsAndEndsWithSmallShares) {
  Scheduler scheduler({.pending = runs(100)});
  const std::size_t a = scheduler.enrol("a");
  scheduler.enrol("b");
  auto chunk = scheduler.exchange(a, {});
  EXPECT_EQ(chunk.size(), 1u);
  std::size_t left = 99, largest = 1;
  while (!(chunk = scheduler.exchange(a, records(chunk))).empty()) {
    // Never more than its share of what is left, so that the others have work to the end too.
    EXPECT_LE(chunk.size(), std::max<std::size_t>(1, left / 4));
    left -= chunk.size();
    largest = std::max(largest, chunk.size());
  }
  EXPECT_EQ(left, 0u);
  EXPECT_GT(largest, 4u);
}

TEST(Scheduler, StopsAfterTooManyFailures) {
  Scheduler scheduler({.pending = runs(100), .max_failures = 3});
  const std::size_t client = scheduler.enrol("x");
  std::vector<std::int64_t> chunk;
  int rounds = 0;
  do {
    chunk = scheduler.exchange(client, records(chunk, "it broke"));
    ++rounds;
  } while (!chunk.empty());
  EXPECT_TRUE(scheduler.too_many_failures());
  EXPECT_GE(scheduler.failures(), 3);
  EXPECT_LT(scheduler.failures(), 20);
}

TEST(Scheduler, AFailureDoesNotStopTheOthers) {
  Scheduler scheduler({.pending = runs(50)});
  const std::size_t client = scheduler.enrol("x");
  std::vector<std::int64_t> chunk;
  do chunk = scheduler.exchange(client, records(chunk, chunk.size() == 1 ? "it broke" : ""));
  while (!chunk.empty());
  scheduler.finish();
  EXPECT_EQ(scheduler.kept(), 50);
  EXPECT_GE(scheduler.failures(), 1);
}

TEST(Scheduler, PassesOnWhatWentWrongInKeeping) {
  Scheduler scheduler({.pending = runs(5), .keep = [](const RunRecord&, const std::string&) {
                         throw InvalidInput("the disk is full");
                       }});
  const std::size_t client = scheduler.enrol("x");
  const auto chunk = scheduler.exchange(client, {});
  EXPECT_TRUE(scheduler.exchange(client, records(chunk)).empty());
  EXPECT_TRUE(scheduler.stopped());
  EXPECT_THROW(scheduler.finish(), InvalidInput);
}

TEST(Scheduler, GivesNothingToAClientThatLeaves) {
  Scheduler scheduler({.pending = runs(5)});
  const std::size_t client = scheduler.enrol("x");
  const auto chunk = scheduler.exchange(client, {});
  EXPECT_TRUE(scheduler.exchange(client, records(chunk), true).empty());
  EXPECT_EQ(scheduler.kept(), 1);
  EXPECT_FALSE(scheduler.stopped());
}

}  // namespace
}  // namespace carom
