#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace carom {

/// Values of a scenario and results of a run. The order of keys is the order they were written in.
using Json = nlohmann::ordered_json;

/// Json's own dump and parse, compiled once and not in every file that writes or reads. What is
/// nested more than 64 deep is refused with InvalidInput.
std::string json_text(const Json& json, int indent = -1);
Json parse_json(std::string_view text);

/// The contents of a JSON file. Throws InvalidInput when it cannot be read, is no regular file, is
/// larger than 64 MB, is nested more than 64 deep, or is no JSON.
Json read_json(const std::filesystem::path& file);

}  // namespace carom
