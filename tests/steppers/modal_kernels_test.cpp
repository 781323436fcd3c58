#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "steppers/modal/aligned.hpp"
#include "steppers/modal/kernels.hpp"

// The baseline set against the best this machine has: both must do what the header says, and differ
// by the rounding of fused multiply-adds and of sums in another order.
namespace {

using carom::modal::Array;
using carom::modal::Kernels;

constexpr int n = 96;

struct Inputs {
  Inputs() {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> any(-1, 1), positive(0.1, 1);
    for (Array* array : {&q, &dq, &weights, &slope}) {
      for (int j = 0; j < n; ++j) array->push_back(any(random));
    }
    for (int j = 0; j < n; ++j) {
      const double theta = 3.0 * (j + 1) / n, r = 1 - 0.1 * positive(random);
      e.push_back(r * r);
      d.push_back(1 + r * r - 2 * r * std::cos(theta));
      a.push_back(positive(random));
    }
    for (auto& row : rows) {
      for (int j = 0; j < n; ++j) row.push_back(any(random));
    }
    for (double& p : pushed) p = any(random);
    for (int i = 0; i < 64 + 16; ++i) response.push_back(i < 64 ? any(random) : 0.0);
  }
  std::vector<const double*> row_pointers() const {
    std::vector<const double*> pointers;
    for (const Array& row : rows) pointers.push_back(row.data());
    return pointers;
  }

  Array q, dq, weights, slope, e, d, a, response;
  std::array<Array, 11> rows;  // not a multiple of any tile
  alignas(64) std::array<double, 128> pushed{};
};

/// Everything the kernels give for the same inputs, one after the other.
std::vector<double> results(const Kernels& kernels) {
  const Inputs in;
  std::vector<double> all;
  const auto keep = [&](const auto& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  const std::vector<const double*> rows = in.row_pointers();
  const int row_count = static_cast<int>(rows.size());
  Array states(5 * n, 0.0);
  alignas(64) std::array<double, 64> out{};

  for (const bool pending : {false, true}) {
    Array q = in.q, dq = in.dq;
    kernels.predict_one(q.data(), dq.data(), in.e.data(), in.d.data(), in.a.data(), n, 32, 80,
                        pending ? in.pushed.data() : nullptr, out.data());
    keep(q), keep(dq), keep(std::span(out).first(4));
    kernels.predict_one(q.data(), dq.data(), in.e.data(), in.d.data(), in.a.data(), n, 32, 80,
                        in.pushed.data(), nullptr);
    keep(q), keep(dq);
    kernels.predict(q.data(), dq.data(), in.e.data(), in.d.data(), in.a.data(), n, rows.data(),
                    pending ? row_count : 0, in.pushed.data(), states.data());
    keep(q), keep(dq), keep(states);
    for (const int count : {1, 3, 4}) {
      all.push_back(kernels.advance(q.data(), dq.data(), in.e.data(), in.d.data(), in.a.data(), n,
                                    rows.data(), pending ? row_count : 0, in.pushed.data(), count,
                                    states.data(), in.weights.data()));
      keep(q), keep(dq);
    }
  }
  for (const int columns : {1, 2, 4, 5}) {
    kernels.project(rows.data(), row_count, states.data(), n, n, columns, out.data());
    keep(std::span(out).first(static_cast<std::size_t>(row_count * columns)));
  }
  Array q = in.q, dq = in.dq;
  kernels.revive(q.data(), dq.data(), in.e.data(), in.d.data(), in.a.data(), n, in.pushed.data(),
                 64);
  keep(q), keep(dq);
  kernels.convolve(in.response.data(), in.pushed.data() + 127, 64, out.data());
  keep(std::span(out).first(16));
  kernels.leap(in.q.data(), in.dq.data(), in.e.data(), in.d.data(), in.a.data(), in.slope.data(), n,
               q.data(), dq.data());
  keep(q), keep(dq);
  kernels.combine(in.q.data(), in.dq.data(), 0.5, n, q.data());
  keep(q);
  kernels.envelope(in.q.data(), in.dq.data(), in.a.data(), in.slope.data(), in.e.data(),
                   states.data(), 4, n, out.data());
  keep(std::span(out).first(4));
  all.push_back(kernels.stored(in.q.data(), in.dq.data(), in.a.data(), in.d.data(), n));
  all.push_back(
      kernels.quadratic(in.q.data(), in.dq.data(), in.e.data(), in.d.data(), in.a.data(), n));
  return all;
}

TEST(ModalKernels, EveryInstructionSetGivesTheSameBits) {
  const carom::modal::KernelSets sets = carom::modal::available_kernels();
  const std::vector<double> first = results(**sets.begin());
  for (const Kernels* kernels : sets) EXPECT_EQ(first, results(*kernels)) << kernels->name;
}

TEST(ModalKernels, AConvolutionIsItsDefinition) {
  const Inputs in;
  alignas(64) std::array<double, 16> sums{};
  for (const Kernels* kernels : carom::modal::available_kernels()) {
    kernels->convolve(in.response.data(), in.pushed.data() + 127, 64, sums.data());
    for (int k = 0; k < 16; ++k) {
      double sum = 0;
      for (int i = 0; i < 64; ++i) {
        sum += in.response[static_cast<std::size_t>(k + i)] *
               in.pushed[static_cast<std::size_t>(127 - i)];
      }
      EXPECT_NEAR(sums[static_cast<std::size_t>(k)], sum, 1e-13) << k;
    }
  }
}

}  // namespace
