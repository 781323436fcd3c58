// What a worker of the page calls: one request in JSON, files beside it as bytes; one answer in
// JSON, columns of numbers beside it. Every answer is {"ok": ...} or {"error", "problems"}.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/export/engine_export.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/live/tables.hpp>
#include <carom/output/json.hpp>
#include <carom/output/motion.hpp>
#include <carom/output/recorded_run.hpp>
#include <carom/output/sound_track.hpp>
#include <carom/records/fit_file.hpp>
#include <carom/records/identify_file.hpp>
#include <carom/scenario/kind.hpp>
#include <carom/scenario/schema_json.hpp>

#define EXPORTED extern "C" __attribute__((used, visibility("default")))

/// Given by the loader: how far a run has come, 0..1.
extern "C" __attribute__((import_module("env"), import_name("carom_progress"))) void carom_progress(
    double fraction);

namespace {

using carom::Json;

std::map<std::string, std::string> files;
std::string answer;
std::vector<std::vector<double>> columns;

std::size_t give(std::vector<double> column) {
  columns.push_back(std::move(column));
  return columns.size() - 1;
}

std::string file_bytes(const std::filesystem::path& path) {
  const auto found = files.find(path.filename().string());
  if (found == files.end()) {
    throw carom::InvalidInput("file '" + path.filename().string() +
                              "': is not here; add it to the page first");
  }
  return found->second;
}

carom::Scenario scenario_of(const Json& request) {
  std::vector<carom::Override> overrides;
  for (const Json& one : request.value("overrides", Json::array()))
    overrides.push_back(carom::parse_override(one.get<std::string>()));
  return carom::parse_scenario(request.at("text").get<std::string>(),
                               request.value("name", "scenario.toml"), overrides, file_bytes);
}

const char* verdict_word(carom::Advice::Verdict verdict) {
  switch (verdict) {
    case carom::Advice::Verdict::good:
      return "good";
    case carom::Advice::Verdict::note:
      return "note";
    case carom::Advice::Verdict::poor:
      return "poor";
  }
  return "";
}

Json check(const Json& request) {
  const carom::Scenario scenario = scenario_of(request);
  const carom::Kind& kind = carom::find_kind(scenario.kind());
  Json advice = Json::array();
  if (kind.advise != nullptr) {
    for (const carom::Advice& one : kind.advise(scenario)) {
      advice.push_back({{"verdict", verdict_word(one.verdict)},
                        {"topic", one.topic},
                        {"message", one.message},
                        {"proposal", one.proposal}});
    }
  }
  return {{"kind", scenario.kind()},
          {"values", scenario.values()},
          {"toml", carom::scenario_toml(scenario)},
          {"advice", std::move(advice)}};
}

Json film_json(const carom::Film& film) {
  Json frames = Json::array();
  for (const std::vector<double>& frame : film.frames) frames.push_back(give(frame));
  return {{"title", film.title},
          {"caption", film.caption},
          {"x_label", film.x_label},
          {"y_label", film.y_label},
          {"x", give(film.x)},
          {"times", give(film.times)},
          {"frames", frames},
          {"mark_x", film.mark_x},
          {"mark_y", film.mark_y},
          {"ball_x", film.ball_x},
          {"ball_y", film.ball_y.empty() ? Json() : Json(give(film.ball_y))}};
}

Json body_film_json(const carom::BodyFilm& film) {
  constexpr const char* words[] = {"disc", "box", "rod", "wall", "plate"};
  Json bodies = Json::array();
  for (const carom::BodyFilm::Body& body : film.bodies) {
    bodies.push_back({{"label", body.label},
                      {"shape", words[static_cast<int>(body.shape)]},
                      {"width", body.width},
                      {"height", body.height},
                      {"moves", body.moves},
                      {"x", give(body.x)},
                      {"y", give(body.y)},
                      {"angle", give(body.angle)}});
  }
  return {{"title", film.title},
          {"caption", film.caption},
          {"bodies", bodies},
          {"times", give(film.times)},
          {"line", film.line}};
}

/// The samples of the file that carom run writes, channels interleaved.
Json sound_json(const carom::Scenario& scenario, const carom::RecordedRun& done) {
  const carom::SoundSettings settings = carom::sound_settings(scenario);
  carom::SoundTrack track(settings);
  track.begin(done.sound_rate);
  track.write(done.sound);
  track.finish();
  const carom::SoundInfo& info = track.info();
  std::vector<double> samples = track.interleaved(0, static_cast<std::size_t>(info.frames));
  for (double& sample : samples) sample *= info.gain;
  return {{"rate", info.rate}, {"bits", info.bits},        {"channels", info.channels},
          {"gain", info.gain}, {"peak", info.file_peak()}, {"column", give(std::move(samples))}};
}

Json run(const Json& request) {
  const carom::Scenario scenario = scenario_of(request);
  carom::RecordedRun done = carom::run_in_memory(
      scenario, {.keep_signals = true,
                 .keep_more = true,
                 .progress = [](const carom::Progress& now) { carom_progress(now.fraction); }});
  Json signals = Json::array();
  signals.push_back({{"name", "time"}, {"unit", "s"}, {"column", give(std::move(done.time))}});
  for (std::size_t i = 0; i < done.signals.size(); ++i) {
    signals.push_back({{"name", done.signals[i].name},
                       {"unit", done.signals[i].unit},
                       {"help", done.signals[i].help},
                       {"column", give(std::move(done.columns[i]))}});
  }
  std::vector<double> time, kinetic, elastic, dissipated, injected;
  for (const carom::EnergySample& sample : done.energy) {
    time.push_back(sample.time);
    kinetic.push_back(sample.kinetic);
    elastic.push_back(sample.elastic);
    dissipated.push_back(sample.dissipated);
    injected.push_back(sample.injected);
  }
  Json films = Json::array(), bodies = Json::array(), numbers = Json::array();
  for (const carom::Film& film : done.outcome.films) films.push_back(film_json(film));
  for (const carom::BodyFilm& film : done.outcome.body_films)
    bodies.push_back(body_film_json(film));
  for (const carom::KeyNumber& one : done.outcome.key_numbers) {
    numbers.push_back({{"label", one.label},
                       {"value", carom::json_number(one.value)},
                       {"unit", one.unit},
                       {"note", one.note}});
  }
  Json out{{"summary", done.summary},
           {"passed", done.passed},
           {"main_signal", carom::find_kind(scenario.kind()).main_signal},
           {"toml", carom::scenario_toml(scenario)},
           {"signals", signals},
           {"key_numbers", numbers},
           {"films", films},
           {"body_films", bodies},
           {"motion", carom::motion_of(scenario.kind())},
           {"warnings", done.outcome.warnings},
           {"energy",
            {{"time", give(time)},
             {"kinetic", give(kinetic)},
             {"elastic", give(elastic)},
             {"dissipated", give(dissipated)},
             {"injected", give(injected)}}}};
  if (!done.sound.empty()) {
    out["sound"] = sound_json(scenario, done);
  }
  return out;
}

/// The units of what a law is made of, by the names in its document.
Json units_of(const std::string& law) {
  Json units{{"omega_i", "rad/s"}};
  for (const carom::LawInfo& info : carom::law_catalogue()) {
    if (info.text.name != law) continue;
    for (const carom::FieldInfo* field : info.fields)
      units[std::string(field->name)] = std::string(field->unit);
  }
  return units;
}

Json identify(const Json& request) {
  carom::IdentifyFileOptions options;
  const auto listed = [&](const char* name) {
    return request.value(name, Json::array()).get<std::vector<std::string>>();
  };
  const auto number = [&](const char* name, std::optional<double>& to) {
    if (request.contains(name) && request[name].is_number()) to = request[name].get<double>();
  };
  options.read.columns = listed("columns");
  options.read.units = listed("units");
  if (request.contains("run") && request["run"].is_number())
    options.read.run = request["run"].get<long>();
  options.fit.law = request.value("law", "");
  number("mass", options.fit.mass);
  number("speed", options.fit.speed);
  number("force", options.fit.force);
  number("gravity", options.fit.gravity);
  const std::string name = request.at("file").get<std::string>();
  const carom::IdentifiedFile found =
      request.contains("rate")
          // Samples that the page has decoded or recorded.
          ? [&] {
              const std::string& bytes = files.at(name);
              carom::SoundRecord sound{.samples = std::vector<double>(bytes.size() / 8),
                                       .rate = request["rate"].get<double>()};
              std::memcpy(sound.samples.data(), bytes.data(), sound.samples.size() * 8);
              carom::Measurements measured{"sound", {{.label = "", .columns = {}, .data = sound}}};
              return carom::identify_measurements(name, measured, options);
            }()
          : carom::identify_bytes(name, file_bytes(name), options);
  Json runs = Json::array();
  for (const carom::IdentifiedRun& one : found.runs) {
    Json entry{{"document", one.document},
               {"units", units_of(one.document.at("law").value("name", ""))}};
    if (const auto* trace = std::get_if<carom::TraceRecord>(&one.measured.data)) {
      entry["time"] = give(trace->times);
      entry["values"] = give(trace->values);
    } else if (const auto* sound = std::get_if<carom::SoundRecord>(&one.measured.data)) {
      entry["sound"] = give(sound->samples);
      entry["rate"] = sound->rate;
    }
    runs.push_back(std::move(entry));
  }
  return {{"document", found.document}, {"accepted", found.accepted}, {"runs", std::move(runs)}};
}

Json predict(const Json& request) {
  const carom::FitFile fit = carom::fit_of(request.at("document"));
  const double mass = request.at("mass").get<double>(), speed = request.at("speed").get<double>();
  carom::require_positive("mass", mass);
  carom::require_positive("speed", speed);
  const carom::Prediction predicted = carom::predict(fit, {.mass = mass, .speed = speed});
  Json intervals = Json::object(), others = Json::array();
  for (const auto& [name, ends] : predicted.intervals)
    intervals[name] = {carom::json_number(ends.first), carom::json_number(ends.second)};
  for (const auto& [law, hit] : predicted.alternatives)
    others.push_back({{"law", law}, {"result", carom::to_json(hit)}});
  return {{"result", carom::to_json(predicted.hit)},
          {"interval", std::move(intervals)},
          {"alternatives", std::move(others)}};
}

Json engines() {
  Json list = Json::array();
  for (const carom::EngineInfo& info : carom::engine_catalogue()) {
    list.push_back({{"name", info.name},
                    {"title", info.title},
                    {"version", info.version},
                    {"checked", info.run ? "run" : "by source, not run"},
                    {"needs_timestep", info.needs_timestep},
                    {"takes", info.summary}});
  }
  return list;
}

/// A fitted law as parameters of an engine: what `carom export --fit` gives.
Json exported(const Json& request) {
  const carom::FittedContact fit = carom::fitted_contact_of(request.at("document"));
  const auto given = [&](const char* name) -> std::optional<double> {
    return request.contains(name) && request[name].is_number()
               ? std::optional(request[name].get<double>())
               : std::nullopt;
  };
  const std::optional<double> mass = given("mass") ? given("mass") : fit.mass;
  const std::optional<double> speed = given("speed") ? given("speed") : fit.speed;
  const bool any_mass = std::holds_alternative<carom::NewtonRestitution>(fit.law);
  if (!mass && !any_mass)
    throw carom::InvalidInput("mass: is needed, the measurement does not say it");
  if (!speed) throw carom::InvalidInput("speed: is needed, the measurement does not say it");
  const carom::Collision collision{mass.value_or(1.0), *speed};
  carom::require_positive("mass", collision.mass);
  carom::require_positive("speed", collision.speed);
  return carom::export_law(request.at("engine").get<std::string>(), {.law = fit.law,
                                                                     .collision = collision,
                                                                     .timestep = given("timestep"),
                                                                     .radius = given("radius")});
}

Json tables(const Json& request) {
  const carom::Scenario scenario = scenario_of(request);
  const carom::Kind& kind = carom::find_kind(scenario.kind());
  if (kind.played == nullptr)
    throw carom::InvalidInput("a " + kind.name + " cannot be played; string and strike can");
  const carom::InstrumentTables made = kind.played(scenario, request.at("rate").get<double>());
  return {{"numbers", give(carom::numbers_of(made))},
          {"values", scenario.values()},
          {"toml", carom::scenario_toml(scenario)},
          {"kind", scenario.kind()},
          {"modes", made.notes.front().size()},
          {"notes", made.notes.size()},
          {"lowest", made.lowest},
          {"pitch", made.pitch},
          {"string", made.body.string_length},
          {"places", made.places},
          {"heights", made.body.problem.heights},
          {"hammer", made.body.hammer},
          {"obstacle", made.obstacle},
          {"finger", made.finger},
          {"pluck_height", made.pluck_height},
          {"pluck_place", made.pluck_place},
          {"strike_speed", made.strike_speed},
          {"strike_place", made.strike_place}};
}

Json perform(const Json& request) {
  const std::string what = request.at("do").get<std::string>();
  if (what == "schema") return carom::schema_json();
  if (what == "version") return {{"version", carom::version()}, {"commit", carom::commit()}};
  if (what == "check") return check(request);
  if (what == "run") return run(request);
  if (what == "tables") return tables(request);
  if (what == "identify") return identify(request);
  if (what == "predict") return predict(request);
  if (what == "engines") return engines();
  if (what == "export") return exported(request);
  throw carom::InvalidInput("request '" + what + "' is unknown");
}

}  // namespace

EXPORTED void* carom_take(std::size_t size) { return std::malloc(size); }
EXPORTED void carom_free(void* block) { std::free(block); }

EXPORTED void carom_file(const char* name, std::size_t length, const char* bytes,
                         std::size_t size) {
  files[std::string(name, length)] = std::string(bytes, size);
}
EXPORTED void carom_forget_files() { files.clear(); }

/// Answers a request; its length. The answer stays until the next one.
EXPORTED std::size_t carom_request(const char* text, std::size_t size) {
  columns.clear();
  Json out;
  try {
    out["ok"] = perform(carom::parse_json({text, size}));
  } catch (const carom::ScenarioError& error) {
    out = {{"error", error.what()}, {"problems", Json::array()}};
    for (const carom::Problem& one : error.problems()) {
      out["problems"].push_back({{"line", one.line},
                                 {"column", one.column},
                                 {"message", one.message},
                                 {"where", one.where}});
    }
  } catch (const std::exception& error) {
    out = {{"error", error.what()}};
  }
  answer = out.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer.size();
}
EXPORTED const char* carom_answer() { return answer.data(); }
EXPORTED std::size_t carom_column_count() { return columns.size(); }
EXPORTED std::size_t carom_column_size(std::size_t index) { return columns[index].size(); }
EXPORTED const double* carom_column(std::size_t index) { return columns[index].data(); }
