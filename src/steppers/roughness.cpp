#include <algorithm>
#include <cmath>
#include <numbers>

#include <carom/core/error.hpp>
#include <carom/steppers/roughness.hpp>

namespace carom {
namespace {

constexpr double samples_per_wave =
    4 * std::numbers::pi;  // the short poles at half the rate in rad

std::uint64_t mixed(std::uint64_t z) noexcept {  // splitmix64
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

double shortest_felt(const Roughness& roughness) {
  if (roughness.motion == RoughMotion::scrape) return roughness.shortest;
  return std::max(roughness.shortest,
                  2 * std::numbers::pi * std::sqrt(roughness.height * roughness.radius));
}

void validate(const Roughness& roughness, double rate) {
  require_positive("rate", rate);
  require_positive("speed", roughness.speed);
  require_positive("height", roughness.height);
  require_positive("longest", roughness.longest);
  require_positive("shortest", roughness.shortest);
  require_positive("radius", roughness.radius);
  require_within("wobble", roughness.wobble, 0, 1);
  const double felt = shortest_felt(roughness), lowest = samples_per_wave * roughness.speed / rate;
  if (!(felt >= lowest)) {
    throw InvalidInput("shortest = " + number_text(roughness.shortest) + " m: must be at least " +
                       number_text(lowest) +
                       " m at this speed and rate, to pass in a dozen samples");
  }
  if (!(felt < roughness.longest)) {
    throw InvalidInput("longest = " + number_text(roughness.longest) +
                       " m: must be more than the shortest wavelength that is felt, " +
                       number_text(felt) + " m");
  }
}

RoughSurface::RoughSurface(const Roughness& roughness, double rate)
    : roughness_((validate(roughness, rate), roughness)), dt_(1 / rate) {
  const double turn = 2 * std::numbers::pi * roughness.speed;
  const double slow = turn / roughness.longest, fast = turn / shortest_felt(roughness);
  slow_pole_ = std::exp(-slow * dt_);
  slow_gain_ = std::sqrt(1 - slow_pole_ * slow_pole_);
  fast_pole_ = std::exp(-fast * dt_);
  // The two short poles leave (2 + r)/(2 (1 + r)^2) of the variance, r = slow/fast.
  const double r = slow / fast;
  scale_ = roughness.height / std::sqrt((2 + r) / (2 * (1 + r) * (1 + r)));
}

double RoughSurface::normal() const noexcept {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const std::uint64_t bits =
        mixed(mixed(roughness_.seed) ^ (12 * static_cast<std::uint64_t>(sample_) + i));
    sum += static_cast<double>(bits >> 11) * 0x1p-53;
  }
  return sum;
}

void RoughSurface::step() {
  slow_ = slow_pole_ * slow_ + slow_gain_ * scale_ * normal();
  fast_ = fast_pole_ * fast_ + (1 - fast_pole_) * slow_;
  const double next = fast_pole_ * height_ + (1 - fast_pole_) * fast_;
  const double rate = (next - height_) / dt_;
  acceleration_ = (rate - rate_of_height_) / dt_;
  rate_of_height_ = rate;
  height_ = next;
  ++sample_;
}

double RoughSurface::weight() const noexcept {
  if (roughness_.motion == RoughMotion::scrape) return 1;
  const double turned = roughness_.speed / roughness_.radius * static_cast<double>(sample_) * dt_;
  return 1 + roughness_.wobble * std::sin(turned);
}

}  // namespace carom
