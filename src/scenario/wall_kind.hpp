#pragma once

#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>

#include "contact_law.hpp"
#include "wall_simulation.hpp"

/// What the kinds of one body and a wall (impact, bounce) share.
namespace carom {

std::vector<Field> method_fields(double rate);  ///< method, rate, events, correct of [run]
std::string method_of(const Scenario& scenario);
Events events_of(const Scenario& scenario);
Correct correct_of(const Scenario& scenario);

/// The fields of one entry of `impacts`.
Json impact_json(const ImpactRecord& impact);

/// The exact curve of one impact for the pictures.
std::vector<Picture> contact_pictures(const WallLaw& law, const Collision& collision,
                                      const class ContactTrace& trace);

/// What `carom check` knows about one body and a wall.
std::vector<Advice> wall_advice(const WallSettings& settings, const std::string& rate_key);

/// Root mean square over the phase between contact and sample grid of the relative error of the
/// rebound speed, by trial impacts at `phases` evenly spread phases; NaN when one never ends.
double expected_rebound_error(const WallSettings& settings, int phases = 16);

}  // namespace carom
