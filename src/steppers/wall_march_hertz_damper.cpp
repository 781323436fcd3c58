#include "wall_march_of.hpp"

namespace carom::detail {

std::unique_ptr<AnyWallMarch> wall_march_of(const HertzDamper& law,
                                            const WallMarchSettings& settings) {
  return by_method(law, settings);
}

}  // namespace carom::detail
