#pragma once

#include <functional>

#include <carom/live/tables.hpp>

namespace carom {

/// A body with what a player needs beside it. `modes_at` gives the modes at a ratio of pitches;
/// modes that would lie above half the rate [Hz] of the sound are left out or held.
InstrumentTables played(PlayedBody body, double rate,
                        const std::function<std::vector<Mode>(double)>& modes_at);

/// One more contact of the body: its shapes without those of a hammer, and its height [m].
void add_contact(PlayedBody& body, const ShapeMatrix& row, double height, Side side,
                 const ModalContactLaw& law);

}  // namespace carom
