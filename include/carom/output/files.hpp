#pragma once

#include <filesystem>
#include <string_view>

namespace carom {

/// Writes a file whole or not at all: under a temporary name first, then renamed.
/// Throws InvalidInput, naming the path and the reason, when it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace carom
