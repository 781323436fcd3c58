#include <carom/core/error.hpp>
#include <carom/scenario/json.hpp>

#include "document.hpp"

namespace carom {
namespace {

constexpr int deepest_json = 64;
constexpr std::uintmax_t largest_json = 64u << 20;

}  // namespace

std::string json_text(const Json& json, int indent) { return json.dump(indent); }

Json parse_json(std::string_view text) {
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_json) throw InvalidInput("the JSON is nested too deeply");
    return true;
  });
}

Json read_json(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, largest_json, "a JSON file");
  const auto refuse = [&](const std::string& reason) {
    throw InvalidInput("cannot read '" + file.string() + "': " + reason);
  };
  try {
    return parse_json(text);
  } catch (const Json::exception&) {
    refuse("it is not JSON");
  } catch (const InvalidInput& error) {
    refuse(error.what());
  }
  return {};
}

}  // namespace carom
