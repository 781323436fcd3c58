#pragma once

#include <carom/papers/reproduction.hpp>

/// The parts of papetti2011, one source file each.
namespace carom::papetti {

void reproduce_errors(Reproduction& paper);    ///< Tables I, II and Figs. 6-11
void reproduce_rebounds(Reproduction& paper);  ///< Table III and Fig. 12

}  // namespace carom::papetti
