#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace carom {

/// Values of a scenario and results of a run. The order of keys is the order they were written in.
using Json = nlohmann::ordered_json;

/// Json's own dump and parse, compiled once and not in every file that writes or reads.
std::string json_text(const Json& json, int indent = -1);
Json parse_json(std::string_view text);

}  // namespace carom
