#pragma once

namespace carom {

/// Seconds of processor time this thread has used so far: what a computation costs, whatever else
/// the machine does.
double cpu_now() noexcept;

/// Seconds on a clock that only goes forward: for progress and waiting.
double wall_now() noexcept;

}  // namespace carom
