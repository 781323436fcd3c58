#pragma once

#include <carom/papers/reproduction.hpp>

/// The parts of papetti2011, one source file each.
namespace carom::papetti {

void reproduce_analysis(Reproduction& paper);  ///< Section II, Figs. 1-5, waveform errors
void reproduce_errors(Reproduction& paper);    ///< Tables I, II and Figs. 6-11
void reproduce_rebounds(Reproduction& paper);  ///< Table III and Fig. 12
void reproduce_costs(Reproduction& paper);     ///< Table IV and measured times
void reproduce_by_carom(Reproduction& paper);  ///< the same cases by the methods of carom

}  // namespace carom::papetti
