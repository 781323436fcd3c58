#pragma once

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/scenario/schema.hpp>

namespace carom {

/// A number at full double precision; null for NaN and infinities, which JSON cannot hold.
Json json_number(double value);

/// {"name", every field of the law}, and back. Numbers with two names are written under both.
Json to_json(const AnyLaw& law);
AnyLaw law_from_json(const Json& json);

/// The same with what the numbers mean for this collision: epsilon, omega_i.
Json to_json(const AnyLaw& law, const Collision& collision);

/// The parameters in one line for people: "k = 1e+09 N/m^1.5, n = 1.5, mu = 0.5 s/m (lambda =
/// ...)".
std::string describe(const AnyLaw& law, const Collision& collision);

/// The "result" block of contract `carom impact`.
Json to_json(const Impact& impact);

}  // namespace carom
