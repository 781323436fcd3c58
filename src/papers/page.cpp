#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <carom/core/version.hpp>
#include <carom/output/html.hpp>
#include <carom/papers/papers.hpp>

#include "../output/sound_url.hpp"
#include "mathematics.hpp"

namespace carom {
namespace {

constexpr const char* style = R"(
:root { --ink: #1d2530; --soft: #5d6875; --line: #dfe3e8; --paper: #ffffff; --ground: #f5f6f8;
  --good: #1b7a4b; --good-soft: #e4f4eb; --bad: #a8410f; --bad-soft: #fcebdf;
  --lost: #7a3d96; --lost-soft: #f3e9f8; --ours: #1f6fb4; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .2rem; }
h3 { font-size: 1.1rem; margin: 0 0 .6rem; }
h3 span { color: var(--soft); font-weight: 400; }
p { margin: .4rem 0 .8rem; max-width: 78ch; }
.soft { color: var(--soft); }
.paper { margin-top: 3rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
  padding: 1.2rem 1.5rem; margin: 1rem 0; overflow-x: auto; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .93rem; }
th, td { padding: .38rem .75rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
thead th, thead th.number { border-bottom: 2px solid var(--line); color: var(--soft);
  font-weight: 600; white-space: normal; vertical-align: bottom; }
tbody th { white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.why { color: var(--soft); font-size: .87rem; max-width: 52ch; }
.printed { display: block; color: var(--soft); font-size: .82rem; }
.reproduced { color: var(--good); } .differs { color: var(--bad); }
.not-reproducible { color: var(--lost); }
td.cell.reproduced { background: var(--good-soft); } td.cell.differs { background: var(--bad-soft); }
td.cell.not-reproducible { background: var(--lost-soft); }
.chip { display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-size: .82rem;
  white-space: nowrap; border: 1px solid var(--line); color: var(--soft); }
.chip.reproduced { background: var(--good-soft); color: var(--good); border-color: transparent; }
.chip.differs { background: var(--bad-soft); color: var(--bad); border-color: transparent; }
.chip.not-reproducible { background: var(--lost-soft); color: var(--lost); border-color: transparent; }
ol.notes { font-size: .87rem; color: var(--soft); padding-left: 1.4rem; max-width: 90ch; }
figure { margin: .6rem 0 1rem; } figure svg { max-width: 100%; height: auto; }
audio { width: 100%; max-width: 560px; }
figcaption { color: var(--soft); font-size: .87rem; max-width: 90ch; }
nav { columns: 3 16rem; font-size: .9rem; margin: .8rem 0; }
nav a { display: block; color: var(--ours); text-decoration: none; }
nav a:hover { text-decoration: underline; }
@media print { body { background: #fff; } section { break-inside: avoid; } nav { display: none; } }
)";

std::string paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    const std::string_view part = text.substr(0, end);
    if (part.find_first_not_of(" \n") != std::string_view::npos) {
      result += fmt::format("<p>{}</p>\n", mathematics(part));
    }
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 2);
  }
  return result;
}

/// A name for links and files: letters, digits and one underscore between words.
std::string slug(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      result += char(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result;
}

/// One digit more than the paper prints, so that one sees how near it is; six digits otherwise.
std::string our_text(const PaperItem& line) {
  if (!line.ours) return "-";
  int digits = 6;
  if (!line.printed.empty() && *line.ours != 0) {
    const double last_digit = read_printed(line.printed).last_digit;
    if (last_digit > 0) {
      const double places = std::log10(std::abs(*line.ours) / last_digit);
      digits = std::clamp(int(std::floor(places)) + 2, 3, 10);
    }
  }
  return fmt::format("{:.{}g}", *line.ours, digits);
}

std::string chip(Verdict verdict) {
  const std::string_view name = verdict_name(verdict);
  return fmt::format(R"(<span class="chip {}">{}</span>)", name, name);
}

/// The reasons of a table, each once, numbered.
class Notes {
 public:
  std::string mark(const std::string& reason) {
    if (reason.empty()) return {};
    auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    if (found == reasons_.end()) found = reasons_.insert(reasons_.end(), reason);
    return fmt::format("<sup>{}</sup>", found - reasons_.begin() + 1);
  }
  std::string list() const {
    if (reasons_.empty()) return {};
    std::string result = "<ol class=\"notes\">\n";
    for (const std::string& reason : reasons_)
      result += fmt::format("<li>{}</li>\n", mathematics(reason));
    return result + "</ol>\n";
  }

 private:
  std::vector<std::string> reasons_;
};

using Lines = std::vector<const PaperItem*>;

const PaperItem* find(const Lines& lines, const std::string& quantity) {
  for (const PaperItem* line : lines) {
    if (line->quantity == quantity) return line;
  }
  return nullptr;
}

/// The table as the paper lays it out: ours large, the printed number below it.
std::string matrix(const PublishedItem& item, const Lines& lines) {
  Notes notes;
  std::string html = "<table><thead><tr><th></th>";
  for (const std::string& column : item.columns) {
    html += fmt::format("<th class=\"number\">{}</th>", mathematics(column));
  }
  html += "</tr></thead><tbody>\n";
  bool any_printed = false;
  for (const std::string& row : item.rows) {
    html += fmt::format("<tr><th>{}</th>", mathematics(row));
    for (const std::string& column : item.columns) {
      const PaperItem* line = find(lines, column + " " + row);
      if (line == nullptr || (line->printed.empty() && !line->ours)) {
        html += "<td></td>";
        continue;
      }
      const std::string printed =
          line->printed.empty()
              ? ""
              : fmt::format("<span class=\"printed\">{}</span>", html_escaped(line->printed));
      any_printed = any_printed || !printed.empty();
      html += fmt::format("<td class=\"cell number {}\">{}{}{}</td>", verdict_name(line->verdict),
                          our_text(*line), notes.mark(line->reason), printed);
    }
    html += "</tr>\n";
  }
  html += "</tbody></table>\n";
  if (any_printed) {
    html +=
        "<p class=\"soft\">Ours above, the printed number below it; green: equal to one unit of "
        "the last printed digit.</p>\n";
  }
  return html + notes.list();
}

/// Quantity, printed number, ours, verdict, reason; the columns about print only where there is
/// any.
std::string list(const Lines& lines) {
  const bool any_printed = std::any_of(
      lines.begin(), lines.end(), [](const PaperItem* line) { return !line->printed.empty(); });
  std::string html = "<table><thead><tr><th>quantity</th>";
  if (any_printed) html += "<th class=\"number\">published</th>";
  html += "<th class=\"number\">ours</th>";
  if (any_printed) html += "<th>verdict</th>";
  html += "<th></th></tr></thead><tbody>\n";
  for (const PaperItem* line : lines) {
    const std::string unit = line->unit.empty() ? "" : " " + html_escaped(line->unit);
    html += fmt::format("<tr><td>{}</td>", mathematics(line->quantity));
    if (any_printed) {
      html += fmt::format("<td class=\"number\">{}</td>",
                          line->printed.empty() ? "" : html_escaped(line->printed) + unit);
    }
    html += fmt::format("<td class=\"number\">{}{}</td>", our_text(*line), unit);
    if (any_printed) {
      html += fmt::format("<td>{}</td>", line->printed.empty() ? "" : chip(line->verdict));
    }
    html += fmt::format("<td class=\"why\">{}</td></tr>\n", mathematics(line->reason));
  }
  return html + "</tbody></table>\n";
}

/// The drawing without the XML head, which must not stand inside a page.
std::string_view inline_svg(std::string_view svg) {
  const std::size_t start = svg.find("<svg");
  return start == std::string_view::npos ? svg : svg.substr(start);
}

std::string item_section(const DrawnPaper& drawn, const PublishedItem& item, const Lines& lines) {
  const Reproduction& paper = drawn.paper;
  std::string html =
      fmt::format("<section id=\"{}-{}\"><h3>{} <span>{}</span></h3>\n", paper.paper().key,
                  slug(item.name), mathematics(item.name), mathematics(item.title));
  html += paragraphs(item.text);
  for (std::size_t i = 0; i < drawn.figures.size(); ++i) {
    const PaperFigure& figure = paper.figures()[i];
    if (figure.item != item.name) continue;
    html += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                        inline_svg(drawn.figures[i]), mathematics(figure.caption));
  }
  for (const PaperSound& sound : paper.sounds()) {
    if (sound.item != item.name) continue;
    html += fmt::format(
        "<figure><audio controls preload=\"metadata\" src=\"{}\"></audio>"
        "<figcaption>{}</figcaption></figure>\n",
        sound_url(sound.samples, sound.rate), mathematics(sound.caption));
  }
  Lines rest;
  for (const PaperItem* line : lines) {
    const bool is_cell = std::any_of(item.rows.begin(), item.rows.end(), [&](const auto& row) {
      return std::any_of(item.columns.begin(), item.columns.end(),
                         [&](const auto& column) { return line->quantity == column + " " + row; });
    });
    if (!is_cell) rest.push_back(line);
  }
  if (rest.size() < lines.size()) html += matrix(item, lines);
  // Long lists that only we have numbers for do not keep people from the next item.
  const bool folded = rest.size() > 30 && rest.size() < lines.size();
  if (folded) {
    html += fmt::format("<details><summary>{} more numbers of ours</summary>\n", rest.size());
  }
  if (!rest.empty()) html += list(rest);
  if (folded) html += "</details>\n";
  return html + "</section>\n";
}

std::string count_chips(const std::vector<PaperItem>& items) {
  std::string html;
  for (const Verdict verdict : {Verdict::reproduced, Verdict::differs, Verdict::not_reproducible,
                                Verdict::no_published_number}) {
    const auto count = std::count_if(
        items.begin(), items.end(), [&](const PaperItem& line) { return line.verdict == verdict; });
    const std::string_view name = verdict_name(verdict);
    html += fmt::format("<span class=\"chip {}\">{} {}</span> ", name, count, name);
  }
  return html;
}

std::string paper_article(const DrawnPaper& drawn) {
  const Reproduction& paper = drawn.paper;
  const PublishedPaper& published = paper.paper();
  const std::vector<PaperItem> items = paper.items();
  std::map<std::string, Lines> by_item;
  for (const PaperItem& line : items) by_item[line.item].push_back(&line);
  const auto shown = [&](const PublishedItem& item) {
    return by_item.contains(item.name) ||
           std::any_of(paper.figures().begin(), paper.figures().end(),
                       [&](const PaperFigure& figure) { return figure.item == item.name; });
  };
  std::string html = fmt::format(
      "<div class=\"paper\" id=\"{}\"><h2>{}</h2>\n<p class=\"soft\">{}. "
      "{}</p>\n<p>{}</p>\n{}<nav>",
      published.key, html_escaped(published.title), html_escaped(published.authors),
      html_escaped(published.source), count_chips(items), paragraphs(published.summary));
  for (const PublishedItem& item : published.items) {
    if (!shown(item)) continue;
    html += fmt::format("<a href=\"#{}-{}\">{}: {}</a>\n", published.key, slug(item.name),
                        mathematics(item.name), mathematics(item.title));
  }
  html += "</nav>\n";
  for (const PublishedItem& item : published.items) {
    if (shown(item)) html += item_section(drawn, item, by_item[item.name]);
  }
  return html + "</div>\n";
}

}  // namespace

Json to_json(std::span<const PaperItem> items) {
  auto list = Json::array();
  const auto number = [](const std::optional<double>& value) -> Json {
    if (!value || !std::isfinite(*value)) return nullptr;
    return *value;
  };
  for (const PaperItem& line : items) {
    list.push_back({{"paper", line.paper},
                    {"item", line.item},
                    {"quantity", line.quantity},
                    {"published", number(line.published)},
                    {"ours", number(line.ours)},
                    {"verdict", verdict_name(line.verdict)},
                    {"reason", line.reason},
                    {"printed", line.printed},
                    {"unit", line.unit}});
  }
  return list;
}

DrawnPaper::DrawnPaper(Reproduction reproduction) : paper(std::move(reproduction)) {
  for (const PaperFigure& figure : paper.figures()) figures.push_back(draw_svg(figure.figure));
}

std::string DrawnPaper::file_name(std::size_t figure) const {
  const auto& all = paper.figures();
  const std::string& item = all.at(figure).item;
  const auto before = std::count_if(all.begin(), all.begin() + std::ptrdiff_t(figure),
                                    [&](const PaperFigure& other) { return other.item == item; });
  const std::string name = paper.paper().key + "_" + slug(item);
  return before == 0 ? name + ".svg" : fmt::format("{}_{}.svg", name, before + 1);
}

std::string paper_page(std::span<const DrawnPaper> papers) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>carom: the reference papers</title><style>{}</style></head><body><main>\n"
      "<h1>The reference papers, number by number</h1>\n<p class=\"soft\">What the papers print "
      "beside what carom {} computes. A number is reproduced when it agrees to one unit of its "
      "last printed digit; every difference has its reason.</p>\n",
      style, version());
  for (const DrawnPaper& paper : papers) html += paper_article(paper);
  return html + "</main></body></html>\n";
}

}  // namespace carom
