// What the fuzzer was given and what it has found, once more: every input is read or refused.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "targets.hpp"

namespace carom::fuzz {
namespace {

class Corpus : public ::testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefused) {
  const auto folder = std::filesystem::path(CAROM_FUZZ_CORPUS) / GetParam().name;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NO_THROW(feed(GetParam(), bytes));
    ++count;
  }
  EXPECT_GT(count, 0) << "no input for " << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace carom::fuzz
