#pragma once

#include <span>
#include <string>
#include <string_view>

#include <carom/systems/pair.hpp>

namespace carom {

/// A material with a name: typical values at room temperature. Real pieces scatter, metals by a few
/// per cent in stiffness, losses by a factor of two and more.
struct NamedMaterial {
  std::string_view name;     ///< as people write it: "steel"
  double young;              ///< E [Pa]; of wood along the grain
  double density;            ///< rho [kg/m^3]
  double poisson;            ///< nu [1]
  double loss_factor;        ///< eta [1]: a mode decays with sigma = eta omega/2
  std::string_view summary;  ///< one phrase: what exactly
  std::string_view source;

  Material elastic() const { return {.young = young, .poisson = poisson}; }
};

/// All of them, the only place where their numbers stand.
std::span<const NamedMaterial> materials();
/// Throws InvalidInput with the nearest name when there is no such material.
const NamedMaterial& find_material(std::string_view name);

/// Hertz contact of two bodies by their radii of curvature [m] and materials (hertz_spheres). One
/// radius: the second body is flat; one material: both are of it. Throws InvalidInput.
PowerLaw hertz_contact(std::span<const double> radii, std::span<const std::string> names);
/// 1/R* = 1/R1 + 1/R2 [m].
double contact_radius(std::span<const double> radii);

}  // namespace carom
