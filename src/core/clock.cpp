#include <ctime>

#include <carom/core/clock.hpp>

namespace carom {
namespace {

double seconds_on(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double cpu_now() noexcept { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }
double wall_now() noexcept { return seconds_on(CLOCK_MONOTONIC); }

}  // namespace carom
