// More than 300 broken scenario files through the program: each must give exit code 2 and a
// one-line reason with its place, and nothing may be written.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/scenario/template.hpp>

#include "process.hpp"

namespace carom {
namespace {

struct Broken {
  std::string how;
  std::string text;
};

struct Line {
  std::size_t begin, equals, end;  ///< of `key = value`, comment not included
};

/// The lines of a template that set a key to a value on one line.
std::vector<Line> settings(const std::string& text) {
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    const std::size_t equals = line.find(" = ");
    if (!line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) != 0 &&
        equals != std::string::npos && line.find("[\n") == std::string::npos &&
        line.back() != '[') {
      std::size_t stop = line.find(" #");
      while (stop != std::string::npos && stop > 0 && line[stop - 1] == ' ') --stop;
      lines.push_back({begin, begin + equals, stop == std::string::npos ? end : begin + stop});
    }
    begin = end + 1;
  }
  return lines;
}

/// The declaration of the key that a line sets: the nearest table header above it says whose it is.
const Field* field_of(const Kind& kind, const std::string& text, const Line& line) {
  const std::size_t header = text.rfind("\n[", line.begin);
  if (header == std::string::npos) return nullptr;
  std::string name = text.substr(header + 2, text.find(']', header) - header - 2);
  name.erase(0, name.find_first_not_of('['));
  for (const Table& table : kind.tables) {
    if (table.name == name) {
      return find_field(table, text.substr(line.begin, line.equals - line.begin));
    }
  }
  return nullptr;
}

class Mutator {
 public:
  Broken next() {
    const auto& all = kinds();
    const Kind& kind = all[pick(all.size())];
    const std::string text = scenario_template(kind);
    const std::vector<Line> lines = settings(text);
    const Line line = lines[pick(lines.size())];
    const std::string value = text.substr(line.equals + 3, line.end - line.equals - 3);
    const auto with_value = [&](const std::string& other) {
      return text.substr(0, line.equals + 3) + other + text.substr(line.end);
    };
    const Field* field = field_of(kind, text, line);
    switch (pick(19)) {
      case 15:
        return missing_key(kind, text);
      case 16:
        if (field != nullptr && std::isfinite(field->lowest)) {
          const std::string low = number_text(field->lowest - 1);
          return {"below its range", with_value(value.starts_with('[') ? "[" + low + "]" : low)};
        }
        return {"out of its range", with_value("-1e999")};
      case 17:
        if (field != nullptr && !field->choices.empty()) {
          return {"unknown word", with_value("\"" + word() + "_q\"")};
        }
        return {"a list in a list", with_value("[[1], [2, [3]]]")};
      case 18:
        return {"a number too long", with_value(std::string(400, '9'))};
      case 0:
        return {"wrong type", with_value(value.starts_with('"') ? "7" : "\"seven\"")};
      case 1:
        return {"a table for a value", with_value("{ a = 1 }")};
      case 2:
        return {"a date for a value", with_value("1979-05-27")};
      case 3:
        return {"not a number", with_value("nan")};
      case 4:
        return {"infinite", with_value("-inf")};
      case 5:
        return {"misspelt key", text.substr(0, line.begin) + "x_" + text.substr(line.begin)};
      case 6:
        return {"key twice", text.substr(0, line.begin) +
                                 text.substr(line.begin, line.end - line.begin) + "\n" +
                                 text.substr(line.begin)};
      case 7: {
        const std::size_t table = text.find("\n[");
        const std::string name = text.substr(table, text.find(']', table) + 1 - table);
        return {"table twice", text + name + name + "\n"};
      }
      case 8:
        return {"unknown table", text + "\n[" + word() + "_q]\na = 1\n"};
      case 9:
        return {"unknown kind", "kind = \"" + word() + "_q\"\n"};
      case 10:
        return {"cut inside a text", text.substr(0, text.find('"') + 2)};
      case 11:
        return {"nesting", with_value(std::string(1 + pick(100000), '['))};
      case 12:
        return {"dots", text + "\n[" + repeated("a.", 200 + pick(100000)) + "a]\n"};
      case 13: {
        std::string junk(1 + pick(5000), ' ');
        for (char& letter : junk) letter = static_cast<char>(pick(256));
        return {"binary junk", junk + "\n"};
      }
      default:
        return {"junk in the middle",
                text.substr(0, line.begin) + "\x01\xff = \"\n" + text.substr(line.begin)};
    }
  }

 private:
  /// Without one of the keys that must be there.
  Broken missing_key(const Kind& kind, const std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> cuts;
    for (const Table& table : kind.tables) {
      const std::size_t header = text.find("\n[" + table.name + "]");
      if (header == std::string::npos) continue;
      for (const Field& field : table.fields) {
        const std::size_t at = text.find("\n" + field.name + " = ", header);
        if (!field.must_be_given || at == std::string::npos) continue;
        cuts.emplace_back(at + 1, text.find('\n', at + 1) + 1);
      }
    }
    if (cuts.empty()) return {"missing kind", text.substr(text.find("\n["))};
    const auto [begin, end] = cuts[pick(cuts.size())];
    return {"missing key", text.substr(0, begin) + text.substr(end)};
  }
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  static std::string repeated(const std::string& part, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += part;
    return result;
  }
  std::string word() {
    std::string letters;
    for (std::size_t i = 0; i < 6; ++i) letters += static_cast<char>('a' + pick(26));
    return letters;
  }
  std::mt19937_64 random_{300};
};

bool is_one_line_each(const std::string& text) {
  return !text.empty() && text.back() == '\n' && text.find('\r') == std::string::npos &&
         text.find('\0') == std::string::npos;
}

/// All are read as the program reads them; the program itself gets the first of each kind of damage
/// and every tenth, for a process costs far more than a file.
TEST(BrokenFiles, AllGiveExitTwoAndAPlace) {
  Mutator mutator;
  std::set<std::string> seen;
  const support::TemporaryFolder folder;
  const std::string place = (folder / "broken.toml").string() + ":";
  for (int i = 0; i < 320; ++i) {
    const Broken broken = mutator.next();
    folder.write("broken.toml", broken.text);
    try {
      (void)load_scenario(folder / "broken.toml");
      ADD_FAILURE() << broken.how << "\n" << broken.text.substr(0, 2000);
    } catch (const InvalidInput& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(place)) << broken.how << error.what();
      EXPECT_TRUE(is_one_line_each(std::string(error.what()) + "\n")) << broken.how;
    }
    if (!seen.insert(broken.how).second && i % 10 != 0) continue;
    const auto done =
        support::run({CAROM_PROGRAM, "run", "broken.toml", "--out", "out"}, folder.path(), 20);
    ASSERT_FALSE(done.timed_out) << broken.how << "\n" << broken.text.substr(0, 2000);
    ASSERT_EQ(done.exit_code, 2) << broken.how << "\n" << broken.text.substr(0, 2000) << done.err;
    EXPECT_TRUE(done.out.empty()) << broken.how;
    EXPECT_TRUE(is_one_line_each(done.err)) << broken.how << done.err;
    EXPECT_TRUE(done.err.starts_with("broken.toml:")) << broken.how << ": " << done.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << broken.how;
  }
  EXPECT_EQ(seen.size(), 21u);  // every kind of damage was there
}

TEST(BrokenFiles, ThatAreNoFilesSayWhatTheyAre) {
  const support::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.toml");
  folder.write("empty.toml", "");
  folder.write("blank.toml", "\n\n# nothing\n");
  folder.write("large.toml", std::string(5u << 20, '#'));
  folder.write("arrow.toml", "kind = \"bounce\"\r\r\r[");
  folder.write("locked.toml", "kind = \"bounce\"\n");
  std::filesystem::create_symlink("loop.toml", folder / "loop.toml");
  std::filesystem::permissions(folder / "locked.toml", std::filesystem::perms::none);
  // Nobody can read the first bytes of /proc/self/mem, not even root.
  const std::vector<std::string> names{"folder.toml",    "empty.toml",  "blank.toml",  "large.toml",
                                       "arrow.toml",     "loop.toml",   "absent.toml", "/dev/null",
                                       "/proc/self/mem", "locked.toml", "/dev/zero"};
  for (const std::string& name : names) {
    for (const char* command : {"run", "check"}) {
      std::vector<std::string> arguments{CAROM_PROGRAM, command, name};
      if (name == "locked.toml" && geteuid() == 0) {
        // Permission bits do not bind root: somebody else has to try.
        std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
        const std::vector<std::string> nobody{"setpriv", "--reuid=65534", "--regid=65534",
                                              "--clear-groups"};
        arguments.insert(arguments.begin(), nobody.begin(), nobody.end());
        std::vector<std::string> trial(arguments.begin(), arguments.begin() + 5);
        trial.emplace_back("--version");
        if (support::run(trial, folder.path(), 20).exit_code != 0)
          continue;  // cannot become nobody
      }
      const auto done = support::run(arguments, folder.path(), 20);
      EXPECT_FALSE(done.timed_out) << name;
      EXPECT_EQ(done.exit_code, 2) << name << done.err;
      EXPECT_NE(done.err.find(name), std::string::npos) << done.err;
      EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    }
  }
}

}  // namespace
}  // namespace carom
