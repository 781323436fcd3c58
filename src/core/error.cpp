#include <algorithm>
#include <cmath>
#include <vector>

#include <carom/core/error.hpp>

namespace carom {
namespace {

[[noreturn]] void refuse(std::string_view name, double value, const std::string& allowed) {
  throw InvalidInput(std::string(name) + " = " + number_text(value) + ": must be " + allowed);
}

/// Number of insertions, deletions, substitutions and swaps of neighbours between two names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

void require_finite(std::string_view name, double value) {
  if (!std::isfinite(value)) refuse(name, value, "a finite number");
}

void require_positive(std::string_view name, double value) {
  if (!(value > 0 && std::isfinite(value))) refuse(name, value, "finite and greater than 0");
}

void require_not_negative(std::string_view name, double value) {
  if (!(value >= 0 && std::isfinite(value))) refuse(name, value, "finite and at least 0");
}

void require_within(std::string_view name, double value, double lowest, double highest) {
  if (value >= lowest && value <= highest) return;
  refuse(name, value, "from " + number_text(lowest) + " to " + number_text(highest));
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  // A name is only worth suggesting when most of it was right. Very long junk is not compared.
  if (name.size() > 64) return {};
  std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::string nearest;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view what, std::string_view name,
                                 std::span<const std::string_view> known) {
  constexpr std::size_t longest_shown = 80;
  std::string text = std::string(what) + " '" + std::string(name.substr(0, longest_shown)) +
                     (name.size() > longest_shown ? "...' is unknown" : "' is unknown");
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) text += "; did you mean '" + nearest + "'?";
  text += nearest.empty() ? "; known: " : " known: ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::string(known[i]);
  }
  return text;
}

}  // namespace carom
