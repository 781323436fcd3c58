#include <sstream>
#include <stdexcept>

#include <toml++/toml.h>

#include <carom/papers/reproduction.hpp>

// The only file of the room that knows toml++. Its input is compiled in, so that a mistake in it is
// ours: std::logic_error.
namespace carom {
namespace {

std::string text_of(const toml::table& table, std::string_view key) {
  return table[key].value_or(std::string{});
}

std::vector<std::string> texts_of(const toml::table& table, std::string_view key) {
  std::vector<std::string> texts;
  if (const toml::array* array = table[key].as_array()) {
    for (const toml::node& node : *array) texts.push_back(node.value_or(std::string{}));
  }
  return texts;
}

Basis basis_of(const std::string& name) {
  if (name == "printed") return Basis::printed;
  if (name == "inferred") return Basis::inferred;
  if (name == "recomputed") return Basis::recomputed;
  if (name == "claim") return Basis::claim;
  if (name == "time") return Basis::time;
  throw std::logic_error("no basis '" + name + "'");
}

void apply(const toml::table& table, PublishedNumber& number) {
  number.note = table["note"].value_or(number.note);
  number.because = table["because"].value_or(number.because);
  number.reproducible = table["reproducible"].value_or(number.reproducible);
  if (const auto basis = table["basis"].value<std::string>()) number.basis = basis_of(*basis);
  if (const auto last_digit = table["last_digit"].value<double>(); last_digit && number.printed) {
    number.printed->last_digit = *last_digit;
  }
}

/// What an item says of all its published numbers.
void apply_to_published(const toml::table& item, PublishedNumber& number) {
  if (!number.printed) return;
  number.because = text_of(item, "because");
  number.basis = basis_of(item["basis"].value_or(std::string("printed")));
  if (number.basis == Basis::inferred) number.note = text_of(item, "convention");
}

void read_cells(const toml::table& table, PublishedItem& item) {
  const toml::array* printed = table["published"].as_array();
  if (printed != nullptr && printed->size() != item.rows.size()) {
    throw std::logic_error(item.name + ": published needs one line for each row");
  }
  for (std::size_t i = 0; i < item.rows.size(); ++i) {
    const toml::array* line = printed != nullptr ? printed->get(i)->as_array() : nullptr;
    if (printed != nullptr && (line == nullptr || line->size() != item.columns.size())) {
      throw std::logic_error(item.name + ": published needs one cell for each column");
    }
    for (std::size_t j = 0; j < item.columns.size(); ++j) {
      PublishedNumber number{.quantity = item.columns[j] + " " + item.rows[i]};
      const std::string text = line != nullptr ? line->get(j)->value_or(std::string{}) : "?";
      if (text.empty()) continue;
      if (text != "?") number.printed = read_printed(text);
      apply_to_published(table, number);
      item.numbers.push_back(number);
    }
  }
}

PublishedItem read_item(const toml::table& table) {
  PublishedItem item{.name = text_of(table, "name"),
                     .title = text_of(table, "title"),
                     .text = text_of(table, "text"),
                     .columns = texts_of(table, "columns"),
                     .rows = texts_of(table, "rows"),
                     .numbers = {},
                     .timed = table["timed"].value_or(false)};
  read_cells(table, item);
  if (const toml::array* notes = table["note"].as_array()) {
    for (const toml::node& note : *notes) {
      for (const std::string& cell : texts_of(*note.as_table(), "cells")) {
        bool known = false;
        for (PublishedNumber& number : item.numbers) {
          if (number.quantity != cell) continue;
          apply(*note.as_table(), number);
          known = true;
        }
        if (!known) throw std::logic_error(item.name + ": no cell '" + cell + "'");
      }
    }
  }
  if (const toml::array* numbers = table["number"].as_array()) {
    for (const toml::node& node : *numbers) {
      const toml::table& entry = *node.as_table();
      PublishedNumber number{.quantity = text_of(entry, "quantity"),
                             .printed = {},
                             .unit = text_of(entry, "unit"),
                             .note = {}};
      const std::string printed = text_of(entry, "published"), claim = text_of(entry, "claim");
      if (!printed.empty()) number.printed = read_printed(printed);
      apply_to_published(table, number);
      if (!claim.empty()) {
        number.printed = read_printed(claim);
        number.basis = Basis::claim;
      }
      apply(entry, number);
      item.numbers.push_back(number);
    }
  }
  return item;
}

}  // namespace

PublishedPaper read_published(std::string_view toml) {
  try {
    const toml::table document = toml::parse(toml);
    const toml::table& head = *document["paper"].as_table();
    PublishedPaper paper{.key = text_of(head, "key"),
                         .title = text_of(head, "title"),
                         .authors = text_of(head, "authors"),
                         .source = text_of(head, "source"),
                         .summary = text_of(head, "summary"),
                         .bibtex = text_of(head, "bibtex"),
                         .reasons = {},
                         .items = {}};
    if (const toml::array* reasons = document["reason"].as_array()) {
      for (const toml::node& node : *reasons) {
        paper.reasons.push_back(
            {text_of(*node.as_table(), "id"), text_of(*node.as_table(), "text")});
      }
    }
    for (const toml::node& node : *document["item"].as_array()) {
      paper.items.push_back(read_item(*node.as_table()));
    }
    return paper;
  } catch (const toml::parse_error& error) {
    std::ostringstream message;
    message << error;
    throw std::logic_error("published.toml: " + message.str());
  }
}

}  // namespace carom
