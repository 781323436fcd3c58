#include "registry.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
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

std::string bibtex_of_carom() {
  return fmt::format(
      "@software{{carom,\n  title   = {{carom: an impact and contact engine}},\n"
      "  author  = {{{{carom contributors}}}},\n  version = {{{}}},\n  year    = {{2026}},\n"
      "  note    = {{commit {}}}\n}}\n",
      version(), commit());
}

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

std::string bibtex(std::string_view key) {
  std::string text;
  if (key == "carom" || key == "all") text += bibtex_of_carom();
  for (const Entry& entry : entries) {
    if (key != entry.key && key != "all") continue;
    text += (text.empty() ? "" : "\n") + read_published(entry.published).bibtex;
  }
  if (!text.empty()) return text;
  std::vector<std::string_view> known{"carom", "all"};
  known.insert(known.end(), keys.begin(), keys.end());
  throw InvalidInput(unknown_name_message("paper", key, known));
}

}  // namespace carom
