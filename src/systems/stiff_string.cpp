#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include <carom/core/error.hpp>
#include <carom/systems/stiff_string.hpp>

namespace carom {
namespace {

using std::numbers::pi;

std::complex<double> mobility(const StiffString& string, double omega) {
  std::complex<double> sum = 0;
  const std::complex<double> i(0, 1);
  for (const SupportResonance& r : string.support) {
    const double own = 2 * pi * r.frequency;
    sum += i * omega / (r.mass * (own * own - omega * omega + 2.0 * i * r.damping * omega));
  }
  return sum;
}

Mode string_mode(const StiffString& s, int j) {
  const double c = std::sqrt(s.tension / s.linear_density);
  const double ideal = j * c / (2 * s.length);
  const double bent = s.inharmonicity * j * j;
  const bool appendix = s.model == StringModel::appendix;
  const double shift = s.linear_density * c / (j * pi) * mobility(s, 2 * pi * ideal).imag();
  const double nu = ideal * ((appendix ? 1 + bent / 2 : std::sqrt(1 + bent)) + shift);
  double loss = s.thermoelastic;  // 1/Q
  if (s.air_diameter > 0) {
    const double r = 2 * pi * s.air_viscosity +
                     2 * pi * s.air_diameter * std::sqrt(pi * s.air_viscosity * s.air_density * nu);
    loss += (appendix ? ideal / nu : 1.0) * r / (2 * pi * s.linear_density * nu);
  }
  // (A.4) with E I = B T L^2/pi^2; the square-root model has nu^2 in the place of nu_0^3/nu.
  const double rate = appendix ? ideal * ideal * ideal / nu : nu * nu;
  loss += 4 * s.length * s.length * s.inharmonicity * s.linear_density * s.viscoelastic /
          s.tension * rate;
  loss += s.linear_density * c * c / (pi * s.length * nu) * mobility(s, 2 * pi * nu).real();
  return {.frequency = nu, .damping = pi * nu * loss, .mass = s.linear_density};
}

double triangle(double x, double length, double apex, double height) {
  return height * (x < apex ? x / apex : (length - x) / (length - apex));
}

/// The cubic that joins the two straight flanks with their slopes.
double rounded(double x, double length, const Pluck& p) {
  const double a = p.position - p.smoothing, b = p.position + p.smoothing;
  if (x <= a || x >= b) return triangle(x, length, p.position, p.height);
  const double h = b - a, t = (x - a) / h;
  const double ya = triangle(a, length, p.position, p.height),
               yb = triangle(b, length, p.position, p.height);
  const double sa = p.height / p.position, sb = -p.height / (length - p.position);
  return (1 + 2 * t) * (1 - t) * (1 - t) * ya + t * (1 - t) * (1 - t) * h * sa +
         t * t * (3 - 2 * t) * yb - t * t * (1 - t) * h * sb;
}

template <class Shape>
std::vector<double> sampled(const StiffString& string, Shape&& shape) {
  std::vector<double> u(static_cast<std::size_t>(string.modes));
  for (int i = 1; i <= string.modes; ++i) {
    u[static_cast<std::size_t>(i - 1)] = shape(i * string.length / (string.modes + 1));
  }
  return u;
}

}  // namespace

void validate(const StiffString& string) {
  require_positive("length", string.length);
  require_positive("linear_density", string.linear_density);
  require_positive("tension", string.tension);
  require_within("modes", string.modes, 1, 1e6);
  require_not_negative("inharmonicity", string.inharmonicity);
  require_not_negative("air_diameter", string.air_diameter);
  require_not_negative("viscoelastic", string.viscoelastic);
  require_not_negative("thermoelastic", string.thermoelastic);
  require_not_negative("air_viscosity", string.air_viscosity);
  require_not_negative("air_density", string.air_density);
  for (const SupportResonance& r : string.support) {
    require_positive("support frequency", r.frequency);
    require_positive("support damping", r.damping);
    require_positive("support mass", r.mass);
  }
}

double wound_diameter(double winding_wire, double core) {
  return pi / 2 * ((1 + 2 / pi) * winding_wire + core);
}

double inharmonicity(double young_modulus, double core_diameter, double tension, double length) {
  const double d2 = core_diameter * core_diameter;
  return pi * pi * pi * young_modulus * d2 * d2 / (64 * tension * length * length);
}

ShapeMatrix string_shapes(double length, int modes, std::span<const double> positions) {
  ShapeMatrix shapes(static_cast<Eigen::Index>(positions.size()), modes);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    require_within("position", positions[i], 0, length);
    for (int j = 1; j <= modes; ++j) {
      shapes(static_cast<Eigen::Index>(i), j - 1) =
          std::sqrt(2 / length) * std::sin(j * pi * positions[i] / length);
    }
  }
  return shapes;
}

ModalBody modal_body(const StiffString& string, std::span<const double> positions) {
  validate(string);
  ModalBody body;
  for (int j = 1; j <= string.modes; ++j) {
    body.modes.push_back(string_mode(string, j));
    require_positive("frequency of mode " + std::to_string(j) + " with this support",
                     body.modes.back().frequency);
  }
  body.shapes = string_shapes(string.length, string.modes, positions);
  return body;
}

ModalState from_samples(const StiffString& string, std::span<const double> displacement) {
  // On N intervals sin(j pi i/N) repeats after 2N: a table of one period serves all modes.
  const auto n = static_cast<long long>(displacement.size()) + 1;
  std::vector<double> sine(static_cast<std::size_t>(2 * n));
  for (long long i = 0; i < 2 * n; ++i) {
    sine[static_cast<std::size_t>(i)] =
        std::sin(static_cast<double>(i) * pi / static_cast<double>(n));
  }
  ModalState state{.position = Eigen::VectorXd::Zero(string.modes),
                   .velocity = Eigen::VectorXd::Zero(string.modes)};
  const double factor = string.length / static_cast<double>(n) * std::sqrt(2 / string.length);
  for (int j = 1; j <= string.modes; ++j) {
    double sum = 0;
    for (long long i = 1; i < n; ++i) {
      sum += sine[static_cast<std::size_t>(j * i % (2 * n))] *
             displacement[static_cast<std::size_t>(i - 1)];
    }
    state.position[j - 1] = factor * sum;
  }
  return state;
}

ModalState pluck(const StiffString& string, const ModalBody& body, const Pluck& p) {
  if (!(p.position > 0 && p.position < string.length)) {
    throw InvalidInput("pluck position = " + number_text(p.position) +
                       ": must be inside the string, 0.." + number_text(string.length));
  }
  require_finite("pluck height", p.height);
  if (p.shape == PluckShape::triangle) {
    return from_samples(string, sampled(string, [&](double x) {
                          return triangle(x, string.length, p.position, p.height);
                        }));
  }
  if (p.shape == PluckShape::smoothed) {
    require_within("pluck smoothing", p.smoothing, 0,
                   std::min(p.position, string.length - p.position));
    return from_samples(string,
                        sampled(string, [&](double x) { return rounded(x, string.length, p); }));
  }
  // A force f(t) = f t/T on a mode at rest: q = f phi/(m omega^2) [t/T - 2 sigma/(omega^2 T) + free
  // motion that cancels both at t = 0]; `point` is the limit of slow pulling.
  const bool moving = p.shape == PluckShape::moving;
  if (moving) require_positive("pluck duration", p.duration);
  const ShapeMatrix at_plectrum =
      string_shapes(string.length, string.modes, std::array{p.position});
  ModalState state{.position = Eigen::VectorXd::Zero(string.modes),
                   .velocity = Eigen::VectorXd::Zero(string.modes)};
  double height = 0;
  for (int j = 0; j < string.modes; ++j) {
    const Mode& mode = body.modes[static_cast<std::size_t>(j)];
    const double omega = 2 * pi * mode.frequency;
    const double compliance = at_plectrum(0, j) / (mode.mass * omega * omega);
    state.position[j] = compliance;
    if (moving) {
      const double lag = 2 * mode.damping / (omega * omega * p.duration), slope = 1 / p.duration;
      const ModePropagator free = free_motion(mode, p.duration);
      state.position[j] = compliance * (1 - lag + free.q_from_q * lag - free.q_from_v * slope);
      state.velocity[j] = compliance * (slope + free.v_from_q * lag - free.v_from_v * slope);
    }
    height += at_plectrum(0, j) * state.position[j];
  }
  state.position *= p.height / height;
  state.velocity *= p.height / height;
  return state;
}

ModalState velocity_strike(const StiffString& string, double position, double width, double speed) {
  require_within("strike position", position, 0, string.length);
  require_positive("strike width", width);
  require_finite("strike speed", speed);
  ModalState state =
      from_samples(string, sampled(string, [&](double x) {
                     const double distance = std::abs(x - position) / width;
                     return distance < 0.5 ? speed * (1 + std::cos(2 * pi * distance)) / 2 : 0.0;
                   }));
  std::swap(state.position, state.velocity);
  return state;
}

}  // namespace carom
