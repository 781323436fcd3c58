#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <carom/output/html.hpp>
#include <carom/papers/papers.hpp>

#include "../output/sound_url.hpp"
#include "mathematics.hpp"
#include "page_parts.hpp"

namespace carom {
namespace {

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

/// The notes of a page: each once, where it is first needed, numbered through.
class Notes {
 public:
  /// The mark that leads to the note of a line; empty when it has none.
  std::string mark(const PaperItem& line) {
    if (line.reason.empty()) return {};
    const Note note{line.reason, line.evidence, line.reason_holds};
    auto found = std::find(notes_.begin(), notes_.end(), note);
    if (found == notes_.end()) found = notes_.insert(notes_.end(), note);
    const auto number = found - notes_.begin() + 1;
    return fmt::format("<sup><a href=\"#note{0}\">{0}</a></sup>", number);
  }
  /// Those that are new since the last call.
  std::string list() {
    if (shown_ == notes_.size()) return {};
    std::string html = fmt::format("<ol class=\"notes\" start=\"{}\">\n", shown_ + 1);
    for (; shown_ < notes_.size(); ++shown_) {
      const Note& note = notes_[shown_];
      html += fmt::format("<li id=\"note{}\">{}", shown_ + 1, mathematics(note.text));
      if (!note.evidence.empty()) {
        html += fmt::format(" <em>{}: {}.</em>", note.holds ? "Checked" : "Does not hold here",
                            mathematics(note.evidence));
      }
      html += "</li>\n";
    }
    return html + "</ol>\n";
  }

 private:
  struct Note {
    std::string text, evidence;
    bool holds;
    bool operator==(const Note&) const = default;
  };
  std::vector<Note> notes_;
  std::size_t shown_ = 0;
};

using Lines = std::vector<const PaperItem*>;

const PaperItem* find(const Lines& lines, const std::string& quantity) {
  for (const PaperItem* line : lines) {
    if (line->quantity == quantity) return line;
  }
  return nullptr;
}

/// The table as the paper lays it out: ours large, the printed number below it.
std::string matrix(const PublishedItem& item, const Lines& lines, Notes& notes) {
  std::string html = "<div class=\"wide\"><table><thead><tr><th></th>";
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
      std::string printed;
      if (!line->printed.empty()) {
        printed = fmt::format("<span class=\"printed\">{}</span>", html_escaped(line->printed));
        any_printed = true;
      } else if (!line->criterion.empty()) {
        printed =
            fmt::format("<span class=\"printed\">claim: {}</span>", mathematics(line->criterion));
      }
      html += fmt::format("<td class=\"cell number {}\">{}<span class=\"sign\">{}</span>{}{}</td>",
                          verdict_name(line->verdict), our_text(*line), verdict_sign(line->verdict),
                          notes.mark(*line), printed);
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (any_printed) html += "<p class=\"soft\">Ours, and the printed number below it.</p>\n";
  return html;
}

/// Quantity, printed number or criterion, ours, verdict; the columns about print only where there
/// is any.
std::string list(const Lines& lines, Notes& notes) {
  const bool judged = std::any_of(lines.begin(), lines.end(), [](const PaperItem* line) {
    return line->verdict != Verdict::no_published_number;
  });
  std::string html = "<div class=\"wide\"><table><thead><tr><th>quantity</th>";
  if (judged) html += "<th class=\"number\">published</th>";
  html += "<th class=\"number\">ours</th>";
  if (judged) html += "<th>verdict</th>";
  html += "</tr></thead><tbody>\n";
  for (const PaperItem* line : lines) {
    const std::string unit = line->unit.empty() ? "" : " " + html_escaped(line->unit);
    html += fmt::format("<tr><td>{}{}</td>", mathematics(line->quantity), notes.mark(*line));
    if (judged) {
      const std::string text = !line->printed.empty() ? html_escaped(line->printed) + unit
                               : !line->criterion.empty()
                                   ? "claim: " + mathematics(line->criterion) + unit
                                   : "";
      html += fmt::format("<td class=\"number\">{}</td>", text);
    }
    html += fmt::format("<td class=\"number\">{}{}</td>", our_text(*line), line->ours ? unit : "");
    const bool shown = line->verdict != Verdict::no_published_number;
    if (judged) {
      html += fmt::format("<td class=\"verdict\">{}</td>", shown ? chip(line->verdict) : "");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

/// The drawing without the XML head, which must not stand inside a page.
std::string_view inline_svg(std::string_view svg) {
  const std::size_t start = svg.find("<svg");
  return start == std::string_view::npos ? svg : svg.substr(start);
}

/// The panels of a figure each on their own, so that they stand beside each other where there is
/// room and below each other on a phone, where wider ones could not be read.
std::vector<std::string> panels_of(Figure figure) {
  constexpr int widest = 520;  // [px], two beside each other in a page
  std::vector<std::string> drawn;
  const std::vector<Panel> panels = std::exchange(figure.panels, {});
  figure.title.clear();
  figure.columns = 1;
  figure.panel_width = std::min(figure.panel_width, widest);
  for (const Panel& panel : panels) {
    figure.panels = {panel};
    drawn.push_back(draw_svg(figure));
  }
  return drawn;
}

std::string item_section(const DrawnPaper& drawn, const PublishedItem& item, const Lines& lines,
                         Notes& notes) {
  const Reproduction& paper = drawn.paper;
  std::string html = fmt::format("<section id=\"{}\"><h3>{} <span>{}</span></h3>\n",
                                 slug(item.name), mathematics(item.name), mathematics(item.title));
  html += paragraphs(item.text);
  for (std::size_t i = 0; i < drawn.figures.size(); ++i) {
    const PaperFigure& figure = paper.figures()[i];
    if (figure.item != item.name) continue;
    html += "<figure>";
    if (!figure.figure.title.empty()) {
      html += fmt::format("<p class=\"above\">{}</p>", html_escaped(figure.figure.title));
    }
    // The whole figure opens on its own, to be enlarged or saved.
    html += fmt::format("<a class=\"panels\" href=\"{}\">", drawn.file_name(i));
    for (const std::string& panel : panels_of(figure.figure)) html += inline_svg(panel);
    html += fmt::format("</a><figcaption>{}</figcaption></figure>\n", mathematics(figure.caption));
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
  if (rest.size() < lines.size()) html += matrix(item, lines, notes);
  // Long lists that only we have numbers for do not keep people from the next item.
  const bool folded = rest.size() > 30 && rest.size() < lines.size();
  if (folded) {
    html += fmt::format("<details><summary>{} more numbers of ours</summary>\n", rest.size());
  }
  if (!rest.empty()) html += list(rest, notes);
  if (folded) html += "</details>\n";
  if (item.timed) {
    html += fmt::format("<p class=\"soft\">Our times: {}.</p>\n", html_escaped(machine_text()));
  }
  return html + notes.list() + "</section>\n";
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
                    {"evidence", line.evidence},
                    {"printed", line.printed},
                    {"criterion", line.criterion},
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

std::string paper_page(const DrawnPaper& drawn, std::span<const std::string> site) {
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
  std::string html = page_head("carom: " + published.key);
  if (!site.empty()) {
    html += "<nav class=\"way\"><a href=\"index.html\">all papers</a>";
    for (const std::string& key : site) {
      html += key == published.key ? fmt::format("<strong>{}</strong>", key)
                                   : fmt::format("<a href=\"{0}.html\">{0}</a>", key);
    }
    html += "</nav>\n";
  }
  html += fmt::format("<h1>{}</h1>\n<p class=\"soft\">{}. {}</p>\n<p class=\"quote\">{}</p>\n<p>",
                      html_escaped(published.title), html_escaped(published.authors),
                      html_escaped(published.source), html_escaped(paper_summary(paper)));
  const VerdictCounts counts = count_verdicts(items);
  for (int i = 0; i < verdict_count; ++i) {
    if (counts[std::size_t(i)] > 0) html += chip(Verdict(i), counts[std::size_t(i)]) + " ";
  }
  html += "</p>\n" + paragraphs(published.summary) + "<nav class=\"items\">";
  for (const PublishedItem& item : published.items) {
    if (!shown(item)) continue;
    html += fmt::format("<a href=\"#{}\">{}: {}</a>\n", slug(item.name), mathematics(item.name),
                        mathematics(item.title));
  }
  html += "</nav>\n";
  Notes notes;
  for (const PublishedItem& item : published.items) {
    if (shown(item)) html += item_section(drawn, item, by_item[item.name], notes);
  }
  html += "<h2>What the verdicts mean</h2>\n" + verdict_legend();
  html += fmt::format("<p class=\"soft\">Computed by {}.</p>\n", html_escaped(machine_text()));
  return html + page_end();
}

}  // namespace carom
