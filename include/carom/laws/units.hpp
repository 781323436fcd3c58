#pragma once

#include <carom/laws/catalogue.hpp>

namespace carom {

/// Units of measurement in SI units.
struct UnitScale {
  double length;  ///< [m]
  double time;    ///< [s]
  double force;   ///< [N]
};

/// The same contact with its numbers in SI units, where `law` has them in these. Each field says
/// its unit ("N s/m^(n+1)"), so that no law need be known by name. Only for laws of plain numbers.
AnyLaw in_si_units(const AnyLaw& law, const UnitScale& units);

/// A law all of whose parameters are numbers, choices or fixed: one that a fit can move.
bool is_of_numbers(const LawInfo& law);

}  // namespace carom
