#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace carom {

/// Opens a file for writing that is new and nobody else's: what has its name is removed, a link is
/// not followed, and where somebody puts one there at the same moment it fails. Null and errno.
std::FILE* create_new(const std::filesystem::path& path);

/// Writes a file whole or not at all: under a temporary name first, then renamed.
/// Throws InvalidInput, naming the path and the reason, when it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace carom
