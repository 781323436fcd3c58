#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include <carom/laws/catalogue.hpp>
#include <carom/scenario/methods.hpp>

namespace carom {
namespace {

const std::vector<std::string>& methods_of(const Kind& kind) {
  for (const Table& table : kind.tables) {
    if (table.name == "run") return find_field(table, "method")->choices;
  }
  throw std::logic_error("kind '" + kind.name + "' has no run.method");
}

}  // namespace

const std::vector<std::string>& known_laws() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const LawInfo& law : law_catalogue()) all.emplace_back(law.text.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& known_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Kind& kind : kinds()) {
      for (const std::string& method : methods_of(kind)) {
        if (std::find(all.begin(), all.end(), method) == all.end()) all.push_back(method);
      }
    }
    return all;
  }();
  return names;
}

std::vector<MethodCell> method_cells(const Kind& kind) {
  std::vector<MethodCell> cells;
  for (const std::string& law : known_laws()) {
    for (const std::string& method : known_methods())
      cells.push_back({law, method, kind.refusal(law, method)});
  }
  return cells;
}

Json methods_json(const Kind& kind) {
  Json cells = Json::array();
  for (const MethodCell& cell : method_cells(kind)) {
    cells.push_back({{"law", cell.law},
                     {"method", cell.method},
                     {"runs", cell.runs()},
                     {"reason", cell.reason}});
  }
  return {{"kind", kind.name}, {"cells", std::move(cells)}};
}

std::vector<LawGroup> law_groups(const Kind& kind) {
  std::vector<LawGroup> groups;
  for (const std::string& law : known_laws()) {
    std::vector<std::string> reasons;
    for (const std::string& method : known_methods()) reasons.push_back(kind.refusal(law, method));
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const LawGroup& group) { return group.reasons == reasons; });
    if (same != groups.end()) {
      same->laws.push_back(law);
    } else {
      groups.push_back({{law}, std::move(reasons)});
    }
  }
  return groups;
}

std::size_t note_of(const std::string& reason, std::vector<std::string>& reasons) {
  const auto known = std::find(reasons.begin(), reasons.end(), reason);
  if (known != reasons.end()) return std::size_t(known - reasons.begin()) + 1;
  reasons.push_back(reason);
  return reasons.size();
}

std::string refusal_message(std::string_view law, std::string_view method,
                            std::string_view reason) {
  return fmt::format("run.method = \"{}\" with contact.law = \"{}\": {}", method, law, reason);
}

std::string methods_page() {
  std::string text =
      "# Laws and methods by kind\n\n"
      "Which contact law runs by which method, for every kind of scenario. `carom methods` prints "
      "it, `carom methods --json` gives it to programs, and a test runs every cell. A combination "
      "that does not run is refused with the reason whose number is given here; nothing is "
      "replaced. Which method "
      "to take: [which law, which method](which_method.md). What the laws are: "
      "[contact laws](laws.md). Laws that share a column are treated alike.\n\n";
  for (const Kind& kind : kinds()) {
    const std::vector<LawGroup> groups = law_groups(kind);
    std::string head = "| method |", rule = "|---|";
    std::vector<std::string> reasons;
    for (const LawGroup& group : groups) {
      head += fmt::format(" `{}` |", fmt::join(group.laws, "`, `"));
      rule += "---|";
    }
    text += fmt::format("## Kind `{}`\n\n{}\n{}\n", kind.name, head, rule);
    for (std::size_t i = 0; i < known_methods().size(); ++i) {
      text += fmt::format("| `{}` |", known_methods()[i]);
      for (const LawGroup& group : groups) {
        const std::string& reason = group.reasons[i];
        text += reason.empty() ? " **runs** |" : fmt::format(" ({}) |", note_of(reason, reasons));
      }
      text += "\n";
    }
    text += "\n";
    for (std::size_t i = 0; i < reasons.size(); ++i)
      text += fmt::format("{}. {}\n", i + 1, reasons[i]);
    text += reasons.empty() ? "" : "\n";
  }
  return text;
}

}  // namespace carom
