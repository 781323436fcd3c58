#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <carom/papers/reproduction.hpp>

namespace carom {

/// The papers that can be reproduced, in the order of the reports.
std::span<const std::string_view> paper_keys() noexcept;

/// Computes everything a paper shows. Throws InvalidInput for an unknown key.
Reproduction reproduce(std::string_view key, bool quick = false);

/// The list of contract `carom papers --json`.
nlohmann::ordered_json to_json(std::span<const PaperItem> items);

/// One self-contained page about all of them, figures drawn by gnuplot and put inside.
std::string paper_page(std::span<const Reproduction> papers);

/// "papetti2011_fig_5.svg": a name for a figure of a paper, unique among its figures.
std::string figure_file_name(const Reproduction& paper, std::size_t figure);

}  // namespace carom
