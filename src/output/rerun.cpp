#include <algorithm>

#include <carom/core/version.hpp>
#include <carom/output/rerun.hpp>

#include "../scenario/document.hpp"
#include "hash.hpp"
#include "provenance.hpp"

namespace carom {
namespace {

const Json& member(const Json& summary, const char* key, Json::value_t type) {
  const auto found = summary.is_object() ? summary.find(key) : summary.end();
  if (found == summary.end() || found->type() != type) {
    throw InvalidInput(std::string("there is no '") + key +
                       "' in it: not a summary.json of carom " + std::string(version()) +
                       " or later");
  }
  return *found;
}

Scenario scenario_of(const Json& summary, const std::filesystem::path& folder) {
  Node root = node_of(member(summary, "given", Json::value_t::object));
  const std::filesystem::path home = member(summary, "scenario_folder", Json::value_t::string);
  const std::filesystem::path name = member(summary, "file", Json::value_t::string);
  const std::string source = member(summary, "source", Json::value_t::string);
  return check_tree(root, (folder / home / name).lexically_normal(), source);
}

void require_same_inputs(const Scenario& scenario, const Json& summary) {
  const Json& recorded = member(summary, "input_files", Json::value_t::array);
  for (const InputFile& file : input_files(scenario)) {
    const auto before = std::find_if(recorded.begin(), recorded.end(), [&](const Json& one) {
      return one.is_object() && one.value("key", Json()) == Json(file.key);
    });
    if (before == recorded.end() || before->value("sha256", "") != sha256_of_file(file.path)) {
      throw InvalidInput(file.key + " = '" + file.name +
                         "': the file is no longer what the run has read");
    }
  }
}

}  // namespace

EarlierRun read_earlier_run(const std::filesystem::path& file) {
  Json summary = read_json(file);
  try {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    Scenario scenario = scenario_of(summary, folder);
    require_same_inputs(scenario, summary);
    std::vector<std::string> differences;
    const Json now = program_json();
    const Json& then = member(summary, "program", Json::value_t::object);
    for (const auto& [name, value] : now.items()) {
      const Json before = then.value(name, Json());
      if (before == value) continue;
      differences.push_back(name + " was " +
                            (before.is_string() ? before.get<std::string>() : "?") + ", is " +
                            value.get<std::string>());
    }
    return {std::move(scenario), std::move(summary), std::move(differences)};
  } catch (const ScenarioError&) {
    throw;
  } catch (const InvalidInput& error) {
    throw InvalidInput("'" + file.string() + "': " + error.what());
  }
}

std::optional<Json> finished_run(const Scenario& scenario, const std::filesystem::path& folder) {
  try {
    Json summary = read_json(folder / "summary.json");
    const Json now = provenance(scenario);
    if (member(summary, "program", Json::value_t::object).value("version", "") != version()) {
      return {};
    }
    for (const char* key : {"scenario", "input_files"}) {
      if (!summary.contains(key) || summary[key] != now[key]) return {};
    }
    return summary;
  } catch (const InvalidInput&) {
    return {};
  }
}

std::vector<std::string> different_files(const Json& before, const Json& after) {
  std::vector<std::string> names;
  const Json& then = member(before, "sha256", Json::value_t::object);
  const Json& now = member(after, "sha256", Json::value_t::object);
  for (const auto& [name, hash] : now.items()) {
    if (then.value(name, Json()) != hash) names.push_back(name);
  }
  for (const auto& [name, hash] : then.items()) {
    if (!now.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace carom
