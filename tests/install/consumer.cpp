#include <cstdio>

#include <carom/impact/hunt_crossley.hpp>

int main() {
  const carom::HuntCrossley law{.stiffness = 1e9, .exponent = 1.5, .mu = 0.5};
  const carom::Impact hit = carom::impact(law, {.mass = 0.01, .speed = 1.0});
  std::printf("%.6f\n", hit.rebound_speed);
  return hit.rebound_speed > 0.748 && hit.rebound_speed < 0.749 ? 0 : 1;
}
