#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/presets.hpp>
#include <carom/scenario/kind.hpp>

#include "presets_text.hpp"

namespace carom {
namespace {

/// `kind = "strike"` and the first comment are read off the text: they stand nowhere else.
Preset read(std::string_view name, std::string_view text) {
  constexpr std::string_view key = "kind = \"";
  const std::size_t from = text.find(key) + key.size();
  return {.name = name,
          .kind = text.substr(from, text.find('"', from) - from),
          .summary = text.substr(2, text.find('\n') - 2),
          .text = text};
}

std::vector<Preset> read_all() {
  std::vector<Preset> all;
  for (const auto& [name, text] : preset_texts) all.push_back(read(name, text));
  const auto order = [](std::string_view kind) {
    const auto& known = kinds();
    return std::find_if(known.begin(), known.end(),
                        [&](const Kind& each) { return each.name == kind; }) -
           known.begin();
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Preset& a, const Preset& b) { return order(a.kind) < order(b.kind); });
  return all;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = read_all();
  return all;
}

const Preset& find_preset(std::string_view kind, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name && !kind.empty() && preset.kind != kind) {
      throw InvalidInput(
          fmt::format("--preset '{}' is of kind {}, not {}", name, preset.kind, kind));
    }
    if (preset.name == name) return preset;
    if (kind.empty() || preset.kind == kind) names.push_back(preset.name);
  }
  if (names.empty()) throw InvalidInput(fmt::format("--preset '{}': kind {} has none", name, kind));
  throw InvalidInput(unknown_name_message("preset", name, names));
}

}  // namespace carom
