// carom_torture COUNT [SEED [SECONDS]]: random set-ups, and what does not hold of them as scenario
// files. carom_torture FILE: one scenario file, judged alike.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/mman.h>

#include "setup.hpp"
#include "workers.hpp"

namespace {

using namespace carom::torture;

/// The words of a complaint without its numbers: two failures are of a sort if these agree.
std::string sort_of(const std::string& complaint) {
  return complaint.substr(0, complaint.find(':'));
}

/// Leaves out tables and keys, then digits, as long as the complaint stays of its sort.
Setup minimised(Setup setup, const std::string& complaint, const std::filesystem::path& folder,
                Limits limits) {
  limits.cpu = 3;
  const auto begin = std::chrono::steady_clock::now();
  const auto still_fails = [&](const Setup& trial) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) return false;
    const Judgement found = judge_apart(trial.text(), folder, limits);
    return !found.complaint.empty() && sort_of(found.complaint) == sort_of(complaint);
  };
  for (std::size_t i = setup.parts.size(); i-- > 1;) {
    Setup trial = setup;
    trial.parts.erase(trial.parts.begin() + static_cast<long>(i));
    if (still_fails(trial)) setup = trial;
  }
  for (std::size_t i = 0; i < setup.parts.size(); ++i) {
    for (std::size_t j = setup.parts[i].keys.size(); j-- > 0;) {
      Setup trial = setup;
      auto& keys = trial.parts[i].keys;
      keys.erase(keys.begin() + static_cast<long>(j));
      if (still_fails(trial)) setup = trial;
    }
  }
  for (auto& part : setup.parts) {
    for (auto& [key, value] : part.keys) {
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (end == value.c_str() || *end != '\0' || value.find_first_of(".e") == std::string::npos)
        continue;
      for (const int digits : {0, 1}) {
        const std::string before = value;
        value = fmt::format("{:.{}e}", number, digits);
        if (still_fails(setup)) break;
        value = before;
      }
    }
  }
  return setup;
}

std::string read(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  char name[] = "/tmp/carom-torture-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name);
  std::ofstream(folder / "table.csv") << table_csv;
  const auto cleaned =
      std::shared_ptr<void>(nullptr, [&](void*) { std::filesystem::remove_all(folder); });
  Limits limits;
  if (const char* most = std::getenv("CAROM_TORTURE_SAMPLES")) limits.max_samples = std::atof(most);
  if (const char* cpu = std::getenv("CAROM_TORTURE_CPU")) limits.cpu = std::atof(cpu);
  if (argc == 2 && std::filesystem::exists(argv[1])) {
    limits.max_samples = 1e9;
    const Judgement found = judge_apart(read(argv[1]), folder, limits);
    constexpr const char* words[endings] = {"held",   "refused", "not converged", "too large",
                                            "broken", "late",    "failed"};
    fmt::print("{} {}\n", words[static_cast<int>(found.ending)], found.complaint);
    return found.complaint.empty() ? 0 : 1;
  }
  if (argc < 2) {
    fmt::print(stderr, "usage: carom_torture COUNT [SEED [SECONDS]] | FILE\n");
    return 2;
  }
  const auto count = static_cast<std::uint64_t>(std::atof(argv[1]));
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const double seconds = argc > 3 ? std::atof(argv[3]) : 1e9;
  auto* tally =
      new (mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          Tally{};
  std::set<std::string> sorts;  // the first of each is made small, the others are shown as they are
  judge_all(seed, count, seconds,
            static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), folder, limits,
            *tally, [&](std::uint64_t index, Setup shown, const std::string& complaint) {
              if (sorts.insert(sort_of(complaint)).second)
                shown = minimised(std::move(shown), complaint, folder, limits);
              fmt::print("# set-up {} of seed {}: {}\n{}\n", index, seed, complaint, shown.text());
              std::fflush(stdout);
            });
  std::uint64_t tried = 0;
  for (const auto& each : tally->count) tried += each;
  const auto of = [&](Ending ending) { return tally->count[static_cast<int>(ending)].load(); };
  fmt::print(
      "torture: {} set-ups of seed {}: {} held, {} not converged and said so, {} refused, {} too "
      "large, {} broke a promise and said so, {} late, {} FAILED\n"
      "worst ledger {:.2g}, worst gain {:.2g} of the energy, worst disagreement with the exact "
      "impact {:.2g}, "
      "longest {:.2g} s\n",
      tried, seed, of(Ending::held), of(Ending::not_converged), of(Ending::refused),
      of(Ending::too_large), of(Ending::broken), of(Ending::late), of(Ending::failed),
      tally->ledger.load(), tally->gain.load(), tally->disagreement.load(), tally->cpu.load());
  // What says itself that it did not keep its promise, and what can be interrupted, is counted and
  // shown, and no failure.
  return of(Ending::failed) > 0 ? 1 : 0;
}
