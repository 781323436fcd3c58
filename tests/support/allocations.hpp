#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

#include "sanitized.hpp"

/// Counts what a program takes from the heap. Include it in one file of a test program: it replaces
/// operator new and, through the linker-visible symbols of glibc, counts malloc and calloc as well.
/// Not for sanitizer builds, which bring their own.
#if !defined(CAROM_SANITIZED) && defined(__GLIBC__)
#define CAROM_COUNTS_ALLOCATIONS 1

namespace support {
inline std::atomic<long long> allocation_count{0};
/// Calls of malloc, calloc, realloc and aligned_alloc so far; operator new comes through them.
inline long long allocations() noexcept { return allocation_count.load(); }
}  // namespace support

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++support::allocation_count;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++support::allocation_count;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  ++support::allocation_count;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++support::allocation_count;
  return __libc_memalign(alignment, size);
}
}
#endif
