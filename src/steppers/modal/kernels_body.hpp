// The kernels for one instruction set. Included by kernels_<set>.cpp, which is compiled with the
// flags of that set and defines CAROM_KERNEL_SET; nothing else may be included here, so that no
// inline function of another header is compiled with those flags.
#include "kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace carom::modal {
namespace {

#if defined(__AVX512F__)
constexpr int width = 8;
typedef double V __attribute__((vector_size(64)));
inline V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }    // a b + c
inline V fnma(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }  // c - a b
inline V root(V a) { return _mm512_sqrt_pd(a); }
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int width = 4;
typedef double V __attribute__((vector_size(32)));
inline V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
inline V fnma(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }
inline V root(V a) { return _mm256_sqrt_pd(a); }
#else
constexpr int width = 2;
typedef double V __attribute__((vector_size(16)));
inline V fma(V a, V b, V c) { return a * b + c; }
inline V fnma(V a, V b, V c) { return c - a * b; }
#if defined(__SSE2__)
inline V root(V a) { return _mm_sqrt_pd(a); }
#else
inline V root(V a) { return V{__builtin_sqrt(a[0]), __builtin_sqrt(a[1])}; }
#endif
#endif

inline V load(const double* p) { return *reinterpret_cast<const V*>(p); }
inline void store(double* p, V v) { *reinterpret_cast<V*>(p) = v; }
inline V all(double x) {
  V v{};
  return v + x;
}
inline double sum(V v) {
  double total = 0;
  for (int i = 0; i < width; ++i) total += v[i];
  return total;
}

// What a unit-admittance mode does in K steps under the forces f: the recursion from rest, in its
// two-term form q+ = (1 + e - d) q - e q^- + f. That form is too inaccurate to carry a state through
// many steps, but not over four, and its chain of dependent operations is half as long, which is
// what limits the loop.
template <int K>
inline void respond(V e, V d, const V* f, V& q, V& dq) {
  if constexpr (K == 1) {
    q = dq = f[0];
  } else {
    const V both = (1.0 + e) - d;
    V before = f[0];
    q = fma(both, f[0], f[1]);
    for (int k = 2; k < K; ++k) {
      const V next = fma(both, q, fnma(e, before, f[k]));
      before = q;
      q = next;
    }
    dq = q - before;
  }
}

template <int K, bool pushed>
void predict_one_loop(double* q, double* dq, const double* e, const double* d, const double* a,
                      int n, const double* pending, double* sums) {
  V total[K] = {};
  V f[K] = {};
  if constexpr (pushed) {
    for (int k = 0; k < K; ++k) f[k] = all(pending[k]);
  }
  for (int i = 0; i < n; i += width) {
    V x = load(q + i), v = load(dq + i);
    const V ee = load(e + i), dd = load(d + i);
    if constexpr (pushed) {
      V y, w;
      respond<K>(ee, dd, f, y, w);
      const V aa = load(a + i);
      x = fma(aa, y, x);
      v = fma(aa, w, v);
    }
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) {
      v = fnma(dd, x, ee * v);
      x += v;
      total[k] += x;
    }
    store(q + i, x);
    store(dq + i, v);
  }
  for (int k = 0; k < K; ++k) sums[k] = sum(total[k]);
}

template <int K>
void predict_one(double* q, double* dq, const double* e, const double* d, const double* a, int n,
                 const double* pending, double* sums) {
  if (pending != nullptr) {
    predict_one_loop<K, true>(q, dq, e, d, a, n, pending, sums);
  } else {
    predict_one_loop<K, false>(q, dq, e, d, a, n, pending, sums);
  }
}

void predict(double* q, double* dq, const double* e, const double* d, const double* a, int n,
             const double* const* rows, int row_count, const double* pending, double* states) {
  for (int i = 0; i < n; i += width) {
    V x = load(q + i), v = load(dq + i);
    const V ee = load(e + i), dd = load(d + i);
    if (row_count > 0) {
      V f[4] = {};
      for (int c = 0; c < row_count; ++c) {
        const V phi = load(rows[c] + i);
        for (int k = 0; k < 4; ++k) f[k] = fma(phi, all(pending[4 * c + k]), f[k]);
      }
      V y, w;
      respond<4>(ee, dd, f, y, w);
      const V aa = load(a + i);
      x = fma(aa, y, x);
      v = fma(aa, w, v);
    }
    if (states != nullptr) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        v = fnma(dd, x, ee * v);
        x += v;
        store(states + static_cast<long>(k) * n + i, x);
      }
    }
    store(q + i, x);
    store(dq + i, v);
  }
}

double advance(double* q, double* dq, const double* e, const double* d, const double* a, int n,
               const double* const* rows, int row_count, const double* pushed, int count,
               double* states, const double* loss) {
  V lost{};
  for (int i = 0; i < n; i += width) {
    V x = load(q + i), v = load(dq + i);
    const V ee = load(e + i), dd = load(d + i), aa = load(a + i);
    V squares{};
    for (int k = 0; k < count; ++k) {
      const V old = v;
      v = fnma(dd, x, ee * v);
      if (row_count > 0) {
        V f{};
        for (int c = 0; c < row_count; ++c) f = fma(load(rows[c] + i), all(pushed[4 * c + k]), f);
        v = fma(aa, f, v);
      }
      x += v;
      const V both = v + old;
      squares = fma(both, both, squares);
      if (states != nullptr) store(states + static_cast<long>(k) * n + i, x);
    }
    store(q + i, x);
    store(dq + i, v);
    if (loss != nullptr) lost = fma(load(loss + i), squares, lost);
  }
  return sum(lost);
}

template <int M, int K>
void project_tile(const double* const* rows, const double* states, int stride, int n, double* out) {
  V total[M][K] = {};
  for (int i = 0; i < n; i += width) {
    V x[K];
    for (int k = 0; k < K; ++k) x[k] = load(states + static_cast<long>(k) * stride + i);
    for (int c = 0; c < M; ++c) {
      const V phi = load(rows[c] + i);
      for (int k = 0; k < K; ++k) total[c][k] = fma(phi, x[k], total[c][k]);
    }
  }
  for (int c = 0; c < M; ++c) {
    for (int k = 0; k < K; ++k) out[c * K + k] = sum(total[c][k]);
  }
}

template <int M, int K>
void project_columns(const double* const* rows, int row_count, const double* states, int stride,
                     int n, double* out) {
  int c = 0;
  for (; c + M <= row_count; c += M) project_tile<M, K>(rows + c, states, stride, n, out + c * K);
  for (; c < row_count; ++c) project_tile<1, K>(rows + c, states, stride, n, out + c * K);
}

void project(const double* const* rows, int row_count, const double* states, int stride, int n,
             int columns, double* out) {
  constexpr bool wide = width == 8;  // twice the registers
  if (columns == 4) {
    project_columns<wide ? 6 : 2, 4>(rows, row_count, states, stride, n, out);
  } else if (columns == 2) {
    project_columns<wide ? 8 : 4, 2>(rows, row_count, states, stride, n, out);
  } else {
    project_columns<wide ? 8 : 4, 1>(rows, row_count, states, stride, n, out);
  }
}

void leap(const double* q, const double* dq, const double* qq, const double* qd, const double* dq_q,
          const double* dd, int n, double* to_q, double* to_dq) {
  for (int i = 0; i < n; i += width) {
    const V x = load(q + i), v = load(dq + i);
    store(to_q + i, fma(load(qq + i), x, load(qd + i) * v));
    store(to_dq + i, fma(load(dd + i), v, load(dq_q + i) * x));
  }
}

void combine(const double* q, const double* dq, double lead, int n, double* z) {
  const V l = all(lead);
  for (int i = 0; i < n; i += width) store(z + i, fma(l, load(dq + i), load(q + i)));
}

void envelope(const double* q, const double* dq, const double* g, const double* s, const double* t,
              const double* weights, int levels, int n, double* sums) {
  constexpr int most = 12;
  V total[most] = {};
  for (int i = 0; i < n; i += width) {
    const V x = load(q + i), v = load(dq + i);
    const V one = load(g + i) * x;
    const V two = fma(load(t + i), v, load(s + i) * x);
    const V c = root(fma(two, two, one * one));
    for (int l = 0; l < levels; ++l) {
      total[l] = fma(load(weights + static_cast<long>(l) * n + i), c, total[l]);
    }
  }
  for (int l = 0; l < levels; ++l) sums[l] = sum(total[l]);
}

double stored(const double* q, const double* dq, const double* inertia, const double* elasticity,
              int n) {
  V total{};
  for (int i = 0; i < n; i += width) {
    const V x = load(q + i), v = load(dq + i);
    total = fma(load(inertia + i) * v, v, total);
    total = fma(load(elasticity + i) * x, x - v, total);
  }
  return sum(total) / 2;
}

}  // namespace

extern const Kernels CAROM_KERNEL_SET;
const Kernels CAROM_KERNEL_SET{.name = CAROM_KERNEL_NAME,
                               .predict_one = predict_one<4>,
                               .predict_one_single = predict_one<1>,
                               .predict = predict,
                               .advance = advance,
                               .project = project,
                               .leap = leap,
                               .combine = combine,
                               .envelope = envelope,
                               .stored = stored};

}  // namespace carom::modal
