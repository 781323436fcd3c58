#pragma once

namespace carom::modal {

inline constexpr int macro = 4;  ///< steps in one pass over the modes

/// The passes over all modes, compiled once per instruction set. Every array is aligned to 64 bytes
/// and n is a multiple of 16. State of a mode: position q and last difference dq; one step is
///   dq = e dq - d q (+ a f), q += dq.
struct Kernels {
  const char* name;

  /// One contact, in the normalisation in which its shape is 1. If `pending` is not null, first
  /// adds what the impulses pending[0..3] of the last 4 steps did to the state, which was advanced
  /// without them; then, if `sums` is not null, advances 4 steps and sums q after each. The modes
  /// fast_from..fast_to turn so fast that the quicker recursion q+ = (1 + e - d) q - e q^- is as
  /// accurate for them; both are multiples of 16.
  void (*predict_one)(double* q, double* dq, const double* e, const double* d, const double* a,
                      int n, int fast_from, int fast_to, const double* pending, double* sums);

  /// One contact, modes that were at rest `count` steps ago: their state now, after the impulses
  /// pushed[0..count-1] since.
  void (*revive)(double* q, double* dq, const double* e, const double* d, const double* a, int n,
                 const double* pushed, int count);

  /// sums[k] = sum_i response[k + i] newest[-i], k = 0..15, i = 0..taps-1; taps is a multiple of 16
  /// and the response has 16 zeros behind its last entry.
  void (*convolve)(const double* response, const double* newest, int taps, double* sums);

  /// Many contacts. Adds what impulses did during the last K = 4 steps, pending[4 c + k] at the
  /// shape rows[c]; then, if `states` is not null, advances 4 steps and writes q after each to
  /// states[k n ..].
  void (*predict)(double* q, double* dq, const double* e, const double* d, const double* a, int n,
                  const double* const* rows, int row_count, const double* pending, double* states);

  /// `count` (1..4) steps with impulses pushed[4 c + k] acting in step k at rows[c]; writes q after
  /// each step to states[k n ..] unless it is null. Returns sum_j loss_j sum_k (dq+ + dq)^2 if
  /// `loss` is not null.
  double (*advance)(double* q, double* dq, const double* e, const double* d, const double* a, int n,
                    const double* const* rows, int row_count, const double* pushed, int count,
                    double* states, const double* loss);

  /// out[c K + k] = rows[c] . states[k stride ..], over n modes; K = 1, 2, 4 or 5.
  void (*project)(const double* const* rows, int row_count, const double* states, int stride, int n,
                  int columns, double* out);

  /// (q, dq) after a leap: to_q = qq q + qd dq, to_dq = dd dq + dq_ q. In place if to_q == q.
  void (*leap)(const double* q, const double* dq, const double* qq, const double* qd,
               const double* dq_q, const double* dd, int n, double* to_q, double* to_dq);

  /// z = q + lead dq.
  void (*combine)(const double* q, const double* dq, double lead, int n, double* z);

  /// sums[l] = sum_j weights[l n + j] sqrt((g q)^2 + (s q + t dq)^2).
  void (*envelope)(const double* q, const double* dq, const double* g, const double* s,
                   const double* t, const double* weights, int levels, int n, double* sums);

  /// sum_j (inertia dq^2 + elasticity q (q - dq))/2.
  double (*stored)(const double* q, const double* dq, const double* inertia,
                   const double* elasticity, int n);

  /// sum_j q (qq q + qd dq) + dd dq^2.
  double (*quadratic)(const double* q, const double* dq, const double* qq, const double* qd,
                      const double* dd, int n);
};

/// The sets that the machine has, the one to take first. All compute the same bits.
struct KernelSets {
  const Kernels* sets[3];
  int count;
  const Kernels* const* begin() const noexcept { return sets; }
  const Kernels* const* end() const noexcept { return sets + count; }
};
KernelSets available_kernels() noexcept;

/// The first of them, or the one that the environment variable CAROM_INSTRUCTIONS names; decided
/// once, at the first call. Throws InvalidInput where that one is unknown or the machine does not
/// have it.
const Kernels& kernels();

}  // namespace carom::modal
