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

std::string place(const PaperItem& line) {
  const std::string_view theirs = line.printed.empty() ? line.criterion : line.printed;
  return fmt::format("    {}, {}: {} {}, ours {}\n", line.item, line.quantity,
                     line.printed.empty() ? "claim" : "printed", theirs, number_or_dash(line.ours));
}

/// What does not agree, under its reason, which is said once.
void print_differences(const std::vector<PaperItem>& items, Verdict verdict) {
  std::vector<std::string> reasons;
  for (const PaperItem& line : items) {
    if (line.verdict != verdict) continue;
    if (std::find(reasons.begin(), reasons.end(), line.reason) != reasons.end()) continue;
    reasons.push_back(line.reason);
    fmt::print("  {}: {}\n", verdict_name(verdict), line.reason);
    if (!line.evidence.empty()) fmt::print("    checked: {}\n", line.evidence);
    for (const PaperItem& other : items) {
      if (other.verdict == verdict && other.reason == line.reason) fmt::print("{}", place(other));
    }
  }
}

void print_for_people(const std::vector<Reproduction>& papers) {
  for (const Reproduction& paper : papers) {
    const std::vector<PaperItem> items = paper.items();
    const VerdictCounts counts = count_verdicts(items);
    fmt::print("{}:", paper.paper().key);
    for (int i = 0; i < verdict_count; ++i) {
      fmt::print("{} {} {}", i == 0 ? "" : ",", counts[std::size_t(i)], verdict_name(Verdict(i)));
    }
    fmt::print("\n");
    print_differences(items, Verdict::differs);
    print_differences(items, Verdict::not_reproducible);
  }
}

void write_files(OutputFolder& folder, std::vector<Reproduction> papers, const std::string& json) {
  std::vector<std::string> keys;
  for (const Reproduction& paper : papers) keys.push_back(paper.paper().key);
  write_file(folder.add("index.html"), paper_index(papers));
  for (Reproduction& paper : papers) {
    const DrawnPaper drawn(std::move(paper));
    for (std::size_t i = 0; i < drawn.figures.size(); ++i) {
      write_file(folder.add(drawn.file_name(i)), drawn.figures[i]);
    }
    write_file(folder.add(drawn.paper.paper().key + ".html"), paper_page(drawn, keys));
  }
  write_file(folder.add("papers.json"), json);
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
      fmt::print(stderr, "page: {}\n", (folder.folder() / "index.html").string());
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
                    {"--out", "DIR",
                     "write index.html, a page for each paper, papers.json and the figures as SVG",
                     &options->out},
                    {"--quick", "", "only what takes under a minute", &options->quick},
                    {"--json", "", "one JSON document on stdout", &options->json},
                    {"--quiet", "", "no messages on stderr", &options->quiet}},
          .run = [options] { return run_papers(*options); },
          .examples = "  carom papers papetti2011 --out papetti\n  carom papers all --json\n"};
}

Command cite_command() {
  const auto key = std::make_shared<std::string>("all");
  std::vector<std::string_view> known{"carom"};
  for (const std::string_view each : allowed_keys()) known.push_back(each);
  return {.name = "cite",
          .summary = "print BibTeX entries of carom and the reference papers",
          .flags = {{"key", "KEY", "carom, a paper, or all", key.get(), known}},
          .run =
              [key] {
                fmt::print("{}", bibtex(*key));
                return 0;
              },
          .examples = "  carom cite carom\n  carom cite > references.bib\n"};
}

}  // namespace carom::cli
