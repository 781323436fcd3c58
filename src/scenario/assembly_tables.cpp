#include <algorithm>

#include "assembly_file.hpp"
#include "contact_law.hpp"
#include "structure.hpp"

namespace carom {
namespace {

std::vector<Field> with(std::vector<Field> keys, std::vector<Field> more) {
  keys.insert(keys.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
  return keys;
}

std::vector<Field> body_keys() {
  std::vector<Field> keys{
      text("name", "name: letters, digits and _; \"ground\" always exists").required(),
      text("type",
           "mass: a point; fixed; driven: its motion is given; modal: vibrates; disc, box, rod: "
           "rigid bodies of the plane")
          .one_of({"mass", "fixed", "driven", "modal", "disc", "box", "rod"})
          .defaults_to("mass"),
      number("mass", "kg", "mass of a body that moves freely, or of a bell").positive(),
      place("position", "m", "position of the centre at the start").defaults_to(0.0),
      place("velocity", "m/s", "velocity of the centre at the start").defaults_to(0.0),
      number("angle", "rad", "angle at the start, counter-clockwise").defaults_to(0.0),
      number("spin", "rad/s", "angular velocity at the start").defaults_to(0.0),
      place("force", "N", "constant force").defaults_to(0.0),
      number("force_amplitude", "N", "amplitude of a force that varies as a sine").defaults_to(0.0),
      number("force_frequency", "Hz", "frequency of that force").not_negative().defaults_to(0.0),
      number("force_phase", "rad", "phase of that force").defaults_to(0.0),
      file("force_file", "CSV with columns time, force, in place of the sine"),
      number("amplitude", "m",
             "amplitude of a driven body, which moves as position + amplitude sin(2 pi frequency t "
             "+ phase)")
          .defaults_to(0.0),
      number("frequency", "Hz", "frequency of a driven body; prime of a bell")
          .not_negative()
          .defaults_to(0.0),
      number("phase", "rad", "phase of a driven body").defaults_to(0.0),
      number("end_frequency", "Hz", "frequency at the end of a sweep, reached after sweep_time")
          .not_negative(),
      number("sweep_time", "s", "time in which the frequency changes linearly").positive(),
      file("file",
           "driven body: CSV with columns time and position, in place of the sine; modal body: its "
           "table of modes"),
      place("direction", "", "direction of the drive or of the varying force in the plane, [x, y]"),
      text("shape", "shape of a fixed or driven body in the plane")
          .one_of({"wall", "disc", "box", "rod"})
          .defaults_to("wall"),
      number("inertia", "kg m^2",
             "moment of inertia about the centre; by default that of a homogeneous body")
          .positive(),
      number(
          "radius", "m",
          "radius of a disc or drum, or of the cross-section of a round bar, tube or string; half "
          "the thickness of a rod")
          .not_negative(),
      number("width", "m", "width of a box, flat bar, plate or membrane").positive(),
      number("height", "m", "height of a box").positive(),
      number("length", "m", "length of a rod, string, bar, tube, plate or membrane").positive(),
      text("structure", "what vibrates: modes of a file, or computed from its dimensions")
          .one_of([] {
            std::vector<std::string> names = structure_names();
            names.insert(names.begin(), "table");
            return names;
          }())
          .defaults_to("table"),
      whole_number("modes", "number of modes").within(1, 5000).defaults_to(20)};
  for (Field& key : structure_fields()) {
    const bool known = std::any_of(keys.begin(), keys.end(),
                                   [&](const Field& other) { return other.name == key.name; });
    if (known) continue;
    if (key.name == "ends") key.choices.emplace_back("simply-supported");  // as 0.1 had it
    keys.push_back(std::move(key));
  }
  return with(std::move(keys), loss_fields("loss_"));
}

/// Where a link or contact holds on to its two bodies.
std::vector<Field> end_keys() {
  return {place("at_first", "m",
                "where it acts on the first body: a place on a structure, or a point in the frame "
                "of a rigid body"),
          place("at_second", "m", "where it acts on the second body, likewise")};
}

Field between() {
  return text_list("between", "the names of the two bodies; on a line the first is on the left")
      .count(2, 2)
      .required();
}

std::vector<Field> contact_keys() {
  std::vector<Field> keys{
      between(),
      number("distance", "m", "distance between the reference points at first touch; line only")};
  keys = with(std::move(keys), contact_table(all_laws("hunt-crossley")).fields);
  for (Field& key : keys) key.example = nullptr;
  return with(
      with(std::move(keys), end_keys()),
      {number("friction", "", "Coulomb's coefficient; plane only").not_negative().defaults_to(0.0),
       number("tangential_stiffness", "N/m",
              "stiffness of the spring that holds a compliant contact with friction until it "
              "slips; by default 0.82 of the mean normal stiffness of the impact")
           .positive(),
       truth("inside", "the first, a disc, moves inside the second, a round hole; plane only")
           .defaults_to(false)});
}

}  // namespace

std::vector<Table> assembly_tables() {
  return {
      {.name = "space",
       .help = "Where the bodies live.",
       .fields = {whole_number("dimension",
                               "1: along a line, x to the right; 2: in the plane, y up")
                      .within(1, 2)
                      .defaults_to(1),
                  number("gravity", "m/s^2",
                         "acceleration towards negative x on a line, negative y in the plane")
                      .defaults_to(0.0)}},
      {.name = "body", .help = "A body.", .fields = body_keys(), .repeated = true},
      {.name = "link",
       .help = "A spring with a damper between two bodies.",
       .fields = with({between(),
                       number("stiffness", "N/m", "stiffness, proportional to the displacement")
                           .not_negative()
                           .defaults_to(0.0),
                       number("damping", "N s/m", "damping, proportional to the velocity")
                           .not_negative()
                           .defaults_to(0.0),
                       number("cubic", "N/m^3", "cubic stiffness").not_negative().defaults_to(0.0),
                       number("length", "m",
                              "position of the second body minus that of the first at which the "
                              "spring is at rest; by default the initial one")},
                      end_keys()),
       .repeated = true},
      {.name = "hinge",
       .help = "A point that two rigid bodies of the plane share.",
       .fields = {between(), place("at", "m", "position at the start").required(),
                  number("stiffness", "N m/rad",
                         "stiffness of the hinge, at rest at the initial angle")
                      .not_negative()
                      .defaults_to(0.0),
                  number("damping", "N m s/rad", "damping of the rotation")
                      .not_negative()
                      .defaults_to(0.0)},
       .repeated = true},
      {.name = "contact",
       .help = "Where two bodies can touch.",
       .fields = contact_keys(),
       .repeated = true}};
}

}  // namespace carom
