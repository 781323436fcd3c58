// Strings against obstacles: CPU seconds per simulated second at 1 MHz, energy book on, beside a
// plain numpy program and packaged Siconos on the same problem in the same run.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>
#include <carom/steppers/modal_voice.hpp>
#include <carom/systems/obstacles.hpp>

#include "papers/issanchou_strings.hpp"

namespace {

using carom::ModalProblem;

double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timing {
  double cost;  // CPU seconds per simulated second
  carom::ModalMarchStatistics statistics;
};

Timing fast(const ModalProblem& problem, double duration, int repeats = 3) {
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
  std::snprintf(text, sizeof text, "%s, %.1f %% leapt, %lld impulses, %lld roll-backs",
                std::string(timing.statistics.kernels).c_str(),
                100.0 * static_cast<double>(timing.statistics.leapt) /
                    static_cast<double>(timing.statistics.steps),
                timing.statistics.impulses, timing.statistics.roll_backs);
  return text;
}

void show(const std::string& name, const ModalProblem& problem, double restitution, double duration,
          double start, int plain_steps, int numpy_steps, int siconos_steps) {
  const Timing timing = fast(problem, duration);
  row(name, "carom", timing.cost, 0, note(timing));
  row(name, "carom, plain steps", plain(problem, plain_steps), timing.cost, "");
  peers(name, problem, restitution, start, numpy_steps, siconos_steps, timing);
}

ModalProblem fretless(const carom::issanchou::Case& low) {
  ModalProblem problem = low.problem;
  std::vector<double> positions;
  problem.heights.clear();
  const int modes = low.model.modes;
  for (int i = 1; i <= modes; ++i) {
    const double x = i * low.model.length / (modes + 1);
    positions.push_back(x);
    // A neck that ends at 0.603 m, straight, with a little relief.
    problem.heights.push_back(
        x < 0.603 ? -2.1e-4 - 3.2e-3 * x - 2e-4 * 4 * (x / 0.603) * (1 - x / 0.603) : -1.01e-2);
  }
  problem.body.shapes = carom::string_shapes(low.model.length, modes, positions);
  return problem;
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

void scaling(const carom::issanchou::Case& guitar, const carom::issanchou::Case& low) {
  std::printf("\ncost against modes (point bridge, 1 MHz, first 50 ms)\n");
  for (const int modes : {125, 250, 500, 1001}) {
    ModalProblem problem = guitar.problem;
    problem.rate = 1e6;
    problem.body.modes.resize(static_cast<std::size_t>(modes));
    problem.body.shapes = guitar.problem.body.shapes.leftCols(modes);
    problem.start.position = guitar.problem.start.position.head(modes);
    if (problem.start.velocity.size() > 0)
      problem.start.velocity = guitar.problem.start.velocity.head(modes);
    std::printf("  %6d  %.4g\n", modes, fast(problem, 0.05, 1).cost);
  }
  std::printf("cost against contacts (bass, 1 MHz, first 50 ms)\n");
  for (const int contacts : {1, 5, 10, 20}) {
    ModalProblem problem = low.problem;
    problem.body.shapes = low.problem.body.shapes.bottomRows(contacts);
    problem.heights.assign(low.problem.heights.end() - contacts, low.problem.heights.end());
    std::printf("  %6d  %.4g\n", contacts, fast(problem, 0.05, 1).cost);
  }
  std::printf("cost against rate (bass, 20 frets, first 50 ms)\n");
  for (const double rate : {44100.0, 2e5, 1e6, 4e6}) {
    ModalProblem problem = low.problem;
    problem.rate = rate;
    std::printf("  %6.0f kHz  %.4g\n", rate / 1e3, fast(problem, 0.05, 1).cost);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {  // the flags of the other benchmark programs mean nothing here
    if (std::string(argv[i]) == "--help") {
      std::printf("usage: carom_bench_strings\n");
      return 0;
    }
  }
  const auto guitar = carom::issanchou::point_bridge(), low = carom::issanchou::bass();
  std::printf("strings: %s\n\n",
              guitar.measured ? "measured modes (CAROM_SHARED)" : "models of issanchou2018");
  std::printf("%-26s %-22s %12s %12s\n", "case, 1 MHz", "by", "CPU s per s", "against");
  ModalProblem bridge = guitar.problem;
  bridge.rate = 1e6;
  show("point bridge, 100 ms", bridge, 0, 0.1, 1.166e-3, 4000, 2000, 200);
  show("bass, 20 frets, 100 ms", low.problem, 1, 0.1, 3.76e-3, 2000, 2000, 150);
  const ModalProblem neck = fretless(low);
  const Timing timing = fast(neck, 0.1, 1);
  row("fretless, 862 points", "carom", timing.cost, 0, note(timing));
  row("fretless, 862 points", "carom, plain steps", plain(neck, 60), timing.cost, "");
  std::printf("\n");
  voices();
  scaling(guitar, low);
}
