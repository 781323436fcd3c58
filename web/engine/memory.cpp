// operator new gives memory at multiples of 16 bytes, as it does natively; emscripten's gives
// multiples of 8. Eigen sums in pairs from the first such address on, so that addresses decide the
// last bits.
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (void* block = std::aligned_alloc(16, (size + 15) / 16 * 16 + (size == 0 ? 16 : 0)))
    return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
