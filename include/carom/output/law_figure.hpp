#pragma once

#include <carom/output/figure.hpp>

namespace carom {

/// Restitution against speed for every law, in two panels: laws whose restitution depends on the
/// speed, and those whose does not. A loss that a restitution can set is such that all of them have
/// 0.7 at 1 m/s.
Figure restitution_figure();

}  // namespace carom
