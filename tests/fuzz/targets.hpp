#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Everything of carom that reads what others have written, as functions of some bytes. Each reads
/// them or throws InvalidInput; anything else is a defect. libFuzzer drives them (fuzz.cpp), the
/// ordinary tests replay what it has found (replay_test.cpp).
namespace carom::fuzz {

struct Target {
  std::string_view name;  ///< also of its folder in corpus/
  void (*read)(const std::string& bytes);
};

std::span<const Target> targets();

/// Calls a target; InvalidInput is an answer.
void feed(const Target& target, const std::string& bytes);

}  // namespace carom::fuzz
