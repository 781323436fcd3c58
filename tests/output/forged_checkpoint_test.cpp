// Checkpoints with altered bytes: the run refuses them or goes on, it never crashes. The checksum
// of the file is taken to be right, as a forger would make it.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/clock.hpp>
#include <carom/scenario/kind.hpp>
#include <carom/scenario/template.hpp>

namespace carom {
namespace {

/// Keeps the last state, or hands one back.
class Keeper final : public RunKeeper {
 public:
  std::optional<std::string> resume() override { return given; }
  bool due(double) override { return false; }
  void keep(const std::string& state) override { kept = state; }
  std::optional<std::string> given;
  std::string kept;
};

class Silent final : public SignalSink {
 public:
  void begin(const std::vector<Signal>&) override {}
  void write(std::span<const double>, std::size_t) override {}
};

struct Attempt {
  bool refused = false, interrupted = false;
};

/// Runs for at most `seconds`: a forged time may make a run long, but not deaf.
Attempt run(const Scenario& scenario, Keeper& keeper, double seconds) {
  std::atomic<bool> stop{seconds == 0};
  Silent silent;
  RunContext::Sinks sinks;
  sinks.signals = {&silent};
  sinks.keeper = &keeper;
  sinks.interrupt = &stop;
  const double begin = wall_now();
  sinks.progress = [&](const Progress&) { stop = wall_now() - begin > seconds; };
  RunContext context(std::move(sinks));
  try {
    find_kind(scenario.kind()).run(scenario, context);
    return {.refused = false, .interrupted = context.interrupted()};
  } catch (const InvalidInput&) {
    return {.refused = true};
  }
}

struct Case {
  std::string kind;
  std::vector<Override> changes;
};

class Forged : public ::testing::TestWithParam<Case> {};

TEST_P(Forged, CheckpointIsRefusedOrHarmless) {
  const Scenario scenario =
      parse_scenario(scenario_template(find_kind(GetParam().kind)), "x.toml", GetParam().changes);
  Keeper keeper;
  run(scenario, keeper, 0);  // stops at its first look and leaves its state
  const std::string state = keeper.kept;
  ASSERT_FALSE(state.empty());
  keeper.given = state;
  EXPECT_FALSE(run(scenario, keeper, 20).refused) << "the state as it was";

  std::mt19937 random(7);
  const auto pick = [&](std::size_t count) { return random() % count; };
  constexpr std::int64_t words[] = {
      -1, 0, 1, 2, 255, 1LL << 31, 1LL << 40, 1LL << 62, std::numeric_limits<std::int64_t>::min()};
  constexpr double numbers[] = {0.0,
                                -1.0,
                                1e300,
                                -1e-300,
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  int refused = 0;
  constexpr int tries = 150;
  for (int i = 0; i < tries; ++i) {
    std::string forged = state;
    // Most of the length is numbers of buffers; what steers a run is spread over all of it.
    const std::size_t at = pick(forged.size() > 8 ? forged.size() - 8 : 1);
    switch (pick(4)) {
      case 0:
        std::memcpy(forged.data() + at, &words[pick(std::size(words))], 8);
        break;
      case 1:
        std::memcpy(forged.data() + at, &numbers[pick(std::size(numbers))], 8);
        break;
      case 2:
        forged[at] = static_cast<char>(random());
        break;
      default: {
        std::int32_t small = static_cast<std::int32_t>(words[pick(5)]);
        std::memcpy(forged.data() + at, &small, 4);
      }
    }
    if (i % 50 == 0) forged.resize(at);
    if (i % 50 == 1) forged += "more";
    keeper.given = forged;
    refused += run(scenario, keeper, 0.05).refused ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

std::vector<Case> cases() {
  return {{"impact", {}},
          {"impact", {{"run.method", "rk4"}}},
          {"bounce", {{"run.impacts", "4"}}},
          {"bounce", {{"run.impacts", "4"}, {"run.method", "verlet"}}},
          {"pair", {}},
          {"pendulums", {{"run.duration", "0.5"}}},
          {"pendulums", {{"run.duration", "0.5"}, {"run.method", "passive"}}},
          {"strike", {{"run.duration", "0.01"}}},
          {"bar", {{"run.step", "1e-6"}}},
          {"bar", {{"run.step", "1e-6"}, {"run.method", "moreau-jean"}}},
          {"string", {{"run.duration", "0.002"}}},
          {"string", {{"run.duration", "0.002"}, {"run.engine", "plain"}}},
          {"body", {{"run.duration", "0.002"}}},
          {"assembly", {{"run.duration", "0.01"}}}};
}

INSTANTIATE_TEST_SUITE_P(Kinds, Forged, ::testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.kind + "_" + std::to_string(info.index);
  return name;
});

}  // namespace
}  // namespace carom
