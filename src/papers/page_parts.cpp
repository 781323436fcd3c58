#include "page_parts.hpp"

#include <array>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include <carom/core/version.hpp>
#include <carom/output/html.hpp>
#include <carom/papers/papers.hpp>
#include <carom/steppers/modal_march.hpp>

namespace carom {
namespace {

constexpr const char* style = R"(
:root { --ink: #1d2530; --soft: #5d6875; --line: #dfe3e8; --paper: #ffffff; --ground: #f5f6f8;
  --good: #1b7a4b; --good-soft: #e0f3e8; --fair: #5b6f12; --fair-soft: #f1f5d8;
  --true: #0f6f78; --true-soft: #def3f4; --bad: #a8410f; --bad-soft: #fcebdf;
  --lost: #7a3d96; --lost-soft: #f3e9f8; --same: #4d5b73; --same-soft: #e9edf4; --ours: #1f6fb4; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4eaf1; --soft: #9dabba; --line: #34404d; --paper: #1b232c;
  --ground: #11171e; --good: #6fd3a5; --good-soft: #143226; --fair: #c3d46a; --fair-soft: #2c3212;
  --true: #6cd0da; --true-soft: #10323a; --bad: #f0a36b; --bad-soft: #3a250f;
  --lost: #cf9bff; --lost-soft: #32203f; --same: #aebbd2; --same-soft: #252f40; --ours: #6db3ee; }
  figure svg { background: #fff; border-radius: 8px; }
  figure svg:not(:has(image)) { filter: invert(.89) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 1.5rem 1.5rem 5rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: .6rem 0 .4rem; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 1.6rem 0 .3rem; }
h3 { font-size: 1.1rem; margin: 0 0 .6rem; }
h3 span { color: var(--soft); font-weight: 400; }
p { margin: .4rem 0 .8rem; max-width: 84ch; }
a { color: var(--ours); }
.soft { color: var(--soft); }
.way { font-size: .9rem; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
.quote { border-left: 4px solid var(--good); padding: .5rem 1rem; background: var(--paper); max-width: 90ch; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
  padding: 1.2rem 1.5rem; margin: 1rem 0; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .93rem; }
th, td { padding: .38rem .7rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
thead th, thead th.number { border-bottom: 2px solid var(--line); color: var(--soft);
  font-weight: 600; white-space: normal; vertical-align: bottom; }
tbody th { white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.printed { display: block; color: var(--soft); font-size: .82rem; }
.sign { font-size: .8rem; margin-left: .25rem; }
.chip { display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-size: .82rem;
  white-space: nowrap; border: 1px solid var(--line); color: var(--soft); }
.reproduced { color: var(--good); background: var(--good-soft); }
.reproduced-by-inferred-convention { color: var(--fair); background: var(--fair-soft); }
.consistent { color: var(--true); background: var(--true-soft); }
.differs { color: var(--bad); background: var(--bad-soft); }
.not-reproducible { color: var(--lost); background: var(--lost-soft); }
.recomputed { color: var(--same); background: var(--same-soft); }
td.cell { color: var(--ink); }
ol.notes { font-size: .87rem; color: var(--soft); padding-left: 1.6rem; max-width: 100ch; }
ol.notes li { margin: .25rem 0; } ol.notes em { color: var(--ink); }
sup a { text-decoration: none; }
figure { margin: .6rem 0 1rem; overflow-x: auto; } .wide { overflow-x: auto; }
.panels { display: flex; flex-wrap: wrap; gap: .4rem; } figure svg { max-width: 100%; height: auto; }
.above { font-weight: 600; margin: 0; }
audio { width: 100%; max-width: 560px; }
figcaption { color: var(--soft); font-size: .87rem; max-width: 100ch; }
nav.items { columns: 3 16rem; font-size: .9rem; margin: .8rem 0; }
nav.items a { display: block; text-decoration: none; }
pre { overflow-x: auto; background: var(--ground); padding: .6rem 1rem; font-size: .85rem; }
@media (max-width: 700px) { main { padding: 1rem .7rem 3rem; } section { padding: .9rem .8rem; }
  h1 { font-size: 1.4rem; } table { font-size: .78rem; } th, td { padding: .3rem .35rem; }
  tbody th { white-space: normal; min-width: 6.5em; }
  .chip { white-space: normal; font-size: .72rem; padding: .05rem .4rem; border-radius: 8px; }
  td.verdict .word { display: none; } }
@media print { body { background: #fff; } section { break-inside: avoid; } nav { display: none; } }
)";

constexpr std::array<std::pair<Verdict, const char*>, verdict_count> meanings{{
    {Verdict::reproduced,
     "ours agrees with the printed number to half a unit of its last digit, or to the accuracy "
     "the paper itself states; counts are equal"},
    {Verdict::inferred,
     "the same, but under a convention that the paper does not state and that was inferred; the "
     "note says from what"},
    {Verdict::consistent,
     "the paper makes a claim without an exact number; the criterion is ours, and it holds"},
    {Verdict::differs,
     "it does not agree; the note gives the reason, and the numbers by which the "
     "program tested that reason"},
    {Verdict::not_reproducible, "it cannot be obtained from what the paper gives"},
    {Verdict::recomputed,
     "the paper's own numbers against each other, an input, or a number from inputs that were "
     "recovered from it: not counted as reproduced"},
    {Verdict::not_judged, "a computing time, or a ratio of times: shown beside ours, never judged"},
    {Verdict::no_published_number, "ours alone: what the paper shows as a curve, or not at all"},
}};

}  // namespace

std::string page_head(std::string_view title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{}</style></head><body><main>\n",
      html_escaped(title), style);
}

std::string page_end() { return "</main></body></html>\n"; }

std::string_view verdict_sign(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, verdict_count> signs{"=", "(=)", "✓", "≠",
                                                              "✗", "↺",   "",  ""};
  return signs[static_cast<std::size_t>(verdict)];
}

std::string chip(Verdict verdict) {
  const std::string_view name = verdict_name(verdict), sign = verdict_sign(verdict);
  if (sign.empty()) return fmt::format(R"(<span class="chip">{}</span>)", name);
  // On a phone a table has room for the sign alone.
  return fmt::format(
      R"(<span class="chip {0}" title="{0}">{1}<span class="word"> {0}</span></span>)", name, sign);
}

std::string chip(Verdict verdict, int count) {
  const std::string_view name = verdict_name(verdict);
  return fmt::format(R"(<span class="chip {}">{} {}</span>)", name, count, name);
}

std::string verdict_legend() {
  std::string html = "<table><tbody>\n";
  for (const auto& [verdict, meaning] : meanings) {
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", chip(verdict), meaning);
  }
  return html + "</tbody></table>\n";
}

std::string machine_text() {
  std::string processor = "unknown processor", line;
  std::ifstream info("/proc/cpuinfo");
  while (std::getline(info, line)) {
    if (!line.starts_with("model name")) continue;
    processor = line.substr(std::min(line.size(), line.find(':') + 2));
    break;
  }
#ifdef NDEBUG
  constexpr const char* build = "optimised";
#else
  constexpr const char* build = "with assertions";
#endif
  return fmt::format("{}; {}, {}, {} instructions; carom {} ({})", processor, compiler(), build,
                     instruction_set(), version(), commit());
}

}  // namespace carom
