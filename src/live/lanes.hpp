#pragma once

#include <cstddef>

namespace carom::live {

// Passes over the modes, in blocks of four with the order of every sum fixed and no fused
// operations: the bits are the same whatever registers a machine has. `count` is a multiple of
// four.

/// sum a b
double dot(const double* a, const double* b, std::size_t count) noexcept;

/// next += amount a s
void push(double* next, double amount, const double* a, const double* s,
          std::size_t count) noexcept;

/// One step of all modes: what they lose; then w = next, q += w, next = decay w - stiffness q.
struct ModeArrays {
  double *q, *w, *next;
  const double *decay, *stiffness, *loss;
};
double advance(const ModeArrays& modes, std::size_t count) noexcept;

}  // namespace carom::live
