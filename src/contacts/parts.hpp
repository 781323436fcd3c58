#pragma once

#include <array>

#include <carom/contacts/response_table.hpp>

namespace carom::detail {

// What the files of this room share.

inline constexpr int S = Collocation::nodes, M = ResponseTable::points;
inline constexpr double rounding = 2.3e-16;
inline constexpr double on_edge = 1e-13;  ///< of the length of a contact: no way to its edge

inline double square(double x) { return x * x; }

/// sum_k coefficients_k u^k with coefficients_k = sum_j table_kj f_j.
template <std::size_t Terms>
double dense(const std::array<Collocation::Nodes, Terms>& table, const Collocation::Nodes& f,
             double u) noexcept {
  double sum = 0;
  for (std::size_t k = Terms; k-- > 0;) {
    double coefficient = 0;
    for (int j = 0; j < S; ++j) coefficient += table[k][j] * f[j];
    sum = sum * u + coefficient;
  }
  return sum;
}

}  // namespace carom::detail
