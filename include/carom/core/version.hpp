#pragma once

#include <string_view>

namespace carom {

/// The version of the library, as in CMakeLists.txt and CHANGELOG.md.
std::string_view version() noexcept;

}  // namespace carom
