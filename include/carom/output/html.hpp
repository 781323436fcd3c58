#pragma once

#include <string>
#include <string_view>

namespace carom {

/// Text as it stands in an HTML page or in an attribute in double quotes.
std::string html_escaped(std::string_view text);

}  // namespace carom
