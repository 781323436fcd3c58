#include "modal_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include <carom/identify/law_of_restitution.hpp>
#include <carom/scenario/law_values.hpp>
#include <carom/scenario/methods.hpp>
#include <carom/steppers/theta_scheme.hpp>

#include "contact_law.hpp"
#include "refusals.hpp"
#include "table_file.hpp"

namespace carom {
namespace {

constexpr const char* nonsmooth_law = "newton";

std::vector<std::string> modal_laws() {
  std::vector<std::string> names{nonsmooth_law};
  for (const std::string_view name : law_names()) names.emplace_back(name);
  return names;
}

bool has_key(const std::vector<Field>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return field.name == name; });
}

/// The keys of these laws, `law` first.
std::vector<Field> law_keys(std::vector<std::string> laws) {
  std::vector<Field> keys = contact_table(std::move(laws)).fields;
  std::erase_if(keys, [](const Field& key) { return key.name == "formula"; });
  for (Field& key : keys) {
    if (key.name != "restitution") continue;
    key = number("restitution", "", "rebound speed over impact speed (newton)")
              .within(0, 1)
              .defaults_to(0.0);
  }
  return keys;
}

/// "frets", or "obstacle.2": an entry of a repeated table.
Json table_of(const Scenario& scenario, const std::string& table) {
  const std::size_t dot = table.find('.');
  if (dot == std::string::npos) return scenario.values().at(table);
  return scenario.rows(table.substr(0, dot)).at(std::stoul(table.substr(dot + 1)) - 1);
}

/// The keys of a table that are those of a law: all that follow `law`.
std::span<const Field> law_keys_of(const Scenario& scenario, const std::string& table) {
  const std::string name = table.substr(0, table.find('.'));
  for (const Table& known : find_kind(scenario.kind()).tables) {
    if (known.name != name) continue;
    const auto law = std::find_if(known.fields.begin(), known.fields.end(),
                                  [](const Field& field) { return field.name == "law"; });
    return std::span(known.fields)
        .subspan(static_cast<std::size_t>(law - known.fields.begin()) + 1);
  }
  return {};
}

/// What a table gives for the parameters of a law; defaults are left out.
FieldValues law_values(const Scenario& scenario, const std::string& table) {
  FieldValues values;
  for (const Field& key : law_keys_of(scenario, table)) {
    const std::string path = table + "." + key.name;
    if (!scenario.given(path) || is_hertz_key(key.name)) continue;
    switch (key.type) {
      case ValueType::number:
        values[key.name] = scenario.number(path);
        break;
      case ValueType::file:
        values[key.name] = columns_of(TableFile(scenario, path));
        break;
      case ValueType::named_numbers:
        values[key.name] = table_of(scenario, table).at(key.name).get<NamedNumbers>();
        break;
      default:
        values[key.name] = scenario.text(path);
    }
  }
  return values;
}

/// The law that a table gives to its points; none: they obey [contact].
std::optional<ModalContactLaw> law_of_table(const Scenario& scenario, const std::string& table) {
  FieldValues values = law_values(scenario, table);
  std::string name;
  const bool hertz = scenario.given(table + ".radii") || scenario.given(table + ".materials");
  if (scenario.has(table + ".law")) {
    name = scenario.text(table + ".law");
  } else if (table == "hammer" && hertz) {
    name = "hunt-crossley";
  } else if (hertz) {
    throw InvalidInput(fmt::format("{0}.radii has no meaning without {0}.law", table));
  } else if (table == "hammer" && values.contains("stiffness")) {  // felt
    name = "hunt-crossley";
    values.emplace("exponent", 2.5);
  } else if (values.empty()) {
    return {};
  } else {
    throw InvalidInput(
        fmt::format("{0}.{1} has no meaning without {0}.law", table, values.begin()->first));
  }
  const LawInfo& law = law_info(name);
  add_hertz(scenario, table, law, values);
  if (!law.compliant) values.emplace("restitution", 0.0);
  if (law.compliant && law.by_restitution() != nullptr && values.contains("restitution")) {
    throw InvalidInput(
        fmt::format("{}.restitution: it gives the damping for an impact of one mass at one speed, "
                    "which the points of a modal body do not have; give {}.{}",
                    table, table, law.by_restitution()->name));
  }
  for (const FieldProblem& problem : field_problems(law, values, table + "."))
    throw InvalidInput(problem.message);
  return std::visit([](const auto& one) -> ModalContactLaw { return one; },
                    make_law_choice(name, values, table + "."));
}

}  // namespace

Table modal_contact_table() {
  Table table{"contact", "The contact between body and obstacle.", law_keys(modal_laws())};
  table.fields.front() =
      text("law", "newton: impacts without duration; the others: a compliant force")
          .one_of(modal_laws())
          .defaults_to(nonsmooth_law)
          .starts_with(nonsmooth_law);
  return table;
}

std::vector<Field> with_own_law(std::vector<Field> fields) {
  std::vector<std::string> laws = modal_laws();
  std::erase_if(laws, [&](const std::string& law) {  // a key cannot mean two things
    const std::vector<const FieldInfo*>& own = law_info(law).fields;
    return std::any_of(own.begin(), own.end(), [&](const FieldInfo* field) {
      return has_key(fields, field->name) || has_key(fields, field->other_name);
    });
  });
  for (Field& key : law_keys(laws)) {
    key.help = key.name == "law" ? "a law of its own, with its keys, in place of [contact]"
                                 : "parameter of that law, as in [contact]";
    key.must_be_given = false;
    key.fallback = key.example = nullptr;
    fields.push_back(std::move(key));
  }
  return fields;
}

void read_contact_laws(const Scenario& scenario, const std::vector<std::string>& tables,
                       ModalProblem& problem) {
  problem.law = *law_of_table(scenario, "contact");
  std::map<std::string, std::optional<ModalContactLaw>> own;
  bool any = false;
  for (const std::string& table : tables) {
    if (own.contains(table)) continue;
    own[table] = law_of_table(scenario, table);
    any |= own[table].has_value();
  }
  if (!any) return;
  for (const std::string& table : tables) problem.laws.push_back(own[table].value_or(problem.law));
}

Table modal_run_table() {
  return {
      "run",
      "How time advances.",
      {text("method",
            "moreau-jean for newton; for a compliant law discrete-gradient (the default) "
            "or quadratised")
           .one_of({"moreau-jean", "discrete-gradient", "quadratised"}),
       number("rate", "Hz", "steps per second").positive().defaults_to(1e6).starts_with(200000.0),
       number("duration", "s", "simulated time").positive().required().starts_with(1.0),
       text("engine",
            "fast: macro-steps, gate and leaps; plain: every mode in every step; both give "
            "the same motion")
           .one_of({"fast", "plain"})
           .defaults_to("fast"),
       text("step",
            "how an impulse enters the modes: scaled, as the authors' program does, or as "
            "printed in issanchou2018")
           .one_of({"scaled", "printed"})
           .defaults_to("scaled"),
       text("activation",
            "when a contact counts as closed: extrapolated by half a step, or printed: "
            "gap <= 0")
           .one_of({"extrapolated", "printed"})
           .defaults_to("extrapolated"),
       text("start",
            "published: the first velocity is a backward difference, half a step late; exact: "
            "released at t = 0")
           .one_of({"published", "exact"})
           .defaults_to("published"),
       text("flight",
            "motion of a mode between contacts: exact, or by the theta-scheme, which is dispersive")
           .one_of({"exact", "theta"})
           .defaults_to("exact"),
       number("theta", "", "theta of the theta-scheme").within(0.5, 1).defaults_to(0.5)}};
}

Table modal_output_table(Field points) {
  return {
      "output",
      "What is written.",
      {std::move(points),
       truth("contacts", "displacement at each obstacle as contact_1, ..., and impulses.csv")
           .defaults_to(false),
       whole_number("every", "steps per recorded row").at_least(1).defaults_to(1).starts_with(4)}};
}

Table modal_sound_table() {
  return sound_table(
      {whole_number("point", "which output point is heard").at_least(1).defaults_to(1),
       whole_number("right", "output point of the right channel; point is then the left one")
           .at_least(1),
       text("quantity", "what is heard of that point; a pickup hears the velocity")
           .one_of({"displacement", "velocity"})
           .defaults_to("displacement")});
}

void read_modal_method(const Scenario& scenario, ModalProblem& problem) {
  if (scenario.has("run.method") && scenario.text("run.method") == "quadratised")
    problem.compliant = CompliantScheme::quadratised;
  problem.rate = scenario.number("run.rate");
  if (scenario.text("run.step") == "printed") problem.scaling = ImpulseScaling::printed;
  if (scenario.text("run.activation") == "printed") problem.activation = Activation::printed;
  if (scenario.text("run.start") == "exact") problem.first_step = ModalStart::exact;
  if (scenario.text("run.flight") == "theta") {
    problem.body = theta_scheme(problem.body, problem.rate, scenario.number("run.theta"));
  }
}

ContactKinds contact_kinds(const ModalProblem& problem) {
  ContactKinds kinds;
  for (std::size_t i = 0; i < std::max<std::size_t>(problem.heights.size(), 1); ++i) {
    const bool here = i < problem.heights.size();
    const bool compliant = std::holds_alternative<AnyLaw>(here ? law_at(problem, i) : problem.law);
    (compliant ? kinds.compliant : kinds.nonsmooth) = true;
  }
  return kinds;
}

std::string modal_reference(const Scenario& scenario) {
  return scenario.text("contact.law") == nonsmooth_law ? "moreau-jean" : "discrete-gradient";
}

std::string modal_refusal(std::string_view law, std::string_view method) {
  const LawInfo& info = law_info(law);
  if (method == "moreau-jean") {
    return info.compliant
               ? "it is for law 'newton', impacts that take no time; compliant laws take "
                 "discrete-gradient or quadratised"
               : "";
  }
  if (method == "discrete-gradient" || method == "quadratised") {
    if (!info.compliant)
      return "it is for compliant laws, which store energy; 'newton' takes moreau-jean";
    if (method == "discrete-gradient") return "";
    const auto example = example_law(info, 0.5, {.mass = 0.01, .speed = 1});
    return example ? refusal(CompliantScheme::quadratised, *example)
                   : std::string(quadratised_needs);
  }
  if (method == "exact") return "there is no closed form for a body of many modes";
  if (method == "passive")
    return "a body that touches at many points is stepped at a fixed rate, where discrete-gradient "
           "(compliant laws) and moreau-jean (newton) are the passive methods";
  if (method == "event-driven")
    return "a body that touches at many points has too many events to stop at each";
  if (method == "piecewise")
    return "the restitution of a contact depends on how the modes move during it";
  if (method == "paoli-schatzman")
    return info.compliant ? std::string(refusals::impacts_only)
                          : "it is explicit and would have to resolve the highest mode, which "
                            "moreau-jean moves exactly";
  if (method == "symplectic") return std::string(refusals::hamiltonian);
  if (refusals::carries_force(method)) return std::string(refusals::carried_force);
  return std::string(refusals::resolves_modes);
}

void check_law_and_method(const Scenario& scenario, const ModalProblem& problem,
                          Problems& problems) {
  if (!scenario.has("run.method")) return;
  const std::string& method = scenario.text("run.method");
  const ContactKinds kinds = contact_kinds(problem);
  // With several laws the method is that of the contacts it is for.
  if (method == "moreau-jean" ? kinds.nonsmooth : kinds.compliant) return;
  const ModalContactLaw& used = problem.heights.empty() ? problem.law : law_at(problem, 0);
  const auto* compliant = std::get_if<AnyLaw>(&used);
  const std::string_view law = compliant != nullptr ? law_name(*compliant) : nonsmooth_law;
  problems.add("run.method", refusal_message(law, method, modal_refusal(law, method)));
}

void check_modal_method(const Scenario& scenario, std::size_t points, Problems& problems) {
  if (scenario.number("run.duration") * scenario.number("run.rate") < 1) {
    problems.add("run.duration",
                 fmt::format("run.duration = {}: must be at least one step, 1/run.rate",
                             scenario.number("run.duration")));
  }
  const bool by_theta = scenario.text("run.flight") == "theta";
  if (by_theta && scenario.text("run.step") == "printed") {
    problems.add("run.flight",
                 "run.flight = \"theta\": its impulses enter as they do by run.step = \"scaled\"");
  }
  if (!by_theta && scenario.given("run.theta")) {
    problems.add("run.theta", "run.theta has no meaning without run.flight = \"theta\"");
  }
  if (scenario.has("sound")) {
    for (const char* key : {"sound.point", "sound.right"}) {
      if (!scenario.has(key)) continue;
      const auto point = static_cast<std::size_t>(scenario.whole_number(key));
      if (point > points) {
        problems.add(key, fmt::format("{} = {}: there are {} output points", key, point, points));
      }
    }
  }
}

std::vector<Advice> advise_modal(const Scenario& scenario, const ModalProblem& problem) {
  std::vector<Advice> advice;
  const auto& modes = problem.body.modes;
  const auto above = std::count_if(modes.begin(), modes.end(), [&](const Mode& mode) {
    return mode.frequency > problem.rate / 2;
  });
  advice.push_back(
      {.verdict = above == 0 ? Advice::Verdict::good : Advice::Verdict::note,
       .topic = "modes above half the rate",
       .message = above == 0 ? "every mode is below half the rate"
                             : fmt::format("{} of {} modes are above half the rate: propagated "
                                           "exactly, heard as aliases",
                                           above, modes.size()),
       .value = static_cast<double>(above),
       .name = "modes_above_half_rate"});
  double lowest = std::numeric_limits<double>::infinity();
  for (const Mode& mode : modes) {
    if (mode.frequency > 0) lowest = std::min(lowest, mode.frequency);
  }
  const double steps = problem.rate / lowest;
  // Nonsmooth impacts converge with the first power of the step: 1 MHz on a 100 Hz string, 10^4
  // steps a period, is good to about 2 % over 10 ms (errata, issanchou2018 item 7).
  const bool resolved = steps >= 1000 || problem.heights.empty();
  advice.push_back({.verdict = resolved ? Advice::Verdict::good : Advice::Verdict::note,
                    .topic = "steps in the longest period",
                    .message = fmt::format("{:.0f} steps in a period of the lowest mode", steps),
                    .proposal = resolved ? "" : fmt::format("--set run.rate={:.0f}", 2000 * lowest),
                    .value = steps,
                    .name = "steps_per_period"});
  for (std::size_t i = 0; i < problem.heights.size(); ++i) {
    const auto* law = std::get_if<AnyLaw>(&law_at(problem, i));
    if (law == nullptr) continue;
    // A point of the body that moves as a free mass of one step's admittance on the contact spring.
    const double depth = 1e-6, change = 1e-9;
    const double slope = std::visit(
        [&](const auto& one) {
          return (one.force(depth + change, 0.0, {}).conserved -
                  one.force(depth, 0.0, {}).conserved) /
                 change;
        },
        *law);
    const auto row = static_cast<Eigen::Index>(i);
    const double stiff = slope * contact_compliance(problem)(row, row) / problem.rate;
    advice.push_back(
        {.verdict = stiff < 4 ? Advice::Verdict::good : Advice::Verdict::note,
         .topic = "contact stiffness in a step",
         .message =
             fmt::format("at 1 um compression a step changes the force by {:.2g} of itself", stiff),
         .proposal = stiff < 4 ? "" : "a higher run.rate, a softer contact or law = \"newton\"",
         .value = stiff,
         .name = "stiffness_per_step"});
    break;  // the first one speaks for all
  }
  const std::size_t hammers = scenario.has("hammer") ? 1 : 0;
  advice.push_back(
      problem.heights.size() <= hammers
          ? predictability(false, "no obstacles: the result depends smoothly on the input")
          : predictability(true,
                           "each contact determines where the next one falls: after a while single "
                           "impacts depend on the last digits of the input and on the rate, so "
                           "trust spectra, energies and the first contacts"));
  return advice;
}

}  // namespace carom
