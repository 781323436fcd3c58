#include "structure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <carom/scenario/note.hpp>
#include <carom/systems/materials.hpp>
#include <carom/systems/stiff_string.hpp>

namespace carom {
namespace {

using std::numbers::pi;

std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const NamedMaterial& material : materials()) names.emplace_back(material.name);
  return names;
}

/// One object of a scenario. `scale` tunes it: every frequency is proportional to it.
class StructureReader {
 public:
  StructureReader(const Scenario& scenario, const StructureKeys& keys,
                  const std::vector<Place>& places)
      : scenario_(scenario), keys_(keys), type_(scenario.text(keys.type)), places_(places) {
    for (const Place& place : places) x_.push_back(place.x);
    if (has("material")) material_ = &find_material(scenario.text(key("material")));
    loss_ = {.constant = scenario.number(keys.loss + "constant"),
             .ratio = scenario.number(keys.loss + "ratio"),
             .viscous = scenario.number(keys.loss + "viscous")};
    if (material_ != nullptr && !scenario.given(keys.loss + "ratio"))
      loss_.ratio = material_->loss_factor / 2;
  }

  ModalBody read() const {
    refuse_foreign();
    if (!has("note")) return build(1.0, x_, places_);
    const double wanted = note_frequency(note_key(scenario_.text(key("note"))));
    // The prime of a bell is its third mode; the lowest is the hum.
    const double found = build(1.0, {}, {}).modes[type_ == "bell" ? 2 : 0].frequency;
    return build(wanted / found, x_, places_);
  }

 private:
  std::string key(std::string_view name) const { return keys_.at + std::string(name); }
  bool has(std::string_view name) const { return scenario_.has(key(name)); }

  double needed(std::string_view name) const {
    if (const auto value = scenario_.maybe_number(key(name))) return *value;
    throw InvalidInput(
        fmt::format("{} is missing: {} = \"{}\" needs it", key(name), keys_.type, type_));
  }
  /// Tension is not needed where a note tells it.
  double tension() const { return has("note") && !has("tension") ? 1.0 : needed("tension"); }

  /// A number that is given as it is, or follows from the material; never both.
  template <class Compute>
  double given_or(std::string_view name, std::string_view dimensions, Compute compute) const {
    if (has(name) && material_ != nullptr) {
      throw InvalidInput(
          fmt::format("{} and {} are both given; give one: the material and {} "
                      "determine it",
                      key(name), key("material"), dimensions));
    }
    if (has(name)) return scenario_.number(key(name));
    if (material_ == nullptr) {
      throw InvalidInput(fmt::format("{0} is missing: {1} = \"{2}\" needs it, or {3} and {4}",
                                     key(name), keys_.type, type_, key("material"), dimensions));
    }
    return compute(*material_);
  }

  /// Keys that this type does not have are not silently ignored.
  void refuse_foreign() const {
    struct Use {
      const char* name;
      std::initializer_list<const char*> types;
    };
    static const Use uses[] = {{"length", {"bar", "tube", "plate", "membrane", "string"}},
                               {"width", {"bar", "plate", "membrane"}},
                               {"radius", {"bar", "tube", "disc", "drum", "string"}},
                               {"thickness", {"bar", "tube", "plate", "disc", "membrane", "drum"}},
                               {"linear_density", {"bar", "string"}},
                               {"area_density", {"plate", "disc", "membrane", "drum"}},
                               {"bending_stiffness", {"bar", "plate", "disc"}},
                               {"tension", {"membrane", "drum", "string"}},
                               {"inharmonicity", {"string"}},
                               {"ends", {"bar", "tube"}},
                               {"edge", {"plate", "disc"}},
                               {"poisson", {"plate", "disc"}},
                               {"frequency", {"bell"}},
                               {"split", {"bell"}}};
    for (const Use& use : uses) {
      const bool serves = std::any_of(use.types.begin(), use.types.end(),
                                      [&](const char* type) { return type_ == type; });
      if (!serves && scenario_.given(key(use.name))) {
        throw InvalidInput(fmt::format("{} has no meaning for {} = \"{}\"; it is for {}",
                                       key(use.name), keys_.type, type_,
                                       fmt::join(use.types, ", ")));
      }
    }
  }

  int modes() const { return static_cast<int>(scenario_.whole_number(keys_.count)); }

  BarEnds ends() const {
    const std::string& name = scenario_.text(key("ends"));
    return name == "free"         ? BarEnds::free
           : name == "clamped"    ? BarEnds::clamped
           : name == "cantilever" ? BarEnds::cantilever
                                  : BarEnds::simply_supported;  // supported, pinned
  }
  PlateEdge edge(PlateEdge otherwise) const {
    if (!has("edge")) return otherwise;
    const std::string& name = scenario_.text(key("edge"));
    return name == "free"      ? PlateEdge::free
           : name == "clamped" ? PlateEdge::clamped
                               : PlateEdge::supported;
  }
  double poisson() const {
    if (has("poisson")) return scenario_.number(key("poisson"));
    return material_ != nullptr ? material_->poisson : 0.3;
  }

  /// Round where a radius is given, else rectangular. Tuning scales the whole cross-section.
  ModalBody bar(double scale, const std::vector<double>& x) const {
    const bool round = has("radius");
    if (round && (has("width") || has("thickness"))) {
      throw InvalidInput(
          fmt::format("{} and {}: a round bar has a radius, a flat one width and "
                      "thickness",
                      key("radius"), key(has("width") ? "width" : "thickness")));
    }
    const std::string dimensions =
        fmt::format("{} (round), or {} and {}", key("radius"), key("width"), key("thickness"));
    const double s = material_ != nullptr ? scale : 1.0;
    const double area = [&] {
      if (material_ == nullptr) return 0.0;
      return round ? pi * std::pow(s * needed("radius"), 2)
                   : s * s * needed("width") * needed("thickness");
    }();
    const double gyration = [&] {  // I/A
      if (material_ == nullptr) return 0.0;
      return round ? std::pow(s * needed("radius"), 2) / 4
                   : std::pow(s * needed("thickness"), 2) / 12;
    }();
    const double density = given_or("linear_density", dimensions,
                                    [&](const NamedMaterial& m) { return m.density * area; });
    const double stiffness = given_or("bending_stiffness", dimensions, [&](const NamedMaterial& m) {
      return m.young * area * gyration;
    });
    return modal_body(
        ThinBar{.length = needed("length"),
                .linear_density = density,
                .bending_stiffness = material_ != nullptr ? stiffness : stiffness * scale * scale,
                .modes = modes(),
                .ends = ends(),
                .loss = loss_},
        x);
  }

  ModalBody tube(double scale, const std::vector<double>& x) const {
    if (material_ == nullptr) {
      throw InvalidInput(
          fmt::format("{} is missing: {} = \"tube\" needs it", key("material"), keys_.type));
    }
    const double outer = scale * needed("radius"), wall = scale * needed("thickness");
    if (wall > outer) {
      throw InvalidInput(fmt::format("{} = {:g} m: must be at most the radius, {:g} m",
                                     key("thickness"), wall / scale, outer / scale));
    }
    const double inner = outer - wall, area = pi * (outer * outer - inner * inner);
    return modal_body(
        ThinBar{.length = needed("length"),
                .linear_density = material_->density * area,
                .bending_stiffness = material_->young * area * (outer * outer + inner * inner) / 4,
                .modes = modes(),
                .ends = ends(),
                .loss = loss_},
        x);
  }

  /// rho h and D of plates; tuning scales the thickness.
  struct Sheet {
    double area_density, bending_stiffness;
  };
  Sheet sheet(double scale) const {
    const std::string thickness = key("thickness");
    const double h = material_ != nullptr ? scale * needed("thickness") : 0.0, nu = poisson();
    const double area_density =
        given_or("area_density", thickness, [&](const NamedMaterial& m) { return m.density * h; });
    const double stiffness = given_or("bending_stiffness", thickness, [&](const NamedMaterial& m) {
      return m.young * h * h * h / (12 * (1 - nu * nu));
    });
    return {area_density, material_ != nullptr ? stiffness : stiffness * scale * scale};
  }

  double skin() const {
    return given_or("area_density", key("thickness"),
                    [&](const NamedMaterial& m) { return m.density * needed("thickness"); });
  }

  /// Pinned at both ends; stiff if there is a material. Tuned by its tension.
  ModalBody string(double scale, const std::vector<double>& x) const {
    const double length = needed("length");
    const bool round = material_ != nullptr;
    const double density = given_or("linear_density", key("radius"), [&](const NamedMaterial& m) {
      return m.density * pi * std::pow(needed("radius"), 2);
    });
    // f_1 = sqrt(T/mu + pi^2 E I/(mu L^2))/(2 L)
    if (round && scenario_.given(key("inharmonicity"))) {
      throw InvalidInput(
          fmt::format("{} and {} are both given; give one: the material and {} "
                      "determine it",
                      key("inharmonicity"), key("material"), key("radius")));
    }
    const double bending = round ? material_->young * pi / 4 * std::pow(needed("radius"), 4) : 0.0;
    const double from_bending = pi * pi * bending / (length * length);
    const double pull = scale * scale * (tension() + from_bending) - from_bending;
    if (!(pull > 0)) {
      throw InvalidInput(
          fmt::format("{}: the string is so stiff that it would have to be "
                      "compressed",
                      key("note")));
    }
    ModalBody body =
        modal_body(StiffString{.length = length,
                               .linear_density = density,
                               .tension = pull,
                               .modes = modes(),
                               .inharmonicity = round ? from_bending / pull
                                                      : scenario_.number(key("inharmonicity")),
                               .air_diameter = 0.0},
                   x);
    for (Mode& mode : body.modes) mode.damping = damping_of(loss_, 2 * pi * mode.frequency);
    return body;
  }

  ModalBody build(double scale, const std::vector<double>& x,
                  const std::vector<Place>& places) const {
    if (type_ == "bar") return bar(scale, x);
    if (type_ == "tube") return tube(scale, x);
    if (type_ == "string") return string(scale, x);
    if (type_ == "bell") {
      return modal_body(Bell{.frequency = scale * (has("note") ? 1.0 : needed("frequency")),
                             .mass = needed("mass"),
                             .modes = std::clamp(modes(), has("note") ? 3 : 1, 24),
                             .split = scenario_.number(key("split")),
                             .loss = loss_},
                        x);
    }
    if (type_ == "plate") {
      const Sheet of = sheet(scale);
      return modal_body(RectangularPlate{.width = needed("length"),
                                         .height = needed("width"),
                                         .area_density = of.area_density,
                                         .bending_stiffness = of.bending_stiffness,
                                         .modes = modes(),
                                         .loss = loss_,
                                         .edge = edge(PlateEdge::supported),
                                         .poisson = poisson()},
                        places);
    }
    if (type_ == "disc") {
      const Sheet of = sheet(scale);
      return modal_body(CircularPlate{.radius = needed("radius"),
                                      .area_density = of.area_density,
                                      .bending_stiffness = of.bending_stiffness,
                                      .modes = modes(),
                                      .loss = loss_,
                                      .edge = edge(PlateEdge::free),
                                      .poisson = poisson()},
                        places);
    }
    if (type_ == "membrane") {
      return modal_body(RectangularMembrane{.width = needed("length"),
                                            .height = needed("width"),
                                            .area_density = skin(),
                                            .tension = tension() * scale * scale,
                                            .modes = modes(),
                                            .loss = loss_},
                        places);
    }
    return modal_body(CircularMembrane{.radius = needed("radius"),
                                       .area_density = skin(),
                                       .tension = tension() * scale * scale,
                                       .modes = modes(),
                                       .loss = loss_},
                      places);
  }

  const Scenario& scenario_;
  const StructureKeys& keys_;
  std::string type_;
  const std::vector<Place>& places_;
  std::vector<double> x_;
  const NamedMaterial* material_ = nullptr;
  StructureLoss loss_;
};

}  // namespace

const std::vector<std::string>& structure_names() {
  static const std::vector<std::string> names{"bar",      "tube", "plate",  "disc",
                                              "membrane", "drum", "string", "bell"};
  return names;
}

std::vector<Field> structure_fields() {
  return {
      text("material", "gives density, stiffness and losses from the dimensions; carom materials")
          .one_of(material_names()),
      number("length", "m", "length of a bar, tube, plate, membrane or string, along x").positive(),
      number("width", "m", "width of a flat bar, plate or membrane, along y").positive(),
      number("thickness", "m",
             "thickness of a flat bar, plate, disc, membrane or drum head, of the wall of a tube")
          .positive(),
      number("radius", "m",
             "radius of a disc or drum; of the cross-section of a round bar, tube or string")
          .positive(),
      number("linear_density", "kg/m", "linear density of a bar or string, without material")
          .positive(),
      number("area_density", "kg/m^2",
             "area density of plates, discs, membranes and drums, without material")
          .positive(),
      number("bending_stiffness", "N m^2 or N m", "E I of a bar, D of a plate, without material")
          .positive(),
      number("poisson", "", "Poisson's ratio of a plate or disc; without it that of the material")
          .within(0, 0.5),
      number("tension", "N, N/m", "tension of a string; of membranes and drums").positive(),
      number("inharmonicity", "",
             "inharmonicity of a string, B in f_j = j f sqrt(1 + B j^2), without material")
          .not_negative()
          .defaults_to(0.0),
      text("ends", "ends of a bar or tube; cantilever: clamped at x = 0; pinned is supported")
          .one_of({"free", "supported", "pinned", "clamped", "cantilever"})
          .defaults_to("free"),
      text("edge", "edge of a plate (supported unless given) or disc (free unless given)")
          .one_of({"free", "supported", "clamped"}),
      number("frequency", "Hz", "prime of a bell, an octave below its nominal").positive(),
      number("split", "",
             "relative difference between the two frequencies of each partial of a bell, which "
             "makes it warble")
          .within(0, 0.1)
          .defaults_to(0.0),
      text("note",
           "tunes the lowest mode, of a bell the prime, such as D4: by the tension, or by the "
           "thickness (of bars and tubes all of the cross-section)")};
}

std::vector<Field> loss_fields(const std::string& prefix) {
  return {
      number(prefix + "constant", "1/s", "the same for every mode: radiation, supports")
          .not_negative()
          .defaults_to(1.0),
      number(prefix + "ratio", "", "half the loss factor; without it that of the material, or none")
          .not_negative()
          .defaults_to(0.0),
      number(prefix + "viscous", "s", "grows with the square of frequency")
          .not_negative()
          .defaults_to(0.0)};
}

std::vector<Field> object_fields() {
  std::vector<Field> fields{
      text("type", "shape of the object").one_of(structure_names()),
      place("hit", "m", "where it is hit: x, or [x, y]; around a bell the angle [rad]"),
      place("heard", "m", "where it is heard"),
      whole_number("mode_count", "modes of the shape, from the lowest")
          .within(1, 5000)
          .defaults_to(60)};
  for (Field& field : structure_fields()) fields.push_back(std::move(field));
  fields.push_back(number("mass", "kg", "mass of a bell").positive());
  for (Field& field : loss_fields("loss_")) fields.push_back(std::move(field));
  return fields;
}

ModalBody read_object(const Scenario& scenario, const std::string& table) {
  const auto place = [&](const char* name) -> Place {
    const std::string key = table + "." + name;
    if (!scenario.has(key)) {
      throw InvalidInput(fmt::format("{} is missing: {}.type = \"{}\" needs it", key, table,
                                     scenario.text(table + ".type")));
    }
    const Json& at = scenario.table(key);
    return at.is_array() ? Place{at[0].get<double>(), at[1].get<double>()}
                         : Place{at.get<double>(), 0.0};
  };
  return read_structure(scenario,
                        {.type = table + ".type",
                         .at = table + ".",
                         .loss = table + ".loss_",
                         .count = table + ".mode_count"},
                        {place("hit"), place("heard")});
}

ModalBody read_structure(const Scenario& scenario, const StructureKeys& keys,
                         const std::vector<Place>& places) {
  return StructureReader(scenario, keys, places).read();
}

}  // namespace carom
