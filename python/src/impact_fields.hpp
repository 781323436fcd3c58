#pragma once

#include <array>
#include <utility>

#include <carom/impact/impact.hpp>

namespace carom::python {

/// The numbers of an Impact by the names that Python sees.
inline constexpr std::array<std::pair<const char*, double Impact::*>, 11> impact_fields{{
    {"rebound_speed", &Impact::rebound_speed},
    {"restitution", &Impact::restitution},
    {"max_compression", &Impact::max_compression},
    {"max_compression_time", &Impact::max_compression_time},
    {"max_force", &Impact::max_force},
    {"max_force_time", &Impact::max_force_time},
    {"contact_time", &Impact::contact_time},
    {"separation_compression", &Impact::separation_compression},
    {"energy_in", &Impact::energy_in},
    {"energy_lost", &Impact::energy_lost},
    {"equilibrium_compression", &Impact::equilibrium_compression},
}};

}  // namespace carom::python
