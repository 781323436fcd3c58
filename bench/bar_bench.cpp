// The impacting bar: cost of a run of 50 000 steps with the ledger on, by method, model and number
// of segments. The figures of the design: n = 9 within 0.12 s, n = 100 within 12 times n = 9.

#include <numbers>

#include <benchmark/benchmark.h>

#include <carom/steppers/bar_drop.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/bar_spiral.hpp>
#include <carom/systems/small_systems.hpp>

namespace {

using namespace carom;

void bar_run(benchmark::State& state, BarModel model, BarMethod method) {
  BarDrop drop;
  drop.model = model;
  drop.method = method;
  drop.bar.segments = static_cast<int>(state.range(0));
  drop.start.angle = 80 * std::numbers::pi / 180;
  drop.law = NewtonRestitution{0.5};
  drop.duration = 5e-3;  // 50 000 steps
  double residual = 0;
  for (auto _ : state) {
    const BarDropResult result = drop_bar(drop);
    residual = result.ledger.residual() / result.ledger.initial();
    benchmark::DoNotOptimize(residual);
  }
  state.counters["per_step"] = {
      50000.0, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert};
  state.counters["energy_off"] = residual;
}

BENCHMARK_CAPTURE(bar_run, pairs_paoli_schatzman, BarModel::pairs, BarMethod::paoli_schatzman)
    ->Arg(9)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bar_run, pairs_event_driven, BarModel::pairs, BarMethod::event_driven)
    ->Arg(9)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bar_run, pairs_moreau_jean, BarModel::pairs, BarMethod::moreau_jean)
    ->Arg(9)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bar_run, spiral_paoli_schatzman, BarModel::spiral, BarMethod::paoli_schatzman)
    ->Arg(9)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bar_run, spiral_event_driven, BarModel::spiral, BarMethod::event_driven)
    ->Arg(9)
    ->Unit(benchmark::kMillisecond);

/// Dense algebra in place of the chain, the baseline of the O(n) dynamics.
template <class Bar, class Dynamics>
void free_steps(benchmark::State& state) {
  const Bar bar(BarSettings{.segments = static_cast<int>(state.range(0))});
  const NewtonRestitution law{.restitution = 0.5};
  PaoliSchatzman<Bar, Dynamics> stepper(bar, {law}, bar.at({.angle = 1.3, .height = 10.0}),
                                        {.step = 1e-9});
  for (auto _ : state) stepper.step();
}
BENCHMARK(free_steps<BarPairs, BarPairsDynamics>)->Arg(9)->Arg(30)->Arg(100);
BENCHMARK(free_steps<BarPairs, DenseDynamics<BarPairs>>)->Arg(9)->Arg(30);
BENCHMARK(free_steps<BarSpiral, BarSpiralDynamics>)->Arg(9)->Arg(30)->Arg(100);

void bouncing_ball(benchmark::State& state) {
  const BouncingPoint point;
  PaoliSchatzman stepper(point, {NewtonRestitution{0.9}},
                         {Eigen::VectorXd::Constant(1, 1.0), Eigen::VectorXd::Zero(1)},
                         {.step = 1e-4});
  for (auto _ : state) stepper.step();
}
BENCHMARK(bouncing_ball);

}  // namespace
