#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace carom {

/// The lines of a text file as UTF-8, without their ends.
struct TextFile {
  std::string encoding;
  std::vector<std::string> lines;
};

/// Throws InvalidInput, naming the file, for everything but a regular file of text of moderate
/// size.
TextFile read_text(const std::filesystem::path& file);
/// The same from its bytes; `file` is used in messages.
TextFile text_of(const std::filesystem::path& file, const std::string& bytes);

/// `file 'name': ` and the reason.
[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& reason);

}  // namespace carom
