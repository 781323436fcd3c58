#include "scenario_command.hpp"

#include <csignal>
#include <set>
#include <sstream>

#include <carom/scenario/kind.hpp>

namespace carom::cli {
namespace {

// A signal handler can reach nothing else.
std::atomic<bool> interrupt_requested{false};

void on_signal(int number) {
  if (interrupt_requested.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

Scenario load(const std::string& file, const std::vector<std::string>& sets) {
  if (file.empty()) throw InvalidInput("a scenario file is needed; `carom new` writes one");
  std::vector<Override> overrides;
  overrides.reserve(sets.size());
  for (const std::string& set : sets) overrides.push_back(parse_override(set));
  return load_scenario(file, overrides);
}

std::vector<std::string> all_keys() {
  std::set<std::string> keys;
  for (const Kind& kind : kinds()) {
    for (const Table& table : kind.tables) {
      for (const Field& field : table.fields) {
        if (!table.repeated) keys.insert(table.name + "." + field.name + "=");
      }
    }
  }
  return {keys.begin(), keys.end()};
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

InterruptGuard::InterruptGuard() {
  interrupt_requested = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>* InterruptGuard::flag() const noexcept { return &interrupt_requested; }

}  // namespace carom::cli
