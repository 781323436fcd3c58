#include <algorithm>
#include <limits>

#include <carom/systems/assembly.hpp>

namespace carom {

Breaks::Breaks(const Assembly& parts) {
  const auto add = [](const Motion& motion, std::vector<double>& to) {
    to.insert(to.end(), motion.times.begin(), motion.times.end());
    if (motion.sweep_time > 0) to.push_back(motion.sweep_time);
  };
  for (std::size_t b = 0; b < parts.bodies.size(); ++b) {
    const AssemblyBody& body = parts.bodies[b];
    if (moves_freely(body)) add(body.varying_force, of_forces_);
    if (body.type != BodyType::driven) continue;
    const bool linked =
        std::any_of(parts.links.begin(), parts.links.end(), [&](const AssemblyLink& link) {
          return link.first == static_cast<int>(b) || link.second == static_cast<int>(b);
        });
    add(body.motion, linked ? of_forces_ : of_obstacles_);
  }
  std::sort(of_forces_.begin(), of_forces_.end());
  std::sort(of_obstacles_.begin(), of_obstacles_.end());
}

double Breaks::after(double t, bool touching) const noexcept {
  double first = std::numeric_limits<double>::infinity();
  const auto look = [&](const std::vector<double>& breaks) {
    const auto next = std::upper_bound(breaks.begin(), breaks.end(), t);
    if (next != breaks.end()) first = std::min(first, *next);
  };
  look(of_forces_);
  if (touching) look(of_obstacles_);
  return first;
}

}  // namespace carom
