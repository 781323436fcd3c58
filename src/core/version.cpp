#include <carom/core/version.hpp>

namespace carom {

std::string_view version() noexcept { return CAROM_VERSION; }

std::string_view commit() noexcept { return CAROM_COMMIT; }

std::string_view compiler() noexcept { return CAROM_COMPILER; }

}  // namespace carom
