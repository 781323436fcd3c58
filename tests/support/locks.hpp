#pragma once

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

#include "sanitized.hpp"

/// Counts the mutexes that a program locks. Include it in one file of a test program, which then
/// has a pthread_mutex_lock of its own; std::mutex comes through it. Not for sanitizer builds.
#if !defined(CAROM_SANITIZED) && defined(__GLIBC__)
#define CAROM_COUNTS_LOCKS 1

namespace support {
inline std::atomic<long long> lock_count{0};
inline long long locks() noexcept { return lock_count.load(); }
}  // namespace support

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++support::lock_count;
  return lock(mutex);
}
#endif
