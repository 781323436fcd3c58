#pragma once

#include <span>
#include <vector>

#include <carom/systems/modal_body.hpp>

namespace carom {

/// How the frequencies and losses of a stiff string are written.
enum class StringModel {
  square_root,  ///< nu_j = j c/(2L) sqrt(1 + B j^2): the exact law of a stiff string with pinned
                ///< ends
  appendix,     ///< issanchou2018 eqs. (A.1)-(A.4): nu_j = j c/(2L) (1 + B j^2/2 + mobility), for
                ///< B j^2 << 1
};

/// A resonance of what holds an end of the string: its mobility is
/// Y = i omega/(m (omega_0^2 - omega^2 + 2 i sigma omega)) [m/(N s)].
struct SupportResonance {
  double frequency;  ///< [Hz], > 0
  double damping;    ///< sigma [1/s], > 0
  double mass;       ///< [kg], > 0

  bool operator==(const SupportResonance&) const = default;
};

/// A stiff string with pinned ends and the losses of issanchou2018 (A.2)-(A.5): air friction,
/// viscoelasticity of the core, thermoelasticity, and a support that gives way. The shapes are
/// phi_j(x) = sqrt(2/L) sin(j pi x/L), so every modal mass is the linear density [kg/m] and modal
/// amplitudes have the unit m^(3/2).
struct StiffString {
  double length = 1.0;            ///< L [m], > 0
  double linear_density = 1e-3;   ///< mu [kg/m], > 0
  double tension = 100.0;         ///< T [N], > 0
  int modes = 200;                ///< >= 1
  double inharmonicity = 0.0;     ///< B = pi^2 E I/(T L^2), >= 0
  double air_diameter = 0.5e-3;   ///< d_eq, of what the air rubs on [m], >= 0; 0: no air
  double viscoelastic = 0.0;      ///< delta_ve [1], >= 0
  double thermoelastic = 0.0;     ///< 1/Q_te, >= 0
  double air_viscosity = 1.8e-5;  ///< [Pa s], >= 0
  double air_density = 1.2;       ///< [kg/m^3], >= 0
  StringModel model = StringModel::square_root;
  std::vector<SupportResonance> support = {};

  bool operator==(const StiffString&) const = default;
};

/// Throws InvalidInput unless the parameters are in their allowed range.
void validate(const StiffString& string);

/// d_eq = (pi/2) ((1 + 2/pi) 2 r_winding + 2 r_core), issanchou2018 eq. (A.5), from diameters [m].
double wound_diameter(double winding_wire, double core);

/// B from the bending stiffness of the core: pi^3 E d^4/(64 T L^2).
double inharmonicity(double young_modulus, double core_diameter, double tension, double length);

/// The modes of the string, and its shapes at the positions x [m], 0..L.
ModalBody modal_body(const StiffString& string, std::span<const double> positions = {});
ShapeMatrix string_shapes(double length, int modes, std::span<const double> positions);

/// How a string is brought out of rest.
enum class PluckShape {
  triangle,  ///< two straight lines with a sharp corner
  smoothed,  ///< the corner replaced by a cubic over 2 x `smoothing`, issanchou2018 Sect. IV B
  point,     ///< what a point force gives on the stiff string itself, at rest
  moving,    ///< a point force that grows from zero over `duration` and lets go: nearly `point`
};

/// A pluck: amplitudes, and velocities for `moving`, at the moment of release.
struct Pluck {
  PluckShape shape = PluckShape::triangle;
  double position = 0.5;    ///< x of the plectrum [m], inside the string
  double height = 1e-3;     ///< displacement there at release [m]
  double smoothing = 5e-3;  ///< half the width of the rounded corner [m], for `smoothed`
  double duration = 1e-2;   ///< of the pull [s], for `moving`
};

/// The modal state of a plucked string. Triangles are projected as the authors do, by the discrete
/// sine transform of their samples on modes + 1 intervals.
ModalState pluck(const StiffString& string, const ModalBody& body, const Pluck& pluck);

/// The modal state of a string at rest that was given the velocity v over [x - w/2, x + w/2], a
/// raised cosine: a strike by something hard and light.
ModalState velocity_strike(const StiffString& string, double position, double width, double speed);

/// Projects a shape sampled on the interior points of a regular grid, q = (L/N) S^T u.
ModalState from_samples(const StiffString& string, std::span<const double> displacement);

}  // namespace carom
