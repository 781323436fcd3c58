#include "lanes.hpp"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__)
#define CAROM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CAROM_CLONES
#endif

namespace carom::live {
namespace {

/// Four doubles that the compiler keeps in whatever registers the machine has.
using Lane = double __attribute__((vector_size(32), aligned(8), may_alias));

}  // namespace

CAROM_CLONES double dot(const double* a, const double* b, std::size_t count) noexcept {
  Lane sum{};
  for (std::size_t j = 0; j < count; j += 4) {
    sum += *reinterpret_cast<const Lane*>(a + j) * *reinterpret_cast<const Lane*>(b + j);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

CAROM_CLONES void push(double* next, double amount, const double* a, const double* s,
                       std::size_t count) noexcept {
  for (std::size_t j = 0; j < count; j += 4) {
    auto& to = *reinterpret_cast<Lane*>(next + j);
    to += amount * *reinterpret_cast<const Lane*>(a + j) * *reinterpret_cast<const Lane*>(s + j);
  }
}

CAROM_CLONES double advance(const ModeArrays& modes, std::size_t count) noexcept {
  Lane lost{};
  for (std::size_t j = 0; j < count; j += 4) {
    auto& q = *reinterpret_cast<Lane*>(modes.q + j);
    auto& w = *reinterpret_cast<Lane*>(modes.w + j);
    auto& next = *reinterpret_cast<Lane*>(modes.next + j);
    const Lane moved = next, both = moved + w;
    lost += *reinterpret_cast<const Lane*>(modes.loss + j) * (both * both);
    w = moved;
    q += moved;
    next = *reinterpret_cast<const Lane*>(modes.decay + j) * moved -
           *reinterpret_cast<const Lane*>(modes.stiffness + j) * q;
  }
  return (lost[0] + lost[1]) + (lost[2] + lost[3]);
}

}  // namespace carom::live
