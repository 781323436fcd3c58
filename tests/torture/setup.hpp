#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Random physical set-ups as scenario files.
namespace carom::torture {

/// A scenario as a list of tables, so that parts of it can be left out.
struct Setup {
  struct Part {
    std::string header;                                     ///< "[body]", "[[contact]]"; empty: top
    std::vector<std::pair<std::string, std::string>> keys;  ///< values as TOML
  };
  std::vector<Part> parts;

  Part& part(const std::string& header) { return parts.emplace_back(Part{header, {}}); }
  std::string text() const;
  /// To this share of the samples: a lower rate, or a shorter run where the rate decides whether
  /// the method is stable.
  void thin_out(double share);
};

/// Set-up number `index` of a seed: all kinds, laws and methods, values over their ranges with
/// their ends, now and then far beyond. The same on every machine. `folder` has table.csv.
Setup draw(std::uint64_t seed, std::uint64_t index);

/// What `table.csv` of the law `table` holds.
extern const char* const table_csv;

}  // namespace carom::torture
