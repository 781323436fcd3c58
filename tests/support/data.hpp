#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace support {

/// A reference file of tests/data, parsed.
inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::string(CAROM_TEST_DATA) + "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return nlohmann::json::parse(file);
}

/// Optional data that is not part of the project (measured strings): the folder named by
/// CAROM_SHARED, else ../shared beside the checkout. Empty when there is none.
inline std::filesystem::path shared_folder() {
  const char* named = std::getenv("CAROM_SHARED");
  const std::filesystem::path folder =
      named != nullptr ? named : std::string(CAROM_SOURCE_DIR) + "/../shared";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path{};
}

}  // namespace support
