#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <carom/papers/papers.hpp>

namespace carom {
namespace {

namespace fs = std::filesystem;
const fs::path root = CAROM_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Row {
  std::string what, where;
};

/// The table under "### key" of papers/README.md.
std::vector<Row> coverage_of(const std::string& readme, const std::string& key) {
  std::vector<Row> rows;
  std::istringstream lines(readme.substr(readme.find("### " + key + "\n") + 1));
  std::string line;
  std::getline(lines, line);
  const std::regex cells(R"(^\| (.*) \| (.*) \|$)");
  while (std::getline(lines, line) && !line.starts_with("#")) {
    std::smatch match;
    if (!std::regex_match(line, match, cells) || match[1] == "in the paper") continue;
    rows.push_back({match[1], match[2]});
  }
  return rows;
}

int roman(const std::string& text) {
  static const std::map<std::string, int> values{
      {"I", 1}, {"II", 2}, {"III", 3}, {"IV", 4}, {"V", 5}};
  const auto found = values.find(text);
  return found == values.end() ? std::stoi(text) : found->second;
}

/// All numbers after a word: "eqs. (1)-(4), (9)", "Figs. 3-5", "Tables I-II".
std::set<int> numbers_after(const std::string& text, const std::string& word,
                            const std::string& number) {
  std::set<int> found;
  const std::regex list(word + "((?:,? ?" + number + "(?:-" + number + ")?)+)");
  const std::regex entry(number + "(?:-" + number + ")?");
  for (std::sregex_iterator at(text.begin(), text.end(), list), end; at != end; ++at) {
    const std::string part = (*at)[1];
    for (std::sregex_iterator one(part.begin(), part.end(), entry); one != end; ++one) {
      const int first = roman((*one)[1]), last = (*one)[2].matched ? roman((*one)[2]) : first;
      for (int i = first; i <= last; ++i) found.insert(i);
    }
  }
  return found;
}

struct Extent {
  const char* key;
  int equations, figures, tables;
};

// The numbers of the last equation, figure and table of each paper.
constexpr Extent extents[] = {{"papetti2011", 38, 12, 4},
                              {"ramaswamy", 25, 5, 0},
                              {"poursina2020", 57, 12, 0},
                              {"issanchou2018", 33, 8, 5},
                              {"paoli2007", 24, 9, 5}};

TEST(Coverage, EveryEquationFigureAndTableOfThePapersHasItsPlace) {
  const std::string readme = text_of(root / "papers/README.md");
  ASSERT_EQ(std::size(extents), paper_keys().size());
  for (const Extent& paper : extents) {
    std::string all;
    for (const Row& row : coverage_of(readme, paper.key)) all += row.what + "\n";
    const auto expect_all = [&](const char* what, const std::set<int>& found, int last) {
      for (int i = 1; i <= last; ++i)
        EXPECT_TRUE(found.contains(i)) << paper.key << ": " << what << i;
      EXPECT_TRUE(found.empty() || *found.rbegin() <= last) << paper.key << ": " << what;
    };
    expect_all("eq. ", numbers_after(all, "eqs?\\. ", R"(\((\d+)\))"), paper.equations);
    expect_all("Fig. ", numbers_after(all, "Figs?\\. ", R"((\d+))"), paper.figures);
    expect_all("Table ", numbers_after(all, "Tables? ", R"((\d+|[IV]+))"), paper.tables);
  }
}

TEST(Coverage, EveryPlaceExistsAndNoItemIsLeftOut) {
  const std::string readme = text_of(root / "papers/README.md");
  const std::regex quoted("`([^`]+)`");
  for (const std::string_view key : paper_keys()) {
    const PublishedPaper paper = read_published(text_of(root / "papers" / key / "published.toml"));
    std::set<std::string> items, named;
    for (const PublishedItem& item : paper.items) items.insert(item.name);
    const std::vector<Row> rows = coverage_of(readme, std::string(key));
    ASSERT_GT(rows.size(), 8U) << key;
    for (const Row& row : rows) {
      if (row.where.starts_with("not: ")) {
        EXPECT_GT(row.where.size(), 25U) << key << ", " << row.what;
        continue;
      }
      int places = 0;
      for (std::sregex_iterator at(row.where.begin(), row.where.end(), quoted), end; at != end;
           ++at, ++places) {
        const std::string place = (*at)[1];
        if (items.contains(place)) {
          named.insert(place);
        } else {
          EXPECT_TRUE(fs::is_regular_file(root / place))
              << key << ", " << row.what << ": " << place;
        }
      }
      EXPECT_GT(places, 0) << key << ", " << row.what;
    }
    for (const std::string& item : items) EXPECT_TRUE(named.contains(item)) << key << ": " << item;
  }
}

TEST(Coverage, EveryReasonIsUsedAndEveryUseHasOne) {
  for (const std::string_view key : paper_keys()) {
    const PublishedPaper paper = read_published(text_of(root / "papers" / key / "published.toml"));
    std::set<std::string> known, used;
    for (const PublishedReason& reason : paper.reasons) {
      EXPECT_GT(reason.text.size(), 20U) << key << ": " << reason.id;
      EXPECT_TRUE(known.insert(reason.id).second) << key << ": " << reason.id << " twice";
    }
    for (const PublishedItem& item : paper.items) {
      for (const PublishedNumber& number : item.numbers) {
        if (!number.because.empty()) used.insert(number.because);
      }
    }
    EXPECT_EQ(known, used) << key;
  }
}

TEST(Coverage, EveryPaperCanBeCited) {
  for (const std::string_view key : paper_keys()) {
    const std::string entry = bibtex(key);
    EXPECT_EQ(entry.find('@'), 0U) << key;
    EXPECT_NE(entry.find("{" + std::string(key) + ","), std::string::npos) << key;
    EXPECT_EQ(std::count(entry.begin(), entry.end(), '{'),
              std::count(entry.begin(), entry.end(), '}'))
        << key;
  }
  const std::string all = bibtex("all");
  EXPECT_EQ(std::count(all.begin(), all.end(), '@'), 1 + std::ptrdiff_t(paper_keys().size()));
  // The same version in CITATION.cff.
  const std::string citation = text_of(root / "CITATION.cff");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(citation, match, std::regex(R"(\nversion: ([0-9.]+)\n)")));
  EXPECT_NE(bibtex("carom").find("{" + match[1].str() + "}"), std::string::npos);
}

}  // namespace
}  // namespace carom
