// The kernels for one instruction set. Included by kernels_<set>.cpp, which is compiled with the
// flags of that set and defines CAROM_KERNEL_SET; nothing else may be included here, so that no
// inline function of another header is compiled with those flags.
//
// All sets compute the same bits: sums over modes have four lanes whatever the width of the
// registers, and every set fuses the same products, in software where the processor cannot. Only
// what is to agree with a browser, which has no fused operations, does without them
// (CAROM_UNFUSED).
#include "kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace carom::modal {
namespace {

constexpr int lanes = 4;  // of sums
typedef double Four __attribute__((vector_size(32)));

#if defined(__AVX2__) && defined(__FMA__)
inline Four fma(Four a, Four b, Four c) { return _mm256_fmadd_pd(a, b, c); }    // a b + c
inline Four fnma(Four a, Four b, Four c) { return _mm256_fnmadd_pd(a, b, c); }  // c - a b
inline Four root(Four a) { return _mm256_sqrt_pd(a); }
#else
#if defined(CAROM_UNFUSED)
inline Four fma(Four a, Four b, Four c) { return a * b + c; }
#else
inline Four fma(Four a, Four b, Four c) {
  for (int i = 0; i < lanes; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
}
#endif
inline Four fnma(Four a, Four b, Four c) { return fma(-a, b, c); }
inline Four root(Four a) {
  for (int i = 0; i < lanes; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
}
#endif

// What is done to each mode by itself may be as wide as the registers are.
#if defined(__AVX512VL__)
constexpr int width = 8;
typedef double V __attribute__((vector_size(64)));
inline V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
inline V fnma(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
inline Four low(V a) { return _mm512_castpd512_pd256(a); }
inline Four high(V a) { return _mm512_extractf64x4_pd(a, 1); }
inline void add(Four& total, V a) {
  total += low(a);
  total += high(a);
}
inline void add_two(Four& total, V a, V b) {
  total += low(a) + high(a);
  total += low(b) + high(b);
}
inline void add_product(Four& total, V a, V b) {
  total = fma(low(a), low(b), total);
  total = fma(high(a), high(b), total);
}
#else
constexpr int width = lanes;
typedef Four V;
inline void add(Four& total, V a) { total += a; }
inline void add_two(Four& total, V a, V b) { total += a + b; }
inline void add_product(Four& total, V a, V b) { total = fma(a, b, total); }
#endif

template <class T = V>
inline T load(const double* p) {
  return *reinterpret_cast<const T*>(p);
}
template <class T>
inline void store(double* p, T v) {
  *reinterpret_cast<T*>(p) = v;
}
typedef Four Loose __attribute__((aligned(8)));
inline Four load_anywhere(const double* p) { return *reinterpret_cast<const Loose*>(p); }
inline void store_anywhere(double* p, Four v) { *reinterpret_cast<Loose*>(p) = v; }
template <class T = V>
inline T all(double x) {
  T v{};
  return v + x;
}
inline double sum(Four v) {
  double total = 0;
  for (int i = 0; i < lanes; ++i) total += v[i];
  return total;
}

// What a unit-admittance mode does in four steps under the forces f: the recursion from rest, in
// its two-term form q+ = both q - e q^- + f, both = 1 + e - d. That form is too inaccurate to carry
// a state through many steps, but not over four, and its chain of dependent operations is half as
// long, which is what limits the loop.
inline void respond(V e, V both, const V* f, V& q, V& before) {
  const V second = fma(both, f[0], f[1]);
  before = fma(both, second, fnma(e, f[0], f[2]));
  q = fma(both, before, fnma(e, second, f[3]));
}

/// What impulses during the last four steps did to a few modes.
template <bool pushed>
inline void add_response(V e, V both, const double* a, const V* f, V& q, V& dq) {
  if constexpr (pushed) {
    V y, before;
    respond(e, both, f, y, before);
    const V aa = load(a);
    q = fma(aa, y, q);
    dq = fma(aa, y - before, dq);
  }
}

// Two blocks at a time: each step waits for the one before it, and the processor does not see far
// enough ahead to fill the gaps with later blocks.
template <bool pushed>
inline void predict_slow(double* q, double* dq, const double* e, const double* d, const double* a,
                         int from, int to, const V* f, Four* total) {
  for (int i = from; i < to; i += 2 * width) {
    const int k = i + width;
    V q1 = load(q + i), q2 = load(q + k), dq1 = load(dq + i), dq2 = load(dq + k);
    const V e1 = load(e + i), e2 = load(e + k), d1 = load(d + i), d2 = load(d + k);
    add_response<pushed>(e1, (1.0 + e1) - d1, a + i, f, q1, dq1);
    add_response<pushed>(e2, (1.0 + e2) - d2, a + k, f, q2, dq2);
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
      dq1 = fnma(d1, q1, e1 * dq1);
      dq2 = fnma(d2, q2, e2 * dq2);
      q1 += dq1;
      q2 += dq2;
      add_two(total[step], q1, q2);
    }
    store(q + i, q1);
    store(dq + i, dq1);
    store(q + k, q2);
    store(dq + k, dq2);
  }
}

template <bool pushed>
inline void predict_fast(double* q, double* dq, const double* e, const double* d, const double* a,
                         int from, int to, const V* f, Four* total) {
  for (int i = from; i < to; i += width) {
    V q1 = load(q + i), before = q1 - load(dq + i);
    const V e1 = load(e + i), both = (1.0 + e1) - load(d + i);
    if constexpr (pushed) {
      V y, y_before;
      respond(e1, both, f, y, y_before);
      const V aa = load(a + i);
      q1 = fma(aa, y, q1);
      before = fma(aa, y_before, before);
    }
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
      const V next = fma(both, q1, -(e1 * before));
      before = q1;
      q1 = next;
      add(total[step], next);
    }
    store(q + i, q1);
    store(dq + i, q1 - before);
  }
}

template <bool pushed>
void predict_all(double* q, double* dq, const double* e, const double* d, const double* a, int n,
                 int fast_from, int fast_to, const double* pending, double* sums) {
  const int from = fast_from < n ? fast_from : n, to = fast_to < n ? fast_to : n;
  Four total[4] = {};
  V f[4] = {};
  if constexpr (pushed) {
    for (int k = 0; k < 4; ++k) f[k] = all(pending[k]);
  }
  predict_slow<pushed>(q, dq, e, d, a, 0, from, f, total);
  predict_fast<pushed>(q, dq, e, d, a, from, to, f, total);
  predict_slow<pushed>(q, dq, e, d, a, to, n, f, total);
  for (int k = 0; k < 4; ++k) sums[k] = sum(total[k]);
}

void predict_one(double* q, double* dq, const double* e, const double* d, const double* a, int n,
                 int fast_from, int fast_to, const double* pending, double* sums) {
  if (pending == nullptr) {
    predict_all<false>(q, dq, e, d, a, n, fast_from, fast_to, pending, sums);
  } else if (sums != nullptr) {
    predict_all<true>(q, dq, e, d, a, n, fast_from, fast_to, pending, sums);
  } else {
    V f[4];
    for (int k = 0; k < 4; ++k) f[k] = all(pending[k]);
    for (int i = 0; i < n; i += width) {
      V q1 = load(q + i), dq1 = load(dq + i);
      const V e1 = load(e + i);
      add_response<true>(e1, (1.0 + e1) - load(d + i), a + i, f, q1, dq1);
      store(q + i, q1);
      store(dq + i, dq1);
    }
  }
}

// Several blocks abreast: one alone waits for its own last step.
template <int blocks>
void revive_blocks(double* q, double* dq, const double* e, const double* d, const double* a,
                   const double* pushed, int count) {
  V x[blocks] = {}, v[blocks] = {};
  for (int k = 0; k < count; ++k) {
    const V f = all(pushed[k]);
#pragma GCC unroll 8
    for (int b = 0; b < blocks; ++b) {
      v[b] = fnma(load(d + b * width), x[b], fma(load(e + b * width), v[b], f));
      x[b] += v[b];
    }
  }
  for (int b = 0; b < blocks; ++b) {
    const V aa = load(a + b * width);
    store(q + b * width, aa * x[b]);
    store(dq + b * width, aa * v[b]);
  }
}

void revive(double* q, double* dq, const double* e, const double* d, const double* a, int n,
            const double* pushed, int count) {
  constexpr int blocks = 6;
  int i = 0;
  for (; i + blocks * width <= n; i += blocks * width) {
    revive_blocks<blocks>(q + i, dq + i, e + i, d + i, a + i, pushed, count);
  }
  for (; i < n; i += width) revive_blocks<1>(q + i, dq + i, e + i, d + i, a + i, pushed, count);
}

// Sixteen outputs in four registers. The responses that serve tap i for the first register serve
// tap i - 4 for the second and so on, so each is loaded once; the taps that share them are four
// apart, and `abreast` such families are done at once.
void convolve(const double* response, const double* newest, int taps, double* sums) {
  constexpr int registers = 16 / lanes, abreast = 2;
  Four total[registers] = {};
  for (int phase = 0; phase < lanes; phase += abreast) {
    Four part[abreast][registers] = {}, push[abreast][registers] = {};
    const auto turn = [&](int i, bool more) {
#pragma GCC unroll 8
      for (int t = 0; t < abreast; ++t) {
        const Four g = load_anywhere(response + i + t);
#pragma GCC unroll 8
        for (int l = registers - 1; l > 0; --l) {
          push[t][l] = push[t][l - 1];
          part[t][l] = fma(g, push[t][l], part[t][l]);
        }
        push[t][0] = more ? all<Four>(newest[-i - t]) : Four{};
        part[t][0] = fma(g, push[t][0], part[t][0]);
      }
    };
    int i = phase;
#pragma GCC unroll 4
    for (; i < taps; i += lanes) turn(i, true);
    for (; i < taps + (registers - 1) * lanes; i += lanes) turn(i, false);
    for (int t = 0; t < abreast; ++t) {
      for (int l = 0; l < registers; ++l) total[l] += part[t][l];
    }
  }
  for (int l = 0; l < registers; ++l) store_anywhere(sums + l * lanes, total[l]);
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
      add_response<true>(ee, (1.0 + ee) - dd, a + i, f, x, v);
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
  Four lost{};
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
    if (loss != nullptr) add_product(lost, load(loss + i), squares);
  }
  return sum(lost);
}

template <int M, int K>
void project_tile(const double* const* rows, const double* states, int stride, int n, double* out) {
  Four total[M][K] = {};
  for (int i = 0; i < n; i += lanes) {
    Four x[K];
    for (int k = 0; k < K; ++k) x[k] = load<Four>(states + static_cast<long>(k) * stride + i);
    for (int c = 0; c < M; ++c) {
      const Four phi = load<Four>(rows[c] + i);
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
  if (columns == 5) {
    project_columns<wide ? 4 : 2, 5>(rows, row_count, states, stride, n, out);
  } else if (columns == 4) {
    project_columns<wide ? 6 : 3, 4>(rows, row_count, states, stride, n, out);
  } else if (columns == 2) {
    project_columns<wide ? 8 : 4, 2>(rows, row_count, states, stride, n, out);
  } else {
    project_columns<8, 1>(rows, row_count, states, stride, n, out);
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
  constexpr int max_levels = 12;
  Four total[max_levels] = {};
  for (int i = 0; i < n; i += lanes) {
    const Four x = load<Four>(q + i), v = load<Four>(dq + i);
    const Four one = load<Four>(g + i) * x;
    const Four two = fma(load<Four>(t + i), v, load<Four>(s + i) * x);
    const Four c = root(fma(two, two, one * one));
    for (int l = 0; l < levels; ++l) {
      total[l] = fma(load<Four>(weights + static_cast<long>(l) * n + i), c, total[l]);
    }
  }
  for (int l = 0; l < levels; ++l) sums[l] = sum(total[l]);
}

double stored(const double* q, const double* dq, const double* inertia, const double* elasticity,
              int n) {
  Four total{};
  for (int i = 0; i < n; i += lanes) {
    const Four x = load<Four>(q + i), v = load<Four>(dq + i);
    total = fma(load<Four>(inertia + i) * v, v, total);
    total = fma(load<Four>(elasticity + i) * x, x - v, total);
  }
  return sum(total) / 2;
}

double quadratic(const double* q, const double* dq, const double* qq, const double* qd,
                 const double* dd, int n) {
  Four total{};
  for (int i = 0; i < n; i += lanes) {
    const Four x = load<Four>(q + i), v = load<Four>(dq + i);
    total = fma(x, fma(load<Four>(qq + i), x, load<Four>(qd + i) * v), total);
    total = fma(load<Four>(dd + i) * v, v, total);
  }
  return sum(total);
}

}  // namespace

extern const Kernels CAROM_KERNEL_SET;
const Kernels CAROM_KERNEL_SET{.name = CAROM_KERNEL_NAME,
                               .predict_one = predict_one,
                               .revive = revive,
                               .convolve = convolve,
                               .predict = predict,
                               .advance = advance,
                               .project = project,
                               .leap = leap,
                               .combine = combine,
                               .envelope = envelope,
                               .stored = stored,
                               .quadratic = quadratic};

}  // namespace carom::modal
