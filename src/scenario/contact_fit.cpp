#include <carom/core/error.hpp>
#include <carom/output/json.hpp>
#include <carom/records/fit_file.hpp>

#include "document.hpp"

namespace carom {
namespace {

/// `fit = "FIT.json"` becomes the law and the numbers in it, as if they had been written.
void expand_fit(Node& contact, const std::filesystem::path& folder, const std::string& name,
                const FileReader& files) {
  Node* const fit = contact.entry("fit");
  if (fit == nullptr) return;
  const Scenario::Position position = fit->position;
  const auto refuse = [&](const std::string& message) {
    throw ScenarioError({make_problem(name, position, "contact.fit: " + message)});
  };
  if (fit->type != Node::Type::text) refuse("must be the name of a file in quotes");
  Json law;
  try {
    const std::filesystem::path path = folder / fit->value.get<std::string>();
    law = files ? fitted_law(path, files(path)) : fitted_law(path);
  } catch (const InvalidInput& error) {
    refuse(error.what());
  }
  std::erase_if(contact.entries, [](const Node::Entry& entry) { return entry.first == "fit"; });
  for (const auto& [key, value] : law.items()) {
    if (contact.entry(key) != nullptr)
      refuse("has the law and its numbers; leave '" + key + "' out");
    Node node = node_of(value);
    node.position = position;
    contact.entries.push_back({key, std::move(node)});
  }
}

}  // namespace

void expand_fits(Node& root, const std::filesystem::path& file, const FileReader& files) {
  Node* const contact = root.entry("contact");
  if (contact == nullptr) return;
  const auto expand = [&](Node& one) { expand_fit(one, file.parent_path(), file.string(), files); };
  if (contact->type == Node::Type::table) expand(*contact);
  for (Node& item : contact->items) expand(item);
}

}  // namespace carom
