#include <carom/steppers/any_wall_march.hpp>
#include <carom/steppers/stepped_law.hpp>

#include "wall_march_of.hpp"

namespace carom {

std::unique_ptr<AnyWallMarch> make_wall_march(const WallMarchSettings& settings) {
  require_accepts(settings.method, settings.law);
  return std::visit([&](const auto& law) { return detail::wall_march_of(law, settings); },
                    stepped_law(settings.law));
}

}  // namespace carom
