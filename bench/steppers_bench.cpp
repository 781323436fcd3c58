// Nanoseconds per sample of every contact method, in contact and in free flight, and of a strike.
// Baseline: `rk4` in the same column; papetti2011 Table IV counts operations, this counts time.

#include <cstdint>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include <carom/steppers/strike.hpp>
#include <carom/steppers/wall_march.hpp>

namespace {

using namespace carom;

/// Counts samples; prints the time of one.
void report(benchmark::State& state, std::int64_t samples) {
  state.counters["per_sample"] = benchmark::Counter(
      static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Whole impacts, first touch to release. Soft: 1659 samples (papetti2011 Table I); hard: 6 samples
/// (case 2).
void contact(benchmark::State& state, ContactMethod method, HuntCrossley law, double speed) {
  std::int64_t samples = 0;
  for (auto _ : state) {
    const auto march =
        make_wall_march({.law = law, .method = method, .mass = 0.01, .velocity = speed});
    while (march->finished().empty()) {
      march->step();
      ++samples;
    }
    benchmark::DoNotOptimize(march->ledger().residual());
  }
  report(state, samples);
}

void flight(benchmark::State& state, ContactMethod method) {
  const auto march = make_wall_march({.law = HuntCrossley{1e9, 1.5, 0.5},
                                      .method = method,
                                      .mass = 0.01,
                                      .position = -1e3,
                                      .velocity = -1.0});
  std::int64_t samples = 0;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) march->step();
    benchmark::DoNotOptimize(march->now().position);
    samples += 1000;
  }
  report(state, samples);
}

ModalBody plate(int modes) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> shape(-1, 1);
  ModalBody body;
  body.shapes.resize(2, modes);
  for (int j = 0; j < modes; ++j) {
    body.modes.push_back({100.0 + 18000.0 * j / modes, 2.0 + 0.4 * j, 0.08});
    body.shapes(0, j) = shape(random);
    body.shapes(1, j) = shape(random);
  }
  return body;
}

/// A second of a struck plate at 44.1 kHz, the ledger on; the counter is per mode and sample.
void strike(benchmark::State& state) {
  const auto modes = static_cast<int>(state.range(0));
  const ModalBody body = plate(modes);
  std::int64_t work = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Strike march(HuntCrossley{5e8, 1.5, 0.3}, {.mass = 0.02, .speed = 1.5}, body, {});
    state.ResumeTiming();
    for (int i = 0; i < 44100; ++i) march.step();
    benchmark::DoNotOptimize(march.heard());
    work += 44100 * static_cast<std::int64_t>(modes);
    state.counters["worst_residual"] =
        std::abs(march.ledger().worst_residual()) / march.ledger().initial();
  }
  state.counters["per_mode_and_sample"] = benchmark::Counter(
      static_cast<double>(work), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// One contact of 0.4 ms with a plate, and what it errs by.
void struck(benchmark::State& state) {
  const ModalBody body = plate(static_cast<int>(state.range(0)));
  const HuntCrossley law{5e8, 1.5, 0.3};
  const Striker hammer{.mass = 0.02, .speed = 1.5, .gap = 1e-5};
  const auto after = [&](Strike& march) {
    for (int i = 0; i < 20; ++i) march.step();
    return march.velocity();
  };
  Strike reference(law, hammer, body, {.tolerance = 1e-13, .closes_energy = false});
  const double truth = after(reference);
  const Strike start(law, hammer, body, {});
  double velocity = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Strike march = start;
    state.ResumeTiming();
    benchmark::DoNotOptimize(velocity = after(march));
  }
  state.counters["error"] = std::abs(velocity - truth) / hammer.speed;
}
BENCHMARK(struck)
    ->Name("contact with modes (<= 150 us for 64 to 1e-8)")
    ->Unit(benchmark::kMicrosecond)
    ->Arg(3)
    ->Arg(64)
    ->Arg(512);
BENCHMARK(strike)->Name("strike (<= 2 ns per mode and sample)")->Arg(3)->Arg(64)->Arg(512);

const bool registered = [] {
  for (const ContactMethodEntry& e : contact_methods()) {
    const HuntCrossley soft{1e3, 1.5, 0.5}, hard{1e9, 1.5, 0.5};
    if (!refusal(e.method, HuntCrossley::text.name).empty()) continue;
    const std::string name(e.traits.name);
    benchmark::RegisterBenchmark(("soft contact, " + name).c_str(), contact, e.method, soft, 0.5);
    benchmark::RegisterBenchmark(("hard contact, " + name).c_str(), contact, e.method, hard, 1.0);
    benchmark::RegisterBenchmark(("free flight, " + name).c_str(), flight, e.method);
  }
  return true;
}();

}  // namespace
