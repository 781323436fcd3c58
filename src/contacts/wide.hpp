#pragma once

// g++ makes one version of a function for AVX2 and one for any machine; contraction is off, so both
// give the same bits. clang would want the attribute at every declaration.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CAROM_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CAROM_WIDE
#endif
