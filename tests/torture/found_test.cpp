// What torture has found and what was mended: each scenario is judged as it was.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "judge.hpp"

namespace carom::torture {
namespace {

TEST(Torture, WhatItFoundIsMended) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_TORTURE_FOUND)) {
    if (entry.path().extension() != ".toml") continue;  // the table of a law
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::atomic<bool> never{false};
    const Judgement found = judge(text, entry.path().parent_path(), 1e9, never);
    EXPECT_EQ(found.complaint, "") << entry.path().filename();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace carom::torture
