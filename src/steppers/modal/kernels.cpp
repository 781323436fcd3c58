#include "kernels.hpp"

#include <cstdlib>
#include <string_view>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_march.hpp>

namespace carom::modal {

extern const Kernels kernels_baseline;
#if defined(CAROM_X86_KERNELS)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

const Kernels& baseline_kernels() noexcept { return kernels_baseline; }

namespace {

/// The one to take first. Sums over modes are taken in the width of the registers, so that avx512
/// has other last bits; it must be asked for, and every machine with avx2 computes the same.
std::vector<const Kernels*> available() {
  std::vector<const Kernels*> sets;
#if defined(CAROM_X86_KERNELS)
  __builtin_cpu_init();
  const bool fused = __builtin_cpu_supports("fma");
  if (fused && __builtin_cpu_supports("avx2")) sets.push_back(&kernels_avx2);
#endif
  sets.push_back(&kernels_baseline);
#if defined(CAROM_X86_KERNELS)
  if (fused && __builtin_cpu_supports("avx512f")) sets.push_back(&kernels_avx512);
#endif
  return sets;
}

const Kernels& choose() {
  const std::vector<const Kernels*> sets = available();
  const char* wanted = std::getenv("CAROM_INSTRUCTIONS");
  if (wanted == nullptr || *wanted == '\0') return *sets.front();
  std::vector<std::string_view> names;
  for (const Kernels* set : sets) {
    if (std::string_view(set->name) == wanted) return *set;
    names.emplace_back(set->name);
  }
  throw InvalidInput(unknown_name_message("CAROM_INSTRUCTIONS", wanted, names));
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace carom::modal

namespace carom {

std::string_view instruction_set() { return modal::kernels().name; }

}  // namespace carom
