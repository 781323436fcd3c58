#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axes.hpp"

/// The keys of a sweep file by what they must hold; what does not fit is reported.
namespace carom {

const Node* find_key(const Node& table, std::string_view name);  ///< nullptr: it is not there

void require_known(const Node& table, const std::vector<std::string_view>& known,
                   PlanProblems& problems);

/// nullptr: it is not there, or was reported.
const Node* text_key(const Node& table, std::string_view name, PlanProblems& problems);
const Node* table_key(const Node& root, std::string_view name, PlanProblems& problems);

std::int64_t whole_key(const Node& table, std::string_view name, std::int64_t fallback,
                       std::int64_t lowest, std::int64_t highest, PlanProblems& problems);

/// A list of texts, or a single one.
std::vector<std::string> text_list(const Node& node, const std::string& name,
                                   PlanProblems& problems);

}  // namespace carom
