#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include <carom/output/recorded_run.hpp>
#include <carom/scenario/schema_json.hpp>
#include <carom/scenario/template.hpp>

#include "data.hpp"
#include "process.hpp"

namespace carom {
namespace {

/// The rows of a CSV file as text without its header.
std::vector<std::vector<double>> rows_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::vector<double> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// What a run of its own says of itself alone: how long it took, and what was written.
Json comparable(Json results) {
  for (const char* key : {"cpu_seconds", "cpu_seconds_per_simulated_second"}) results.erase(key);
  return results;
}

TEST(RecordedRun, EqualsTheRunOfTheProgram) {
  for (const char* kind : {"impact", "bounce", "pair", "strike", "string", "body", "assembly"}) {
    const support::TemporaryFolder folder;
    const std::string text = scenario_template(find_kind(kind));
    std::ofstream(folder / "it.toml") << text;
    const auto done =
        support::run({CAROM_PROGRAM, "run", "it.toml", "--out", "out", "--json"}, folder.path());
    ASSERT_EQ(done.exit_code, 0) << kind << done.err;
    const RecordedRun run = run_in_memory(parse_scenario(text, "it.toml"), {.keep_more = true});
    const Json printed = parse_json(done.out);
    EXPECT_EQ(comparable(run.summary["results"]), comparable(printed["results"])) << kind;
    EXPECT_EQ(run.summary["scenario"], printed["scenario"]) << kind;
    EXPECT_EQ(run.summary["energy"], printed["energy"]) << kind;
    const auto rows = rows_of(support::read_file(folder / "out" / "signals.csv"));
    ASSERT_EQ(rows.size(), run.time.size()) << kind;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i][0], run.time[i]) << kind << i;
      for (std::size_t k = 0; k < run.columns.size(); ++k)
        ASSERT_EQ(rows[i][k + 1], run.columns[k][i]) << kind << i;
    }
    EXPECT_FALSE(run.energy.empty()) << kind;
    if (printed.contains("sound")) {
      EXPECT_EQ(run.sound_rate, printed["sound"]["source_rate"].get<double>()) << kind;
      EXPECT_FALSE(run.sound.empty()) << kind;
    }
  }
}

// The same resonator from a file that is on no disk.
TEST(RecordedRun, FilesComeAsBytes) {
  const std::string text = R"(kind = "strike"
[body]
mass = 0.02
speed = 1.5
[resonator]
file = "modes.csv"
[contact]
law = "hunt-crossley"
stiffness = 1e8
exponent = 1.5
mu = 0.1
[run]
duration = 0.01
)";
  const std::string modes =
      "frequency,damping,mass,hit,heard\n523,2,0.08,1,0.8\n1441,4.5,0.08,0.7,-0.6\n";
  std::vector<std::string> asked;
  const FileReader files = [&](const std::filesystem::path& path) {
    asked.push_back(path.filename().string());
    if (path.filename() != "modes.csv") throw InvalidInput("no such file");
    return modes;
  };
  const RecordedRun run = run_in_memory(parse_scenario(text, "it.toml", {}, files));
  EXPECT_TRUE(run.passed);
  EXPECT_FALSE(asked.empty());
  const Override change{"resonator.file", "other.csv"};
  EXPECT_THROW(parse_scenario(text, "it.toml", std::span(&change, 1), files), ScenarioError);
}

TEST(ScenarioToml, GivesTheSameScenarioWithTheOverridesInIt) {
  for (const Kind& kind : kinds()) {
    const Override change{"title", "\"Another one\""};
    const Scenario given =
        parse_scenario(scenario_template(kind), "it.toml", std::span(&change, 1));
    const std::string written = scenario_toml(given);
    const Scenario back = parse_scenario(written, "it.toml");
    EXPECT_EQ(back.values(), given.values()) << kind.name << "\n" << written;
    EXPECT_EQ(back.given_values(), given.given_values()) << kind.name;
    EXPECT_EQ(back.text("title"), "Another one");
  }
}

TEST(SchemaJson, HasEveryKeyAndSlidersThatHoldWhatAFileStartsWith) {
  const Json schema = schema_json();
  ASSERT_EQ(schema["kinds"].size(), kinds().size());
  int sliders = 0;
  for (std::size_t i = 0; i < kinds().size(); ++i) {
    const Json& kind = schema["kinds"][i];
    EXPECT_EQ(kind["name"], kinds()[i].name);
    EXPECT_NO_THROW(parse_scenario(kind["template"].get<std::string>(), "it.toml"));
    for (const Json& table : kind["tables"]) {
      for (const Json& field : table["fields"]) {
        if (!field.contains("slider")) continue;
        ++sliders;
        const Json& slider = field["slider"];
        const std::string name = kind["name"].get<std::string>() + "." +
                                 table["name"].get<std::string>() + "." +
                                 field["name"].get<std::string>();
        EXPECT_LT(slider["low"].get<double>(), slider["high"].get<double>()) << name;
        if (slider["logarithmic"].get<bool>()) {
          EXPECT_GT(slider["low"].get<double>(), 0) << name;
        }
        if (field.contains("example")) {
          EXPECT_LE(slider["low"].get<double>(), field["example"].get<double>()) << name;
          EXPECT_GE(slider["high"].get<double>(), field["example"].get<double>()) << name;
        }
      }
    }
  }
  EXPECT_GT(sliders, 100);
}

TEST(Played, StringAndStrikeGiveTablesThatSound) {
  for (const char* name : {"string", "strike"}) {
    const Kind& kind = find_kind(name);
    const Scenario scenario = parse_scenario(scenario_template(kind), "it.toml");
    const InstrumentTables tables = tables_of(numbers_of(kind.played(scenario, 44100)));
    Instrument one(tables.body, tables.notes, {.voice = {.rate = 44100}, .voices = 2});
    const bool string = tables.body.string_length > 0;
    one.post({.gesture = string ? Gesture::pluck : Gesture::strike,
              .note = -tables.lowest,
              .amount = string ? tables.pluck_height : tables.strike_speed,
              .place = string ? tables.pluck_place : -1});
    std::vector<double> out(4410);
    const std::span<double> block(out);
    one.process({&block, 1});
    double peak = 0;
    for (const double sample : out) peak = std::max(peak, std::abs(sample));
    EXPECT_GT(peak, 1e-3) << name;
    EXPECT_LT(peak, 1e2) << name;
    const VoiceEnergy energy = one.energy();
    EXPECT_LT(std::abs(energy.residual), 1e-11 * energy.injected) << name;
  }
}

}  // namespace
}  // namespace carom
