#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>

#include "process.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingBeside) {
  const support::TemporaryFolder folder;
  write_file(folder / "a.txt", "a longer first text");
  write_file(folder / "a.txt", "second");
  std::ifstream file(folder / "a.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
}

TEST(WriteFile, NamesThePathItCannotWrite) {
  try {
    write_file("no/such/folder/a.txt", "x");
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/folder/a.txt"), std::string::npos);
  }
}

}  // namespace
}  // namespace carom
