#pragma once

#if defined(__SSE2__) && !defined(__wasm__)
#include <xmmintrin.h>
#endif

namespace carom {

/// While it lives, this thread computes with zero instead of denormal numbers; the mode found is
/// put back at the end. A dying mode passes through the denormals, where arithmetic is up to 64
/// times slower. Does nothing on machines without SSE, nor in
/// WebAssembly, which has no such mode.
class FlushDenormals {
 public:
#if defined(__SSE2__) && !defined(__wasm__)
  FlushDenormals() noexcept : found_(_mm_getcsr()) {
    constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
    _mm_setcsr(found_ | flush_to_zero | denormals_are_zero);
  }
  ~FlushDenormals() { _mm_setcsr(found_); }
#else
  FlushDenormals() noexcept {}
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  [[maybe_unused]] unsigned found_ = 0;
};

}  // namespace carom
