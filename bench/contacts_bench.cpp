// What collocation in contact space costs, with the error beside the time: one impact by passive, a
// cradle, exact impacts of every law. Figures to reach are in the names.

#include <cmath>
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <carom/contacts/contact_march.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/steppers/wall_march.hpp>

namespace {

using namespace carom;

constexpr Collision collision{.mass = 0.01, .speed = 1.0};

/// First touch to release by passive, with the march made anew each time.
void passive_impact(benchmark::State& state, double tolerance) {
  const HuntCrossley law{1e9, 1.5, 0.5};
  const double exact = impact(law, collision).rebound_speed;
  double out = 0;
  for (auto _ : state) {
    const auto march = make_wall_march({.law = law,
                                        .method = ContactMethod::passive,
                                        .mass = collision.mass,
                                        .velocity = collision.speed,
                                        .tolerance = tolerance});
    while (march->finished().empty()) march->step();
    out = march->finished().front().speed_out;
  }
  state.counters["error"] = std::abs(out / exact - 1);
}
BENCHMARK_CAPTURE(passive_impact, strict, 1e-10)
    ->Name("impact by passive, tolerance 1e-10")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(passive_impact, loose, 1e-7)
    ->Name("impact by passive, tolerance 1e-7 (<= 15 us to 1e-9)")
    ->Unit(benchmark::kMicrosecond);

/// 1659 samples (papetti2011 Table I).
void soft_contact(benchmark::State& state) {
  const HuntCrossley law{1e3, 1.5, 0.5};
  const double speed = 0.5, exact = impact(law, {collision.mass, speed}).rebound_speed;
  double out = 0;
  std::int64_t samples = 0;
  for (auto _ : state) {
    const auto march = make_wall_march({.law = law,
                                        .method = ContactMethod::passive,
                                        .mass = collision.mass,
                                        .velocity = speed,
                                        .tolerance = 1e-10});
    while (march->finished().empty()) {
      march->step();
      ++samples;
    }
    out = march->finished().front().speed_out;
  }
  state.counters["error"] = std::abs(out / exact - 1);
  state.counters["per_sample"] = benchmark::Counter(
      static_cast<double>(samples), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(soft_contact)->Name("soft contact by passive, tolerance 1e-10 (<= 60 ns a sample)");

/// Five Hertz balls that just touch, the first of them at 1 m/s, until all are apart. The
/// velocities are those of SciPy's DOP853 at rtol = 1e-13.
void cradle(benchmark::State& state) {
  const int balls = 5;
  LinearSystem line;
  line.body.modes.assign(balls, {.frequency = 0, .damping = 0, .mass = 0.1});
  line.body.shapes = ShapeMatrix::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) {
    line.body.shapes(i, i) = -1;
    line.body.shapes(i, i + 1) = 1;
  }
  line.offsets = Eigen::VectorXd::Zero(balls - 1);
  line.force = Eigen::VectorXd::Zero(balls);
  Eigen::VectorXd expected(balls), velocity = Eigen::VectorXd::Unit(balls, 0);
  expected << -0.071085017086, -0.030273764097, -0.014463629032, 0.127044986068, 0.988777424147;
  double error = 0;
  for (auto _ : state) {
    ContactMarch march(line, {Contact{PowerLaw{1e9, 1.5}}},
                       {Eigen::VectorXd::Zero(balls), velocity}, {.rate = 1e3});
    for (int i = 0; i < 10; ++i) march.step();
    error = (march.velocity() - expected).cwiseAbs().maxCoeff();
  }
  state.counters["error"] = error;
}
BENCHMARK(cradle)->Name("cradle of five (<= 0.5 ms to 1e-8)")->Unit(benchmark::kMicrosecond);

void exact_impact(benchmark::State& state, const AnyLaw& law) {
  for (auto _ : state) benchmark::DoNotOptimize(impact(law, collision));
}

/// A loop of twenty rows.
AnyLaw measured_loop() {
  Columns loop;
  for (int i = 0; i <= 20; ++i) {
    const double x = 5e-7 * i * i, force = 1e7 * x;
    loop["compression"].push_back(x);
    loop["loading"].push_back(force);
    loop["unloading"].push_back(force * (0.5 + 0.025 * i));
  }
  return make_law("table", {{"file", loop}});
}

const bool laws_registered = [] {
  const auto add = [](const AnyLaw& law) {
    const std::string name = "exact impact, " + std::string(law_name(law)) + " (<= 150 us)";
    benchmark::RegisterBenchmark(name.c_str(), exact_impact, law)->Unit(benchmark::kMicrosecond);
  };
  for (const LawInfo& info : law_catalogue()) {
    const auto law = info.compliant ? example_law(info, 0.7, collision) : std::nullopt;
    if (law) add(*law);
  }
  add(measured_loop());
  add(ForceFormula("k*x^1.5*(1 + mu*v)", {{"k", 1e9}, {"mu", 0.3}}));
  return true;
}();

}  // namespace
