#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <carom/output/files.hpp>
#include <carom/output/folder.hpp>
#include <carom/output/progress.hpp>
#include <carom/papers/papers.hpp>

#include "commands.hpp"

namespace carom::cli {
namespace {

struct PapersOptions {
  std::string key = "all", out;
  bool json = false, quick = false, quiet = false;
};

std::vector<std::string_view> allowed_keys() {
  std::vector<std::string_view> keys(paper_keys().begin(), paper_keys().end());
  keys.emplace_back("all");
  return keys;
}

std::string number_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

void print_for_people(const std::vector<Reproduction>& papers) {
  for (const Reproduction& paper : papers) {
    const std::vector<PaperItem> items = paper.items();
    const auto count = [&](Verdict verdict) {
      return std::count_if(items.begin(), items.end(),
                           [&](const PaperItem& line) { return line.verdict == verdict; });
    };
    fmt::print("{}: {} reproduced, {} differ, {} not reproducible, {} without a published number\n",
               paper.paper().key, count(Verdict::reproduced), count(Verdict::differs),
               count(Verdict::not_reproducible), count(Verdict::no_published_number));
    for (const PaperItem& line : items) {
      if (line.verdict != Verdict::differs && line.verdict != Verdict::not_reproducible) continue;
      fmt::print("  {}, {}: printed {}, ours {} ({})\n      {}\n", line.item, line.quantity,
                 line.printed, number_or_dash(line.ours), verdict_name(line.verdict), line.reason);
    }
  }
}

void write_files(OutputFolder& folder, std::vector<Reproduction> papers, const std::string& json) {
  std::vector<DrawnPaper> drawn;
  for (Reproduction& paper : papers) drawn.emplace_back(std::move(paper));
  for (const DrawnPaper& paper : drawn) {
    for (std::size_t i = 0; i < paper.figures.size(); ++i) {
      write_file(folder.add(paper.file_name(i)), paper.figures[i]);
    }
  }
  write_file(folder.add("papers.json"), json);
  write_file(folder.add("papers.html"), paper_page(drawn));
  folder.commit();
}

int run_papers(const PapersOptions& options) {
  // Before anything is computed: a folder that cannot be written to is said at once. It is left
  // again, so that an interruption leaves nothing behind.
  if (!options.out.empty()) OutputFolder{options.out};

  std::vector<std::string_view> keys;
  for (const std::string_view key : paper_keys()) {
    if (options.key == "all" || options.key == key) keys.push_back(key);
  }
  std::vector<Reproduction> papers;
  std::vector<PaperItem> items;
  {
    ProgressLine line("papers", options.quiet);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto progress = [&](double fraction) {
        line.update((double(i) + fraction) / double(keys.size()), std::string(keys[i]));
      };
      progress(0);
      papers.push_back(reproduce(keys[i], options.quick, progress));
      for (PaperItem& item : papers.back().items()) items.push_back(std::move(item));
    }
  }
  const std::string json = json_text(to_json(items), 2) + "\n";
  if (options.json) {
    fmt::print("{}", json);
  } else {
    print_for_people(papers);
  }
  if (!options.out.empty()) {
    OutputFolder folder(options.out);
    write_files(folder, std::move(papers), json);
    if (!options.quiet) {
      fmt::print(stderr, "page: {}\n", (folder.folder() / "papers.html").string());
    }
  }
  return 0;
}

}  // namespace

Command papers_command() {
  const auto options = std::make_shared<PapersOptions>();
  return {.name = "papers",
          .summary = "reproduce the tables and figures of the reference papers",
          .flags = {{"key", "KEY", "the paper, or all", &options->key, allowed_keys()},
                    {"--out", "DIR", "write papers.html, papers.json and the figures as SVG",
                     &options->out},
                    {"--quick", "", "only what takes under a minute", &options->quick},
                    {"--json", "", "one JSON document on stdout", &options->json},
                    {"--quiet", "", "no messages on stderr", &options->quiet}},
          .run = [options] { return run_papers(*options); },
          .examples = "  carom papers papetti2011 --out papetti\n  carom papers all --json\n"};
}

}  // namespace carom::cli
