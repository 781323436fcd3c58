#pragma once

#include <span>

#include <carom/systems/modal_body.hpp>

namespace carom {

/// Losses of a structure, sigma = constant + ratio omega + viscous omega^2 [1/s].
struct StructureLoss {
  double constant = 1.0;  ///< of every mode alike, e.g. radiation [1/s], >= 0
  double ratio = 0.0;     ///< half the loss factor of the material [1], >= 0
  double viscous = 0.0;   ///< [s], >= 0

  bool operator==(const StructureLoss&) const = default;
};

enum class BarEnds {
  simply_supported,  ///< omega_n = (n pi/L)^2 sqrt(E I/(rho A))
  free,              ///< xylophone: cos(k L) cosh(k L) = 1; rigid-body modes are left out
  clamped,           ///< at both ends: the same frequencies
  cantilever,        ///< clamped at x = 0, free at L: cos(k L) cosh(k L) = -1
};

/// A thin bar that bends (Euler and Bernoulli), with the largest mode shape value of order one;
/// modal masses in kg.
struct ThinBar {
  double length = 0.4;             ///< [m], > 0
  double linear_density = 0.9;     ///< rho A [kg/m], > 0
  double bending_stiffness = 100;  ///< E I [N m^2], > 0
  int modes = 20;                  ///< >= 1
  BarEnds ends = BarEnds::free;
  StructureLoss loss = {};

  bool operator==(const ThinBar&) const = default;
};
ModalBody modal_body(const ThinBar& bar, std::span<const double> positions);

/// A place on a surface [m].
struct Place {
  double x, y;
  bool operator==(const Place&) const = default;
};

/// What holds the edge of a plate. Rigid-body modes of a free one are left out.
enum class PlateEdge { supported, free, clamped };

/// A thin plate (Kirchhoff), its lowest modes. Simply supported on all sides
/// omega_mn = sqrt(D/(rho h)) pi^2 (m^2/a^2 + n^2/b^2). Free and clamped plates have no closed
/// form: Ritz's method with orthonormal polynomials, which converges faster than any power of their
/// number; Leissa, J. Sound Vib. 31 (1973) 257 tabulates the lowest.
struct RectangularPlate {
  double width = 0.5, height = 0.4;  ///< a, b [m], > 0
  double area_density = 8.0;         ///< rho h [kg/m^2], > 0
  double bending_stiffness = 20.0;   ///< D = E h^3/(12 (1 - nu^2)) [N m], > 0
  int modes = 100;                   ///< >= 1; of a free or clamped plate at most 400
  StructureLoss loss = {};
  PlateEdge edge = PlateEdge::supported;
  double poisson = 0.3;  ///< nu, 0..0.5; matters where the edge is free

  bool operator==(const RectangularPlate&) const = default;
};
ModalBody modal_body(const RectangularPlate& plate, std::span<const Place> places);

/// A circular plate: w = (J_m(k r) + C I_m(k r)) cos(m phi), k from the conditions at the edge;
/// Leissa, Vibration of Plates, NASA SP-160 (1969), ch. 2. Modes with m > 0 come in pairs, cosine
/// and sine. Places are measured from the centre.
struct CircularPlate {
  double radius = 0.15;             ///< a [m], > 0
  double area_density = 8.0;        ///< rho h [kg/m^2], > 0
  double bending_stiffness = 20.0;  ///< D [N m], > 0
  int modes = 60;                   ///< 1..2000
  StructureLoss loss = {};
  PlateEdge edge = PlateEdge::free;
  double poisson = 0.3;  ///< nu, 0..0.5

  bool operator==(const CircularPlate&) const = default;
};
ModalBody modal_body(const CircularPlate& plate, std::span<const Place> places);

/// A rectangular membrane fixed at its edge: omega_mn = c pi sqrt(m^2/a^2 + n^2/b^2).
struct RectangularMembrane {
  double width = 0.4, height = 0.3;  ///< a, b [m], > 0
  double area_density = 0.3;         ///< [kg/m^2], > 0
  double tension = 2000.0;           ///< [N/m], > 0
  int modes = 100;                   ///< >= 1
  StructureLoss loss = {};

  bool operator==(const RectangularMembrane&) const = default;
};
ModalBody modal_body(const RectangularMembrane& membrane, std::span<const Place> places);

/// A drum head: circular, fixed at its edge; omega = c j_mn/a with the zeros of the Bessel
/// functions. Modes with m > 0 come in pairs, cosine and sine. Places are measured from the centre.
struct CircularMembrane {
  double radius = 0.18;       ///< a [m], > 0
  double area_density = 0.3;  ///< [kg/m^2], > 0
  double tension = 3000.0;    ///< [N/m], > 0
  int modes = 100;            ///< >= 1
  StructureLoss loss = {};

  bool operator==(const CircularMembrane&) const = default;
};
ModalBody modal_body(const CircularMembrane& membrane, std::span<const Place> places);

/// A bell by the measured partials of a tuned church bell (Fletcher & Rossing, The Physics of
/// Musical Instruments, 2nd ed. 1998, table 21.1): ratios to the prime. Around the lip a partial
/// moves as cos(m phi) and sin(m phi). Modal masses are those of rings, (1 + 1/m^2)/2 of the mass
/// (radial motion, and the tangential one without stretching), times 1/3: the motion is taken to
/// grow in proportion to the distance from the crown. Real bells differ in that.
struct Bell {
  double frequency = 440.0;  ///< of the prime [Hz], > 0
  double mass = 20.0;        ///< of the bell [kg], > 0
  int modes = 24;            ///< 1..24: two for each partial
  double split = 0.0;        ///< relative distance of the two: the bell warbles; 0..0.1
  StructureLoss loss = {};

  bool operator==(const Bell&) const = default;
};
/// The angles are around the lip [rad].
ModalBody modal_body(const Bell& bell, std::span<const double> angles);

/// sigma = constant + ratio omega + viscous omega^2 at each mode [1/s].
double damping_of(const StructureLoss& loss, double omega);
void validate(const StructureLoss& loss);

}  // namespace carom
