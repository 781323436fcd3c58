#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/systems/modal_structures.hpp>

#include "kinds.hpp"
#include "modal_method.hpp"
#include "modal_run.hpp"
#include "structure.hpp"
#include "table_file.hpp"

namespace carom {
namespace {

struct PlacedObstacle {
  Place place;
  double height;
  Side side;
  std::string table;  // that gives it its law
};

double needed(const Scenario& scenario, const std::string& key) {
  if (const auto value = scenario.maybe_number(key)) return *value;
  throw InvalidInput(
      fmt::format("{} is missing: body.type = \"{}\" needs it", key, scenario.text("body.type")));
}

/// The structure with its shapes at the places, one row each.
ModalBody read_body(const Scenario& scenario, const std::vector<Place>& places) {
  if (scenario.text("body.type") != "table") {
    return read_structure(
        scenario, {.type = "body.type", .at = "body.", .loss = "loss.", .count = "body.modes"},
        places);
  }
  if (!scenario.has("body.file"))
    throw InvalidInput("body.file is missing: body.type = \"table\" needs it");
  std::vector<double> columns;
  for (const Place& place : places) columns.push_back(place.x);
  return modes_of_table(TableFile(scenario, "body.file"),
                        static_cast<int>(scenario.whole_number("body.modes")), columns);
}

std::vector<PlacedObstacle> read_obstacles(const Scenario& scenario) {
  std::vector<PlacedObstacle> obstacles;
  const auto side = [](const std::string& name) {
    return name == "above" ? Side::below : Side::above;
  };
  for (const Json& row : scenario.rows("obstacle")) {
    obstacles.push_back({{row.at("x").get<double>(), row.at("y").get<double>()},
                         row.at("height").get<double>(),
                         side(row.at("side").get<std::string>()),
                         fmt::format("obstacle.{}", obstacles.size() + 1)});
  }
  int wire = 0;
  for (const Json& row : scenario.rows("wire")) {
    ++wire;
    const auto points = row.at("points").get<int>();
    for (int i = 0; i < points; ++i) {
      const double t = points == 1 ? 0.5 : static_cast<double>(i) / (points - 1);
      const double x0 = row.at("x1").get<double>(), y0 = row.at("y1").get<double>();
      obstacles.push_back(
          {{x0 + t * (row.at("x2").get<double>() - x0), y0 + t * (row.at("y2").get<double>() - y0)},
           row.at("height").get<double>(),
           side(row.at("side").get<std::string>()),
           fmt::format("wire.{}", wire)});
    }
  }
  return obstacles;
}

std::vector<Place> read_points(const Scenario& scenario) {
  const std::vector<double> x = scenario.numbers("output.points"),
                            y = scenario.numbers("output.points_y");
  if (!y.empty() && y.size() != x.size()) {
    throw InvalidInput(
        fmt::format("output.points_y = {} values: must be {}, one per output.points, or none",
                    y.size(), x.size()));
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < x.size(); ++i) places.push_back({x[i], y.empty() ? 0.0 : y[i]});
  return places;
}

bool along_a_line(std::string_view type) {
  return type == "bar" || type == "tube" || type == "string";
}

/// A section along x, empty for a table of modes and for a bell: the y in which it lies and its
/// ends.
struct Section {
  double y = 0, from = 0, to = 0;
};

/// Through the row of obstacles that is nearest to where the body is struck, if there is one, else
/// through the struck point itself.
Section choose_section(const Scenario& scenario, const std::vector<PlacedObstacle>& obstacles) {
  const std::string& type = scenario.text("body.type");
  if (type == "table" || type == "bell") return {};
  if (along_a_line(type)) return {.to = needed(scenario, "body.length")};
  const char* stroke = scenario.has("hammer") ? "hammer.y" : "strike.y";
  const bool round = type == "drum" || type == "disc";
  const double middle = round ? 0.0 : needed(scenario, "body.width") / 2;
  const double struck = scenario.has(stroke) ? scenario.number(stroke) : middle;
  Section section{.y = struck};
  double nearest = std::numeric_limits<double>::infinity();
  for (const PlacedObstacle& obstacle : obstacles) {
    if (std::abs(obstacle.place.y - struck) >= nearest) continue;
    nearest = std::abs(obstacle.place.y - struck);
    section.y = obstacle.place.y;
  }
  if (round) {
    const double radius = needed(scenario, "body.radius");
    section.to = std::sqrt(std::max(0.0, (radius - section.y) * (radius + section.y)));
    section.from = -section.to;
  } else {
    section.to = needed(scenario, "body.length");
  }
  return section;
}

/// Everything of the view but the shapes.
SideView view_along(const Section& section, const Scenario& scenario,
                    const std::vector<PlacedObstacle>& obstacles) {
  SideView view;
  if (!(section.to > section.from)) return view;
  const bool surface = !along_a_line(scenario.text("body.type"));
  constexpr int parts = 120;
  for (int i = 0; i <= parts; ++i) {
    view.x.push_back(section.from + (section.to - section.from) * i / parts);
  }
  if (surface) view.where = fmt::format(", seen in the section at y = {:.4g} m", section.y);
  for (const PlacedObstacle& obstacle : obstacles) {
    if (surface && obstacle.place.y != section.y) continue;
    view.mark_x.push_back(obstacle.place.x);
    view.mark_height.push_back(obstacle.height);
  }
  if (scenario.has("hammer") && (!surface || scenario.number("hammer.y") == section.y)) {
    view.hammer_x = scenario.number("hammer.x");
  }
  return view;
}

ModalSetup read_body_setup(const Scenario& scenario) {
  const std::vector<PlacedObstacle> obstacles = read_obstacles(scenario);
  const std::vector<Place> points = read_points(scenario);
  const bool hammered = scenario.has("hammer"), struck = scenario.has("strike");
  std::vector<Place> places;
  for (const PlacedObstacle& obstacle : obstacles) places.push_back(obstacle.place);
  places.insert(places.end(), points.begin(), points.end());
  if (hammered) places.push_back({scenario.number("hammer.x"), scenario.number("hammer.y")});
  if (struck) places.push_back({scenario.number("strike.x"), scenario.number("strike.y")});

  ModalSetup setup;
  const Section section = choose_section(scenario, obstacles);
  setup.view = view_along(section, scenario, obstacles);
  for (const double x : setup.view.x) places.push_back({x, section.y});

  ModalProblem& problem = setup.problem;
  const ModalBody whole = read_body(scenario, places);
  Eigen::Index row = 0;
  const auto next_rows = [&](std::size_t count) -> ShapeMatrix {
    const auto rows = static_cast<Eigen::Index>(count);
    row += rows;
    return whole.shapes.middleRows(row - rows, rows);
  };
  problem.body = {.modes = whole.modes, .shapes = next_rows(obstacles.size())};
  setup.contact_points = problem.body.shapes;
  setup.output_points = next_rows(points.size());
  const ShapeMatrix at_hammer = next_rows(hammered), at_strike = next_rows(struck);
  setup.view.shapes = next_rows(setup.view.x.size());

  const Eigen::Index modes = whole.mode_count();
  problem.start.position = Eigen::VectorXd::Zero(modes);
  problem.start.velocity = Eigen::VectorXd::Zero(modes);
  if (struck) {
    // An impulse P at a point: every mode starts with phi P/m.
    for (Eigen::Index j = 0; j < modes; ++j) {
      problem.start.velocity[j] = at_strike(0, j) * scenario.number("strike.impulse") /
                                  whole.modes[static_cast<std::size_t>(j)].mass;
    }
  }
  std::vector<std::string> tables;
  for (const PlacedObstacle& obstacle : obstacles) {
    problem.heights.push_back(obstacle.height);
    problem.sides.push_back(obstacle.side);
    tables.push_back(obstacle.table);
  }
  if (hammered) {
    add_hammer(setup, at_hammer, scenario.number("hammer.mass"), scenario.number("hammer.gap"),
               scenario.number("hammer.speed"));
    tables.emplace_back("hammer");
  }
  read_modal_method(scenario, problem);
  read_contact_laws(scenario, tables, problem);
  return setup;
}

void check_body(const Scenario& scenario, Problems& problems) {
  check_modal_method(scenario, scenario.numbers("output.points").size(), problems);
  if (!problems.all().empty()) return;
  problems.attempt("body", [&] {
    const ModalProblem problem = read_body_setup(scenario).problem;
    check_law_and_method(scenario, problem, problems);
    validate(problem);
  });
}

std::vector<Advice> advise_body(const Scenario& scenario) {
  return advise_modal(scenario, read_body_setup(scenario).problem);
}

RunOutcome run_body(const Scenario& scenario, RunContext& context) {
  return run_modal(read_body_setup(scenario), scenario, context);
}

Field side_field() {
  return text("side", "side of the body on which it is")
      .one_of({"below", "above"})
      .defaults_to("below");
}

/// What `carom new body` starts with: a drum.
std::vector<Field> body_fields() {
  std::vector<std::string> types = structure_names();
  types.emplace_back("table");
  std::vector<Field> fields{
      text("type", "type of structure; table: modes and shapes from a file")
          .one_of(types)
          .required()
          .starts_with("drum"),
      whole_number("modes", "number of modes").within(1, 20000).defaults_to(100).starts_with(80)};
  for (Field& field : structure_fields()) {
    if (field.name == "radius") field.example = 0.18;
    if (field.name == "area_density") field.example = 0.26;
    if (field.name == "tension") field.example = 3500.0;
    fields.push_back(std::move(field));
  }
  fields.push_back(number("mass", "kg", "mass of a bell").positive());
  fields.push_back(
      file("file",
           "table of modes, as carom modes writes it: CSV with frequency, damping or t60, mass "
           "and shapes point_1, point_2, ... (or hit, heard); places are then the numbers of the "
           "points"));
  return fields;
}

}  // namespace

Kind body_kind() {
  return {
      .name = "body",
      .summary =
          "A bar, tube, plate, disc, membrane, drum, string, bell or any table of modes that is "
          "struck and rattles on "
          "obstacles.",
      .description =
          "Any linear structure by its modes, in front of points it may touch, by the same engine "
          "as "
          "the kind string.",
      .tables =
          {{"body",
            "The structure. Lengths from one corner, for a drum or disc from its centre; of a bell "
            "the angle around it [rad].",
            body_fields()},
           {"loss", "sigma = constant + ratio omega + viscous omega^2.",
            [] {
              std::vector<Field> fields = loss_fields();
              fields[0].fallback = 3.0;
              fields[0].example = 8.0;
              fields[1].example = 2e-3;
              return fields;
            }()},
           {.name = "hammer",
            .help = "A free mass that comes down on the body.",
            .fields = with_own_law(
                {number("x", "m", "x where it hits").required().starts_with(0.05),
                 number("y", "m", "y where it hits").defaults_to(0.0).starts_with(0.02),
                 number("mass", "kg", "mass of the hammer").positive().required().starts_with(0.03),
                 number("speed", "m/s", "speed at the start, downward").required().starts_with(3.0),
                 number("gap", "m", "gap between hammer and body at the start")
                     .not_negative()
                     .defaults_to(0.0)}),
            .optional = true},
           {.name = "strike",
            .help = "An impulse at a point, at the start.",
            .fields = {number("x", "m", "x of the place").required(),
                       number("y", "m", "y of the place").defaults_to(0.0),
                       number("impulse", "N s", "upward impulse").required()},
            .optional = true},
           {.name = "obstacle",
            .help = "One point the body may touch.",
            .fields = with_own_law(
                {number("x", "m", "x of the place").required(),
                 number("y", "m", "y of the place").defaults_to(0.0),
                 number("height", "m", "height, on the axis of the displacement").required(),
                 side_field()}),
            .repeated = true},
           {.name = "wire",
            .help = "A row of such points, e.g. a snare under a drum head.",
            .fields =
                with_own_law({number("x1", "m", "x of its beginning").required().starts_with(-0.12),
                              number("y1", "m", "y of its beginning").required().starts_with(0.03),
                              number("x2", "m", "x of its end").required().starts_with(0.12),
                              number("y2", "m", "y of its end").required().starts_with(0.03),
                              whole_number("points", "number of contact points")
                                  .within(1, 2000)
                                  .defaults_to(10)
                                  .starts_with(8),
                              number("height", "m", "height, on the axis of the displacement")
                                  .required()
                                  .starts_with(-2e-5),
                              side_field()}),
            .repeated = true},
           modal_contact_table(),
           modal_run_table(),
           [] {
             Table table = modal_output_table(
                 number_list("points", "m", "x of the places recorded as point_1, ...")
                     .defaults_to(Json::array())
                     .starts_with(Json::array({0.07})));
             table.fields.push_back(
                 number_list("points_y", "m", "y of these places; by default all 0")
                     .defaults_to(Json::array())
                     .starts_with(Json::array({0.05})));
             return table;
           }(),
           modal_sound_table()},
      .refusal = modal_refusal,
      .check = check_body,
      .advise = advise_body,
      .run = run_body,
      .note_key = "body.note",
      .reference_method = "moreau-jean",
      .main_signal = "point_1",
      .reference_for = modal_reference,
      .reference_refinement = 4};
}

}  // namespace carom
