#include "kernels.hpp"

namespace carom::modal {

extern const Kernels kernels_baseline;
#if defined(CAROM_X86_KERNELS)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

const Kernels& baseline_kernels() noexcept { return kernels_baseline; }

const Kernels& kernels() noexcept {
#if defined(CAROM_X86_KERNELS)
  static const Kernels& best = []() -> const Kernels& {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) return kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kernels_avx2;
    return kernels_baseline;
  }();
  return best;
#else
  return kernels_baseline;
#endif
}

}  // namespace carom::modal
