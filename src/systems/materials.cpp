#include <array>
#include <limits>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/systems/materials.hpp>

namespace carom {
namespace {

// A: M. F. Ashby, Materials Selection in Mechanical Design, 4th ed. 2011, appendix A (middle of the
//    ranges for E and rho; nu).  C: L. Cremer, M. Heckl, Structure-Borne Sound, 2nd ed. 1988, table
//    of loss factors.  W: Wood Handbook, FPL-GTR-282, 2021, tables 5-1 to 5-5 (E in bending at 12 %
//    moisture, specific gravity).  U: U. G. K. Wegst, Wood for sound, Am. J. Bot. 93 (2006) 1439
//    (loss coefficients).
constexpr std::array<NamedMaterial, 22> table{{
    {"steel", 210e9, 7800, 0.29, 4e-4, "mild and hardened steel", "Ashby 2011; Cremer & Heckl 1988"},
    {"cast-iron", 120e9, 7200, 0.27, 1.5e-2, "grey cast iron",
     "Ashby 2011, also for the loss coefficient"},
    {"aluminium", 70e9, 2700, 0.34, 1e-4, "aluminium and its alloys",
     "Ashby 2011; Cremer & Heckl 1988"},
    {"brass", 100e9, 8500, 0.35, 8e-4, "brass with 30 to 40 % zinc",
     "Ashby 2011; Cremer & Heckl 1988 (below 1e-3)"},
    {"bronze", 100e9, 8700, 0.35, 3e-4, "bell bronze, 20 % tin",
     "Fletcher & Rossing, The Physics of Musical Instruments, 2nd ed. 1998, ch. 21; loss: typical "
     "decay of bells"},
    {"copper", 125e9, 8930, 0.34, 2e-3, "copper", "Ashby 2011; Cremer & Heckl 1988"},
    {"lead", 14e9, 11300, 0.44, 2e-2, "pure lead", "Ashby 2011; Cremer & Heckl 1988"},
    {"titanium", 112e9, 4500, 0.34, 1e-3, "titanium alloys",
     "Ashby 2011, also for the loss coefficient"},
    {"glass", 70e9, 2480, 0.23, 1e-3, "soda-lime glass", "Ashby 2011; Cremer & Heckl 1988"},
    {"ceramic", 70e9, 2400, 0.22, 1e-3, "porcelain and stoneware, glazed",
     "Ashby 2011 (whitewares), also for the loss coefficient"},
    {"alumina", 370e9, 3900, 0.22, 1e-4, "technical alumina", "Ashby 2011"},
    {"stone", 60e9, 2700, 0.25, 2e-3, "granite, marble, slate",
     "Ashby 2011, also for the loss coefficient"},
    {"concrete", 25e9, 2400, 0.2, 8e-3, "concrete", "Ashby 2011; Cremer & Heckl 1988"},
    {"rosewood", 13e9, 850, 0.35, 6e-3, "Brazilian rosewood, along the grain",
     "Wood Handbook 2021; Wegst 2006"},
    {"maple", 12.6e9, 680, 0.4, 1.1e-2, "hard maple, along the grain",
     "Wood Handbook 2021; Wegst 2006"},
    {"oak", 12.3e9, 720, 0.37, 1.2e-2, "white oak, along the grain",
     "Wood Handbook 2021; Wegst 2006"},
    {"spruce", 10.8e9, 430, 0.37, 8e-3, "Sitka spruce, along the grain",
     "Wood Handbook 2021; Wegst 2006"},
    {"acrylic", 3e9, 1180, 0.38, 4e-2, "polymethyl methacrylate",
     "Ashby 2011; Cremer & Heckl 1988"},
    {"nylon", 2.8e9, 1130, 0.39, 3e-2, "polyamide 6.6", "Ashby 2011, also for the loss coefficient"},
    {"mylar", 4.5e9, 1390, 0.38, 2e-2, "polyester film, as of drum heads",
     "Ashby 2011 (PET, oriented film is stiffer), also for the loss coefficient"},
    {"rubber", 5e6, 1100, 0.49, 0.15, "vulcanised rubber of a mallet, 55 Shore A",
     "Ashby 2011; hardness to modulus: A. N. Gent, Trans. Inst. Rubber Ind. 34 (1958) 46"},
    {"felt", 6e5, 1000, 0.0, 0.3,
     "pressed wool felt of a piano hammer, slowly loaded; stiffens under pressure, so that exponents "
     "of 2 to 3 fit better than 1.5",
     "D. Kartofelev, A. Stulov, Acta Mech. 225 (2014) 3103; loss: order of magnitude of their "
     "hysteresis"},
}};

}  // namespace

std::span<const NamedMaterial> materials() { return table; }

const NamedMaterial& find_material(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedMaterial& material : table) {
    if (material.name == name) return material;
    names.push_back(material.name);
  }
  throw InvalidInput(unknown_name_message("material", name, names));
}

double contact_radius(std::span<const double> radii) {
  if (radii.empty() || radii.size() > 2)
    throw InvalidInput("radii: one or two are needed, in m");
  return 1 / (1 / radii[0] + (radii.size() > 1 ? 1 / radii[1] : 0.0));
}

PowerLaw hertz_contact(std::span<const double> radii, std::span<const std::string> names) {
  if (radii.empty() || radii.size() > 2)
    throw InvalidInput("radii: one or two are needed, in m");
  if (names.empty() || names.size() > 2)
    throw InvalidInput("materials: one or two names are needed");
  const NamedMaterial &a = find_material(names[0]), &b = find_material(names[names.size() - 1]);
  const double flat = std::numeric_limits<double>::infinity();
  return hertz_spheres(radii[0], radii.size() > 1 ? radii[1] : flat, a.elastic(), b.elastic());
}

}  // namespace carom
