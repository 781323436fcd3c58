#include "registry.hpp"

#include <array>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/papers/papers.hpp>

namespace carom {
namespace {

struct Entry {
  std::string_view key;
  const std::string_view& published;
  void (*reproduce)(Reproduction&);
};

constexpr std::array entries{
    Entry{"papetti2011", published::papetti2011, reproduce_papetti2011},
    Entry{"ramaswamy", published::ramaswamy, reproduce_ramaswamy},
    Entry{"poursina2020", published::poursina2020, reproduce_poursina2020},
    Entry{"issanchou2018", published::issanchou2018, reproduce_issanchou2018},
    Entry{"paoli2007", published::paoli2007, reproduce_paoli2007},
};

constexpr auto keys = [] {
  std::array<std::string_view, entries.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = entries[i].key;
  return names;
}();

}  // namespace

std::span<const std::string_view> paper_keys() noexcept { return keys; }

Reproduction reproduce(std::string_view key, bool quick, std::function<void(double)> progress) {
  for (const Entry& entry : entries) {
    if (entry.key != key) continue;
    Reproduction result(read_published(entry.published), quick, std::move(progress));
    entry.reproduce(result);
    result.stop_reporting();
    return result;
  }
  throw InvalidInput(unknown_name_message("paper", key, keys));
}

}  // namespace carom
