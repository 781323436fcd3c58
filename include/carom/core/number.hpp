#pragma once

#include <optional>
#include <string_view>

namespace carom {

/// A number as std::from_chars reads it, from the whole of a text; none: it is something else.
std::optional<double> parse_number(std::string_view text);

}  // namespace carom
