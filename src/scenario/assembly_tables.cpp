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
      text("name", "letters, digits and _; \"ground\" is always there").required(),
      text("type",
           "mass: a point; fixed; driven: moves as told; modal: vibrates; rigid bodies of "
           "the plane: disc, box, rod")
          .one_of({"mass", "fixed", "driven", "modal", "disc", "box", "rod"})
          .defaults_to("mass"),
      number("mass", "kg", "of what moves freely, and of a bell").positive(),
      place("position", "m", "of the centre at the start").defaults_to(0.0),
      place("velocity", "m/s", "of the centre at the start").defaults_to(0.0),
      number("angle", "rad", "at the start, counter-clockwise").defaults_to(0.0),
      number("spin", "rad/s", "at the start").defaults_to(0.0),
      place("force", "N", "constant").defaults_to(0.0),
      number("force_amplitude", "N", "of a force that varies as a sine").defaults_to(0.0),
      number("force_frequency", "Hz", "of that force").not_negative().defaults_to(0.0),
      number("force_phase", "rad", "of that force").defaults_to(0.0),
      file("force_file", "CSV with columns time, force, in place of the sine"),
      number("amplitude", "m",
             "of a driven body: position + amplitude sin(2 pi frequency t + phase)")
          .defaults_to(0.0),
      number("frequency", "Hz", "of a driven body; prime of a bell").not_negative().defaults_to(0.0),
      number("phase", "rad", "of a driven body").defaults_to(0.0),
      number("end_frequency", "Hz", "of a sweep, reached after sweep_time").not_negative(),
      number("sweep_time", "s", "in which the frequency changes linearly").positive(),
      file("file",
           "of a driven body: CSV with columns time, position, in place of the sine; of a "
           "modal one: its table of modes"),
      place("direction", "", "of the drive or the varying force in the plane, [x, y]"),
      text("shape", "of a fixed or driven body in the plane")
          .one_of({"wall", "disc", "box", "rod"})
          .defaults_to("wall"),
      number("inertia", "kg m^2", "about the centre; without it that of a homogeneous body")
          .positive(),
      number("radius", "m", "of a disc, half the thickness of a rod, of a drum; of the cross-section of a round bar, tube "
             "or string").not_negative(),
      number("width", "m", "of a box, flat bar, plate or membrane").positive(),
      number("height", "m", "of a box").positive(),
      number("length", "m", "of a rod, string, bar, tube, plate or membrane").positive(),
      text("structure", "what vibrates: modes of a file, or computed from its dimensions")
          .one_of([] {
            std::vector<std::string> names = structure_names();
            names.insert(names.begin(), "table");
            return names;
          }())
          .defaults_to("table"),
      whole_number("modes", "how many of them").within(1, 5000).defaults_to(20)};
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
                "on the first body: where on a structure; in the frame of a rigid body"),
          place("at_second", "m", "likewise on the second")};
}

Field between() {
  return text_list("between", "the names of the two bodies; on a line the first is on the left")
      .count(2, 2)
      .required();
}

std::vector<Field> contact_keys() {
  std::vector<Field> keys{
      between(), number("distance", "m", "of the reference points at first touch; line only")};
  keys = with(std::move(keys), contact_table(all_laws("hunt-crossley")).fields);
  for (Field& key : keys) key.example = nullptr;
  return with(
      with(std::move(keys), end_keys()),
      {number("friction", "", "Coulomb's coefficient; plane only").not_negative().defaults_to(0.0),
       number("tangential_stiffness", "N/m",
              "of the spring that holds a compliant contact with friction until it slips; without "
              "it 0.82 of the mean normal stiffness of the impact")
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
                         "accelerates towards negative x on a line, negative y in the plane")
                      .defaults_to(0.0)}},
      {.name = "body", .help = "A body.", .fields = body_keys(), .repeated = true},
      {.name = "link",
       .help = "A spring with a damper between two bodies.",
       .fields =
           with({between(), number("stiffness", "N/m", "linear").not_negative().defaults_to(0.0),
                 number("damping", "N s/m", "linear").not_negative().defaults_to(0.0),
                 number("cubic", "N/m^3", "cubic stiffness").not_negative().defaults_to(0.0),
                 number("length", "m",
                        "position of the second minus that of the first at which the spring "
                        "is at rest; without it the initial one")},
                end_keys()),
       .repeated = true},
      {.name = "hinge",
       .help = "A point that two rigid bodies of the plane share.",
       .fields = {between(), place("at", "m", "where it is at the start").required(),
                  number("stiffness", "N m/rad", "against turning from the start")
                      .not_negative()
                      .defaults_to(0.0),
                  number("damping", "N m s/rad", "of the turning").not_negative().defaults_to(0.0)},
       .repeated = true},
      {.name = "contact",
       .help = "Where two bodies can touch.",
       .fields = contact_keys(),
       .repeated = true}};
}

}  // namespace carom
