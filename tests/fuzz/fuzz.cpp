// libFuzzer's entry: CAROM_FUZZ names the target.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.hpp"

namespace {

const carom::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("CAROM_FUZZ");
  for (const carom::fuzz::Target& target : carom::fuzz::targets()) {
    if (name != nullptr && target.name == name) chosen = &target;
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "CAROM_FUZZ must name a target:");
    for (const auto& target : carom::fuzz::targets())
      std::fprintf(stderr, " %s", std::string(target.name).c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  carom::fuzz::feed(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
