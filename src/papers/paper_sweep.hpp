#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "registry.hpp"

namespace carom {

/// A value of a sweep's table: the Cell of sweep/record.hpp, which is dear to include.
using SweepValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Numbers over one key of a sweep, with everything else fixed.
struct SweepCurve {
  std::vector<SweepValue> at;  ///< values of the other keys, in the order of the plan
  std::vector<double> x, y;    ///< NaN where a run has no such result
};

/// One of the sweeps in papers/<key>/sweeps/, which are compiled in, done on all cores. `carom
/// sweep` runs the same files.
class PaperSweep {
 public:
  /// Which part of the paper's progress this is.
  struct Share {
    double from, to;
  };
  /// `where`: conditions that thin it out.
  PaperSweep(const Reproduction& paper, Share share, std::string_view sweep,
             std::string_view scenario, const std::vector<std::string>& where = {});

  /// The result `y` over the key `x`, which must be the one that changes fastest.
  std::vector<SweepCurve> curves(std::string_view x, std::string_view y) const;
  /// One column.
  std::vector<double> numbers(std::string_view name) const;

 private:
  std::size_t column(std::string_view name) const;

  std::vector<std::string> names_;  ///< of the columns; the parameters begin at 1
  std::size_t parameters_;
  std::vector<std::vector<SweepValue>> rows_;
};

/// NaN when it is no number.
double number_of(const SweepValue& value);

}  // namespace carom
