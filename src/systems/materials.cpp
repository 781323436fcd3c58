#include <array>
#include <limits>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/systems/materials.hpp>

namespace carom {
namespace {

// Numbers as quoted by the sources named; "typical" marks what none was found for. The sources in
// full are on the page of materials (material_page.cpp). "Typical" says that none was found that
// names this number: an order of magnitude.
constexpr std::array<NamedMaterial, 22> table{{
    {"steel", 210e9, 7800, 0.29, 4e-4, "mild and hardened steel",
     "Cremer & Heckl (flexural loss of iron 2e-4 to 6e-4); Gere (0.27 to 0.30)"},
    {"cast-iron", 103e9, 7300, 0.25, 1e-2, "grey cast iron",
     "NPTEL; Gere (83 to 170 GPa, 0.2 to 0.3)"},
    {"aluminium", 72e9, 2700, 0.34, 1e-4, "aluminium and its alloys", "Cremer & Heckl"},
    {"brass", 100e9, 8500, 0.34, 8e-4, "brass with 30 to 40 % zinc",
     "Gere (96 to 110 GPa, 0.34); Cremer & Heckl (95 GPa, loss below 1e-3)"},
    {"bronze", 100e9, 8700, 0.34, 3e-4, "bell bronze, 20 % tin",
     "Gere (96 to 120 GPa, 8200 to 8800, 0.34); loss: typical, from the decay of bells"},
    {"copper", 125e9, 8900, 0.35, 2e-3, "copper", "Cremer & Heckl"},
    {"lead", 17e9, 11300, 0.43, 2e-2, "pure lead", "Cremer & Heckl"},
    {"titanium", 114e9, 4480, 0.33, 3e-4, "Ti-6Al-4V",
     "ecourses; loss: Schetky & Perkins (below 0.2 % of the energy in a cycle)"},
    {"glass", 72e9, 2500, 0.23, 1e-3, "soda-lime float glass", "Pilkington; loss: typical"},
    {"ceramic", 70e9, 2400, 0.22, 1e-3, "porcelain and stoneware, glazed",
     "density: 2300 to 2400, stoneware to 2600; the others: typical"},
    {"alumina", 310e9, 3800, 0.22, 1e-4, "alumina, 97 to 99 %", "MakeItFrom; loss: typical"},
    {"stone", 60e9, 2700, 0.25, 6.7e-3, "granite, marble",
     "Gere (41 to 97 GPa, 2640 to 2880, 0.2 to 0.3); loss: Birch & Bancroft (granite, Q = 150)"},
    {"concrete", 27e9, 2300, 0.2, 1e-2, "dense concrete", "NPTEL; Gere (17 to 31 GPa, 0.1 to 0.2)"},
    {"rosewood", 13e9, 835, 0.37, 6e-3, "Brazilian rosewood, along the grain",
     "Chudnoff (13.0 GPa, 750 to 900 kg/m^3); Wood Database (13.9 GPa, 835); others: typical"},
    {"maple", 12.6e9, 705, 0.42, 1.1e-2, "hard maple, along the grain",
     "Wood Handbook (at 12 % moisture); loss: typical"},
    {"oak", 12.2e9, 755, 0.37, 1.2e-2, "white oak, along the grain",
     "Wood Database; Wood Handbook (0.369); loss: typical"},
    {"spruce", 11.2e9, 430, 0.37, 8e-3, "Sitka spruce, along the grain",
     "Teal-Jones; Poisson's ratio and loss: typical"},
    {"acrylic", 3e9, 1190, 0.38, 4e-2, "polymethyl methacrylate",
     "data sheets (2.8 to 3.2 GPa, 1170 to 1190); Poisson's ratio and loss: typical"},
    {"nylon", 2.8e9, 1130, 0.4, 3e-2, "polyamide 6.6, dry; half as stiff when moist",
     "ecourses; Gere (2.1 to 3.4 GPa, 0.4); loss: typical"},
    {"mylar", 4.9e9, 1390, 0.38, 2e-2, "polyester film, as of drum heads",
     "DuPont Teijin; loss: typical"},
    {"rubber", 4.5e6, 1100, 0.49, 0.1, "vulcanised rubber of a mallet, 55 Shore A",
     "Ruess (log10 E/MPa = 0.0235 S - 0.6403); Gere (960 to 1280, 0.45 to 0.50); loss: Adams & "
     "Askenazi"},
    {"felt", 6e5, 1000, 0.0, 0.3,
     "pressed wool felt of a piano hammer, slowly loaded; stiffens under pressure, so that "
     "exponents "
     "of 2 to 3 fit better than 1.5",
     "typical: orders of magnitude"},
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
  if (radii.empty() || radii.size() > 2) throw InvalidInput("radii: one or two are needed, in m");
  return 1 / (1 / radii[0] + (radii.size() > 1 ? 1 / radii[1] : 0.0));
}

PowerLaw hertz_contact(std::span<const double> radii, std::span<const std::string> names) {
  if (radii.empty() || radii.size() > 2) throw InvalidInput("radii: one or two are needed, in m");
  if (names.empty() || names.size() > 2)
    throw InvalidInput("materials: one or two names are needed");
  const NamedMaterial &a = find_material(names[0]), &b = find_material(names[names.size() - 1]);
  const double flat = std::numeric_limits<double>::infinity();
  return hertz_spheres(radii[0], radii.size() > 1 ? radii[1] : flat, a.elastic(), b.elastic());
}

}  // namespace carom
