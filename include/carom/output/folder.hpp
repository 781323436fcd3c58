#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace carom {

/// A folder that gets its files together or not at all. They are written in a hidden folder inside
/// and moved to their places by commit(); without commit() nothing is left behind. A run that is
/// killed leaves only the hidden folder, which the next run removes.
class OutputFolder {
 public:
  /// Throws InvalidInput when the folder cannot be made or written to.
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where to write the file that will be called `name`.
  std::filesystem::path add(const std::string& name);
  /// A scratch file that never appears.
  std::filesystem::path scratch(const std::string& name) const { return partial_ / name; }
  /// Moves all files to their places, in the order they were added.
  void commit();

  const std::filesystem::path& folder() const noexcept { return folder_; }
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::filesystem::path folder_, partial_;
  std::vector<std::string> names_;
  bool made_ = false, committed_ = false;
};

}  // namespace carom
