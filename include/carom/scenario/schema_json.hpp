#pragma once

#include <carom/scenario/json.hpp>

namespace carom {

/// Everything that a form needs to know about scenarios: {"kinds": [{"name", "summary", "playable",
/// "template", "examples", "tables": [{"name", "help", "optional", "repeated", "fields":
/// [...]}]}]}. A field has "name", "type", "help" and, where it has them, "unit", "required",
/// "default", "example", "lowest", "highest", "choices", "columns"; a number has a "slider":
/// {"low", "high", "logarithmic"}.
Json schema_json();

}  // namespace carom
