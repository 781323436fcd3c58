// The strings of the benchmark, and studies of the engine that are not timings of it.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>

#include "scenario/table_file.hpp"
#include "steppers/modal/kernels.hpp"
#include "steppers/modal/modes.hpp"
#include "strings_bench.hpp"

using carom::cpu_now;
using carom::ModalProblem;

namespace {

/// Seconds of one call, the quickest of a few thousand eights.
template <class Call>
double once(Call&& call) {
  double least = 1e9;
  for (int n = 0; n < 4000; ++n) {
    const double begin = cpu_now();
    for (int k = 0; k < 8; ++k) call();
    least = std::min(least, (cpu_now() - begin) / 8);
  }
  return least;
}

}  // namespace

ModalProblem fretless(const carom::issanchou::Case& low) {
  ModalProblem problem = low.problem;
  std::vector<double> positions;
  problem.heights.clear();
  const int modes = low.model.modes;
  if (low.measured) {
    const auto folder =
        std::filesystem::path(std::getenv("CAROM_SHARED")) / "data" / "strings" / "bass_fretless";
    const carom::TableFile table(folder / "modes.csv"), start(folder / "initial_modal.csv"),
        neck(folder / "neck_profile.csv");
    const auto frequency = table.column("frequency_Hz"), sigma = table.column("sigma_1_per_s"),
               q = start.column("q0_m32");
    for (std::size_t j = 0; j < problem.body.modes.size(); ++j) {
      problem.body.modes[j].frequency = frequency[j];
      problem.body.modes[j].damping = sigma[j];
      problem.start.position[static_cast<Eigen::Index>(j)] = q[j];
    }
    positions = neck.column("x_m");
    problem.heights = neck.column("height_m");
  } else {
    for (int i = 1; i <= modes; ++i) {
      const double x = i * low.model.length / (modes + 1);
      positions.push_back(x);
      problem.heights.push_back(
          x < 0.603 ? -2.1e-4 - 3.2e-3 * x - 2e-4 * 4 * (x / 0.603) * (1 - x / 0.603) : -1.01e-2);
    }
  }
  problem.body.shapes = carom::string_shapes(low.model.length, modes, positions);
  return problem;
}

void against_plain(const std::string& name, const ModalProblem& problem) {
  carom::ModalPlain plain(problem);
  carom::ModalMarch march(problem);
  std::size_t next = 0;
  double largest = 0, impulse_difference = 0;
  const auto total = std::llround(0.1 * problem.rate);
  std::printf("%s\n  %6s %10s %22s %22s\n", name.c_str(), "ms", "impulses", "impulse, of largest",
              "displacement, of all");
  for (int tenth = 1; tenth <= 10; ++tenth) {
    march.advance(total * tenth / 10 - march.steps());
    const auto impulses = march.impulses();
    while (plain.steps() < march.steps()) {
      plain.step();
      if (!plain.touched()) continue;
      for (int c = 0; c < plain.impulses().size(); ++c) {
        const double impulse = plain.impulses()[c];
        if (impulse == 0) continue;
        if (next >= impulses.size() || impulses[next].step != plain.steps() ||
            impulses[next].contact != c) {
          std::printf("  impulse %zu differs in step or contact\n", next);
          return;
        }
        largest = std::max(largest, std::abs(impulse));
        impulse_difference =
            std::max(impulse_difference, std::abs(impulse - impulses[next++].impulse));
      }
    }
    if (next != impulses.size()) {
      std::printf("  %zu impulses against %zu\n", impulses.size(), next);
      return;
    }
    std::printf("  %6d %10zu %22.2e %22.2e\n", 10 * tenth, next,
                next > 0 ? impulse_difference / largest : 0.0,
                (march.position() - plain.position()).norm() / plain.position().norm());
  }
}

void blocks(const ModalProblem& problem) {
  const carom::modal::Modes modes(problem);
  const carom::modal::Kernels& kernels = carom::modal::kernels();
  carom::modal::Array q = modes.start_q, dq = modes.start_dq;
  alignas(64) std::array<double, 16> sums{}, pending{1e-7, 1e-7, 1e-7, 1e-7};
  constexpr int interval = 1024;
  const carom::modal::Array pushed(2 * interval, 1e-7), response(272, 1e-3);
  const auto pass = [&](int n) {  // ns a step
    return 1e9 / 4 * once([&] {
             kernels.predict_one(q.data(), dq.data(), modes.e.data(), modes.d.data(),
                                 modes.a.data(), n, modes.fast_from, modes.fast_to, pending.data(),
                                 sums.data());
           });
  };
  const auto revive = [&](int from, int to, int impulses) {  // ns
    return to == from ? 0.0
                      : 1e9 * once([&] {
                          kernels.revive(q.data() + from, dq.data() + from, modes.e.data() + from,
                                         modes.d.data() + from, modes.a.data() + from, to - from,
                                         pushed.data(), impulses);
                        });
  };
  const auto first_to_forget = [&](int memory) {
    int from = modes.count;  // e = r^2: what is left of the energy after a step
    while (from > 0 &&
           std::pow(modes.e[static_cast<std::size_t>(from - 1)], memory / 2.0) < 0x1p-60)
      --from;
    return carom::modal::padded(from);
  };
  const int base = first_to_forget(256);
  const double all = pass(modes.n), now = pass(base);
  std::printf(
      "point bridge at 1 MHz, ns a step: all %d modes in the passes %.0f; %d of them %.0f, 256 "
      "taps "
      "for the others %.1f and bringing them back %.1f\n\n"
      "%8s %12s %14s %16s %8s\n",
      modes.count, all, base, now,
      1e9 / 16 * once([&] {
        kernels.convolve(response.data(), pushed.data() + interval, 256, sums.data());
      }),
      revive(base, modes.n, 256) / interval, "memory", "in passes", "passes save", "bringing back",
      "gain");
  for (const int memory : {512, 1024, 2048, 4096, 8192}) {
    const int from = first_to_forget(memory);
    const double saved = now - pass(from),
                 back = revive(from, base, std::min(memory, interval)) / interval;
    std::printf("%8d %12d %11.1f ns %13.1f ns %5.1f ns\n", memory, from, saved, back, saved - back);
  }
}
