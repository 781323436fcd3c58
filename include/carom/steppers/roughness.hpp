#pragma once

#include <cstdint>

#include <carom/core/archive.hpp>

namespace carom {

/// How a body is moved along a rough surface that it touches.
enum class RoughMotion {
  scrape,  ///< a point follows the profile as it is
  roll,    ///< a ball bridges what is narrower than itself, and wobbles once a turn
};

/// A rough surface and the motion along it.
struct Roughness {
  RoughMotion motion = RoughMotion::scrape;
  double speed = 0.3;       ///< v along the surface [m/s], > 0
  double height = 1e-6;     ///< standard deviation of the profile [m], > 0
  double longest = 0.02;    ///< wavelength above which the profile is flat in power [m], > 0
  double shortest = 0.002;  ///< below which it is smooth [m], > 0, less than the longest
  double radius = 0.01;     ///< of a ball that rolls [m], > 0
  double wobble = 0.0;      ///< of its weight, once a turn, 0..1
  std::uint64_t seed = 1;
};

/// Throws InvalidInput unless these can be used at this rate [Hz].
void validate(const Roughness& roughness, double rate);

/// The shortest wavelength a body of this motion feels [m]. Where the profile is more curved than a
/// ball, h (2 pi/lambda)^2 > 1/R, the ball bridges it: lambda >= 2 pi sqrt(h R).
double shortest_felt(const Roughness& roughness);

/// A stochastic excitation: the profile under the body is a Gaussian random process of one long and
/// two short poles, a power spectrum of 1/((k^2 + k0^2) (k^2 + k1^2)^2) in wave numbers k. Measured
/// in the frame that follows the profile the contact is the same as ever, and the body, of mass m,
/// feels the force m d^2h/dt^2 in addition to what presses it: the contact stays passive, and what
/// the drive puts in is booked as injected. That a random profile excites a contact between two
/// bodies is the model of van den Doel, Kry & Pai (FoleyAutomatic, SIGGRAPH 2001) for scraping and
/// of Rath (An expressive real-time sound model of rolling, DAFx 2003) for rolling.
///
/// The numbers are the same on every machine: a counter and a hash (Steele, Lea & Flood 2014), and
/// sums of twelve uniform numbers for normal ones.
class RoughSurface {
 public:
  RoughSurface(const Roughness& roughness, double rate);

  void step();                                                    ///< to the next sample
  double height() const noexcept { return height_; }              ///< of the profile [m]
  double acceleration() const noexcept { return acceleration_; }  ///< of the next sample [m/s^2]
  double weight() const noexcept;                                 ///< factor of the pressing force
  void archive(Archive& state) {
    state(sample_, slow_, fast_, height_, rate_of_height_, acceleration_);
  }

 private:
  double normal() const noexcept;

  Roughness roughness_;
  double dt_, slow_pole_, slow_gain_, fast_pole_, scale_;
  std::int64_t sample_ = 0;
  double slow_ = 0, fast_ = 0, height_ = 0, rate_of_height_ = 0, acceleration_ = 0;
};

}  // namespace carom
