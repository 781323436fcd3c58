// What the fuzzer was given and what it has found, once more: every input is read or refused.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "targets.hpp"

namespace carom::fuzz {
namespace {

std::vector<std::string> inputs_of(const Target& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(CAROM_FUZZ_CORPUS) / target.name)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Corpus : public ::testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefused) {
  const std::vector<std::string> inputs = inputs_of(GetParam());
  EXPECT_FALSE(inputs.empty()) << "no input for " << GetParam().name;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_NO_THROW(feed(GetParam(), inputs[i])) << "input " << i << " of " << GetParam().name;
  }
}

/// What libFuzzer does without looking at coverage: bytes changed, cut, doubled, spliced, and words
/// that readers stumble over.
std::string mutated(std::string text, const std::vector<std::string>& inputs,
                    std::mt19937& random) {
  static const std::string words[] = {"1e999",
                                      "-1",
                                      "nan",
                                      "[",
                                      "]",
                                      "{",
                                      "\"",
                                      "'",
                                      "\n",
                                      "=",
                                      ".",
                                      "\0\0\0\0",
                                      "\xff\xff\xff\xff",
                                      "18446744073709551616",
                                      "0x",
                                      "1e-320",
                                      ",,,",
                                      "((((",
                                      "kind"};
  const auto below = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
  for (std::size_t change = 1 + below(4); change > 0; --change) {
    const std::size_t at = below(text.size() + 1),
                      length = below(std::min<std::size_t>(16, text.size() - at + 1));
    switch (below(5)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, words[below(std::size(words))]);
        break;
      default: {
        const std::string& other = inputs[below(inputs.size())];
        text = text.substr(0, at) + other.substr(std::min(at, other.size()));
      }
    }
  }
  return text;
}

TEST_P(Corpus, MutatedIsReadOrRefused) {
  const std::vector<std::string> inputs = inputs_of(GetParam());
  const char* wanted = std::getenv("CAROM_MUTATIONS");
  const int count = wanted == nullptr ? 400 : std::atoi(wanted);
  std::mt19937 random(7);
  for (int i = 0; i < count; ++i) {
    const std::string text = mutated(inputs[random() % inputs.size()], inputs, random);
    try {
      feed(GetParam(), text);
    } catch (const std::exception& error) {
      ADD_FAILURE() << GetParam().name << ", mutation " << i << ": " << error.what() << "\n"
                    << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace carom::fuzz
