#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

/// A ball thrown at a fixed plane, without gravity, in another engine. Arguments are name=number; a
/// line "restitution steps-with-a-force" is printed for each phase between onset and time grid.
namespace drive {

class Options {
 public:
  Options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string text = argv[i];
      const std::size_t at = text.find('=');
      if (at == std::string::npos) std::exit(2);
      values_[text.substr(0, at)] = text.substr(at + 1);
    }
  }
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  double operator[](const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      std::fprintf(stderr, "missing: %s\n", name.c_str());
      std::exit(2);
    }
    return std::atof(found->second.c_str());
  }

 private:
  std::map<std::string, std::string> values_;
};

/// `make(options, gap)` gives a world with step() and velocity(), upwards.
template <class Make>
int phases(int argc, char** argv, Make make) {
  const Options options(argc, argv);
  const double speed = options["speed"], h = options["timestep"];
  const int count = int(options["phases"]);
  const long longest = long(options["longest"]);
  for (int i = 0; i < count; ++i) {
    auto world = make(options, (i + 0.5) / count * h * speed);
    double v = -speed;
    long touching = 0, still = 0;
    for (long n = 0; n < longest && (v < 0 || still < 3); ++n) {
      world.step();
      const double now = world.velocity();
      const bool force = std::abs(now - v) > 1e-7 * speed;
      touching += force;
      still = force ? 0 : still + 1;
      v = now;
    }
    std::printf("%.9g %ld\n", v > 0 ? v / speed : 0.0, touching);
  }
  return 0;
}

}  // namespace drive
