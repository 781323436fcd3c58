#pragma once

#include <carom/papers/reproduction.hpp>

/// The parts of poursina2020, one source file each.
namespace carom::poursina {

void reproduce_scaling(Reproduction& paper);    ///< Fig. 2, eqs. (18), (19), Figs. 3-5
void reproduce_fits(Reproduction& paper);       ///< Figs. 6, 7, eqs. (45)-(47) and better ones
void reproduce_accuracy(Reproduction& paper);   ///< Figs. 8, 9, eqs. (49)-(57), cost
void reproduce_pendulums(Reproduction& paper);  ///< Section 6, Figs. 10-12

}  // namespace carom::poursina
