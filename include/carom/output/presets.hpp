#pragma once

#include <span>
#include <string_view>

namespace carom {

/// A ready scenario that sounds, from the folder presets, which is part of the program.
struct Preset {
  std::string_view name;     ///< "glass-on-ceramic"
  std::string_view kind;     ///< "strike"
  std::string_view summary;  ///< its first comment
  std::string_view text;     ///< the whole file
};

/// In the order of kinds and names.
std::span<const Preset> presets();

/// Throws InvalidInput with the nearest name, or with the kind that has it. An empty kind: any.
const Preset& find_preset(std::string_view kind, std::string_view name);

}  // namespace carom
