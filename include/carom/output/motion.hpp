#pragma once

#include <string>

#include <carom/scenario/json.hpp>

namespace carom {

/// How the signals of a kind become a moving picture, for the scripts that draw it: `type` (line,
/// drop, pendulums, bar), `signals`, `caption` and what the type asks for. Null: this kind has a
/// film of its own.
Json motion_of(const std::string& kind);

}  // namespace carom
