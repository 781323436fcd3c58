#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include <carom/export/engine_export.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/identify/modes.hpp>
#include <carom/output/json.hpp>
#include <carom/records/fit_file.hpp>
#include <carom/records/score.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

using Optional = std::optional<double>;

ExportSetting setting_of(const std::string& name) {
  return named<ExportSetting>("setting", name,
                              {{"auto", ExportSetting::automatic},
                               {"spring", ExportSetting::spring},
                               {"restitution", ExportSetting::restitution}});
}

/// A law, the document of a fit, or a restitution; JSON text of `carom export --json`.
std::string exported(const std::string& engine, const std::optional<py::tuple>& law,
                     const std::optional<std::string>& fit, Optional restitution, Optional mass,
                     Optional speed, Optional timestep, Optional radius,
                     const std::string& setting) {
  ExportRequest request{.law = NewtonRestitution{restitution.value_or(1)},
                        .collision = {1, 1},
                        .timestep = timestep,
                        .radius = radius,
                        .setting = setting_of(setting)};
  if (law) request.law = law_of(*law);
  if (fit) {
    const FittedContact found = fitted_contact_of(parse_json(*fit));
    request.law = found.law;
    if (!mass) mass = found.mass;
    if (!speed) speed = found.speed;
  }
  if (const auto* newton = std::get_if<NewtonRestitution>(&request.law)) {
    validate(*newton);
    if (!mass) mass = 1.0;  // Newton's law knows none
  }
  if (!mass || !speed) throw InvalidInput(std::string(mass ? "speed" : "mass") + ": give it");
  request.collision = {*mass, *speed};
  return json_text(export_law(engine, request));
}

std::vector<double> copied(const Array& values) {
  return {values.data(), values.data() + values.size()};
}

py::dict scored(const py::tuple& law, const Array& time, const Array& position,
                const Array& velocity, double mass, double force) {
  if (time.size() != position.size() || time.size() != velocity.size())
    throw InvalidInput("time, position and velocity must have the same length");
  const AnyLaw chosen = law_of(law);
  const TrajectoryScore score = score_trajectory(
      copied(time), copied(position), copied(velocity),
      [&](const Collision&) { return LawChoice(chosen); }, mass, force);
  py::list impacts;
  for (const ScoredImpact& hit : score.impacts) {
    py::dict one;
    one["time"] = hit.time;
    one["speed_in"] = hit.speed_in;
    one["speed_out"] = hit.speed_out;
    one["restitution"] = hit.restitution;
    one["exact_restitution"] = hit.exact_restitution;
    one["contact_time"] = hit.contact_time;
    one["exact_contact_time"] = hit.exact_contact_time;
    one["max_compression"] = hit.max_compression;
    one["exact_max_compression"] = hit.exact_max_compression;
    one["energy_gain"] = hit.energy_gain;
    impacts.append(one);
  }
  py::dict result;
  result["impacts"] = impacts;
  result["verdict"] = score.verdict;
  return result;
}

py::list heard_modes(const Array& samples, double rate, int count) {
  py::list found;
  for (const HeardMode& mode :
       identify_modes({samples.data(), std::size_t(samples.size())}, rate, {.modes = count})) {
    py::dict one;
    one["frequency"] = mode.frequency;
    one["frequency_sd"] = mode.frequency_sd;
    one["damping"] = mode.damping;
    one["damping_sd"] = mode.damping_sd;
    one["t60"] = mode.t60();
    one["t60_sd"] = mode.t60_sd();
    one["amplitude"] = mode.amplitude;
    one["amplitude_sd"] = mode.amplitude_sd;
    one["phase"] = mode.phase;
    found.append(one);
  }
  return found;
}

}  // namespace

void bind_export(py::module_& module) {
  module.def("export", &exported);
  module.def("score", &scored);
  module.def("identify_modes", &heard_modes);
}

}  // namespace carom::python
