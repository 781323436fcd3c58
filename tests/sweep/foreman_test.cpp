#include "foreman.hpp"

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

TEST(Foreman, HandsOutEveryRunOnceToManyClients) {
  std::vector<int> seen(10001);
  Foreman foreman(
      {.pending = runs(10000), .keep = [&](const RunRecord& record, const std::string&) {
         ++seen[static_cast<std::size_t>(record.run)];
       }});
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&foreman, client = foreman.enrol("x")] {
      std::vector<std::int64_t> chunk;
      do chunk = foreman.exchange(client, records(chunk));
      while (!chunk.empty());
    });
  }
  for (std::thread& client : clients) client.join();
  foreman.finish();
  EXPECT_EQ(foreman.kept(), 10000);
  EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), 1), 10000);
}

TEST(Foreman, BeginsWithSingleRunsAndEndsWithSmallShares) {
  Foreman foreman({.pending = runs(100)});
  const std::size_t a = foreman.enrol("a");
  foreman.enrol("b");
  auto chunk = foreman.exchange(a, {});
  EXPECT_EQ(chunk.size(), 1u);
  std::size_t left = 99, largest = 1;
  while (!(chunk = foreman.exchange(a, records(chunk))).empty()) {
    // Never more than its share of what is left, so that the others have work to the end too.
    EXPECT_LE(chunk.size(), std::max<std::size_t>(1, left / 4));
    left -= chunk.size();
    largest = std::max(largest, chunk.size());
  }
  EXPECT_EQ(left, 0u);
  EXPECT_GT(largest, 4u);
}

TEST(Foreman, StopsAfterTooManyFailures) {
  Foreman foreman({.pending = runs(100), .max_failures = 3});
  const std::size_t client = foreman.enrol("x");
  std::vector<std::int64_t> chunk;
  int rounds = 0;
  do {
    chunk = foreman.exchange(client, records(chunk, "it broke"));
    ++rounds;
  } while (!chunk.empty());
  EXPECT_TRUE(foreman.too_many_failures());
  EXPECT_GE(foreman.failures(), 3);
  EXPECT_LT(foreman.failures(), 20);
}

TEST(Foreman, AFailureDoesNotStopTheOthers) {
  Foreman foreman({.pending = runs(50)});
  const std::size_t client = foreman.enrol("x");
  std::vector<std::int64_t> chunk;
  do chunk = foreman.exchange(client, records(chunk, chunk.size() == 1 ? "it broke" : ""));
  while (!chunk.empty());
  foreman.finish();
  EXPECT_EQ(foreman.kept(), 50);
  EXPECT_GE(foreman.failures(), 1);
}

TEST(Foreman, PassesOnWhatWentWrongInKeeping) {
  Foreman foreman({.pending = runs(5), .keep = [](const RunRecord&, const std::string&) {
                     throw InvalidInput("the disk is full");
                   }});
  const std::size_t client = foreman.enrol("x");
  const auto chunk = foreman.exchange(client, {});
  EXPECT_TRUE(foreman.exchange(client, records(chunk)).empty());
  EXPECT_TRUE(foreman.stopped());
  EXPECT_THROW(foreman.finish(), InvalidInput);
}

TEST(Foreman, GivesNothingToAClientThatLeaves) {
  Foreman foreman({.pending = runs(5)});
  const std::size_t client = foreman.enrol("x");
  const auto chunk = foreman.exchange(client, {});
  EXPECT_TRUE(foreman.exchange(client, records(chunk), true).empty());
  EXPECT_EQ(foreman.kept(), 1);
  EXPECT_FALSE(foreman.stopped());
}

}  // namespace
}  // namespace carom
