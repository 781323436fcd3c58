#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/html.hpp>
#include <carom/papers/papers.hpp>

#include "page_parts.hpp"
#include "registry.hpp"

namespace carom {
namespace {

int count(const VerdictCounts& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(verdict)];
}

/// "3 numbers": with its plural.
std::string many(int number, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

}  // namespace

std::string paper_summary(const Reproduction& paper) {
  const VerdictCounts counts = count_verdicts(paper.items());
  int printed = 0;
  for (const PaperItem& line : paper.items()) {
    const bool counted = !line.printed.empty() && line.verdict != Verdict::recomputed &&
                         line.verdict != Verdict::not_judged;
    printed += counted ? 1 : 0;
  }
  const int reproduced = count(counts, Verdict::reproduced);
  std::string text = fmt::format(
      "{}: of {} that can be judged, carom {} reproduces {} to half a unit of the last printed "
      "digit",
      paper.paper().key, many(printed, "printed number", "printed numbers"), version(),
      reproduced > 0 ? std::to_string(reproduced) : "none");
  if (const int inferred = count(counts, Verdict::inferred); inferred > 0) {
    text += fmt::format(", and {}{} under conventions that the paper does not state", inferred,
                        reproduced > 0 ? " more" : "");
  }
  text += fmt::format(
      ". {} without an exact number {}. {}; each has its reason, or the statement that none is "
      "known, "
      "tested by the program",
      many(count(counts, Verdict::consistent), "claim", "claims"),
      count(counts, Verdict::consistent) == 1 ? "holds" : "hold",
      many(count(counts, Verdict::differs), "number or claim differs", "numbers or claims differ"));
  if (const int lost = count(counts, Verdict::not_reproducible); lost > 0) {
    text += fmt::format("; {} cannot be reproduced", lost);
  }
  text += ".";
  const int aside = count(counts, Verdict::recomputed), times = count(counts, Verdict::not_judged);
  if (aside > 0) {
    text +=
        fmt::format(" {} not counted: recomputed from the paper's own numbers or from its inputs.",
                    many(aside, "number is", "numbers are"));
  }
  if (times > 0) {
    text += fmt::format(" {} shown but not judged.", many(times, "time is", "times are"));
  }
  if (paper.quick()) text += " (A quick subset.)";
  return text;
}

std::string paper_index(std::span<const Reproduction> papers) {
  std::string html = page_head("carom: the reference papers");
  html += fmt::format(
      "<h1>The reference papers, number by number</h1>\n<p>What the papers print beside what carom "
      "{} computes.</p>\n<div class=\"wide\"><table><thead><tr><th>paper</th>",
      version());
  for (int i = 0; i < verdict_count; ++i) {
    html += fmt::format("<th class=\"number\">{}</th>", verdict_name(Verdict(i)));
  }
  html += "</tr></thead><tbody>\n";
  for (const Reproduction& paper : papers) {
    html += fmt::format("<tr><td><a href=\"{0}.html\">{0}</a></td>", paper.paper().key);
    const VerdictCounts counts = count_verdicts(paper.items());
    for (int i = 0; i < verdict_count; ++i) {
      html += fmt::format("<td class=\"number {}\">{}</td>",
                          counts[std::size_t(i)] > 0 ? verdict_name(Verdict(i)) : "",
                          counts[std::size_t(i)]);
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  for (const Reproduction& paper : papers) {
    html += fmt::format(
        "<section><h3><a href=\"{}.html\">{}</a></h3><p class=\"soft\">{}. {}</p>"
        "<p class=\"quote\">{}</p></section>\n",
        paper.paper().key, html_escaped(paper.paper().title), html_escaped(paper.paper().authors),
        html_escaped(paper.paper().source), html_escaped(paper_summary(paper)));
  }
  html += "<h2>What the verdicts mean</h2>\n" + verdict_legend();
  html += fmt::format("<p class=\"soft\">Computed by {}.</p>\n", html_escaped(machine_text()));
  html += "<h2>To cite</h2>\n<pre>" + html_escaped(bibtex("carom")) + "</pre>\n";
  return html + page_end();
}

}  // namespace carom
