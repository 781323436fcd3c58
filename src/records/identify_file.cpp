#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/json.hpp>
#include <carom/records/identify_file.hpp>

#include "fit_json.hpp"
#include "side_by_side.hpp"
#include "text_file.hpp"

namespace carom {
namespace {

void refuse(const char* flag, const std::optional<double>& value, const char* reason) {
  if (value) throw InvalidInput(fmt::format("{} = {}: {}", flag, number_text(*value), reason));
}

/// What an impact of the law gives back at the typical impact of the data, as far as it is known.
Json check_json(const Identification& laws, bool timed) {
  const LawFit& fit = laws.law();
  if (!fit.fitted) return {{"restitution", json_number(*fit.restitution)}};
  const Impact hit = impact(*fit.fitted, laws.reference);
  const Json none;
  return {{"restitution", json_number(hit.restitution)},
          {"contact_time", timed ? json_number(hit.contact_time) : none},
          {"max_force", fit.complete() ? json_number(hit.max_force) : none},
          {"max_compression", fit.complete() ? json_number(hit.max_compression) : none}};
}

IdentifiedRun identified(const TraceRecord& trace, const FitSettings& settings) {
  std::vector<double> forces = trace.values;
  if (trace.acceleration && settings.mass) {
    for (double& value : forces) value *= *settings.mass;
  }
  FittedTrace fit = identify_force_trace(trace.times, forces, settings);
  const char* unit = trace.acceleration && !settings.mass ? "m/s^2" : "N";
  Json json = fit_json(fit.laws, true);
  json["check"] = check_json(fit.laws, true);
  json["check"]["max_force"] = json_number(fit.max_force);
  json["problem"] = trace.acceleration ? "acceleration trace" : "force trace";
  Json events = Json::array();
  for (const TraceEvent& event : fit.pulse.events)
    events.push_back({{"time", event.time}, {"peak", event.peak}});
  json["read"] = {{"sign", fit.pulse.sign},
                  {"offset", json_number(fit.pulse.offset)},
                  {"drift", json_number(fit.pulse.drift)},
                  {"noise", json_number(fit.pulse.noise)},
                  {"unit", unit},
                  {"averaged", fit.pulse.averaged},
                  {"events", std::move(events)}};
  json["data"] = {{"kind", json["problem"]},
                  {"samples", trace.times.size()},
                  {"samples_in_pulse", fit.pulse.times.size()},
                  {"onset", fit.onset},
                  {"contact_time", fit.contact_time},
                  {"max_force", fit.max_force},
                  {"impulse", fit.impulse},
                  {"restitution", fit.restitution},
                  {"outliers", fit.outliers},
                  {"misfit", fit.laws.law().misfit}};
  return {{}, std::move(fit), std::move(json)};
}

IdentifiedRun identified(const SeriesRecord& series, const FitSettings& settings) {
  refuse("speed", settings.speed, "the file has the speeds");
  if (settings.mass && series.impacts.front().mass)
    throw InvalidInput("mass: the file has the masses; leave it out");
  FittedSeries fit{identify_series(series.impacts, settings), series.impacts};
  const SeriesImpact& first = series.impacts.front();
  const bool timed = first.contact_time || first.max_force;
  Json json = fit_json(fit.laws, timed);
  json["check"] = check_json(fit.laws, timed);
  json["problem"] =
      std::string("a series of impacts with") + (first.restitution ? " restitution" : "") +
      (first.contact_time ? " contact_time" : "") + (first.max_force ? " max_force" : "");
  Json impacts = Json::array();
  const std::vector<SeriesPoint> points = series_points(fit.laws.law(), series.impacts, settings);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SeriesImpact& one = series.impacts[i];
    Json entry{{"speed", one.speed}};
    if (one.mass) entry["mass"] = *one.mass;
    const auto add = [&](const char* name, const std::optional<double>& value, double fitted) {
      if (!value) return;
      entry[name] = *value;
      entry[std::string("fitted_") + name] = json_number(fitted);
    };
    add("restitution", one.restitution, points[i].restitution);
    add("contact_time", one.contact_time, points[i].contact_time);
    add("max_force", one.max_force, points[i].max_force);
    impacts.push_back(std::move(entry));
  }
  json["read"] = {{"rows", series.impacts.size()}};
  json["data"] = {{"kind", "impacts"},
                  {"misfit", json_number(fit.laws.law().misfit)},
                  {"impacts", std::move(impacts)}};
  return {{}, std::move(fit), std::move(json)};
}

IdentifiedRun identified_bounces(const std::vector<Onset>& onsets, double timing, const char* kind,
                                 const FitSettings& settings) {
  refuse("speed", settings.speed, "the flights give the speeds");
  refuse("mass", settings.mass, "times of bounces say nothing about forces");
  refuse("force", settings.force, "times of bounces say nothing about forces");
  FittedBounces fit = identify_bounces(find_bounces(onsets, timing), timing, settings);
  Json json = fit_json(fit.laws, false);
  json["check"] = check_json(fit.laws, false);
  json["problem"] = std::string("times between bounces: ") + kind;
  std::size_t gaps = 0;
  for (const bool gap : fit.chain.after_gap) gaps += gap ? 1 : 0;
  const std::size_t used = fit.chain.times.size();
  json["read"] = {{"events", onsets.size()},
                  {"bounces", used},
                  {"strays", onsets.size() - used},
                  {"gaps", gaps},
                  {"timing", timing}};
  Json bounces = Json::array();
  const std::vector<SeriesPoint> points = series_points(fit.laws.law(), fit.impacts);
  for (std::size_t i = 0; i < points.size(); ++i) {
    bounces.push_back({{"time", fit.impact_times[i]},
                       {"speed_in", fit.impacts[i].speed},
                       {"restitution", *fit.impacts[i].restitution},
                       {"fitted_restitution", json_number(points[i].restitution)}});
  }
  json["data"] = {{"kind", kind},
                  {"impacts_found", onsets.size()},
                  {"impacts_used", used},
                  {"restitution", fit.restitution},
                  {"misfit", json_number(fit.laws.law().misfit)},
                  {"times", fit.chain.times},
                  {"bounces", std::move(bounces)}};
  return {{}, std::move(fit), std::move(json)};
}

/// Equally spaced, as the times of samples are; the flights of a body become shorter.
bool is_clock(const TimesRecord& record) {
  const std::vector<double>& t = record.times;
  if (t.size() < 8) return false;
  const double step = (t.back() - t.front()) / double(t.size() - 1);
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (std::abs(t[i] - t.front() - double(i) * step) > record.resolution) return false;
  }
  return true;
}

IdentifiedRun identified(const TimesRecord& record, const FitSettings& settings) {
  std::vector<Onset> onsets;
  for (const double time : record.times) onsets.push_back({time});
  // A number is rounded to its last digit.
  const double timing = record.resolution / std::sqrt(12.0);
  // Any long list holds a few times that could be bounces.
  const bool clock = is_clock(record);
  const std::size_t used = clock ? 0 : find_bounces(onsets, timing).times.size();
  if (2 * used < onsets.size()) {
    throw InvalidInput(fmt::format(
        "{} of {} times follow each other as bounces do{}; --columns says what the file has", used,
        onsets.size(), clock ? ", they are equally spaced" : ""));
  }
  return identified_bounces(onsets, timing, "times", settings);
}

IdentifiedRun identified(const TrackRecord& track, const FitSettings& settings) {
  const std::vector<Onset> onsets = track_bounces(track.times, track.heights);
  const double step = (track.times.back() - track.times.front()) / double(track.times.size() - 1);
  return identified_bounces(onsets, 0.1 * step, "track", settings);
}

IdentifiedRun identified(const SoundRecord& sound, const FitSettings& settings) {
  return identified_bounces(impact_onsets(sound.samples, sound.rate), 1 / sound.rate, "recording",
                            settings);
}

}  // namespace

const Identification& IdentifiedRun::laws() const {
  return std::visit([](const auto& fit) -> const Identification& { return fit.laws; }, result);
}

IdentifiedFile identify_bytes(const std::filesystem::path& file, const std::string& bytes,
                              const IdentifyFileOptions& options) {
  return identify_measurements(
      file, measurements_of(file, bytes, options.read, options.fit.gravity.value_or(9.81)),
      options);
}

IdentifiedFile identify_measurements(const std::filesystem::path& file,
                                     const Measurements& measured,
                                     const IdentifyFileOptions& options) {
  FitSettings settings = options.fit;
  settings.each = [](std::size_t count, const std::function<void(std::size_t)>& use) {
    side_by_side(count, use);
  };
  std::vector<std::optional<IdentifiedRun>> found(measured.runs.size());
  std::vector<std::string> refused(measured.runs.size());
  side_by_side(found.size(), [&](std::size_t i) {
    const MeasuredRun& run = measured.runs[i];
    try {
      found[i] = std::visit([&](const auto& data) { return identified(data, settings); }, run.data);
      Json read = read_json(measured.format, run);
      read["runs"] = measured.runs.size();
      read.update(found[i]->document["read"]);
      found[i]->document["read"] = std::move(read);
      found[i]->document["data"]["file"] = file.string();
      found[i]->measured = run;
    } catch (const InvalidInput& error) {
      refused[i] = (run.label.empty() ? "" : run.label + ": ") + error.what();
    }
  });
  IdentifiedFile out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) refuse_file(file, refused[i]);
    out.accepted = out.accepted && found[i]->laws().law().verdict == FitVerdict::accepted;
    out.runs.push_back(std::move(*found[i]));
  }
  if (out.runs.size() == 1) {
    out.document = out.runs.front().document;
  } else {
    out.document = {{"file", file.string()}, {"runs", Json::array()}};
    for (const IdentifiedRun& run : out.runs) out.document["runs"].push_back(run.document);
  }
  return out;
}

}  // namespace carom
