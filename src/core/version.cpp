#include <carom/core/version.hpp>

namespace carom {

std::string_view version() noexcept { return CAROM_VERSION; }

}  // namespace carom
