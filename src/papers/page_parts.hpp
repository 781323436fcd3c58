#pragma once

#include <string>
#include <string_view>

#include <carom/papers/reproduction.hpp>

/// What the pages about papers have in common.
namespace carom {

/// Head of an HTML page with its style, up to the opening of the body's content, and its end.
std::string page_head(std::string_view title);
std::string page_end();

/// The verdict as a coloured word; with a count in front of it where there is one.
std::string chip(Verdict verdict);
std::string chip(Verdict verdict, int count);

/// A sign that tells the verdict apart without colour.
std::string_view verdict_sign(Verdict verdict) noexcept;

/// What each verdict means, as a table.
std::string verdict_legend();

}  // namespace carom
