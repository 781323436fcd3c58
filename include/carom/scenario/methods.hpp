#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <carom/scenario/kind.hpp>

/// The matrix kind x law x method, from what the kinds declare: `carom methods`, the page
/// which_method.md and the refusals of scenarios all read it.
namespace carom {

/// Every law, and every method that some kind has.
const std::vector<std::string>& known_laws();
const std::vector<std::string>& known_methods();

struct MethodCell {
  std::string law, method;
  std::string reason;  ///< why it does not run; empty: it runs

  bool runs() const noexcept { return reason.empty(); }
};
/// All laws by all methods, law by law.
std::vector<MethodCell> method_cells(const Kind& kind);

/// Laws that a kind treats alike.
struct LawGroup {
  std::vector<std::string> laws;
  std::vector<std::string> reasons;  ///< one for each of known_methods(); empty: it runs
};
std::vector<LawGroup> law_groups(const Kind& kind);

/// The number of a reason among those given so far, from 1; a new one is added to them.
std::size_t note_of(const std::string& reason, std::vector<std::string>& reasons);

/// {"kind", "cells": [{"law", "method", "runs", "reason"}]}
Json methods_json(const Kind& kind);

/// The one line with which a scenario is refused.
std::string refusal_message(std::string_view law, std::string_view method, std::string_view reason);

/// The matrix as Markdown.
std::string methods_page();

}  // namespace carom
