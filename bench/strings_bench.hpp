#pragma once

#include <string>

#include <carom/core/clock.hpp>
#include <carom/steppers/modal_problem.hpp>

#include "papers/issanchou_strings.hpp"

/// The bass on a neck without frets: every grid point may touch. The measured neck where it is
/// found, else a straight one with a little relief that ends at 0.603 m.
carom::ModalProblem fretless(const carom::issanchou::Case& low);

/// Fast and plain side by side over 100 ms: every impulse in the same step at the same contact, and
/// how far they have moved apart by then, a line every 10 ms.
void against_plain(const std::string& name, const carom::ModalProblem& problem);

/// Would a longer memory pay, i.e. a convolution by FFT in blocks that takes more modes out of the
/// passes? The transforms are taken to cost nothing. Whatever leaves the passes has to be brought
/// back when the ledger closes, from the impulses since it closed last.
void blocks(const carom::ModalProblem& problem);
