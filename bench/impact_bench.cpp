// One impact, exactly: the figures of the design beside one std::pow. Inputs change from call to
// call, so that neither the compiler nor the branch predictor knows the answer.

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>

namespace {

/// 256 fixed random numbers, uniform between low and high in the logarithm.
std::array<double, 256> decades(double low, double high, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::array<double, 256> numbers{};
  for (double& x : numbers) x = low * std::pow(high / low, unit(random));
  return numbers;
}

class Cycle {
 public:
  explicit Cycle(const std::array<double, 256>& numbers) : numbers_(numbers) {}
  double next() { return numbers_[i_++ & 255U]; }

 private:
  std::array<double, 256> numbers_;
  std::size_t i_ = 0;
};

void one_pow(benchmark::State& state) {
  Cycle x(decades(1e-3, 10, 1)), n(decades(1, 5, 2));
  for (auto _ : state) benchmark::DoNotOptimize(std::pow(x.next(), n.next()));
}
BENCHMARK(one_pow);

void rebound_speed(benchmark::State& state) {
  Cycle mu(decades(1e-3, 1e2, 3)), speed(decades(0.1, 10, 4));
  for (auto _ : state) benchmark::DoNotOptimize(carom::rebound_speed(mu.next(), speed.next()));
}
BENCHMARK(rebound_speed)->Name("rebound speed (<= 100 ns)");

void published_rebound_speed(benchmark::State& state) {
  Cycle mu(decades(1e-3, 1e2, 3)), speed(decades(0.1, 10, 4));
  for (auto _ : state) {
    benchmark::DoNotOptimize(carom::published_rebound_speed(mu.next(), speed.next()));
  }
}
BENCHMARK(published_rebound_speed)->Name("rebound speed, eq. (7) with its recursion");

void epsilon_of_restitution(benchmark::State& state) {
  Cycle e(decades(1e-2, 1, 5));
  for (auto _ : state) benchmark::DoNotOptimize(carom::epsilon_of_restitution(e.next()));
}
BENCHMARK(epsilon_of_restitution)->Name("damping from restitution (<= 200 ns)");

void contact_time(benchmark::State& state) {
  Cycle mu(decades(1e-3, 1e2, 6)), n(decades(1, 5, 7));
  for (auto _ : state) {
    const carom::HuntCrossley law{1e9, n.next(), mu.next()};
    benchmark::DoNotOptimize(carom::contact_time(law, {.mass = 0.01, .speed = 1}));
  }
}
BENCHMARK(contact_time)->Name("contact time (<= 5 us)");

void whole_impact(benchmark::State& state) {
  Cycle mu(decades(1e-3, 1e2, 6)), n(decades(1, 5, 7));
  for (auto _ : state) {
    const carom::HuntCrossley law{1e9, n.next(), mu.next()};
    benchmark::DoNotOptimize(carom::impact(law, {.mass = 0.01, .speed = 1}));
  }
}
BENCHMARK(whole_impact)->Name("Hunt-Crossley impact, everything");

void history(benchmark::State& state) {
  const carom::ImpactHistory motion(carom::HuntCrossley{1e9, 1.5, 0.5}, {.mass = 0.01, .speed = 1});
  Cycle t(decades(1e-3, 1, 8));
  const double duration = motion.summary().contact_time;
  for (auto _ : state) benchmark::DoNotOptimize(motion.at(duration * t.next()));
}
BENCHMARK(history)->Name("Hunt-Crossley state at one time");

void hertz_damper(benchmark::State& state) {
  Cycle c(decades(1e-3, 10, 9)), n(decades(1, 2, 10));
  for (auto _ : state) benchmark::DoNotOptimize(carom::hertz_damper_rebound(c.next(), n.next()));
}
BENCHMARK(hertz_damper)->Name("Hertz-damper restitution (<= 50 us)");

void hertz_damper_inverse(benchmark::State& state) {
  Cycle e(decades(1e-2, 0.99, 11)), n(decades(1, 2, 12));
  for (auto _ : state) benchmark::DoNotOptimize(carom::damping_of_restitution(e.next(), n.next()));
}
BENCHMARK(hertz_damper_inverse)->Name("Hertz-damper damping from restitution");

void pushed_impact(benchmark::State& state) {
  Cycle mu(decades(1e-3, 1e1, 13)), push(decades(1e-2, 10, 14));
  for (auto _ : state) {
    const carom::HuntCrossley law{1e9, 1.5, mu.next()};
    benchmark::DoNotOptimize(carom::impact(law, {.mass = 0.01, .speed = 1, .force = push.next()}));
  }
}
BENCHMARK(pushed_impact)->Name("Hunt-Crossley impact under a force");

void identify(benchmark::State& state) {
  Cycle e(decades(1e-2, 0.99, 15)), n(decades(1, 5, 16));
  for (auto _ : state) {
    const carom::Measurement m{.mass = 0.01,
                               .speed = 1,
                               .restitution = e.next(),
                               .contact_time = 2e-4,
                               .exponent = n.next()};
    benchmark::DoNotOptimize(carom::identify_hunt_crossley(m));
  }
}
BENCHMARK(identify)->Name("identify Hunt-Crossley from e and contact time");

}  // namespace
