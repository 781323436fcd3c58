#pragma once

#include <carom/papers/reproduction.hpp>

/// The parts of papetti2011, one source file each.
namespace carom::papetti {

void reproduce_analysis(Reproduction& paper);  ///< Section II, Figs. 1-5, waveform errors
void reproduce_errors(Reproduction& paper);    ///< Tables I, II and Figs. 6-11
void reproduce_rebounds(Reproduction& paper);  ///< Table III and Fig. 12
/// How often Newton's method, stopped early, gives AM1's numbers of Table III(b).
void search_stopping_rules(Reproduction& paper);
void reproduce_claims(Reproduction& paper);    ///< eqs. (9), (29)-(36), few samples, Sect. IV-C, D
void reproduce_costs(Reproduction& paper);     ///< Table IV and measured times
void reproduce_by_carom(Reproduction& paper);  ///< the same cases by the methods of carom

}  // namespace carom::papetti
