#pragma once

#include <string_view>

namespace carom {

/// The version of the library, as in CMakeLists.txt and CHANGELOG.md.
std::string_view version() noexcept;

/// The commit it was built from, "unknown" outside a checkout.
std::string_view commit() noexcept;

/// "GNU 12.2.0"
std::string_view compiler() noexcept;

}  // namespace carom
