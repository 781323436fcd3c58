#pragma once

#include <string>
#include <string_view>

namespace carom {

/// Text for people as HTML: names of Greek letters become letters, v_out and x^(n+1) become sub-
/// and superscripts, v~ gets its tilde, `code` becomes code, <= becomes one sign; the rest is
/// escaped. "mu v_out" gives "μ v<sub>out</sub>".
std::string mathematics(std::string_view text);

}  // namespace carom
