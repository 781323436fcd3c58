#include <algorithm>
#include <cmath>

#include "document.hpp"

namespace carom {
namespace {

/// Walks the tree of the file and the tables of the schema side by side.
class Checker {
 public:
  Checker(const std::string& file, Checked& out) : file_(file), out_(out) {}

  void table(const Node& node, const Table& table, const std::string& prefix, Json& into) {
    fields(node, table.fields, prefix, {}, into);
  }

  /// The keys of one table. `also_known` are names that belong to somebody else (sub-tables).
  void fields(const Node& node, const std::vector<Field>& known, const std::string& prefix,
              const std::vector<std::string>& also_known, Json& into) {
    std::vector<std::string_view> names;
    for (const Field& field : known) names.emplace_back(field.name);
    for (const std::string& name : also_known) names.emplace_back(name);
    for (const auto& [key, entry] : node.entries) {
      if (std::find(names.begin(), names.end(), key) == names.end()) {
        report(entry, unknown_name_message("key", dotted(prefix, key), with_prefix(prefix, names)));
      }
    }
    for (const Field& field : known) {
      const std::string path = dotted(prefix, field.name);
      const Node* entry = nullptr;
      for (const auto& [key, candidate] : node.entries) {
        if (key == field.name) entry = &candidate;
      }
      if (entry != nullptr) {
        out_.positions[path] = entry->position;
        Json value = this->value(*entry, field, path);
        if (!value.is_null()) into[field.name] = std::move(value);
      } else if (field.must_be_given) {
        report(node, "key '" + path + "' is missing: " + field.help +
                         (field.unit.empty() ? "" : " [" + field.unit + "]") + ", " +
                         field.allowed());
      } else if (!field.fallback.is_null()) {
        into[field.name] = field.fallback;
      }
    }
  }

  void report(const Node& node, std::string message) {
    out_.problems.push_back(make_problem(file_, node.position, std::move(message)));
  }

 private:
  static std::string dotted(const std::string& prefix, const std::string& key) {
    return prefix.empty() ? key : prefix + "." + key;
  }

  /// Known names as the message shows them: inside a table with the table's name in front, so that
  /// the nearest one is found by the part that differs.
  std::vector<std::string_view> with_prefix(const std::string& prefix,
                                            const std::vector<std::string_view>& names) {
    shown_.clear();
    std::vector<std::string_view> result;
    shown_.reserve(names.size());
    for (const std::string_view name : names) {
      shown_.push_back(dotted(prefix, std::string(name)));
      result.emplace_back(shown_.back());
    }
    return result;
  }

  Json refuse(const Node& node, const Field& field, const std::string& path) {
    report(node, path + " = " + node.type_name() + ": must be " + field.allowed() +
                     (field.unit.empty() ? "" : " [" + field.unit + "]"));
    return nullptr;
  }

  bool in_range(const Field& field, double value) const {
    if (!std::isfinite(value)) return false;
    return (field.lowest_excluded ? value > field.lowest : value >= field.lowest) &&
           value <= field.highest;
  }

  static bool chosen(const Field& field, const std::string& name) {
    return std::find(field.choices.begin(), field.choices.end(), name) != field.choices.end();
  }

  Json value(const Node& node, const Field& field, const std::string& path) {
    switch (field.type) {
      case ValueType::number: {
        if (node.type != Node::Type::number && node.type != Node::Type::whole_number) break;
        const double number = node.value.get<double>();
        if (!in_range(field, number)) break;
        return number;
      }
      case ValueType::whole_number:
        if (node.type != Node::Type::whole_number) break;
        if (!in_range(field, node.value.get<double>())) break;
        if (!field.choices.empty() && !chosen(field, std::to_string(node.value.get<long long>()))) {
          break;
        }
        return node.value;
      case ValueType::truth:
        if (node.type != Node::Type::truth) break;
        return node.value;
      case ValueType::text:
      case ValueType::file:
        return text(node, field, path);
      case ValueType::named_numbers:
        return named_numbers(node, field, path);
      case ValueType::place: {
        Field each = field;
        if (node.type == Node::Type::list) {
          each.type = ValueType::number_list;
          if (node.items.size() != 2) break;
          return list(node, each, path);
        }
        each.type = ValueType::number;
        if (node.type != Node::Type::number && node.type != Node::Type::whole_number) break;
        return value(node, each, path);
      }
      case ValueType::number_list:
      case ValueType::text_list:
      case ValueType::table_list:
        return list(node, field, path);
    }
    return refuse(node, field, path);
  }

  Json text(const Node& node, const Field& field, const std::string& path) {
    if (node.type != Node::Type::text) return refuse(node, field, path);
    const std::string content = node.value.get<std::string>();
    if (field.type == ValueType::file && (content.empty() || content.find('\0') != content.npos)) {
      return refuse(node, field, path);
    }
    if (!field.choices.empty() && !chosen(field, content)) {
      const std::vector<std::string_view> names(field.choices.begin(), field.choices.end());
      report(node, unknown_name_message(path, content, names));
      return nullptr;
    }
    return node.value;
  }

  Json named_numbers(const Node& node, const Field& field, const std::string& path) {
    if (node.type != Node::Type::table) return refuse(node, field, path);
    Field each = field;
    each.type = ValueType::number;
    Json values = Json::object();
    for (const auto& [name, entry] : node.entries) {
      out_.positions[dotted(path, name)] = entry.position;
      values[name] = value(entry, each, dotted(path, name));
    }
    return values;
  }

  Json list(const Node& node, const Field& field, const std::string& path) {
    if (node.type != Node::Type::list) return refuse(node, field, path);
    if (node.items.size() < field.min_count || node.items.size() > field.max_count) {
      report(node, path + " has " + std::to_string(node.items.size()) + " entries: must be " +
                       field.allowed());
      return nullptr;
    }
    Field each = field;
    each.min_count = 0;
    each.max_count = std::numeric_limits<std::size_t>::max();
    each.type = field.type == ValueType::number_list ? ValueType::number : ValueType::text;
    Json values = Json::array();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string place = path + "." + std::to_string(i + 1);
      out_.positions[place] = node.items[i].position;
      if (field.type != ValueType::table_list) {
        values.push_back(value(node.items[i], each, place));
      } else if (node.items[i].type != Node::Type::table) {
        report(node.items[i], place + " = " + node.items[i].type_name() + ": must be a table");
      } else {
        Json row = Json::object();
        fields(node.items[i], field.columns, place, {}, row);
        values.push_back(std::move(row));
      }
    }
    return values;
  }

  const std::string& file_;
  Checked& out_;
  std::vector<std::string> shown_;
};

}  // namespace

Checked check_against(const Node& root, std::span<const Table> tables, const std::string& file) {
  Checked out;
  Checker checker(file, out);
  std::vector<std::string> table_names;
  const Table* top = nullptr;
  for (const Table& table : tables) {
    if (table.name.empty()) top = &table;
    if (!table.name.empty()) table_names.push_back(table.name);
  }
  checker.fields(root, top != nullptr ? top->fields : std::vector<Field>{}, "", table_names,
                 out.values);
  for (const Table& table : tables) {
    if (table.name.empty()) continue;
    const Node* node = nullptr;
    for (const auto& [key, entry] : root.entries) {
      if (key == table.name) node = &entry;
    }
    if (node == nullptr && (table.optional || table.repeated)) continue;
    if (node != nullptr) out.positions[table.name] = node->position;
    if (table.repeated) {
      if (node->type != Node::Type::list) {
        checker.report(*node, "write it as [[" + table.name + "]], once for each");
        continue;
      }
      Json rows = Json::array();
      for (std::size_t i = 0; i < node->items.size(); ++i) {
        const std::string place = table.name + "." + std::to_string(i + 1);
        out.positions[place] = node->items[i].position;
        if (node->items[i].type != Node::Type::table) {
          checker.report(node->items[i], place + " must be a table");
          continue;
        }
        Json row = Json::object();
        checker.table(node->items[i], table, place, row);
        rows.push_back(std::move(row));
      }
      out.values[table.name] = std::move(rows);
      continue;
    }
    const Node absent;
    if (node != nullptr && node->type != Node::Type::table) {
      checker.report(*node, table.name + " = " + node->type_name() + ": must be a table, [" +
                                table.name + "]");
      continue;
    }
    Json values = Json::object();
    checker.table(node != nullptr ? *node : absent, table, table.name, values);
    out.values[table.name] = std::move(values);
  }
  return out;
}

}  // namespace carom
