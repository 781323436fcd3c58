#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include <carom/core/version.hpp>
#include <carom/output/film.hpp>
#include <carom/output/html.hpp>
#include <carom/scenario/template.hpp>

#include "report_script.hpp"
#include "units.hpp"

namespace carom {
namespace {

constexpr const char* style = R"(
:root { --ink: #1c2733; --soft: #5b6a7a; --line: #e3e8ee; --paper: #ffffff; --ground: #f3f5f8;
  --accent: #1f6fb4; --good: #1d7a53; --good-ground: #e6f4ed; --poor: #a8480f; --poor-ground: #fdf0e6;
  --bad: #a61b1b; --bad-ground: #fdeaea; color-scheme: light dark;
  --curve-0: #1f6fb4; --curve-1: #d9541e; --curve-2: #2a9d6f; --curve-3: #8e4fb0; --curve-4: #b8860b; --curve-5: #444b54; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4eaf1; --soft: #9dabba; --line: #34404d; --paper: #1b232c; --ground: #11171e;
  --accent: #6db3ee; --good: #6fd3a5; --good-ground: #143226; --poor: #f0a36b; --poor-ground: #3a250f; --bad: #f48c8c; --bad-ground: #3d1717;
  --curve-0: #63adeb; --curve-1: #f08a55; --curve-2: #57c99a; --curve-3: #c290e0; --curve-4: #e0b84c; --curve-5: #c8d0d9; }
  figure img { background: #fff; border-radius: 8px; } figure img:not(.map) { filter: invert(.89) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1020px; margin: 0 auto; padding: 40px 24px 64px; }
header { margin-bottom: 26px; }
header .kind { color: var(--accent); font-weight: 600; letter-spacing: .06em; font-size: 13px;
  text-transform: uppercase; margin: 0; }
h1 { font-size: 34px; line-height: 1.15; margin: 4px 0 8px; letter-spacing: -.01em; }
header .lead { font-size: 18px; color: var(--soft); margin: 0; max-width: 46em; }
h2 { font-size: 21px; margin: 0 0 4px; letter-spacing: -.005em; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
  padding: 24px 28px; margin: 18px 0; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(168px, 1fr)); gap: 14px;
  margin: 18px 0; }
.number { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 16px 18px; }
.number .label { color: var(--soft); font-size: 14px; margin: 0; }
.number .value { font-size: 27px; font-weight: 650; margin: 2px 0 0; letter-spacing: -.01em;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.number .unit { font-size: 15px; font-weight: 400; color: var(--soft); }
.number .note { font-size: 13px; color: var(--soft); margin: 2px 0 0; }
.verdict { border-radius: 10px; padding: 12px 16px; margin: 12px 0; font-weight: 550; }
.good { background: var(--good-ground); color: var(--good); }
.poor { background: var(--poor-ground); color: var(--poor); }
.bad { background: var(--bad-ground); color: var(--bad); }
.caption { color: var(--soft); margin: 0 0 10px; max-width: 52em; }
figure { margin: 14px 0 4px; }
figure img { display: block; width: 100%; height: auto; }
figure { overflow-x: auto; }
.plot canvas, #motion canvas { display: block; width: 100%; touch-action: pan-y; cursor: grab; border-radius: 6px; }
.plot canvas:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.plotbar button { min-width: 2.4em !important; padding: 4px 10px !important; }
.plotbar { flex-wrap: wrap; gap: 8px !important; }
.controls { display: flex; align-items: center; gap: 14px; margin: 8px 0; }
.controls button { font: inherit; min-width: 5em; padding: 4px 14px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--ground); color: var(--ink); cursor: pointer; }
.plotbar output { flex: 1 1 12em; text-align: right; color: var(--soft); font-size: 14px; font-variant-numeric: tabular-nums; min-height: 1.6em; }
.table { overflow-x: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(380px, 100%), 1fr)); gap: 18px; }
.pair section { min-width: 0; margin: 0; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(360px, 100%), 1fr)); gap: 4px 18px; }
.ranking td:last-child { min-width: 13em; }
.pair section:only-child { max-width: 600px; }
audio { width: 100%; margin: 10px 0 4px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 15px; }
th, td { text-align: left; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { color: var(--soft); font-weight: 550; font-size: 14px; }
td.n { text-align: right; white-space: nowrap; }
th.n { text-align: right; }
.default { color: var(--soft); }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px;
  overflow-x: auto; font: 13.5px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; margin: 10px 0; }
code { font: 0.92em ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
details summary { cursor: pointer; color: var(--accent); font-weight: 550; margin-top: 10px; }
ul.advice { list-style: none; padding: 0; margin: 10px 0 0; }
ul.advice li { padding: 9px 0 9px 30px; border-bottom: 1px solid var(--line); position: relative; }
ul.advice li:last-child { border-bottom: 0; }
ul.advice li::before { position: absolute; left: 0; top: 9px; width: 20px; text-align: center; font-weight: 700; }
ul.advice li.is-good::before { content: "\2713"; color: var(--good); }
ul.advice li.is-note::before { content: "\2022"; color: var(--accent); }
ul.advice li.is-poor::before { content: "!"; color: var(--poor); }
.film svg { display: block; width: 100%; height: auto; font-size: 13px; }
.film text { fill: var(--soft); } .film .grid { stroke: var(--line); }
.film .curve { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.film .body { fill: var(--accent); fill-opacity: .75; stroke: var(--ink, currentColor); stroke-width: 1; } .film .still, .film .wall { fill: var(--soft); fill-opacity: .35; }
.film .marks { fill: #d9541e; } .film .ball { fill: var(--soft); }
.film input { flex: 1; min-width: 0; } .film output { min-width: 6em; text-align: right; font-variant-numeric: tabular-nums; }
footer { color: var(--soft); font-size: 14px; margin-top: 26px; }
@media (max-width: 560px) { main { padding: 22px 12px 40px; } section { padding: 16px 14px; } h1 { font-size: 27px; }
  header .lead { font-size: 16px; } .numbers { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .number { padding: 12px; } .number .value { font-size: 21px; white-space: normal; } figure img { min-width: 560px; } .pair figure img, .panels figure img { min-width: 0; }
  td, th { padding-right: 10px; } #inputs td:nth-child(3) { display: none; } #inputs td:first-child { min-width: 11em; }
  code { overflow-wrap: anywhere; } pre { white-space: pre-wrap; } .film svg { font-size: 28px; } .film .curve { stroke-width: 4; } .film .marks circle { r: 8px; } }
@media print { body { background: #fff; } section, .number { break-inside: avoid; } }
)";

std::string number_cards(const std::vector<KeyNumber>& numbers) {
  std::string html;
  for (const KeyNumber& number : numbers) {
    const auto [value, unit] = for_people(number.value, number.unit);
    html += fmt::format(
        "<div class=\"number\"><p class=\"label\">{}</p><p class=\"value\">{} <span "
        "class=\"unit\">{}</span></p>{}</div>\n",
        html_escaped(number.label), value, html_escaped(unit),
        number.note.empty() ? "" : "<p class=\"note\">" + html_escaped(number.note) + "</p>");
  }
  return html.empty() ? "" : "<div class=\"numbers\">\n" + html + "</div>\n";
}

std::string picture_figure(const DrawnPicture& picture) {
  const std::string figure =
      fmt::format("<figure><img{} id=\"{}\" alt=\"{}\" src=\"{}\"></figure>\n",
                  // Colours that mean something are not turned round in the dark.
                  picture.svg.find("<image ") != std::string::npos ? " class=\"map\"" : "",
                  html_escaped(picture.name + (picture.plot.empty() ? "" : "_picture")),
                  html_escaped(picture.title), data_url("image/svg+xml", picture.svg));
  return picture.plot.empty() ? figure : picture.plot + "<noscript>" + figure + "</noscript>\n";
}

std::string picture_section(const DrawnPicture& picture) {
  return fmt::format("<section><h2>{}</h2>\n<p class=\"caption\">{}</p>\n{}</section>\n",
                     html_escaped(picture.title), html_escaped(picture.caption),
                     picture_figure(picture));
}

std::string sound_section(const ReportContents& contents) {
  if (contents.sound_data.empty()) return {};
  const Json& sound = (*contents.summary)["sound"];
  const auto [peak, unit] =
      for_people(sound["peak_before"].get<double>(), sound["unit"].get<std::string>());
  return fmt::format(
      "<section><h2>Listen</h2>\n<audio controls preload=\"auto\" src=\"{}\"></audio>\n"
      "<p class=\"caption\">{} of {}, {:.0f} Hz, {} bit{}. No limiter: the peak was {} {} and "
      "became "
      "{:.2g} of full scale; faded in over {:.3g} ms and out over {:.3g} "
      "ms.</p></section>\n",
      contents.sound_data, html_escaped(sound["text"].get<std::string>()),
      html_escaped(sound["source"].get<std::string>()), sound["rate"].get<double>(),
      sound["bits"].get<int>(),
      contents.sound_is_whole ? "" : "; this page holds the first part, sound.wav all of it", peak,
      html_escaped(unit), sound["peak"].get<double>(), 1e3 * sound["fade"][0].get<double>(),
      1e3 * sound["fade"][1].get<double>());
}

std::string energy_section(const ReportContents& contents) {
  const Json& energy = (*contents.summary)["energy"];
  const EnergyVerdict verdict = judge(*contents.outcome);
  const char* tone = !verdict.kept ? "bad" : std::abs(verdict.relative) > 1e-3 ? "poor" : "good";
  std::string rows;
  const auto row = [&](const char* name, const char* key, const char* meaning) {
    const auto [value, unit] = for_people(energy[key].get<double>(), "J");
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{} {}</td><td>{}</td></tr>\n", name, value,
                        unit, meaning);
  };
  row("at the start", "initial", "kinetic and stored");
  row("injected", "injected", "by outside forces");
  row("dissipated", "dissipated", "turned into heat by contacts and damping");
  row("at the end", "final", "kinetic and stored");
  row("unaccounted for", "residual", "what the numerical method created (+) or lost (−)");
  row("worst single step", "worst_residual", "the largest entry of that kind");
  std::string picture;
  for (const DrawnPicture& drawn : contents.pictures) {
    if (drawn.name != "energy") continue;
    picture =
        "<p class=\"caption\">" + html_escaped(drawn.caption) + "</p>\n" + picture_figure(drawn);
  }
  return fmt::format(
      "<section id=\"audit\"><h2>Energy audit</h2>\n<p class=\"verdict {}\">{}</p>\n{}"
      "<div class=\"table\"><table>\n{}</table></div>\n</section>\n",
      tone, html_escaped(verdict.message), picture, rows);
}

std::string advice_section(const ReportContents& contents) {
  std::string items;
  const auto item = [&](const char* tone, const std::string& topic, const std::string& message,
                        const std::string& proposal) {
    items += fmt::format(
        "<li class=\"is-{}\">{}{}{}</li>\n", tone,
        topic.empty() ? "" : "<strong>" + html_escaped(topic) + ".</strong> ",
        std::regex_replace(html_escaped(message), std::regex("`([^`]*)`"), "<code>$1</code>"),
        proposal.empty() ? "" : " <code>" + html_escaped(proposal) + "</code>");
  };
  for (const std::string& warning : contents.outcome->warnings) item("poor", "", warning, "");
  for (const Advice& advice : contents.advice) {
    const char* tone = advice.verdict == Advice::Verdict::good   ? "good"
                       : advice.verdict == Advice::Verdict::note ? "note"
                                                                 : "poor";
    item(tone, advice.topic, advice.message, advice.proposal);
  }
  if (items.empty()) return {};
  return "<section><h2>Is it well resolved?</h2>\n<p class=\"caption\">What <code>carom "
         "check</code> "
         "says about this scenario, and what the run itself noticed.</p><ul class=\"advice\">\n" +
         items + "</ul></section>\n";
}

/// Impacts as people read them: one row each, the first and last few of a long list.
std::string impacts_section(const Json& results) {
  const auto found = results.find("impacts");
  if (found == results.end() || !found->is_array() || found->empty()) return {};
  constexpr std::size_t head = 8, tail = 3;
  std::string rows;
  const std::size_t count = found->size();
  const auto cell = [](const Json& impact, const char* key, const char* unit) {
    if (!impact.contains(key) || !impact[key].is_number()) return std::string("–");
    const auto [value, scaled] = for_people(impact[key].get<double>(), unit);
    return value + " " + scaled;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (count > head + tail + 1 && i == head) {
      rows += fmt::format("<tr><td>…</td><td colspan=\"5\" class=\"default\">{} more</td></tr>\n",
                          count - head - tail);
      i = count - tail;
    }
    const Json& impact = (*found)[i];
    rows += fmt::format("<tr><td>{}</td>", i + 1);
    for (const auto& [key, unit] : {std::pair{"time", "s"},
                                    {"speed_in", "m/s"},
                                    {"speed_out", "m/s"},
                                    {"restitution", ""},
                                    {"contact_time", "s"}}) {
      rows += "<td class=\"n\">" + cell(impact, key, unit) + "</td>";
    }
    rows += "</tr>\n";
  }
  return fmt::format(
      "<section><h2>Impacts</h2>\n<div class=\"table\"><table id=\"impacts\"><tr><th>#</th><th "
      "class=\"n\">time</th><th "
      "class=\"n\">speed in</th><th class=\"n\">speed out</th><th class=\"n\">restitution</th><th "
      "class=\"n\">contact time</th></tr>\n{}</table></div></section>\n",
      rows);
}

std::string inputs_section(const ReportContents& contents) {
  const Scenario& scenario = *contents.scenario;
  constexpr std::size_t most_repeated = 20;
  const auto tone = [&](const std::string& key) {
    return scenario.given(key) ? "" : " class=\"default\"";
  };
  const auto shown = [](const Json& value) {
    std::string text = toml_text(value);
    if (text.size() > 400) text = text.substr(0, 400) + " …";
    return html_escaped(text);
  };
  std::string rows;
  std::vector<Table> tables{top_table()};
  tables.insert(tables.end(), contents.kind->tables.begin(), contents.kind->tables.end());
  for (const Table& table : tables) {
    if (!table.name.empty() && !scenario.has(table.name)) continue;
    const Json& found = table.name.empty() ? scenario.values() : scenario.values()[table.name];
    if (table.repeated) {  // one row each: there are many
      for (std::size_t i = 0; i < std::min(found.size(), most_repeated); ++i) {
        const std::string name = fmt::format("{}.{}", table.name, i + 1);
        std::string cell;
        for (const Field& field : table.fields) {
          const auto value = found[i].find(field.name);
          if (value == found[i].end()) continue;
          cell += fmt::format("{}<span{}><code>{} = {}</code> {}</span>", cell.empty() ? "" : "; ",
                              tone(name + "." + field.name), html_escaped(field.name),
                              shown(*value), html_escaped(field.unit));
        }
        rows += fmt::format("<tr><td><code>{}</code></td><td colspan=\"2\">{}</td></tr>\n",
                            html_escaped(name), cell);
      }
      if (found.size() > most_repeated) {
        rows += fmt::format(
            "<tr><td>…</td><td colspan=\"2\">{} more of [[{}]], in the scenario file below</td>"
            "</tr>\n",
            found.size() - most_repeated, html_escaped(table.name));
      }
      continue;
    }
    for (const Field& field : table.fields) {
      const auto value = found.find(field.name);
      if (value == found.end()) continue;
      const std::string key = table.name.empty() ? field.name : table.name + "." + field.name;
      rows += fmt::format(
          "<tr{}><td><code>{}</code></td><td><code>{}</code> {}</td><td>{}</td></tr>\n", tone(key),
          html_escaped(key), shown(*value), html_escaped(field.unit), html_escaped(field.help));
    }
  }
  return "<section><h2>What was simulated</h2>\n<p class=\"caption\">Every input of the run; what "
         "the "
         "file did not say and was taken by default is grey.</p><div class=\"table\"><table "
         "id=\"inputs\">\n" +
         rows + "</table></div></section>\n";
}

std::string reproduce_section(const ReportContents& contents) {
  std::string files;
  for (const std::string& file : contents.files)
    files += " <code>" + html_escaped(file) + "</code>";
  const Json& program = (*contents.summary)["program"];
  const auto part = [&](const char* key) { return html_escaped(program[key].get<std::string>()); };
  std::string inputs;
  for (const Json& file : (*contents.summary)["input_files"]) {
    inputs += fmt::format("<tr><td><code>{}</code></td><td><code>{}</code></td></tr>\n",
                          html_escaped(file["file"].get<std::string>()),
                          html_escaped(file["sha256"].get<std::string>()));
  }
  return fmt::format(
      "<section><h2>Do it again</h2>\n<pre>{}</pre>\n<p class=\"caption\">with carom {} (commit "
      "{}, {}, {}), or from these results alone: <code>carom rerun summary.json</code>. Beside "
      "this "
      "page:{}.</p>\n<details id=\"provenance\"><summary>The files it has read, with their "
      "SHA-256</summary><table>\n{}</table></details>\n<details><summary>The scenario "
      "file</summary><pre>{}</pre></details></section>\n",
      html_escaped(contents.command), part("version"), part("commit"), part("compiler"),
      part("instructions"), files, inputs, html_escaped(contents.scenario_text));
}

}  // namespace

std::string data_url(const std::string& type, const std::string& bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string url = "data:" + type + ";base64,";
  url.reserve(url.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      url += k <= count ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return url;
}

std::string_view report_style() { return style; }

std::string report_page(const ReportContents& contents) {
  const Scenario& scenario = *contents.scenario;
  const Json& summary = *contents.summary;
  const std::string title =
      scenario.has("title") ? scenario.text("title") : scenario.file().stem().string();
  const std::string lead =
      scenario.has("description") ? scenario.text("description") : contents.kind->summary;
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n<link rel=\"icon\" "
      "href=\"data:,\">\n<style>{1}</style></head>\n<body><main>\n<header><p class=\"kind\">carom "
      "&middot; {2}</p><h1>{0}</h1><p class=\"lead\">{3}</p></header>\n",
      html_escaped(title), style, html_escaped(scenario.kind()), html_escaped(lead));
  const std::string status = summary["status"].get<std::string>();
  if (status != "done") {
    page += fmt::format("<p class=\"verdict bad\" id=\"status\">{}</p>\n", html_escaped(status));
  }
  std::vector<KeyNumber> numbers = contents.outcome->key_numbers;
  if (!contents.heard.empty() && contents.heard.front().label == "pitch") {
    // The same number, with its note.
    std::erase_if(numbers, [](const KeyNumber& one) { return one.label == "strongest partial"; });
  }
  numbers.insert(numbers.end(), contents.heard.begin(), contents.heard.end());
  page += number_cards(numbers);
  page += sound_section(contents);
  for (const DrawnPicture& picture : contents.pictures) {
    if (picture.name == "signals") page += picture_section(picture);
  }
  page += contents.motion;
  for (const Film& film : contents.outcome->films) {
    page +=
        "<section><h2>" + html_escaped(film.title) + "</h2>\n" + film_html(film) + "</section>\n";
  }
  for (const BodyFilm& film : contents.outcome->body_films) {
    page += "<section><h2>" + html_escaped(film.title) + "</h2>\n" + body_film_html(film) +
            "</section>\n";
  }
  std::string own;
  for (const Picture& picture : contents.outcome->pictures) {
    for (const DrawnPicture& drawn : contents.pictures) {
      if (drawn.name == picture.name) own += picture_section(drawn);
    }
  }
  page += own.empty() ? "" : "<div class=\"pair\">\n" + own + "</div>\n";
  page += impacts_section(summary["results"]);
  page += energy_section(contents);
  for (const DrawnPicture& picture : contents.pictures) {
    if (picture.name == "spectrum" || picture.name == "spectrogram")
      page += picture_section(picture);
  }
  page += advice_section(contents);
  page += inputs_section(contents);
  page += reproduce_section(contents);
  const Json& timing = summary["timing"];
  page += fmt::format(
      "<footer>{:.4g} s simulated in {:.3g} s of processor time. carom {}.</footer>\n"
      "</main><script>{}</script></body></html>\n",
      timing["simulated_seconds"].get<double>(), timing["cpu_seconds"].get<double>(), version(),
      report_script);
  return page;
}

}  // namespace carom
