#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/scenario/note.hpp>
#include <carom/systems/obstacles.hpp>
#include <carom/systems/stiff_string.hpp>

#include "kinds.hpp"
#include "modal_method.hpp"
#include "modal_run.hpp"
#include "played.hpp"
#include "table_file.hpp"

namespace carom {
namespace {

StiffString read_string(const Scenario& scenario) {
  StiffString string{.length = scenario.number("string.length"),
                     .linear_density = scenario.number("string.linear_density"),
                     .tension = scenario.maybe_number("string.tension").value_or(0),
                     .modes = static_cast<int>(scenario.whole_number("string.modes")),
                     .inharmonicity = scenario.number("string.inharmonicity"),
                     .air_diameter = scenario.number("string.diameter"),
                     .viscoelastic = scenario.number("string.viscoelastic"),
                     .thermoelastic = scenario.number("string.thermoelastic")};
  if (scenario.text("string.model") == "appendix") string.model = StringModel::appendix;
  for (const Json& row : scenario.rows("support")) {
    string.support.push_back({.frequency = row.at("frequency").get<double>(),
                              .damping = row.at("damping").get<double>(),
                              .mass = row.at("mass").get<double>()});
  }
  if (scenario.has("string.note")) {
    // The lowest mode is at sqrt(T/mu)/(2 L) times what the stiffness makes of it; what supports
    // shift is left in, as they do on an instrument.
    const double bent = string.model == StringModel::appendix ? 1 + string.inharmonicity / 2
                                                              : std::sqrt(1 + string.inharmonicity);
    const double wave =
        2 * string.length * note_frequency(note_key(scenario.text("string.note"))) / bent;
    string.tension = wave * wave * string.linear_density;
  }
  return string;
}

/// The modes by the model, or from a file: then as many as asked for.
ModalBody read_modes(const Scenario& scenario, const StiffString& string) {
  if (!scenario.has("string.modes_file")) return modal_body(string);
  const TableFile file(scenario, "string.modes_file");
  const std::vector<double> frequency = file.column("frequency_Hz"),
                            sigma = file.column("sigma_1_per_s");
  if (frequency.size() < static_cast<std::size_t>(string.modes)) {
    throw InvalidInput(fmt::format("string.modes = {}: the file '{}' has only {}", string.modes,
                                   scenario.path("string.modes_file").string(), frequency.size()));
  }
  ModalBody body;
  for (std::size_t j = 0; j < static_cast<std::size_t>(string.modes); ++j) {
    body.modes.push_back(
        {.frequency = frequency[j], .damping = sigma[j], .mass = string.linear_density});
  }
  body.shapes.resize(0, string.modes);
  validate(body);
  return body;
}

ModalState read_pluck(const Scenario& scenario, const StiffString& string, const ModalBody& body) {
  ModalState state{.position = Eigen::VectorXd::Zero(string.modes),
                   .velocity = Eigen::VectorXd::Zero(string.modes)};
  if (scenario.has("pluck.modal_file")) {
    const TableFile file(scenario, "pluck.modal_file");
    const std::vector<double> q = file.column(scenario.text("pluck.modal_column"));
    if (q.size() < static_cast<std::size_t>(string.modes)) {
      throw InvalidInput(fmt::format("string.modes = {}: the file '{}' has amplitudes for {}",
                                     string.modes, scenario.path("pluck.modal_file").string(),
                                     q.size()));
    }
    std::copy_n(q.begin(), string.modes, state.position.begin());
  } else if (scenario.has("pluck.shape_file")) {
    const TableFile file(scenario, "pluck.shape_file");
    const std::vector<double> x = file.column(scenario.text("pluck.position_column"));
    const std::vector<double> u = file.column(scenario.text("pluck.shape_column"));
    // Straight lines between the rows of the file and the fixed ends.
    std::vector<double> all_x{0.0}, all_u{0.0};
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] <= 0 || x[i] >= string.length) continue;
      all_x.push_back(x[i]);
      all_u.push_back(u[i]);
    }
    all_x.push_back(string.length);
    all_u.push_back(0.0);
    std::vector<double> samples;
    for (const ObstaclePoint& point : profile(all_x, all_u, string.modes + 2))
      samples.push_back(point.height);
    state =
        from_samples(string, std::span(samples).subspan(1, static_cast<std::size_t>(string.modes)));
  } else if (scenario.has("pluck.height")) {
    const std::string& shape = scenario.text("pluck.shape");
    state = pluck(string, body,
                  {.shape = shape == "triangle"   ? PluckShape::triangle
                            : shape == "smoothed" ? PluckShape::smoothed
                            : shape == "point"    ? PluckShape::point
                                                  : PluckShape::moving,
                   .position = scenario.maybe_number("pluck.position").value_or(string.length / 2),
                   .height = scenario.number("pluck.height"),
                   .smoothing = scenario.number("pluck.smoothing"),
                   .duration = scenario.number("pluck.duration")});
  }
  if (scenario.has("strike")) {
    state.velocity +=
        velocity_strike(string, scenario.number("strike.position"), scenario.number("strike.width"),
                        scenario.number("strike.speed"))
            .velocity;
  }
  return state;
}

/// The points with the table each comes from.
struct StringObstacles {
  std::vector<ObstaclePoint> points;
  std::vector<std::string> tables;
};

StringObstacles read_obstacles(const Scenario& scenario, const StiffString& string) {
  StringObstacles all;
  const auto add = [&](const std::vector<ObstaclePoint>& more, const std::string& table) {
    all.points.insert(all.points.end(), more.begin(), more.end());
    all.tables.resize(all.points.size(), table);
  };
  for (const Json& row : scenario.rows("obstacle")) {
    add({{.position = row.at("position").get<double>(),
          .height = row.at("height").get<double>(),
          .side = row.at("side").get<std::string>() == "above" ? Side::below : Side::above}},
        fmt::format("obstacle.{}", all.points.size() + 1));
  }
  if (scenario.has("obstacles")) {
    const TableFile file(scenario, "obstacles.file");
    const std::vector<double> x = file.column("x_m"), height = file.column("height_m");
    const auto points = static_cast<int>(scenario.whole_number("obstacles.points"));
    if (points > 0) {
      add(profile(x, height, points), "obstacles");
    } else {
      for (std::size_t i = 0; i < x.size(); ++i)
        add({{.position = x[i], .height = height[i]}}, "obstacles");
    }
  }
  if (scenario.has("frets")) {
    add(frets({.frets = static_cast<int>(scenario.whole_number("frets.count")),
               .nut = scenario.number("frets.nut"),
               .action = scenario.number("frets.action"),
               .relief = scenario.number("frets.relief")},
              string.length),
        "frets");
  }
  if (scenario.has("bridge")) {
    add(bridge({.width = scenario.number("bridge.width"),
                .apex = scenario.number("bridge.apex"),
                .radius = scenario.number("bridge.radius"),
                .points = static_cast<int>(scenario.whole_number("bridge.points"))}),
        "bridge");
  }
  for (const ObstaclePoint& point : all.points)
    require_within("obstacle position", point.position, 0, string.length);
  return all;
}

ModalSetup read_string_setup(const Scenario& scenario) {
  const StiffString string = read_string(scenario);
  validate(string);
  ModalSetup setup;
  ModalProblem& problem = setup.problem;
  problem.body = read_modes(scenario, string);
  problem.start = read_pluck(scenario, string, problem.body);
  const auto shapes_at = [&](std::span<const double> x) {
    return string_shapes(string.length, string.modes, x);
  };
  SideView& view = setup.view;
  StringObstacles obstacles = read_obstacles(scenario, string);
  for (const ObstaclePoint& point : obstacles.points) {
    view.mark_x.push_back(point.position);
    problem.heights.push_back(point.height);
    problem.sides.push_back(point.side);
  }
  view.mark_height = problem.heights;
  problem.body.shapes = shapes_at(view.mark_x);
  setup.contact_points = problem.body.shapes;
  setup.output_points = shapes_at(scenario.numbers("output.points"));
  for (int i = 0; i <= 120; ++i) view.x.push_back(string.length * i / 120);
  view.shapes = shapes_at(view.x);
  if (scenario.has("hammer")) {  // it comes from above and starts where the string is
    view.hammer_x = scenario.number("hammer.position");
    const ShapeMatrix at = shapes_at(std::span(&*view.hammer_x, 1));
    add_hammer(setup, at, scenario.number("hammer.mass"), at.row(0).dot(problem.start.position),
               scenario.number("hammer.speed"));
    obstacles.tables.emplace_back("hammer");
  }
  read_modal_method(scenario, problem);
  read_contact_laws(scenario, obstacles.tables, problem);
  return setup;
}

void check_string(const Scenario& scenario, Problems& problems) {
  check_modal_method(scenario, scenario.numbers("output.points").size(), problems);
  if (scenario.has("string.note")) {
    problems.attempt("string.note", [&] { note_key(scenario.text("string.note")); });
  } else if (!scenario.has("string.tension")) {
    problems.add("string", "one of string.tension, string.note is needed");
  }
  if (scenario.has("pluck.modal_file") != scenario.has("pluck.modal_column")) {
    problems.add("pluck", "pluck.modal_file and pluck.modal_column: give both or neither");
    return;
  }
  if (!problems.all().empty()) return;
  problems.attempt("string", [&] {
    const ModalProblem problem = read_string_setup(scenario).problem;
    check_law_and_method(scenario, problem, problems);
    validate(problem);
  });
}

std::vector<Advice> advise_string(const Scenario& scenario) {
  return advise_modal(scenario, read_string_setup(scenario).problem);
}

RunOutcome run_string(const Scenario& scenario, RunContext& context) {
  return run_modal(read_string_setup(scenario), scenario, context);
}

/// What the file says, and beside it: an obstacle to move where there is none, a finger above the
/// string, a hammer where there is none.
InstrumentTables play_string(const Scenario& scenario, double rate) {
  const StiffString string = read_string(scenario);
  ModalSetup setup = read_string_setup(scenario);
  const auto row_at = [&](double x) {
    return string_shapes(string.length, string.modes, std::span(&x, 1));
  };
  PlayedBody body{.problem = std::move(setup.problem),
                  .ears = setup.output_points,
                  .string_length = string.length,
                  .hammer = -1};
  std::vector<double> places = setup.view.mark_x;
  constexpr double out_of_reach = 0.01;  // [m]
  double strike_at = string.length / 8;
  if (scenario.has("hammer")) {
    body.hammer = static_cast<int>(body.problem.heights.size()) - 1;
    strike_at = scenario.number("hammer.position");
  }
  places.resize(body.problem.heights.size(), strike_at);
  if (body.ears.rows() == 0) {
    body.ears = ShapeMatrix::Zero(1, body.problem.body.mode_count());
    body.ears.leftCols(string.modes) = row_at(0.9 * string.length);
  }
  const auto add = [&](double x, double height, Side side, const ModalContactLaw& law) {
    add_contact(body, row_at(x), height, side, law);
    places.push_back(x);
    return static_cast<int>(places.size()) - 1;
  };
  int obstacle = scenario.rows("obstacle").empty() ? -1 : 0;
  if (obstacle < 0)
    obstacle = add(0.7 * string.length, -out_of_reach, Side::above, body.problem.law);
  const int finger = add(0.5 * string.length, out_of_reach, Side::below,
                         AnyLaw(KelvinVoigt{.stiffness = 5e3, .damping = 1.0}));
  if (body.hammer < 0) {
    add(strike_at, 0.0, Side::below,
        AnyLaw(HuntCrossley{.stiffness = 1e9, .exponent = 2.5, .mu = 0.2}));
    ModalBody& modes = body.problem.body;
    add_rigid_body(modes, 0.5 * string.linear_density * string.length);
    modes.shapes.conservativeResize(modes.shapes.rows(), string.modes + 1);
    modes.shapes.col(string.modes).setZero();
    modes.shapes(modes.shapes.rows() - 1, string.modes) = -1.0;
    body.ears.conservativeResize(body.ears.rows(), string.modes + 1);
    body.ears.col(string.modes).setZero();
    body.hammer = static_cast<int>(places.size()) - 1;
  }
  InstrumentTables tables = played(std::move(body), rate, [&](double ratio) {
    StiffString tuned = string;
    tuned.tension *= ratio * ratio;
    std::vector<Mode> modes = read_modes(scenario, tuned).modes;
    if (scenario.has("string.modes_file")) {
      for (Mode& mode : modes) mode.frequency *= ratio;
    }
    return modes;
  });
  for (const double x : places) tables.places.push_back(x / string.length);
  tables.obstacle = obstacle;
  tables.finger = finger;
  tables.strike_place = strike_at / string.length;
  tables.pluck_place =
      scenario.maybe_number("pluck.position").value_or(string.length / 4) / string.length;
  tables.pluck_height = std::abs(scenario.maybe_number("pluck.height").value_or(2e-3));
  return tables;
}

}  // namespace

Kind string_kind() {
  return {
      .name = "string",
      .summary =
          "A string that is plucked or struck and touches obstacles: frets, a bridge, a neck.",
      .description =
          "A stiff string by its modes, from a model or from a file, in front of points it may "
          "touch. "
          "Free flight is exact; contact is nonsmooth (issanchou2018) or compliant and "
          "energy-balanced.",
      .tables =
          {{"string",
            "The string.",
            {number("length", "m", "length between the fixed ends")
                 .positive()
                 .usual(0.2, 2)
                 .required()
                 .starts_with(0.65),
             number("linear_density", "kg/m", "mass per unit length")
                 .positive()
                 .usual(1e-4, 2e-2)
                 .logarithmic()
                 .required()
                 .starts_with(1.17e-3),
             number("tension", "N", "tension of the string")
                 .positive()
                 .usual(10, 300)
                 .logarithmic()
                 .starts_with(73.0),
             text("note",
                  "note that the string is tuned to, such as D2 or Bb3 (A4 is 440 Hz), in place of "
                  "tension"),
             whole_number("modes", "number of modes")
                 .within(1, 20000)
                 .usual(10, 1000)
                 .logarithmic()
                 .defaults_to(200)
                 .starts_with(150),
             file("modes_file",
                  "CSV with frequency_Hz and sigma_1_per_s, instead of the model below"),
             number("inharmonicity", "", "inharmonicity, B = pi^2 E I/(T L^2)")
                 .not_negative()
                 .usual(0, 1e-3)
                 .defaults_to(0.0)
                 .starts_with(2e-5),
             number("diameter", "m", "diameter on which air friction acts; 0: no air")
                 .not_negative()
                 .usual(0, 3e-3)
                 .defaults_to(0.43e-3),
             number("viscoelastic", "", "loss angle of the core, delta_ve")
                 .not_negative()
                 .usual(0, 0.03)
                 .defaults_to(4.5e-3),
             number("thermoelastic", "", "1/Q of thermoelastic losses")
                 .not_negative()
                 .usual(0, 0.01)
                 .defaults_to(2e-4),
             text("model",
                  "square-root: exact for pinned ends; appendix: issanchou2018 (A.1)-(A.4)")
                 .one_of({"square-root", "appendix"})
                 .defaults_to("square-root")}},
           {.name = "support",
            .help =
                "A resonance of what holds the string; it shifts and damps the modes (A.1), (A.2).",
            .fields =
                {number("frequency", "Hz", "frequency of the resonance").positive().required(),
                 number("damping", "1/s", "decay rate sigma").positive().required(),
                 number("mass", "kg", "mass that moves with it").positive().required()},
            .repeated = true},
           {"pluck",
            "How the string is released; without a height or a file it starts straight.",
            {text("shape", "shape of the string at release")
                 .one_of({"triangle", "smoothed", "point", "moving"})
                 .defaults_to("triangle")
                 .starts_with("triangle"),
             number("position", "m", "position of the plectrum; by default the middle")
                 .starts_with(0.2),
             number("height", "m", "displacement at that position")
                 .usual(1e-4, 1e-2)
                 .logarithmic()
                 .starts_with(1.5e-3),
             number("smoothing", "m", "half width of the rounded corner, for smoothed")
                 .positive()
                 .defaults_to(6e-3),
             number("duration", "s", "duration of the pull, for moving")
                 .positive()
                 .defaults_to(0.01),
             file("modal_file", "CSV of modal amplitudes [m^(3/2)], instead of a shape"),
             text("modal_column", "column of modal_file with the amplitudes"),
             file("shape_file", "CSV of positions and displacements, instead of a shape"),
             text("position_column", "column of shape_file with the positions [m]")
                 .defaults_to("x_m"),
             text("shape_column", "column of shape_file with the displacements [m]")
                 .defaults_to("u0_m")}},
           {.name = "strike",
            .help = "A velocity given to a stretch of the string at the start, a raised cosine.",
            .fields =
                {number("position", "m", "position of its middle").required(),
                 number("width", "m", "width of the stretch").positive().required(),
                 number("speed", "m/s", "speed of the middle; negative: downward").required()},
            .optional = true},
           {.name = "hammer",
            .help = "A free mass that comes down on the string.",
            .fields =
                with_own_law({number("position", "m", "position where it hits").required(),
                              number("mass", "kg", "mass of the hammer").positive().required(),
                              number("speed", "m/s", "speed at the start, downward").required()}),
            .optional = true},
           {.name = "obstacle",
            .help = "One point the string may touch.",
            .fields = with_own_law(
                {number("position", "m", "position along the string").required().starts_with(0.004),
                 number("height", "m", "height, on the axis of the displacement")
                     .required()
                     .starts_with(0.0),
                 text("side", "side of the string on which it is")
                     .one_of({"below", "above"})
                     .defaults_to("below")}),
            .repeated = true},
           {.name = "obstacles",
            .help = "Points from a file.",
            .fields = with_own_law({file("file", "CSV with x_m and height_m").required(),
                                    whole_number("points",
                                                 "number of points to which a profile is "
                                                 "resampled; 0: the rows of the file as they are")
                                        .not_negative()
                                        .defaults_to(0)}),
            .optional = true},
           {.name = "frets",
            .help = "Frets in equal temperament under the string.",
            .fields = with_own_law(
                {whole_number("count", "number of frets").within(1, 60).defaults_to(20),
                 number("nut", "m", "clearance at the nut").not_negative().defaults_to(0.5e-3),
                 number("action", "m", "clearance at the 12th fret")
                     .not_negative()
                     .defaults_to(2e-3),
                 number("relief", "m", "how far the neck bows away from the string in its middle")
                     .not_negative()
                     .defaults_to(0.2e-3)}),
            .optional = true},
           {.name = "bridge",
            .help =
                "A curved bridge at the end x = 0, as of a sitar: g = -(x - apex)^2/(2 radius).",
            .fields = with_own_law(
                {number("width", "m", "width of the bridge, from x = 0")
                     .positive()
                     .defaults_to(0.02),
                 number("apex", "m", "where it touches the string at rest").defaults_to(0.0),
                 number("radius", "m", "radius of curvature").positive().defaults_to(1.0),
                 whole_number("points", "number of contact points")
                     .within(1, 5000)
                     .defaults_to(20)}),
            .optional = true},
           modal_contact_table(),
           modal_run_table(),
           modal_output_table(
               number_list("points", "m", "positions recorded as point_1, point_2, ...")
                   .defaults_to(Json::array())
                   .starts_with(Json::array({0.6}))),
           modal_sound_table()},
      .refusal = modal_refusal,
      .check = check_string,
      .advise = advise_string,
      .run = run_string,
      .played = play_string,
      .note_key = "string.note",
      .reference_method = "moreau-jean",
      .main_signal = "point_1",
      .reference_for = modal_reference,
      .reference_refinement = 4};
}

}  // namespace carom
