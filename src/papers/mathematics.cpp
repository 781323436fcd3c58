#include "mathematics.hpp"

#include <array>
#include <cctype>
#include <utility>

#include <carom/output/html.hpp>

namespace carom {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 21> letters{{
    {"alpha", "α"},   {"beta", "β"},  {"gamma", "γ"},  {"delta", "δ"}, {"eps", "ε"},
    {"epsilon", "ε"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},    {"xi", "ξ"},
    {"pi", "π"},      {"rho", "ρ"},   {"tau", "τ"},    {"dtau", "Δτ"}, {"tau0", "τ<sub>0</sub>"},
    {"phi", "φ"},     {"omega", "ω"}, {"theta", "θ"},  {"Delta", "Δ"}, {"Gamma", "Γ"},
    {"eta", "η"},
}};

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

std::string word_or_letter(std::string_view word) {
  for (const auto& [name, letter] : letters) {
    if (word == name) return std::string(letter);
  }
  return std::string(word);
}

/// The end of what an index or exponent at `start` covers: a bracket with its partner, or a signed
/// word or number. A full stop counts only before a digit.
std::size_t script_end(std::string_view text, std::size_t start) {
  std::size_t at = start;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (at < text.size() && text[at] == '(') {
    int depth = 0;
    for (; at < text.size(); ++at) {
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (depth == 0) return at + 1;
    }
    return start;
  }
  const std::size_t begin = at;
  while (at < text.size() &&
         (is_word(text[at]) || (text[at] == '.' && at + 1 < text.size() && is_word(text[at + 1]) &&
                                std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0))) {
    ++at;
  }
  return at == begin ? start : at;
}

/// "(n+1)" stands in an exponent without its brackets unless more follows them.
std::string_view without_brackets(std::string_view text) {
  const bool whole = text.size() > 2 && text.front() == '(' && text.back() == ')';
  return whole ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::string mathematics(std::string_view text) {
  std::string html;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    if (letter == '`') {
      const std::size_t end = text.find('`', at + 1);
      if (end != std::string_view::npos) {
        html += "<code>" + html_escaped(text.substr(at + 1, end - at - 1)) + "</code>";
        at = end + 1;
        continue;
      }
    }
    const bool index = letter == '_' && at > 0 && is_word(text[at - 1]);
    const bool tilde = letter == '_' && at > 0 && text[at - 1] == '~';
    if (index || tilde || letter == '^') {
      const std::size_t end = script_end(text, at + 1);
      if (end > at + 1) {
        const char* tag = letter == '^' ? "sup" : "sub";
        const std::string inner = mathematics(without_brackets(text.substr(at + 1, end - at - 1)));
        html += std::string("<") + tag + ">" + inner + "</" + tag + ">";
        at = end;
        continue;
      }
    }
    if (letter == '~' && at > 0 && is_word(text[at - 1])) {
      html += "\u0303";  // a tilde on the letter before it
      ++at;
      continue;
    }
    if (is_word(letter)) {
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      html += word_or_letter(text.substr(at, end - at));
      at = end;
      continue;
    }
    if ((letter == '<' || letter == '>') && text.substr(at + 1, 1) == "=") {
      html += letter == '<' ? "≤" : "≥";
      at += 2;
      continue;
    }
    html += html_escaped(text.substr(at, 1));
    ++at;
  }
  return html;
}

}  // namespace carom
