#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace carom::modal {

/// Memory on cache-line boundaries: a vector that straddles two lines costs twice.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, line); }
  bool operator==(const CacheLineAllocator&) const = default;
};

using Array = std::vector<double, CacheLineAllocator<double>>;

/// Modes, contacts and steps are counted in int, memory is not.
inline constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Arrays over modes are padded to a multiple of this, with zeros.
inline constexpr int lanes = 16;
inline constexpr int padded(int count) { return (count + lanes - 1) / lanes * lanes; }

}  // namespace carom::modal
