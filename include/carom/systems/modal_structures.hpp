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

/// A thin plate, simply supported on all sides (Kirchhoff):
/// omega_mn = sqrt(D/(rho h)) pi^2 (m^2/a^2 + n^2/b^2), the lowest `modes` of them.
struct RectangularPlate {
  double width = 0.5, height = 0.4;  ///< a, b [m], > 0
  double area_density = 8.0;         ///< rho h [kg/m^2], > 0
  double bending_stiffness = 20.0;   ///< D = E h^3/(12 (1 - nu^2)) [N m], > 0
  int modes = 100;                   ///< >= 1
  StructureLoss loss = {};

  bool operator==(const RectangularPlate&) const = default;
};
ModalBody modal_body(const RectangularPlate& plate, std::span<const Place> places);

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

}  // namespace carom
