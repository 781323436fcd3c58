#include <fmt/format.h>

#include <carom/core/version.hpp>
#include <carom/output/figure.hpp>
#include <carom/output/files.hpp>
#include <carom/output/html.hpp>
#include <carom/records/fit_report.hpp>

#include "../output/report.hpp"
#include "fit_pictures.hpp"
#include "text_file.hpp"

namespace carom {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "-";
}

std::string numbers_table(const LawFit& fit) {
  using Status = FittedNumber::Status;
  std::string rows;
  for (const FittedNumber& one : fit.numbers) {
    const bool known = one.status != Status::open && one.status != Status::out_of_reach;
    rows += fmt::format(
        "<tr><td>{}</td><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td><td>{}</td></tr>",
        html_escaped(one.name), known ? number(one.value) : "-", known ? number(one.low) : "-",
        known ? number(one.high) : "-",
        one.status == Status::given          ? "given"
        : one.status == Status::open         ? "these data do not fix it"
        : one.status == Status::out_of_reach ? "such data say nothing about it"
        : one.status == Status::at_bound     ? "at a bound of its range"
                                             : "");
  }
  return "<table><tr><th>number</th><th class=n>value</th><th class=n>95 % from</th><th "
         "class=n>to</th>"
         "<th></th></tr>" +
         rows + "</table>";
}

std::string ranking_table(const Identification& laws) {
  std::string rows;
  for (const LawFit& fit : laws.candidates) {
    std::string reasons;
    for (const std::string& reason : fit.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    rows += fmt::format(
        "<tr><td>{}</td><td class=n>{}</td><td class=n>{}</td><td class=n>{:.1f}</td><td "
        "class=n>{}</td>"
        "<td>{}{}{}</td></tr>",
        html_escaped(fit.law), number(fit.misfit), number(fit.left_out_misfit), fit.criterion,
        fit.parameters, verdict_name(fit.verdict), reasons.empty() ? "" : ": ",
        html_escaped(reasons));
  }
  return "<div class=\"table ranking\"><table><tr><th>law</th><th class=n>misfit</th><th "
         "class=n>left-out misfit</th><th "
         "class=n>criterion</th><th class=n>numbers</th><th>verdict</th></tr>" +
         rows + "</table></div>";
}

std::string read_list(const Json& read) {
  std::string rows;
  for (const auto& [key, value] : read.items()) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td></tr>", html_escaped(key),
                        html_escaped(value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return "<details><summary>How the file was read</summary><table>" + rows + "</table></details>";
}

std::string run_section(const IdentifiedRun& run, const FitSettings& settings) {
  const Identification& laws = run.laws();
  const LawFit& fit = laws.law();
  const char* mood = fit.verdict == FitVerdict::accepted   ? "good"
                     : fit.verdict == FitVerdict::rejected ? "bad"
                                                           : "poor";
  std::string reasons;
  for (const std::string& reason : fit.reasons) reasons += (reasons.empty() ? ": " : "; ") + reason;
  std::string text = "<section>";
  if (!run.measured.label.empty()) text += "<h2>" + html_escaped(run.measured.label) + "</h2>";
  text += fmt::format("<p class=\"verdict {}\">{} {}{}</p>", mood, html_escaped(fit.law),
                      verdict_name(fit.verdict), html_escaped(reasons));
  text += "<div class=panels>";
  for (Panel& panel : fit_panels(run, settings)) {
    const std::string title = html_escaped(panel.title);
    const std::string picture = draw_svg(
        {.panels = {std::move(panel)}, .columns = 1, .panel_width = 440, .panel_height = 300});
    text += "<figure><img alt=\"" + title + "\" src=\"" + data_url("image/svg+xml", picture) +
            "\"></figure>";
  }
  text += "</div>";
  text += "<h2>Numbers</h2>" + numbers_table(fit) + "<h2>Which law</h2>" + ranking_table(laws);
  std::string advice;
  for (const std::string& one : laws.advice) advice += (advice.empty() ? "" : ", ") + one;
  if (!advice.empty())
    text += "<p class=caption>What would help: " + html_escaped(advice) + ".</p>";
  return text + read_list(run.document["read"]) + "</section>";
}

}  // namespace

std::filesystem::path write_fit_report(const IdentifiedFile& found, const std::string& file,
                                       const FitSettings& settings,
                                       const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    refuse_file(folder, "is not a folder and cannot be made");
  const std::string name = html_escaped(std::filesystem::path(file).filename().string());
  std::string page = fmt::format(
      "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\"><title>{}</title><style>{}</style></head><body><main>"
      "<header><p class=kind>identification</p><h1>{}</h1></header>",
      name, report_style(), name);
  for (const IdentifiedRun& run : found.runs) page += run_section(run, settings);
  page += fmt::format("<footer>carom {}</footer></main></body></html>\n", version());
  const std::filesystem::path path = folder / "report.html";
  write_file(path, page);
  return path;
}

}  // namespace carom
