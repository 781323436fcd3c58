#include "assembly_file.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "contact_law.hpp"
#include "structure.hpp"
#include "table_file.hpp"

namespace carom {
namespace {

constexpr int ground = -1;

/// Reads one file; every problem is filed under the key it belongs to.
class AssemblyReader {
 public:
  AssemblyReader(const Scenario& scenario, Problems& problems)
      : scenario_(scenario), problems_(problems) {}

  AssemblyFile read() {
    file_.parts.dimension = static_cast<int>(scenario_.whole_number("space.dimension"));
    file_.parts.gravity = scenario_.number("space.gravity");
    plane_ = file_.parts.dimension == 2;
    read_bodies();
    // Names that are wrong would make everything after them wrong too.
    if (!problems_.all().empty()) return file_;
    read_links();
    read_hinges();
    read_contacts();
    if (problems_.all().empty()) add_shapes();
    return file_;
  }

 private:
  struct Held {
    std::string key;
    Place at;  ///< where a structure is touched or held
  };

  static std::string row(const char* table, std::size_t i) {
    return fmt::format("{}.{}", table, i + 1);
  }
  template <class... T>
  void wrong(const std::string& key, fmt::format_string<T...> text, T&&... values) {
    problems_.add(key, key + ": " + fmt::format(text, std::forward<T>(values)...));
  }

  Vector2 vector(const std::string& key) {
    if (!scenario_.has(key)) return {};
    const Json& value = scenario_.table(key);
    if (value.is_array()) {
      if (!plane_) wrong(key, "[x, y] needs space.dimension = 2; on a line a number");
      return value.get<Vector2>();
    }
    const double x = value.get<double>();
    if (plane_ && x != 0) wrong(key, "{} is a number; in the plane it must be [x, y]", x);
    return {x, 0.0};
  }

  Motion motion(const std::string& at, const std::string& prefix, const char* column) {
    Motion motion;
    const auto given = [&](const char* key) { return scenario_.given(at + "." + prefix + key); };
    if (given("file")) {
      const std::string key = at + "." + prefix + "file";
      for (const char* other : {"amplitude", "frequency", "phase"}) {
        if (!given(other)) continue;
        wrong(at + "." + prefix + other, "has no meaning beside {}file, which gives all of it",
              prefix);
        break;
      }
      problems_.attempt(key, [&] {
        const TableFile table(scenario_, key);
        motion.times = table.column("time");
        motion.values = table.column(column);
        validate(motion);
        const double duration = scenario_.number("run.duration");
        if (!motion.times.empty() && motion.times.back() < duration)
          throw InvalidInput(fmt::format("{}: it ends at {:g} s, run.duration is {:g} s", key,
                                         motion.times.back(), duration));
      });
      return motion;
    }
    motion.amplitude = scenario_.number(at + "." + prefix + "amplitude");
    motion.frequency = scenario_.number(at + "." + prefix + "frequency");
    motion.phase = scenario_.number(at + "." + prefix + "phase");
    if (motion.amplitude != 0 && !given("frequency"))
      wrong(at + "." + prefix + "amplitude", "needs {}frequency [Hz] too", prefix);
    if (prefix.empty() && scenario_.has(at + ".sweep_time")) {
      motion.sweep_time = scenario_.number(at + ".sweep_time");
      if (!scenario_.has(at + ".end_frequency")) {
        wrong(at + ".sweep_time", "a sweep needs end_frequency too");
      } else {
        motion.end_frequency = scenario_.number(at + ".end_frequency");
      }
    } else if (prefix.empty() && scenario_.has(at + ".end_frequency")) {
      wrong(at + ".end_frequency", "a sweep needs sweep_time too");
    }
    const double highest = std::max(motion.frequency, motion.end_frequency);
    const double rate = scenario_.number("run.rate");
    if (highest > 0.5 * rate) {
      wrong(at + "." + prefix +
                (motion.end_frequency > motion.frequency ? "end_frequency" : "frequency"),
            "{:g} Hz is faster than the rows can show: at most half of run.rate = {:g} Hz", highest,
            rate);
    }
    return motion;
  }

  void read_bodies() {
    const std::size_t count = scenario_.rows("body").size();
    if (count == 0) problems_.add("kind", "an assembly needs at least one [[body]]");
    for (std::size_t i = 0; i < count; ++i) {
      const std::string at = row("body", i);
      AssemblyBody body;
      body.name = scenario_.text(at + ".name");
      const bool word = !body.name.empty() &&
                        std::all_of(body.name.begin(), body.name.end(), [](unsigned char letter) {
                          return std::isalnum(letter) != 0 || letter == '_';
                        });
      if (!word) wrong(at + ".name", "'{}' must be letters, digits and _", body.name);
      if (body.name == "ground" || !names_.emplace(body.name, static_cast<int>(i)).second)
        wrong(at + ".name", "'{}' is there already", body.name);
      read_body(at, body);
      file_.parts.bodies.push_back(std::move(body));
    }
  }

  void read_body(const std::string& at, AssemblyBody& body) {
    static const std::map<std::string, BodyType> types{
        {"mass", BodyType::mass},   {"fixed", BodyType::fixed}, {"driven", BodyType::driven},
        {"modal", BodyType::modal}, {"disc", BodyType::disc},   {"box", BodyType::box},
        {"rod", BodyType::rod}};
    static const std::map<std::string, Outline> outlines{{"wall", Outline::wall},
                                                         {"disc", Outline::disc},
                                                         {"box", Outline::box},
                                                         {"rod", Outline::rod}};
    const std::string type = scenario_.text(at + ".type");
    body.type = types.at(type);
    body.position = vector(at + ".position");
    body.velocity = vector(at + ".velocity");
    body.force = vector(at + ".force");
    body.angle = scenario_.number(at + ".angle");
    body.spin = scenario_.number(at + ".spin");
    if (scenario_.has(at + ".direction")) {
      body.direction = vector(at + ".direction");
      const double size = std::hypot(body.direction[0], body.direction[1]);
      if (!(size > 0)) wrong(at + ".direction", "must not be [0, 0]");
      body.direction = {body.direction[0] / size, body.direction[1] / size};
    }
    const bool rigid =
        body.type == BodyType::disc || body.type == BodyType::box || body.type == BodyType::rod;
    if (rigid && !plane_) wrong(at + ".type", "a {} needs space.dimension = 2", type);
    if (body.type == BodyType::modal && plane_)
      wrong(at + ".type", "a structure vibrates along one direction: space.dimension = 1");
    const auto only_for = [&](const char* key, bool serves, const char* whom) {
      if (!serves && scenario_.given(at + "." + key))
        wrong(at + "." + key, "has no meaning for type = \"{}\"; it is for {}", type, whom);
    };
    const bool free_body = rigid || body.type == BodyType::mass;
    const bool bell = body.type == BodyType::modal && scenario_.text(at + ".structure") == "bell";
    only_for("mass", free_body || bell, "mass, disc, box, rod");
    only_for("velocity", free_body, "mass, disc, box, rod");
    only_for("force", free_body, "mass, disc, box, rod");
    for (const char* key : {"force_amplitude", "force_frequency", "force_phase", "force_file"})
      only_for(key, free_body, "mass, disc, box, rod");
    only_for("frequency", body.type == BodyType::driven || bell, "driven");
    for (const char* key : {"amplitude", "phase", "end_frequency", "sweep_time"})
      only_for(key, body.type == BodyType::driven, "driven");
    only_for("spin", rigid, "disc, box, rod");
    only_for("inertia", rigid, "disc, box, rod");
    const bool still = body.type == BodyType::fixed || body.type == BodyType::driven;
    const bool modal = body.type == BodyType::modal, outlined = rigid || (plane_ && still);
    const char* const in_the_plane = "disc, box, rod and, in the plane, fixed and driven";
    only_for("angle", outlined, in_the_plane);
    only_for("shape", plane_ && still, "fixed and driven in the plane");
    only_for("radius", modal || outlined || (plane_ && body.type == BodyType::mass),
             "modal, disc, rod, and others in the plane");
    for (const char* key : {"width", "height", "length"})
      only_for(key, modal || outlined, in_the_plane);
    only_for("file", modal || body.type == BodyType::driven, "driven, modal");
    only_for("direction", free_body || body.type == BodyType::driven, "what is driven or forced");
    for (const char* key :
         {"structure", "modes", "material", "thickness", "linear_density", "area_density",
          "bending_stiffness", "poisson", "tension", "inharmonicity", "ends", "edge", "split",
          "note", "loss_constant", "loss_ratio", "loss_viscous"})
      only_for(key, modal, "modal");
    if (free_body) {
      if (!scenario_.has(at + ".mass")) {
        wrong(at + ".mass", "is missing: the body moves freely [kg], a number greater than 0");
      } else {
        body.mass = scenario_.number(at + ".mass");
      }
      body.varying_force = motion(at, "force_", "force");
    }
    if (body.type == BodyType::driven) {
      if (!scenario_.given(at + ".amplitude") && !scenario_.given(at + ".file"))
        wrong(at + ".type", "a driven body needs amplitude and frequency, or file");
      for (const char* key : {"end_frequency", "sweep_time"})
        only_for(key, !scenario_.given(at + ".file"), "a sine, not for a file");
      body.motion = motion(at, "", "position");
    }
    if (body.type == BodyType::modal) return;
    body.outline = rigid ? outlines.at(type) : outlines.at(scenario_.text(at + ".shape"));
    if (body.type == BodyType::mass) body.outline = Outline::disc;
    if (plane_) read_outline(at, body);
  }

  void read_outline(const std::string& at, AssemblyBody& body) {
    const auto size = [&](const char* key, double& value) {
      value = scenario_.maybe_number(at + "." + key).value_or(0.0);
      if (!(value > 0))
        wrong(at + "." + key, "{}: the outline needs it [m], a number greater than 0",
              scenario_.has(at + "." + key) ? "is 0" : "is missing");
    };
    const auto no_use = [&](const char* key) {
      if (scenario_.given(at + "." + key)) wrong(at + "." + key, "has no meaning for this outline");
    };
    const Outline outline = body.outline;
    if (outline != Outline::disc && outline != Outline::rod) no_use("radius");
    for (const char* key : {"width", "height"}) {
      if (outline != Outline::box) no_use(key);
    }
    if (outline != Outline::rod) no_use("length");
    body.radius = scenario_.maybe_number(at + ".radius").value_or(0.0);
    switch (body.outline) {
      case Outline::disc:
        if (body.type != BodyType::mass) size("radius", body.radius);
        break;
      case Outline::box:
        size("width", body.width);
        size("height", body.height);
        break;
      case Outline::rod:
        size("length", body.length);
        break;
      case Outline::wall:
        break;
    }
    body.inertia = scenario_.maybe_number(at + ".inertia").value_or(0.0);
  }

  /// The two bodies of a link, hinge or contact; false: something is wrong with them.
  bool ends(const std::string& at, int& first, int& second, const char* what) {
    const std::vector<std::string> names = scenario_.texts(at + ".between");
    std::vector<std::string_view> known{"ground"};
    for (const AssemblyBody& body : file_.parts.bodies) known.emplace_back(body.name);
    std::array<int, 2> found{};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto body = names_.find(names[i]);
      found[i] = body != names_.end() ? body->second : ground;
      if (body == names_.end() && names[i] != "ground") {
        problems_.add(at + ".between", unknown_name_message("body", names[i], known));
        return false;
      }
    }
    first = found[0];
    second = found[1];
    if (first == second) {
      wrong(at + ".between", "a {} needs two bodies, both are '{}'", what, names[0]);
      return false;
    }
    if (!moves(first) && !moves(second)) {
      wrong(at + ".between", "neither '{}' nor '{}' moves freely", names[0], names[1]);
      return false;
    }
    return true;
  }

  bool moves(int body) const {
    return body != ground && moves_freely(file_.parts.bodies[static_cast<std::size_t>(body)]);
  }
  bool round(int body) const {
    return body != ground &&
           file_.parts.bodies[static_cast<std::size_t>(body)].outline == Outline::disc;
  }
  bool is_modal(int body) const {
    return body != ground &&
           file_.parts.bodies[static_cast<std::size_t>(body)].type == BodyType::modal;
  }

  /// The number of the point of a structure at which something holds on to it.
  int point(const std::string& key, int body) {
    if (!is_modal(body)) {
      if (!plane_ && scenario_.given(key))
        wrong(key, "has no meaning: only a body with a structure has places");
      return 0;
    }
    Place at{0.0, 0.0};
    if (!scenario_.has(key)) {
      wrong(key, "is missing: where on '{}'",
            file_.parts.bodies[static_cast<std::size_t>(body)].name);
    } else {
      const Json& value = scenario_.table(key);
      at = value.is_array() ? Place{value[0].get<double>(), value[1].get<double>()}
                            : Place{value.get<double>(), 0.0};
    }
    std::vector<Held>& places = places_[body];
    places.push_back({key, at});
    return static_cast<int>(places.size()) - 1;
  }

  double start_of(int body) const {
    if (body == ground) return 0.0;
    const AssemblyBody& part = file_.parts.bodies[static_cast<std::size_t>(body)];
    const double moved = part.type == BodyType::driven ? MotionCurve(part.motion).at(0.0).value : 0;
    return part.position[0] + moved;
  }

  void read_links() {
    const std::size_t count = scenario_.rows("link").size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string at = row("link", i);
      AssemblyLink link;
      if (!ends(at, link.first, link.second, "link")) continue;
      link.stiffness = scenario_.number(at + ".stiffness");
      link.damping = scenario_.number(at + ".damping");
      link.cubic = scenario_.number(at + ".cubic");
      if (link.stiffness == 0 && link.damping == 0 && link.cubic == 0)
        wrong(at + ".between", "neither stiffness, damping nor cubic is given: it does nothing");
      link.point_first = point(at + ".at_first", link.first);
      link.point_second = point(at + ".at_second", link.second);
      if (plane_) {
        link.at_first = vector(at + ".at_first");
        link.at_second = vector(at + ".at_second");
      }
      const auto length = scenario_.maybe_number(at + ".length");
      link.length = length.value_or(plane_ ? -1.0 : start_of(link.second) - start_of(link.first));
      if (plane_ && length && *length < 0)
        wrong(at + ".length", "{:g} must be at least 0", *length);
      file_.parts.links.push_back(link);
    }
  }

  void read_hinges() {
    const std::size_t count = scenario_.rows("hinge").size();
    // Which body stands for all that hinges connect with it; what does not move freely is one.
    std::vector<int> stands_for(file_.parts.bodies.size());
    std::iota(stands_for.begin(), stands_for.end(), 0);
    const auto group = [&](int body) {
      while (body != ground && stands_for[static_cast<std::size_t>(body)] != body)
        body = stands_for[static_cast<std::size_t>(body)];
      const bool moves =
          body != ground && moves_freely(file_.parts.bodies[static_cast<std::size_t>(body)]);
      return moves ? body : ground;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const std::string at = row("hinge", i);
      AssemblyHinge hinge;
      if (!plane_) {
        wrong(at + ".between", "a hinge needs space.dimension = 2");
        continue;
      }
      if (!ends(at, hinge.first, hinge.second, "hinge")) continue;
      for (const int body : {hinge.first, hinge.second}) {
        if (body == ground) continue;
        const AssemblyBody& part = file_.parts.bodies[static_cast<std::size_t>(body)];
        if (part.type == BodyType::mass || part.type == BodyType::driven)
          wrong(at + ".between", "'{}' cannot hold a hinge: ground, fixed, disc, box and rod can",
                part.name);
      }
      const int first = group(hinge.first), second = group(hinge.second);
      if (first == second) {
        wrong(at + ".between", "this hinge closes a loop: hinges must form trees");
      } else {
        stands_for[static_cast<std::size_t>(first == ground ? second : first)] =
            first == ground ? ground : second;
      }
      hinge.at = vector(at + ".at");
      hinge.stiffness = scenario_.number(at + ".stiffness");
      hinge.damping = scenario_.number(at + ".damping");
      file_.parts.hinges.push_back(hinge);
    }
  }

  void read_contacts() {
    const std::size_t count = scenario_.rows("contact").size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string at = row("contact", i);
      AssemblyContact contact;
      check_contact(scenario_, problems_, StiffnessFrom::contact_table, at);
      if (!ends(at, contact.first, contact.second, "contact")) continue;
      const std::vector<std::string> names = scenario_.texts(at + ".between");
      contact.point_first = point(at + ".at_first", contact.first);
      contact.point_second = point(at + ".at_second", contact.second);
      contact.inside = scenario_.truth(at + ".inside");
      const double friction = scenario_.number(at + ".friction");
      if (plane_) {
        for (const char* key : {".distance", ".at_first", ".at_second"}) {
          if (scenario_.given(at + key))
            wrong(at + key, "has no meaning in the plane: outlines say when bodies touch");
        }
        if (contact.inside && (!round(contact.first) || !round(contact.second)))
          wrong(at + ".inside", "a disc inside a round hole: both bodies must be discs");
      } else {
        if (friction > 0) wrong(at + ".friction", "needs space.dimension = 2");
        if (contact.inside) wrong(at + ".inside", "needs space.dimension = 2");
        contact.distance = scenario_.maybe_number(at + ".distance").value_or(0.0);
        const double gap = start_of(contact.second) - start_of(contact.first) - contact.distance;
        const double size = std::abs(start_of(contact.second)) + std::abs(start_of(contact.first)) +
                            std::abs(contact.distance);
        if (gap < -1e-12 * size)
          wrong(at + ".between",
                "the bodies overlap by {:.4g} m at the start; the second must be at least {:g} m "
                "to the right of the first",
                -gap, contact.distance);
      }
      const std::string both = names[0] + "-" + names[1];
      const auto is_there = [&](const std::string& name) {
        return std::find(file_.contact_names.begin(), file_.contact_names.end(), name) !=
               file_.contact_names.end();
      };
      std::string name = both;
      for (int number = 2; is_there(name); ++number) name = fmt::format("{}_{}", both, number);
      file_.contact_names.push_back(name);
      file_.friction.push_back(friction);
      file_.tangential_stiffness.push_back(
          scenario_.maybe_number(at + ".tangential_stiffness").value_or(0.0));
      file_.parts.contacts.push_back(contact);
    }
  }

  /// The structures, with their shapes at the places that were asked for.
  void add_shapes() {
    for (std::size_t b = 0; b < file_.parts.bodies.size(); ++b) {
      AssemblyBody& body = file_.parts.bodies[b];
      if (body.type != BodyType::modal) continue;
      const std::vector<Held>& held = places_[static_cast<int>(b)];
      std::vector<Place> places;
      for (const Held& one : held) places.push_back(one.at);
      const std::string at = row("body", b);
      if (places.empty()) {
        wrong(at + ".type", "nothing touches or holds '{}'", body.name);
        continue;
      }
      problems_.attempt(at + ".structure", [&] {
        try {
          body.modal = structure(at, places);
        } catch (const InvalidInput&) {
          structure(at, {});  // throws where it is not the places that are wrong
          for (const Held& one : held) problems_.attempt(one.key, [&] { structure(at, {one.at}); });
        }
      });
    }
  }

  ModalBody structure(const std::string& at, const std::vector<Place>& places) {
    if (scenario_.text(at + ".structure") != "table") {
      return read_structure(scenario_,
                            {.type = at + ".structure",
                             .at = at + ".",
                             .loss = at + ".loss_",
                             .count = at + ".modes"},
                            places);
    }
    if (!scenario_.has(at + ".file"))
      throw InvalidInput(at + ".file is missing: structure = \"table\" needs it");
    std::vector<double> x;
    for (const Place& place : places) x.push_back(place.x);
    return modes_of_table(TableFile(scenario_, at + ".file"),
                          static_cast<int>(scenario_.whole_number(at + ".modes")), x);
  }

  const Scenario& scenario_;
  Problems& problems_;
  AssemblyFile file_;
  bool plane_ = false;
  std::map<std::string, int> names_;
  std::map<int, std::vector<Held>> places_;  ///< of structures
};

}  // namespace

AssemblyFile read_assembly(const Scenario& scenario, Problems& problems) {
  return AssemblyReader(scenario, problems).read();
}

LawChoice assembly_law(const Scenario& scenario, std::size_t contact, const Collision& collision) {
  return contact_law(scenario, collision.mass, collision.speed, {},
                     fmt::format("contact.{}", contact + 1));
}

bool law_depends_on_impact(const Scenario& scenario, std::size_t contact) {
  const std::string at = fmt::format("contact.{}", contact + 1);
  return law_info(scenario.text(at + ".law")).compliant && scenario.has(at + ".restitution");
}

}  // namespace carom
