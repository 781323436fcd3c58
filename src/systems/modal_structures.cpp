#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/tools/roots.hpp>

#include <carom/core/error.hpp>
#include <carom/systems/modal_structures.hpp>

#include "plate_modes.hpp"

namespace carom {
namespace {

using std::numbers::pi;

/// k L of the n-th bending mode: cos(x) = -sign/cosh(x); sign = -1: free or clamped at both ends,
/// near (n + 1/2) pi; +1: clamped at one end, near (n - 1/2) pi.
double bar_root(int n, double sign) {
  const auto f = [sign](double x) {
    return std::pair(std::cos(x) + sign / std::cosh(x),
                     -std::sin(x) - sign * std::tanh(x) / std::cosh(x));
  };
  const double near = (n - 0.5 * sign) * pi;
  const double start = sign > 0 && n == 1 ? 1.875 : near;
  std::uintmax_t iterations = 20;
  return boost::math::tools::newton_raphson_iterate(f, start, near - 0.35, near + 0.35, 50,
                                                    iterations);
}

/// (cosh -+ cos - s (sinh -+ sin))/2 with s from the conditions at the far end, arranged so that
/// the growing exponentials cancel on paper and not in floating point. The upper sign is for a
/// clamped end at t = 0, the lower one for a free one. Free ends have 1 in size; the mean square is
/// 1/4.
double bar_shape(double root, double t, BarEnds ends) {
  const double sign = ends == BarEnds::cantilever ? 1.0 : -1.0;
  const double decay = std::exp(-root), c = std::cos(root), s0 = std::sin(root);
  const double below = 1 - decay * decay + 2 * sign * decay * s0;
  const double s = (1 + decay * decay + 2 * sign * decay * c) / below;
  // (1 - s) e^{root t}/4 without cancellation: 1 - s = 2 e^-root (sign (sin - cos) - e^-root)/below
  const double growing = (sign * (s0 - c) - decay) / (2 * below) * std::exp(root * (t - 1));
  const double waves = (std::cos(root * t) - s * std::sin(root * t)) / 2;
  return growing + (1 + s) * std::exp(-root * t) / 4 + (ends == BarEnds::free ? waves : -waves);
}

struct Wave {
  int m, n;
  double omega;
};

/// The lowest `count` waves of a rectangle, by omega(m, n).
template <class Omega>
std::vector<Wave> lowest_waves(int count, Omega&& omega) {
  std::vector<Wave> waves;
  // (m, n) has at least m n - 1 waves below it, so no more than these are needed.
  for (int m = 1; m <= count; ++m) {
    for (int n = 1; m * n <= count; ++n) waves.push_back({m, n, omega(m, n)});
  }
  std::stable_sort(waves.begin(), waves.end(),
                   [](const Wave& a, const Wave& b) { return a.omega < b.omega; });
  waves.resize(static_cast<std::size_t>(count));
  return waves;
}

ModalBody rectangle(const std::vector<Wave>& waves, double a, double b, double area_density,
                    const StructureLoss& loss, std::span<const Place> places) {
  ModalBody body;
  body.shapes.resize(static_cast<Eigen::Index>(places.size()),
                     static_cast<Eigen::Index>(waves.size()));
  for (const Wave& wave : waves) {
    body.modes.push_back(lossy_mode(wave.omega, area_density * a * b / 4, loss));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    require_within("x", places[i].x, 0, a);
    require_within("y", places[i].y, 0, b);
    for (std::size_t j = 0; j < waves.size(); ++j) {
      body.shapes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          std::sin(waves[j].m * pi * places[i].x / a) * std::sin(waves[j].n * pi * places[i].y / b);
    }
  }
  return body;
}

/// J_m(zero r/a) times cos(m phi) or sin(m phi).
struct DrumFigure {
  int m;
  bool sine;
  double zero;
};

/// The lowest `count` figures of a circle: all below a limit, which is raised until they suffice.
/// Zeros ascend in both numbers, so that none below the limit is missed.
std::vector<DrumFigure> lowest_figures(int count) {
  std::vector<DrumFigure> figures;
  // About limit^2/4 - limit/2 of them are below it.
  for (double limit = 4 + 2 * std::sqrt(count); figures.size() < static_cast<std::size_t>(count);
       limit *= 1.2) {
    figures.clear();
    for (int m = 0;; ++m) {
      const std::size_t before = figures.size();
      for (int n = 1;; ++n) {
        const double zero = boost::math::cyl_bessel_j_zero(static_cast<double>(m), n);
        if (zero > limit) break;
        figures.push_back({m, false, zero});
        if (m > 0) figures.push_back({m, true, zero});
      }
      if (figures.size() == before) break;
    }
  }
  std::stable_sort(figures.begin(), figures.end(),
                   [](const DrumFigure& a, const DrumFigure& b) { return a.zero < b.zero; });
  figures.resize(static_cast<std::size_t>(count));
  return figures;
}

}  // namespace

double damping_of(const StructureLoss& loss, double omega) {
  return loss.constant + loss.ratio * omega + loss.viscous * omega * omega;
}

Mode lossy_mode(double omega, double mass, const StructureLoss& loss) {
  return {.frequency = omega / (2 * pi), .damping = damping_of(loss, omega), .mass = mass};
}

void validate(const StructureLoss& loss) {
  require_not_negative("loss constant", loss.constant);
  require_not_negative("loss ratio", loss.ratio);
  require_not_negative("loss viscous", loss.viscous);
}

ModalBody modal_body(const ThinBar& bar, std::span<const double> positions) {
  require_positive("length", bar.length);
  require_positive("linear_density", bar.linear_density);
  require_positive("bending_stiffness", bar.bending_stiffness);
  require_within("modes", bar.modes, 1, 1e6);
  validate(bar.loss);
  for (const double x : positions) require_within("position", x, 0, bar.length);
  ModalBody body;
  body.shapes.resize(static_cast<Eigen::Index>(positions.size()), bar.modes);
  const double speed = std::sqrt(bar.bending_stiffness / bar.linear_density);
  for (int n = 1; n <= bar.modes; ++n) {
    const bool sines = bar.ends == BarEnds::simply_supported;
    const double root = sines ? n * pi : bar_root(n, bar.ends == BarEnds::cantilever ? 1.0 : -1.0);
    const double k = root / bar.length;
    // The mean square of the shape is 1/2 for sines and 1/4 for the others.
    body.modes.push_back(lossy_mode(
        k * k * speed, bar.linear_density * bar.length * (sines ? 0.5 : 0.25), bar.loss));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double t = positions[i] / bar.length;
      body.shapes(static_cast<Eigen::Index>(i), n - 1) =
          sines ? std::sin(root * t) : bar_shape(root, t, bar.ends);
    }
  }
  return body;
}

ModalBody modal_body(const RectangularPlate& plate, std::span<const Place> places) {
  require_positive("width", plate.width);
  require_positive("height", plate.height);
  require_positive("area_density", plate.area_density);
  require_positive("bending_stiffness", plate.bending_stiffness);
  require_within("modes", plate.modes, 1, 1e5);
  validate(plate.loss);
  if (plate.edge != PlateEdge::supported) return plate_by_polynomials(plate, places);
  const double factor = std::sqrt(plate.bending_stiffness / plate.area_density) * pi * pi;
  const auto waves = lowest_waves(plate.modes, [&](int m, int n) {
    const double p = m / plate.width, r = n / plate.height;
    return factor * (p * p + r * r);
  });
  return rectangle(waves, plate.width, plate.height, plate.area_density, plate.loss, places);
}

ModalBody modal_body(const RectangularMembrane& membrane, std::span<const Place> places) {
  require_positive("width", membrane.width);
  require_positive("height", membrane.height);
  require_positive("area_density", membrane.area_density);
  require_positive("tension", membrane.tension);
  require_within("modes", membrane.modes, 1, 1e5);
  validate(membrane.loss);
  const double c = std::sqrt(membrane.tension / membrane.area_density);
  const auto waves = lowest_waves(membrane.modes, [&](int m, int n) {
    return c * pi * std::hypot(m / membrane.width, n / membrane.height);
  });
  return rectangle(waves, membrane.width, membrane.height, membrane.area_density, membrane.loss,
                   places);
}

ModalBody modal_body(const CircularMembrane& membrane, std::span<const Place> places) {
  require_positive("radius", membrane.radius);
  require_positive("area_density", membrane.area_density);
  require_positive("tension", membrane.tension);
  require_within("modes", membrane.modes, 1, 1e4);
  validate(membrane.loss);
  const std::vector<DrumFigure> figures = lowest_figures(membrane.modes);
  const double c = std::sqrt(membrane.tension / membrane.area_density);
  ModalBody body;
  body.shapes.resize(static_cast<Eigen::Index>(places.size()), membrane.modes);
  std::vector<double> radial(places.size());  // of a figure; its twin with the sine has the same
  for (std::size_t j = 0; j < figures.size(); ++j) {
    const DrumFigure& figure = figures[j];
    // Integral of J_m(j r/a)^2 over the disc: pi a^2 J_{m+1}(j)^2, and half of it with cos^2.
    const double next = boost::math::cyl_bessel_j(figure.m + 1, figure.zero);
    const double area =
        pi * membrane.radius * membrane.radius * next * next * (figure.m == 0 ? 1.0 : 0.5);
    body.modes.push_back(
        lossy_mode(c * figure.zero / membrane.radius, membrane.area_density * area, membrane.loss));
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!figure.sine) {
        const double r = std::hypot(places[i].x, places[i].y);
        require_within("distance from the centre", r, 0, membrane.radius);
        radial[i] = boost::math::cyl_bessel_j(figure.m, figure.zero * r / membrane.radius);
      }
      const double angle = figure.m * std::atan2(places[i].y, places[i].x);
      body.shapes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          radial[i] * (figure.sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return body;
}

ModalBody modal_body(const Bell& bell, std::span<const double> angles) {
  struct Partial {
    int m;         ///< half the number of meridians at rest
    double ratio;  ///< to the prime
  };
  // hum, prime, tierce, quint, nominal, major third, fourth, twelfth, octave, upper fourth, upper
  // sixth, triple octave
  static constexpr Partial partials[] = {{2, 0.5},   {2, 1.0},   {3, 1.183}, {3, 1.506},
                                         {4, 2.0},   {4, 2.514}, {2, 2.662}, {5, 3.011},
                                         {6, 4.166}, {7, 5.433}, {8, 6.796}, {9, 8.215}};
  require_positive("frequency", bell.frequency);
  require_positive("mass", bell.mass);
  require_within("modes", bell.modes, 1, 24);
  require_within("split", bell.split, 0, 0.1);
  validate(bell.loss);
  for (const double angle : angles) require_finite("angle", angle);
  ModalBody body;
  body.shapes.resize(static_cast<Eigen::Index>(angles.size()), bell.modes);
  for (int j = 0; j < bell.modes; ++j) {
    const Partial& partial = partials[j / 2];
    const bool sine = j % 2 == 1;
    const double omega =
        2 * pi * bell.frequency * partial.ratio * (1 + (sine ? 0.5 : -0.5) * bell.split);
    const double m = partial.m;
    body.modes.push_back(lossy_mode(omega, bell.mass * (1 + 1 / (m * m)) / 6, bell.loss));
    for (std::size_t i = 0; i < angles.size(); ++i) {
      body.shapes(static_cast<Eigen::Index>(i), j) =
          sine ? std::sin(m * angles[i]) : std::cos(m * angles[i]);
    }
  }
  return body;
}

}  // namespace carom
