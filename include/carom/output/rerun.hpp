#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <carom/scenario/scenario.hpp>

namespace carom {

/// A run as its summary.json tells it.
struct EarlierRun {
  Scenario scenario;
  Json summary;
  std::vector<std::string> differences;  ///< of the program: bits may differ
};

/// Reads a summary and checks the scenario in it as if it came from a file. Throws InvalidInput
/// where it is no summary, or an input file is gone or no longer the same.
EarlierRun read_earlier_run(const std::filesystem::path& summary);

/// The summary of a run of this scenario, by this version and with the same input files, that has
/// ended and whose results are in `folder`; none: there is no such run.
std::optional<Json> finished_run(const Scenario& scenario, const std::filesystem::path& folder);

/// The files of two runs whose contents differ, by the hashes in their summaries; report.html and
/// summary.json, which tell what a run has cost, are not compared.
std::vector<std::string> different_files(const Json& before, const Json& after);

}  // namespace carom
