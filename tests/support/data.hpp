#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace support {

/// A reference file of tests/data, parsed.
nlohmann::json reference(const std::string& name);

/// json.dump(), compiled once.
std::string text(const nlohmann::json& json);

/// Optional data that is not part of the project (measured strings): the folder named by
/// CAROM_SHARED, else ../shared beside the checkout. Empty when there is none.
std::filesystem::path shared_folder();

}  // namespace support
