#include <utility>

#include <carom/core/clock.hpp>
#include <carom/core/interrupt.hpp>

namespace carom {
namespace {

constexpr double patience = 0.3;  // of processor time [s]; a second is promised
constinit thread_local double seen_at = -1;

}  // namespace

namespace detail {

thread_local constinit const std::atomic<bool>* interrupt_flag = nullptr;

void interrupt_seen() {
  if (seen_at < 0) seen_at = cpu_now();
  if (cpu_now() - seen_at > patience) throw Interrupted();
}

}  // namespace detail

InterruptScope::InterruptScope(const std::atomic<bool>* flag) noexcept
    : outer_(std::exchange(detail::interrupt_flag, flag)) {
  seen_at = -1;
}

InterruptScope::~InterruptScope() {
  detail::interrupt_flag = outer_;
  seen_at = -1;
}

}  // namespace carom
