#include "workers.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

namespace carom::torture {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int exit_deaf = 3;  ///< of a process whose run did not answer an interruption

/// What a process tells the one that watches it, in memory that both share.
struct Desk {
  std::atomic<std::uint64_t> index;  ///< of the set-up in hand
  std::atomic<double> share;         ///< to which it was thinned out
  std::atomic<bool> full;            ///< `ending` and `complaint` wait to be read
  Ending ending;
  char complaint[200];

  void leave(const Judgement& found) {
    ending = found.ending;
    std::strncpy(complaint, found.complaint.c_str(), sizeof complaint - 1);
    full = true;
    while (full) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
};

template <class Shared>
Shared* share() {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (memory) Shared{};
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Interrupts what takes longer than its share of processor time; ends the process when it does not
/// listen within a second.
class Watchdog {
 public:
  explicit Watchdog(double limit) : limit_(limit) {
    std::thread([this] {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const double spent = cpu_seconds() - began_;
        if (spent > limit_) interrupt = true;
        if (spent > limit_ + 1) _exit(exit_deaf);
      }
    }).detach();
  }
  void begin() {
    began_ = cpu_seconds();
    interrupt = false;
  }
  double spent() const { return cpu_seconds() - began_; }
  std::atomic<bool> interrupt = false;

 private:
  double limit_;
  std::atomic<double> began_ = 0;
};

std::string cause_of_death(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == exit_deaf)
    return "did not end in time, nor within a second of being interrupted";
  return fmt::format("the process ended with {}", WEXITSTATUS(status));
}

void keep_largest(std::atomic<double>& kept, double value) {
  double seen = kept;
  while (value > seen && !kept.compare_exchange_weak(seen, value)) {
  }
}

/// Set-ups first, first + stride, ... until `end`, on the desk.
[[noreturn]] void work(std::uint64_t seed, std::uint64_t first, std::uint64_t end,
                       std::uint64_t stride, const std::filesystem::path& folder,
                       const Limits& limits, Desk& desk, Tally& tally) {
  Watchdog dog(limits.cpu);
  for (std::uint64_t index = first; index < end; index += stride) {
    desk.index = index;
    dog.begin();
    Setup setup = draw(seed, index);
    desk.share = 1;
    Judgement found = judge(setup.text(), folder, limits.max_samples, dog.interrupt);
    if (found.ending == Ending::too_large) {
      desk.share = 0.99 * limits.max_samples / found.samples;
      setup.thin_out(desk.share);
      found = judge(setup.text(), folder, limits.max_samples, dog.interrupt);
    }
    keep_largest(tally.cpu, dog.spent());
    dog.begin();
    ++tally.count[static_cast<int>(found.ending)];
    keep_largest(tally.ledger, found.ledger);
    keep_largest(tally.gain, found.gain);
    keep_largest(tally.disagreement, found.disagreement);
    if (!found.complaint.empty()) desk.leave(found);
  }
  _exit(0);
}

}  // namespace

Judgement judge_apart(const std::string& text, const std::filesystem::path& folder,
                      const Limits& limits) {
  Desk* desk = share<Desk>();
  const pid_t child = fork();
  if (child == 0) {
    Watchdog dog(limits.cpu);
    dog.begin();
    const Judgement found = judge(text, folder, limits.max_samples, dog.interrupt);
    desk->ending = found.ending;
    std::strncpy(desk->complaint, found.complaint.c_str(), sizeof desk->complaint - 1);
    desk->full = true;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Judgement found;
  if (desk->full) {
    found.ending = desk->ending;
    found.complaint = desk->complaint;
  } else {
    found = {.ending = Ending::failed, .complaint = cause_of_death(status)};
  }
  munmap(desk, sizeof(Desk));
  return found;
}

void judge_all(std::uint64_t seed, std::uint64_t count, double seconds, int jobs,
               const std::filesystem::path& folder, const Limits& limits, Tally& tally,
               const std::function<void(std::uint64_t, Setup, const std::string&)>& failed) {
  struct Worker {
    pid_t process = 0;
    Desk* desk = nullptr;
    std::uint64_t seen = 0;
    Clock::time_point since = {};
  };
  std::vector<Worker> workers(static_cast<std::size_t>(jobs));
  const auto report = [&](const Desk& desk, std::uint64_t index, const std::string& complaint) {
    Setup setup = draw(seed, index);
    if (desk.share < 1) setup.thin_out(desk.share);
    failed(index, std::move(setup), complaint);
  };
  const auto hire = [&](Worker& worker, std::uint64_t first) {
    worker.seen = first;
    worker.since = Clock::now();
    worker.desk->index = first;
    worker.process = first < count ? fork() : 0;
    if (first < count && worker.process == 0) {
      work(seed, first, count, static_cast<std::uint64_t>(jobs), folder, limits, *worker.desk,
           tally);
    }
  };
  for (std::size_t i = 0; i < workers.size(); ++i) {
    workers[i].desk = share<Desk>();
    hire(workers[i], i);
  }
  const auto begin = Clock::now();
  for (bool busy = true; busy;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool over = std::chrono::duration<double>(Clock::now() - begin).count() > seconds;
    busy = false;
    for (Worker& worker : workers) {
      if (worker.process == 0) continue;
      busy = true;
      const std::uint64_t index = worker.desk->index;
      if (worker.desk->full) {
        report(*worker.desk, index, worker.desk->complaint);
        worker.desk->full = false;
      }
      if (index != worker.seen) {
        worker.seen = index;
        worker.since = Clock::now();
      }
      const bool waits =
          std::chrono::duration<double>(Clock::now() - worker.since).count() > limits.wall;
      if (over || waits) kill(worker.process, SIGKILL);
      int status = 0;
      if (waitpid(worker.process, &status, over || waits ? 0 : WNOHANG) == 0) continue;
      worker.process = 0;
      if (over || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;
      ++tally.count[static_cast<int>(Ending::failed)];
      report(*worker.desk, index, waits ? "waits for ever" : cause_of_death(status));
      hire(worker, index + static_cast<std::uint64_t>(jobs));
    }
  }
}

}  // namespace carom::torture
