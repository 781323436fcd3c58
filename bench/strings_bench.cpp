// Strings against obstacles: CPU seconds per simulated second at 1 MHz, energy book on, beside a
// plain numpy program and packaged Siconos on the same problem in the same run.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <carom/output/figure.hpp>
#include <carom/output/files.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>
#include <carom/steppers/modal_voice.hpp>
#include <carom/systems/obstacles.hpp>

#include "strings_bench.hpp"

namespace {

using carom::cpu_now;
using carom::ModalProblem;

struct Timing {
  double cost;  // CPU seconds per simulated second
  carom::ModalMarchStatistics statistics;
};

// The best of several runs: whatever else the machine does can only add.
Timing fast(const ModalProblem& problem, double duration, int repeats = 5) {
  Timing best{.cost = 1e9, .statistics = {}};
  for (int n = 0; n < repeats; ++n) {
    carom::ModalMarch march(problem);
    const double begin = cpu_now();
    march.advance(static_cast<long long>(duration * problem.rate));
    best.cost = std::min(best.cost, (cpu_now() - begin) / duration);
    best.statistics = march.statistics();
  }
  return best;
}

double plain(const ModalProblem& problem, int steps) {
  carom::ModalPlain stepper(problem);
  const double begin = cpu_now();
  for (int n = 0; n < steps; ++n) stepper.step();
  return (cpu_now() - begin) / steps * problem.rate;
}

void row(const std::string& name, const std::string& way, double cost, double base,
         const std::string& note) {
  std::printf(
      "%-26s %-22s %12.4g %12s  %s\n", name.c_str(), way.c_str(), cost,
      base > 0 ? (std::to_string(static_cast<long long>(cost / base + 0.5)) + " x").c_str() : "1 x",
      note.c_str());
}

// Peers start from the exact free motion after `start` seconds, just before the first contact.
void peers(const std::string& name, const ModalProblem& problem, double restitution, double start,
           int numpy_steps, int siconos_steps, const Timing& ours) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("carom_bench_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream modes(folder / "modes.csv"), contacts(folder / "contacts.csv"),
      run(folder / "run.csv");
  for (std::ofstream* file : {&modes, &contacts, &run}) file->precision(17);
  modes << "frequency,sigma,mass,q0,shapes\n";
  for (Eigen::Index j = 0; j < problem.body.mode_count(); ++j) {
    const carom::Mode& mode = problem.body.modes[static_cast<std::size_t>(j)];
    modes << mode.frequency << ',' << mode.damping << ',' << mode.mass << ','
          << problem.start.position[j];
    for (Eigen::Index c = 0; c < problem.body.point_count(); ++c)
      modes << ',' << problem.body.shapes(c, j);
    modes << '\n';
  }
  contacts << "height\n";
  for (const double height : problem.heights) contacts << height << '\n';
  run << "rate,restitution,numpy,siconos,start,keep\n"
      << problem.rate << ',' << restitution << ',' << numpy_steps << ',' << siconos_steps << ','
      << start << ',' << (problem.heights.size() == 1) << '\n';
  modes.close();
  contacts.close();
  run.close();
  const std::string command =
      "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 " CAROM_BENCH_FOLDER
      "/strings_peers.py '" +
      folder.string() + "' 2>/dev/null";
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      char peer[64];
      double free = 0, contact = 0;
      int steps = 0, pushed = 0;
      if (std::sscanf(line, "%63[^,],%lf,%lf,%d,%d", peer, &free, &contact, &steps, &pushed) != 5)
        continue;
      const double share =
          static_cast<double>(ours.statistics.contact) / static_cast<double>(ours.statistics.steps);
      char note[160];
      std::snprintf(note, sizeof note, "%.4g free, %.4g in contact (%d + %d steps timed)", free,
                    contact, steps - pushed, pushed);
      row(name, peer, (1 - share) * free + share * contact, ours.cost, note);
    }
    pclose(pipe);
  }
  std::filesystem::remove_all(folder);
}

std::string note(const Timing& timing) {
  char text[160];
  std::snprintf(text, sizeof text,
                "%s, %.1f %% leapt, %.1f %% audited, %lld impulses, %lld roll-backs",
                std::string(timing.statistics.kernels).c_str(),
                100.0 * static_cast<double>(timing.statistics.leapt) /
                    static_cast<double>(timing.statistics.steps),
                100.0 * static_cast<double>(timing.statistics.audited) /
                    static_cast<double>(timing.statistics.steps),
                timing.statistics.impulses, timing.statistics.roll_backs);
  return text;
}

Timing show(const std::string& name, const ModalProblem& problem, double restitution,
            double duration, double start, int plain_steps, int numpy_steps, int siconos_steps) {
  const Timing timing = fast(problem, duration);
  row(name, "carom", timing.cost, 0, note(timing));
  row(name, "carom, plain steps", plain(problem, plain_steps), timing.cost, "");
  if (siconos_steps > 0)
    peers(name, problem, restitution, start, numpy_steps, siconos_steps, timing);
  return timing;
}

void voices() {
  carom::StiffString string{.length = 0.92,
                            .linear_density = 6.5e-4,
                            .tension = 48,
                            .modes = 200,
                            .inharmonicity = 1.2e-5};
  ModalProblem problem;
  problem.body = modal_body(string, std::array{0.005});
  problem.heights = {0};
  problem.start = pluck(string, problem.body, {.position = 0.3, .height = 2e-3});
  problem.law = carom::NewtonRestitution{.restitution = 0};
  problem.rate = 44100;
  carom::ModalVoice voice(problem, carom::string_shapes(0.92, 200, std::array{0.9}),
                          {.largest_block = 64});
  std::array<double, 64> out{};
  double worst = 0, total = 0;
  const int blocks = 3 * 44100 / 64;
  for (int n = 0; n < blocks; ++n) {
    const double begin = cpu_now();
    voice.process(out);
    const double spent = cpu_now() - begin;
    worst = std::max(worst, spent);
    total += spent;
  }
  const double block = 64 / 44100.0;
  std::printf(
      "tanpura in real time, 200 modes, 44.1 kHz, blocks of 64: %.2f %% of one core, worst block "
      "%.1f us of %.0f us\n",
      100 * total / blocks / block, 1e6 * worst, 1e6 * block);
}

carom::Panel cost_panel(const std::string& title, const std::string& x_label, carom::Series cost) {
  return {.title = title,
          .x_label = x_label,
          .y_label = "CPU s per simulated s",
          .series = {std::move(cost)},
          .log_x = true,
          .log_y = true,
          .key = carom::Panel::Key::off};
}

carom::Figure scaling(const carom::issanchou::Case& guitar, const carom::issanchou::Case& low) {
  const auto measure = [](carom::Series& series, double x, const ModalProblem& problem) {
    const double cost = fast(problem, 0.05, 3).cost;
    series.x.push_back(x);
    series.y.push_back(cost);
    std::printf("  %8g  %.4g\n", x, cost);
  };
  carom::Series modes{.label = "", .x = {}, .y = {}, .style = carom::Series::Style::line_points};
  carom::Series contacts = modes, rates = modes;
  std::printf("\ncost against modes (point bridge, 1 MHz, first 50 ms)\n");
  for (const int count : {63, 125, 250, 500, 750, 1001}) {
    ModalProblem problem = guitar.problem;
    problem.rate = 1e6;
    problem.body.modes.resize(static_cast<std::size_t>(count));
    problem.body.shapes = guitar.problem.body.shapes.leftCols(count);
    problem.start.position = guitar.problem.start.position.head(count);
    if (problem.start.velocity.size() > 0)
      problem.start.velocity = guitar.problem.start.velocity.head(count);
    measure(modes, count, problem);
  }
  std::printf(
      "cost against contacts (bass, 1 MHz, first 50 ms; from 50 on a neck without frets)\n");
  for (const int count : {1, 2, 5, 10, 20}) {
    ModalProblem problem = low.problem;
    problem.body.shapes = low.problem.body.shapes.bottomRows(count);
    problem.heights.assign(low.problem.heights.end() - count, low.problem.heights.end());
    measure(contacts, count, problem);
  }
  for (const int stride : {17, 8, 4, 2, 1}) {  // only every stride-th point of the neck
    const ModalProblem neck = fretless(low);
    ModalProblem problem = neck;
    problem.heights.clear();
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < neck.body.shapes.rows(); i += stride) {
      rows.push_back(i);
      problem.heights.push_back(neck.heights[static_cast<std::size_t>(i)]);
    }
    problem.body.shapes = neck.body.shapes(rows, Eigen::all);
    measure(contacts, static_cast<double>(rows.size()), problem);
  }
  std::printf("cost against rate in kHz (bass, 20 frets, first 50 ms)\n");
  for (const double rate : {44100.0, 1e5, 2e5, 5e5, 1e6, 2e6, 4e6}) {
    ModalProblem problem = low.problem;
    problem.rate = rate;
    measure(rates, rate / 1e3, problem);
  }
  return {.panels = {cost_panel("point bridge at 1 MHz", "modes", std::move(modes)),
                     cost_panel("bass at 1 MHz", "contact points", std::move(contacts)),
                     cost_panel("bass, 20 frets", "steps per second [kHz]", std::move(rates))},
          .columns = 3,
          .panel_width = 360,
          .panel_height = 280};
}

#if defined(__x86_64__)
/// Multiply-adds of four doubles per second, as many as the machine can do.
__attribute__((target("avx2,fma"))) double measured_peak() {
  __m256d z[10];
  for (auto& one : z) one = _mm256_set1_pd(0.5);
  const __m256d c = _mm256_set1_pd(0.999);
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    constexpr int turns = 100000;
    const double begin = cpu_now();
    for (int n = 0; n < turns; ++n) {
#pragma GCC unroll 10
      for (int k = 0; k < 10; ++k) z[k] = _mm256_fmadd_pd(z[k], c, c);
    }
    best = std::max(best, 10.0 * turns / (cpu_now() - begin));
  }
  volatile double used = 0;
  for (const auto& one : z) used = used + one[0];
  return best;
}
double peak() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? measured_peak() : 0;
}
#else
double peak() { return 0; }
#endif

// What the arithmetic of the steps that are not leapt over costs at least, on registers of four
// doubles: 15 multiplications or multiply-adds for a mode in a pass of four steps.
void limit(const Timing& bridge, const ModalProblem& problem, double duration) {
  const double rate = peak();
  if (rate == 0) return;
  const auto& s = bridge.statistics;
  const double mode_steps =
      static_cast<double>(s.steps - s.leapt) * static_cast<double>(problem.body.modes.size()) -
      static_cast<double>(s.convolved);
  const double least = mode_steps * 15 / 4 / 4 / rate / duration;
  std::printf(
      "\nmachine's limit: %.3g multiply-adds of 4 doubles per second; point bridge %.0f %% leapt, "
      "%.0f %% of the other modes times steps by convolution, the rest takes at least %.3g CPU s "
      "per s; measured %.3g\n",
      rate, 100.0 * static_cast<double>(s.leapt) / static_cast<double>(s.steps),
      100.0 * static_cast<double>(s.convolved) / (mode_steps + static_cast<double>(s.convolved)),
      least, bridge.cost);
}

}  // namespace

int main(int argc, char** argv) {
  std::string plot;
  bool with_peers = true, compare = false, longer_memory = false;
  for (int i = 1; i < argc; ++i) {  // the flags of the other benchmark programs mean nothing here
    const std::string word = argv[i];
    if (word == "--help") {
      std::printf(
          "usage: carom_bench_strings [--no-peers] [--plot FILE.svg]\n"
          "       carom_bench_strings --against-plain   (a minute)\n"
          "       carom_bench_strings --blocks\n");
      return 0;
    }
    if (word == "--no-peers") with_peers = false;
    if (word == "--against-plain") compare = true;
    if (word == "--blocks") longer_memory = true;
    if (word == "--plot" && i + 1 < argc) plot = argv[++i];
  }
  const auto guitar = carom::issanchou::point_bridge(), low = carom::issanchou::bass();
  ModalProblem bridge = guitar.problem;
  bridge.rate = 1e6;
  if (longer_memory) {
    blocks(bridge);
    return 0;
  }
  const ModalProblem neck = fretless(low);
  if (compare) {
    against_plain("point bridge", bridge);
    against_plain("bass, 20 frets", low.problem);
    against_plain("fretless, 862 points", neck);
    return 0;
  }
  std::printf("strings: %s; best of 5 runs\n\n",
              guitar.measured ? "measured modes (CAROM_SHARED)" : "models of issanchou2018");
  std::printf("%-26s %-22s %12s %12s\n", "case, 1 MHz", "by", "CPU s per s", "against");
  const Timing point =
      show("point bridge, 100 ms", bridge, 0, 0.1, 1.166e-3, 4000, 2000, with_peers ? 200 : 0);
  show("bass, 20 frets, 100 ms", low.problem, 1, 0.1, 3.76e-3, 2000, 2000, with_peers ? 150 : 0);
  const Timing timing = fast(neck, 0.1);
  row("fretless, 862 points", "carom", timing.cost, 0, note(timing));
  row("fretless, 862 points", "carom, plain steps", plain(neck, 60), timing.cost, "");
  for (const bool one : {true, false}) {
    const std::string name = one ? "point bridge, compliant" : "bass, compliant";
    ModalProblem compliant = one ? bridge : low.problem;
    compliant.law = carom::PowerLaw{.stiffness = 1e11, .exponent = 1.5};
    row(name, "carom, Hertz", fast(compliant, 0.1).cost, 0, "");
    compliant.law = carom::HuntCrossley{.stiffness = 1e10, .exponent = 1.3, .mu = 0.3};
    row(name, "carom, Hunt-Crossley", fast(compliant, 0.1).cost, 0, "");
  }
  limit(point, bridge, 0.1);
  std::printf("\n");
  voices();
  const carom::Figure figure = scaling(guitar, low);
  if (!plot.empty()) carom::write_file(plot, carom::draw_svg(figure));
}
