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

KernelSets available_kernels() noexcept {
  KernelSets found{};
  const auto add = [&](const Kernels& set) { found.sets[found.count++] = &set; };
#if defined(CAROM_X86_KERNELS)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    add(kernels_avx512);
  if (avx2) add(kernels_avx2);
#endif
  add(kernels_baseline);
  return found;
}

namespace {

const Kernels& choose() {
  const KernelSets found = available_kernels();
  const char* wanted = std::getenv("CAROM_INSTRUCTIONS");
  if (wanted == nullptr || *wanted == '\0') return **found.begin();
  std::vector<std::string_view> names;
  for (const Kernels* set : found) {
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
