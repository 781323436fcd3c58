#pragma once

#include <string>

#include <carom/scenario/kind.hpp>

namespace carom {

/// A commented scenario of a kind to start from: what `carom new` writes. It runs as it is.
std::string scenario_template(const Kind& kind, std::string_view example = {});

/// The reference page of all kinds as Markdown: every table, key, unit, range and default.
std::string schema_reference();

/// The page of all contact laws as Markdown, from what they declare.
std::string law_page();

/// The page of materials and shapes as Markdown, from the one table of materials.
std::string material_page();

/// The page of one kind as Markdown: what it is, a file to start from, its keys.
std::string kind_page(const Kind& kind);

/// A value as it is written in TOML.
std::string toml_text(const Json& value);

}  // namespace carom
