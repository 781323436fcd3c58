#pragma once

#include <atomic>
#include <stdexcept>

namespace carom {

/// The run was stopped from outside; nothing was written but a checkpoint, if asked for.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Makes a flag that somebody else sets known to every computation of this thread while it lives:
/// loops deep inside a step answer it without being handed it.
class InterruptScope {
 public:
  explicit InterruptScope(const std::atomic<bool>* flag) noexcept;
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

namespace detail {
extern thread_local constinit const std::atomic<bool>* interrupt_flag;
void interrupt_seen();
}  // namespace detail

/// For the inside of steps that may take long. Throws Interrupted once the flag of this thread has
/// been set for 0.3 s of its processor time: a run that looks at the flag between two steps and
/// keeps a checkpoint goes first.
inline void answer_interrupt() {
  if (detail::interrupt_flag != nullptr && detail::interrupt_flag->load(std::memory_order_relaxed))
      [[unlikely]] {
    detail::interrupt_seen();
  }
}

}  // namespace carom
