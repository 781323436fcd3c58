#include <carom/scenario/json.hpp>

namespace carom {

std::string json_text(const Json& json, int indent) { return json.dump(indent); }

Json parse_json(std::string_view text) { return Json::parse(text); }

}  // namespace carom
