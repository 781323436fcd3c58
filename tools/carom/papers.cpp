#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/papers/papers.hpp>

#include "commands.hpp"

namespace carom::cli {
namespace {

struct Options {
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

void write_folder(const std::filesystem::path& folder, const std::vector<Reproduction>& papers,
                  const std::string& json) {
  std::error_code error;
  std::filesystem::create_directories(folder / "figures", error);
  if (error) {
    throw InvalidInput(
        fmt::format("--out '{}': cannot be made: {}", folder.string(), error.message()));
  }
  for (const Reproduction& paper : papers) {
    for (std::size_t i = 0; i < paper.figures().size(); ++i) {
      write_file(folder / "figures" / figure_file_name(paper, i),
                 draw_svg(paper.figures()[i].figure));
    }
  }
  write_file(folder / "papers.json", json);
  write_file(folder / "papers.html", paper_page(papers));
}

int run_papers(const Options& options) {
  std::vector<Reproduction> papers;
  std::vector<PaperItem> items;
  for (const std::string_view key : paper_keys()) {
    if (options.key != "all" && options.key != key) continue;
    if (!options.quiet) fmt::print(stderr, "computing {}\n", key);
    papers.push_back(reproduce(key, options.quick));
    for (PaperItem& line : papers.back().items()) items.push_back(std::move(line));
  }
  const std::string json = to_json(items).dump(2) + "\n";
  if (!options.out.empty()) {
    write_folder(options.out, papers, json);
    if (!options.quiet) {
      fmt::print(stderr, "page: {}\n",
                 (std::filesystem::path(options.out) / "papers.html").string());
    }
  }
  if (options.json) {
    fmt::print("{}", json);
  } else {
    print_for_people(papers);
  }
  return 0;
}

}  // namespace

Command papers_command() {
  const auto options = std::make_shared<Options>();
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
