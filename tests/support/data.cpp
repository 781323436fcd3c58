#include "data.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace support {

nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::string(CAROM_TEST_DATA) + "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return nlohmann::json::parse(file);
}

std::string text(const nlohmann::json& json) { return json.dump(); }

std::filesystem::path shared_folder() {
  const char* named = std::getenv("CAROM_SHARED");
  const std::filesystem::path folder =
      named != nullptr ? named : std::string(CAROM_SOURCE_DIR) + "/../shared";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path{};
}

}  // namespace support
