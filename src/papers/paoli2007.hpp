#pragma once

#include <vector>

#include <carom/papers/reproduction.hpp>
#include <carom/steppers/bar_drop.hpp>

/// The parts of paoli2007, one source file each, and the bar they share.
namespace carom::paoli2007 {

void reproduce_tables(Reproduction& paper);        ///< Tables 2-5 and what Sect. 5.1 says of them
void reproduce_contacts(Reproduction& paper);      ///< Sect. 5.2, Figs 3 and 4
void reproduce_vertical_bar(Reproduction& paper);  ///< u(x, t) of Sect. 5.2
/// How far the apparent restitutions for different e lie apart as n grows, Sect. 6.
void reproduce_influence_of_restitution(Reproduction& paper);
void reproduce_restitution(Reproduction& paper);  ///< Figs 5-7
void reproduce_excitation(Reproduction& paper);   ///< Figs 8 and 9

/// The bar of the paper; `angle` in degrees.
BarDrop paper_bar(BarModel model, BarMethod method, double restitution, double angle);

/// The same started 0.1 ms before it lands: in undisturbed fall nothing happens earlier.
BarDrop landing_bar(BarModel model, BarMethod method, double restitution, double angle);

/// Drops all bars on all cores; the results do not depend on how many there are. `from`, `to`: the
/// share of the paper's progress.
std::vector<BarDropResult> drop_all(const Reproduction& paper, double from, double to,
                                    const std::vector<BarDrop>& drops);

}  // namespace carom::paoli2007
