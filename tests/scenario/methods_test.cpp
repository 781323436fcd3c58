// Every cell of the matrix kind x law x method: it runs, closes its ledger, agrees with the
// reference method and reports what was asked for, or it is refused with the reason of the cell.
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/run.hpp>
#include <carom/scenario/methods.hpp>
#include <carom/scenario/template.hpp>
#include <carom/steppers/catalogue.hpp>

#include "process.hpp"

namespace carom {
namespace {

constexpr double samples_in_contact = 200;

/// A short scenario of a kind without [contact] and run.method, and the collision its contacts are
/// about, from which the numbers of the laws follow.
struct Base {
  std::string text;
  Collision collision;
  bool rate_of_contact = false;  ///< run.rate: so many samples in a contact
};

const Base& base_of(const std::string& kind) {
  static const std::map<std::string, Base> bases{
      {"impact", {"[body]\nmass = 0.01\nspeed = 1.0\n[run]\nphase = 0.3\n", {0.01, 1}, true}},
      {"bounce", {"[body]\nmass = 0.01\nspeed = 0.1\n[run]\nimpacts = 2\n", {0.01, 0.1}, true}},
      {"pair",
       {"[pair]\nmasses = [0.1, 0.3]\nvelocities = [2.0, 1.0]\ngap = 1e-5\n[run]\n",
        {0.075, 1},
        true}},
      // Some milliseconds before they meet.
      {"pendulums",
       {"[pendulums]\nmasses = [1.0, 0.2]\nlengths = [6.0, 4.0]\noffset = -2.0\n"
        "angles = [-3.1307, 26.7439]\nrates = [-0.04, 0.26]\n[run]\nduration = 0.03\n"
        "surface = \"keeps-indentation\"\n[output]\ninterval = 1e-3\n",
        {0.081, 1.03},
        true}},
      {"strike",
       {"[body]\nmass = 0.02\nspeed = 1.5\n[resonator]\nmodes = [\n"
        "{ frequency = 523.0, damping = 2.0, mass = 0.08, hit = 1.0, heard = 0.8 },\n"
        "{ frequency = 1441.0, damping = 4.5, mass = 0.08, hit = 0.7, heard = -0.6 }]\n"
        "[run]\nduration = 0.02\n",
        {0.02, 1.5}}},
      {"string",
       {"[string]\nlength = 0.65\nlinear_density = 1.17e-3\ntension = 73.0\nmodes = 40\n"
        "[pluck]\nposition = 0.2\nheight = 1.5e-3\n[[obstacle]]\nposition = 0.1\nheight = 0.0\n"
        "[run]\nrate = 4e5\nduration = 0.01\n[output]\npoints = [0.5]\n",
        {0.01, 1}}},
      {"body",
       {"[body]\ntype = \"drum\"\nmodes = 20\nradius = 0.18\narea_density = 0.26\n"
        "tension = 3500.0\n[hammer]\nx = 0.05\ny = 0.02\nmass = 0.03\nspeed = 3.0\n"
        "[run]\nrate = 1e5\nduration = 0.01\n[output]\npoints = [0.07]\npoints_y = [0.05]\n",
        {0.01, 1}}},
      // The same as `pair`.
      {"assembly",
       {"[[body]]\nname = \"a\"\nmass = 0.1\nvelocity = 2.0\n[[body]]\nname = \"b\"\nmass = 0.3\n"
        "position = 1e-5\nvelocity = 1.0\n[run]\n",
        {0.075, 1},
        true}},
      {"bar",
       {"[bar]\nsegments = 3\nangle = 80.0\nheight = 0.0065\n[run]\nduration = 1e-3\n", {0.1, 1}}}};
  return bases.at(kind);
}

/// A law with its numbers, and the same as [contact] has it.
struct LawCase {
  std::string keys;
  std::optional<AnyLaw> law;  ///< nothing for Newton's
};

LawCase law_case(const std::string& name, const Collision& collision,
                 const support::TemporaryFolder& folder) {
  const double e = 0.6;
  if (name == "newton") return {"law = \"newton\"\nrestitution = 0.6\n", {}};
  std::string keys = "law = \"" + name + "\"\n";
  if (name == "formula") {
    keys += "force = \"k*x^1.5*(1 + mu*v)\"\nparameters = { k = 1e9, mu = 0.3 }\n";
    return {keys, make_law(name, {{"force", "k*x^1.5*(1 + mu*v)"},
                                  {"parameters", NamedNumbers{{"k", 1e9}, {"mu", 0.3}}}})};
  }
  if (name == "table") {
    Columns loop;
    std::string file = "compression,loading,unloading\n";
    for (int i = 0; i <= 20; ++i) {
      const double x = 1e-5 * i * i, f = 1e7 * x, back = f * (0.5 + 0.025 * i);
      loop["compression"].push_back(x);
      loop["loading"].push_back(f);
      loop["unloading"].push_back(back);
      file += number_text(x) + "," + number_text(f) + "," + number_text(back) + "\n";
    }
    keys += "file = " + toml_text(folder.write("loop.csv", file).string()) + "\n";
    return {keys, make_law(name, {{"file", loop}})};
  }
  const AnyLaw law = *example_law(law_info(name), e, collision);
  for (const auto& [key, value] : values_of(law)) {
    keys += key + " = " + std::visit([](const auto& one) { return toml_text(Json(one)); }, value) +
            "\n";
  }
  return {keys, law};
}

class Methods : public testing::TestWithParam<std::string> {
 protected:
  Methods() : kind_(find_kind(GetParam())), base_(base_of(GetParam())) {}

  /// Throws ScenarioError where it is refused.
  Scenario scenario(const std::string& law, const std::string& method) {
    auto known = laws_.find(law);
    if (known == laws_.end()) {
      known = laws_.emplace(law, law_case(law, base_.collision, folder_)).first;
    }
    std::string text = "kind = \"" + kind_.name + "\"\n" + base_.text;
    std::string run = "[run]\nmethod = \"" + method + "\"\n";
    if (base_.rate_of_contact && known->second.law) {
      const double time = impact(*known->second.law, base_.collision).contact_time;
      run += "rate = " + toml_text(Json(samples_in_contact / time)) + "\n";
    }
    if (kind_.name == "assembly") {  // until well after the contact
      const double time =
          known->second.law ? impact(*known->second.law, base_.collision).contact_time : 0.0;
      run += "duration = " + toml_text(Json(2 * time + 1e-4)) + "\n";
    }
    text.replace(text.find("[run]\n"), 6, run);
    const bool assembly = kind_.name == "assembly";
    text += assembly ? "[[contact]]\nbetween = [\"a\", \"b\"]\n" : "[contact]\n";
    return parse_scenario(text + known->second.keys, folder_ / "test.toml");
  }

  /// The number in which methods are compared, of size 1.
  double outcome_of(const Json& results) const {
    if (kind_.name == "bar") return 1e3 * results.at("first_impact_time").get<double>();
    const Json& impacts = kind_.name == "assembly" ? results.at("contacts").at(0).at("impacts")
                                                   : results.at("impacts");
    if (impacts.empty()) throw std::logic_error("no impact to compare");
    const Json& last = impacts.back();
    return last.at("speed_out").get<double>() / last.at("speed_in").get<double>();
  }

  const Kind& kind_;
  const Base& base_;
  support::TemporaryFolder folder_;
  std::map<std::string, LawCase> laws_;
};

/// How far a method may be from the reference.
double tolerance_of(const std::string& kind, const std::string& law, const std::string& method) {
  // Impacts that take no time have their restitution to rounding, under gravity to the fall in a
  // step (g/44100 Hz, of 0.06 m/s; of rods two steps of 1e-5 s, of 1 m/s); of a bar the time of the
  // first impact is compared, in ms, which may take two steps of 1e-7 s.
  if (method == "moreau-jean" || method == "paoli-schatzman") {
    if (kind == "bar" || kind == "pendulums") return 2e-4;
    return kind == "bounce" ? 4e-3 : 1e-12;
  }
  // The rods fall on during a contact: g times 0.3 ms, of a speed of 1 m/s.
  if (method == "piecewise") return 3e-3;
  // Steps are tried to 1e-10 and better. The second derivative of a measured curve jumps at its
  // rows, in the midst of steps.
  if (method == "exact" || method == "event-driven" || method == "passive")
    return law == "table" ? 1e-6 : 1e-8;
  // With N samples in a contact a step turns the phase of the impact by pi/N: the error is a few
  // times (pi/N)^p for the order p, and p = 2 at most with forces that begin as x^(3/2) or a jump.
  const int order = std::min(2, entry(contact_method(method)).traits.order);
  return 3 * std::pow(std::numbers::pi / samples_in_contact, order);
}

TEST_P(Methods, RunAndAgreeOrAreRefused) {
  for (const std::string& law : known_laws()) {
    double reference = 0;
    bool has_reference = false;
    const bool truth_runs = kind_.refusal(law, kind_.reference_method).empty();
    if (truth_runs && kind_.reference_for == nullptr) {
      reference = outcome_of(run_in_memory(scenario(law, kind_.reference_method)).outcome.results);
      has_reference = true;
    }
    for (const std::string& method : known_methods()) {
      SCOPED_TRACE(law + " by " + method);
      const std::string reason = kind_.refusal(law, method);
      if (!reason.empty()) {
        try {
          scenario(law, method);
          ADD_FAILURE() << "accepted, but: " << reason;
        } catch (const ScenarioError& error) {
          ASSERT_EQ(error.problems().size(), 1u) << error.what();
          EXPECT_TRUE(error.problems().front().message.ends_with(": " + reason)) << error.what();
        }
        continue;
      }
      const RecordedRun run = run_in_memory(scenario(law, method));
      EXPECT_TRUE(run.passed);
      EXPECT_EQ(run.summary.at("status"), "done");
      const Json& used = run.summary.at("law");
      EXPECT_EQ((used.is_array() ? used.at(0) : used).at("name"), law);
      EXPECT_EQ(run.summary.at("method"), method);
      EXPECT_EQ(run.summary.at("scenario").at("run").at("method"), method);
      for (std::size_t i = 0; i < run.columns.size(); ++i) {
        for (const double value : run.columns[i]) {
          ASSERT_TRUE(std::isfinite(value)) << run.signals[i].name;
        }
      }
      const EnergyAudit& e = run.outcome.energy;
      const double scale = e.scale > 0 ? e.scale : std::abs(e.initial) + std::abs(e.injected);
      EXPECT_TRUE(std::isfinite(e.residual));
      if (run.outcome.passive) {
        EXPECT_LE(e.worst_residual, passive_tolerance * scale);
      }
      if (has_reference) {
        EXPECT_NEAR(outcome_of(run.outcome.results), reference,
                    tolerance_of(kind_.name, law, method));
      }
    }
  }
}

TEST_P(Methods, TheMatrixHasWhatTheSchemaHas) {
  std::set<std::string> laws, methods;
  for (const MethodCell& cell : method_cells(kind_)) {
    if (!cell.runs()) continue;
    laws.insert(cell.law);
    methods.insert(cell.method);
  }
  for (const Table& table : kind_.tables) {
    const auto choices = [&](const char* key) {
      const std::vector<std::string>& list = find_field(table, key)->choices;
      return std::set<std::string>(list.begin(), list.end());
    };
    if (table.name == "contact") {
      EXPECT_EQ(choices("law"), laws);
    }
    if (table.name == "run") {
      EXPECT_EQ(choices("method"), methods);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Methods,
                         testing::Values("impact", "bounce", "pair", "pendulums", "strike",
                                         "string", "body", "bar", "assembly"),
                         [](const auto& info) { return info.param; });

TEST(MethodsCommand, PrintsTheMatrixAndRunsAreRefusedByIt) {
  const support::TemporaryFolder folder;
  const auto all = support::run({CAROM_PROGRAM, "methods", "--json"}, folder.path());
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const Json matrix = parse_json(all.out);
  ASSERT_EQ(matrix.at("kinds").size(), kinds().size());
  for (const Json& kind : matrix.at("kinds")) {
    EXPECT_EQ(kind.at("cells").size(), known_laws().size() * known_methods().size());
    for (const Json& cell : kind.at("cells")) {
      EXPECT_EQ(cell.at("runs").get<bool>(), cell.at("reason").get<std::string>().empty());
    }
  }
  // The template of `impact` by a method it does not have.
  folder.write("impact.toml", scenario_template(find_kind("impact")));
  const auto refused = support::run(
      {CAROM_PROGRAM, "run", "impact.toml", "--set", "run.method=moreau-jean"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find(find_kind("impact").refusal("hunt-crossley", "moreau-jean")),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "impact"));
  EXPECT_EQ(support::run({CAROM_PROGRAM, "methods", "--kind", "sting"}, folder.path()).exit_code,
            2);
}

}  // namespace
}  // namespace carom
