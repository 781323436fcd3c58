#include "provenance.hpp"

#include "../scenario/document.hpp"
#include "hash.hpp"

namespace carom {

Json provenance(const Scenario& scenario) {
  Json files = Json::array();
  files.push_back({{"key", nullptr},
                   {"file", scenario.file().filename().string()},
                   {"sha256", sha256(scenario.source())}});
  for (const InputFile& file : input_files(scenario)) {
    files.push_back(
        {{"key", file.key}, {"file", file.name}, {"sha256", sha256_of_file(file.path)}});
  }
  return {{"program", program_json()},
          {"scenario", scenario.values()},
          {"given", scenario.given_values()},
          {"source", scenario.source()},
          {"input_files", std::move(files)}};
}

}  // namespace carom
