#include <cstdio>

#include <carom/impact/hunt_crossley.hpp>

int main() {
  const carom::HuntCrossley law{.stiffness = 3.96e8, .exponent = 1.5, .mu = 0.975};
  const carom::Impact hit = carom::impact(law, {.mass = 0.01, .speed = 1.0});
  std::printf("%.6f\n", hit.rebound_speed);
  return hit.rebound_speed > 0.599 && hit.rebound_speed < 0.601 ? 0 : 1;
}
