#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/bessel_prime.hpp>
#include <boost/math/tools/roots.hpp>

#include <carom/core/error.hpp>

#include "plate_modes.hpp"

namespace carom {
namespace {

/// What an edge asks of one of the two solutions f(k r), f = J_m or I_m, at r = 1: two numbers that
/// vanish for the sum of both. Laplace's operator gives -k^2 f for J and +k^2 f for I.
struct EdgeTerms {
  double one, two;

  EdgeTerms(PlateEdge edge, double nu, int m, double k, bool modified) {
    const double f = modified ? boost::math::cyl_bessel_i(m, k) : boost::math::cyl_bessel_j(m, k);
    const double slope = k * (modified ? boost::math::cyl_bessel_i_prime(m, k)
                                       : boost::math::cyl_bessel_j_prime(m, k));
    const double laplace = (modified ? 1 : -1) * k * k, mm = m * m;
    const double moment = laplace * f - (1 - nu) * (slope - mm * f);
    const double shear = laplace * slope - (1 - nu) * mm * (slope - f);
    one = edge == PlateEdge::free ? moment : f;
    two = edge == PlateEdge::free ? shear : edge == PlateEdge::clamped ? slope : moment;
  }
};

struct DiscMode {
  int m;
  bool sine;
  double k, share;  ///< w = J_m(k r) + share I_m(k r), r from 0 to 1

  double radial(double r) const {
    return boost::math::cyl_bessel_j(m, k * r) + share * boost::math::cyl_bessel_i(m, k * r);
  }
};

/// All modes with k below the limit.
std::vector<DiscMode> modes_below(double limit, PlateEdge edge, double nu) {
  std::vector<DiscMode> modes;
  for (int m = 0; m < limit; ++m) {
    const auto condition = [&](double k) {
      const EdgeTerms j(edge, nu, m, k, false), i(edge, nu, m, k, true);
      return j.one * i.two - i.one * j.two;
    };
    // Roots lie above m and about pi apart.
    constexpr double step = 0.2;
    double from = std::max(1.0, static_cast<double>(m)), before = condition(from);
    for (double to = from + step; from < limit; from = to, to += step) {
      const double after = condition(to);
      if ((before > 0) != (after > 0)) {
        std::uintmax_t bound = 60;
        const auto [low, high] =
            boost::math::tools::toms748_solve(condition, from, to, before, after,
                                              boost::math::tools::eps_tolerance<double>(50), bound);
        const double k = (low + high) / 2;
        const EdgeTerms j(edge, nu, m, k, false), i(edge, nu, m, k, true);
        modes.push_back({m, false, k, -j.one / i.one});
        if (m > 0) modes.push_back({m, true, k, -j.one / i.one});
      }
      before = after;
    }
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const DiscMode& a, const DiscMode& b) { return a.k < b.k; });
  return modes;
}

}  // namespace

ModalBody modal_body(const CircularPlate& plate, std::span<const Place> places) {
  require_positive("radius", plate.radius);
  require_positive("area_density", plate.area_density);
  require_positive("bending_stiffness", plate.bending_stiffness);
  require_within("modes", plate.modes, 1, 2000);
  require_within("poisson", plate.poisson, 0, 0.5);
  validate(plate.loss);
  const auto count = static_cast<std::size_t>(plate.modes);
  std::vector<DiscMode> modes;
  for (double limit = 5 + 2 * std::sqrt(plate.modes); modes.size() < count; limit *= 1.2)
    modes = modes_below(limit, plate.edge, plate.poisson);
  modes.resize(count);
  const double a = plate.radius;
  const GaussRule rule = gauss_rule(24 + static_cast<int>(modes.back().k));
  ModalBody body;
  body.shapes.resize(static_cast<Eigen::Index>(places.size()), plate.modes);
  std::vector<double> radial(places.size());  // the twin with the sine has the same
  double square = 0;                          // integral of radial^2 r dr, likewise
  for (std::size_t j = 0; j < count; ++j) {
    const DiscMode& mode = modes[j];
    if (!mode.sine) {
      square = 0;
      for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
        const double r = (rule.nodes[i] + 1) / 2, w = mode.radial(r);
        square += rule.weights[i] / 2 * w * w * r;
      }
    }
    const double around = (mode.m == 0 ? 2 : 1) * std::numbers::pi;
    body.modes.push_back(lossy_mode(
        mode.k * mode.k / (a * a) * std::sqrt(plate.bending_stiffness / plate.area_density),
        plate.area_density * a * a * around * square, plate.loss));
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!mode.sine) {
        const double r = std::hypot(places[i].x, places[i].y);
        require_within("distance from the centre", r, 0, a);
        radial[i] = mode.radial(r / a);
      }
      const double angle = mode.m * std::atan2(places[i].y, places[i].x);
      body.shapes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          radial[i] * (mode.sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return body;
}

}  // namespace carom
