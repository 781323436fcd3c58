#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// A title such as "Run 2: Force (kN)", taken apart.
struct Title {
  std::string run;       ///< "Run 2"
  std::string quantity;  ///< "force"; empty where it names nothing known
  std::string unit;      ///< "kN"
};
Title title_of(std::string_view text);

/// Every quantity that a column can measure.
std::vector<std::string_view> quantity_names();
/// Throws InvalidInput with the nearest name unless it is one of them.
void require_quantity(std::string_view quantity);

/// How many SI units one of these is, for this quantity; nothing for a unit it is not measured in.
std::optional<double> unit_factor(std::string_view quantity, std::string_view unit);
std::string_view si_unit(std::string_view quantity);
/// "N, kN, mN": what unit_factor() takes.
std::string unit_list(std::string_view quantity);
/// Whether this is a unit of anything.
bool is_unit(std::string_view text);

}  // namespace carom
