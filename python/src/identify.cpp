#include <array>
#include <map>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/identify/formula.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/identify/recording.hpp>
#include <carom/identify/searched_law.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/identify/two_speeds.hpp>
#include <carom/records/fit_file.hpp>
#include <carom/records/identify_file.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

using Optional = std::optional<double>;

/// The numbers of a law, or their 95 % half widths; None where there is no such number.
template <class Numbers>
py::dict law_numbers(const Numbers& numbers) {
  py::dict result;
  result["stiffness"] = numbers.stiffness;
  result["exponent"] = numbers.exponent;
  result["mu"] = numbers.mu;
  result["lambda"] = numbers.lambda;
  result["damping"] = numbers.damping;
  result["epsilon"] = numbers.epsilon;
  result["omega_i"] = numbers.omega;
  return result;
}

/// What Python turns into a law with its check values.
py::dict to_dict(const Identified& found) {
  py::dict check;
  check["restitution"] = found.check.restitution;
  check["contact_time"] = found.check.contact_time;
  check["max_force"] = found.check.max_force;
  check["max_compression"] = found.check.max_compression;
  py::dict result = law_numbers(found);
  result["mass"] = found.mass;
  result["speed"] = found.speed;
  result["formula"] = formula_name(found.formula);
  result["problem"] = found.problem;
  result["check"] = check;
  return result;
}

/// The numbers of a law by name, as its class in Python takes them.
py::dict values_dict(const AnyLaw& law) {
  py::dict values;
  for (const auto& [name, value] : values_of(law))
    std::visit([&, key = py::str(name)](const auto& one) { values[key] = one; }, value);
  return values;
}

std::span<const double> span_of(const Array& values) {
  return {values.data(), std::size_t(values.size())};
}

Release release_of(const std::string& name) {
  return named<Release>(
      "release", name,
      {{"zero-force", Release::zero_force}, {"zero-compression", Release::zero_compression}});
}

py::dict identify(const std::string& law, const std::string& formula, const std::string& release,
                  Optional mass, Optional speed, Optional restitution, Optional contact_time,
                  Optional max_force, Optional max_compression, Optional stiffness,
                  Optional exponent, Optional mu, Optional lambda) {
  const Measurement measured{mass,      speed,           restitution, contact_time,
                             max_force, max_compression, stiffness,   exponent,
                             mu,        lambda};
  const Formula chosen = formula_of(formula);
  if (law == "hunt-crossley") return to_dict(identify_hunt_crossley(measured, chosen));
  return to_dict(identify_hertz_damper(measured, chosen, release_of(release)));
}

/// Many impacts: `measured` has arrays of one length. Stiffness, exponent and loss of each law.
py::tuple identify_many(const std::string& law, const std::string& formula,
                        const std::string& release, const std::map<std::string, Array>& measured,
                        py::ssize_t count) {
  const Formula chosen = formula_of(formula);
  const Release let_go = release_of(release);
  using Column = std::pair<const char*, Optional Measurement::*>;
  const std::array<Column, 10> columns{{{"mass", &Measurement::mass},
                                        {"speed", &Measurement::speed},
                                        {"restitution", &Measurement::restitution},
                                        {"contact_time", &Measurement::contact_time},
                                        {"max_force", &Measurement::max_force},
                                        {"max_compression", &Measurement::max_compression},
                                        {"stiffness", &Measurement::stiffness},
                                        {"exponent", &Measurement::exponent},
                                        {"mu", &Measurement::mu},
                                        {"lambda_", &Measurement::lambda}}};
  std::vector<std::pair<Optional Measurement::*, const double*>> given;
  for (const auto& [name, member] : columns) {
    if (const auto found = measured.find(name); found != measured.end())
      given.emplace_back(member, found->second.data());
  }
  std::optional<TabulatedImpact> tabulated;
  if (const auto exponent = measured.find("exponent");
      law == "hunt-crossley" && count > 0 && exponent != measured.end())
    tabulated.emplace(exponent->second.data()[0]);
  py::array_t<double> stiffness(count), exponent(count), loss(count);
  double *k = stiffness.mutable_data(), *n = exponent.mutable_data(), *c = loss.mutable_data();
  for_each_unlocked(count, [&](py::ssize_t i) {
    Measurement one;
    for (const auto& [member, values] : given) one.*member = values[i];
    if (law == "hunt-crossley") {
      const HuntCrossley found =
          identify_hunt_crossley(one, chosen, tabulated ? &*tabulated : nullptr).hunt_crossley();
      k[i] = found.stiffness, n[i] = found.exponent, c[i] = found.mu;
    } else {
      const HertzDamper found = identify_hertz_damper(one, chosen, let_go).hertz_damper();
      k[i] = found.stiffness, n[i] = found.exponent, c[i] = found.damping;
    }
  });
  return py::make_tuple(stiffness, exponent, loss);
}

/// A law without a closed inverse, or with a push during contact: its values.
py::dict searched(const std::string& law, const FieldValues& given, Optional mass, Optional speed,
                  Optional restitution, Optional contact_time, Optional max_force,
                  Optional max_compression, Optional force, Optional gravity) {
  const SearchedLaw found = identify_by_search(
      law, given, {mass, speed, restitution, contact_time, max_force, max_compression},
      {force, gravity});
  return values_dict(found.law);
}

py::dict two_speeds(std::array<double, 3> first, std::array<double, 3> second, Optional mass) {
  const TwoSpeeds found =
      identify_two_speeds({first[0], first[1], first[2]}, {second[0], second[1], second[2]}, mass);
  py::dict result = to_dict(found.law);
  result["first_mu"] = found.first_mu;
  result["second_mu"] = found.second_mu;
  result["mismatch"] = found.mismatch;
  return result;
}

/// What the fits of data come to; Python makes a Fit of it.
py::dict to_dict(const Identification& laws) {
  using Status = FittedNumber::Status;
  const LawFit& fit = laws.law();
  py::dict result, numbers, uncertainty, interval;
  for (const FittedNumber& one : fit.numbers) {
    const bool known = one.status != Status::open && one.status != Status::out_of_reach;
    const py::str name(one.name);
    numbers[name] = known ? Optional(one.value) : Optional();
    uncertainty[name] = known ? Optional(one.half_width()) : Optional();
    interval[name] = py::none();
    if (known) interval[name] = py::make_tuple(one.low, one.high);
  }
  py::list candidates;
  for (const LawFit& one : laws.candidates) {
    py::dict entry;
    entry["law"] = one.law;
    entry["misfit"] = one.misfit;
    entry["criterion"] = one.criterion;
    entry["verdict"] = verdict_name(one.verdict);
    entry["reasons"] = one.reasons;
    candidates.append(entry);
  }
  result["name"] = fit.law;
  result["values"] = py::none();
  if (fit.fitted && fit.complete()) result["values"] = values_dict(*fit.fitted);
  result["numbers"] = numbers;
  result["uncertainty"] = uncertainty;
  result["interval"] = interval;
  result["verdict"] = verdict_name(fit.verdict);
  result["reasons"] = fit.reasons;
  result["advice"] = laws.advice;
  result["candidates"] = candidates;
  result["converged"] = fit.converged;
  result["misfit"] = fit.misfit;
  result["mass"] = laws.mass_known ? Optional(laws.reference.mass) : Optional();
  result["speed"] = laws.reference.speed;
  return result;
}

FitSettings settings_of(const py::dict& options) {
  FitSettings settings;
  for (const auto& [key, value] : options) {
    const auto name = key.cast<std::string>();
    if (name == "law") {
      settings.law = value.cast<std::string>();
    } else if (name == "mass") {
      settings.mass = value.cast<double>();
    } else if (name == "speed") {
      settings.speed = value.cast<double>();
    } else if (name == "force") {
      settings.force = value.cast<double>();
    } else if (name == "gravity") {
      settings.gravity = value.cast<double>();
    } else if (py::isinstance<py::str>(value)) {
      settings.given[name] = value.cast<std::string>();
    } else {
      settings.given[name] = value.cast<double>();
    }
  }
  return settings;
}

py::dict force_trace(const Array& times, const Array& forces, const py::dict& options) {
  const FittedTrace fit =
      identify_force_trace(span_of(times), span_of(forces), settings_of(options));
  py::dict result = to_dict(fit.laws);
  result["onset"] = fit.onset;
  result["contact_time"] = fit.contact_time;
  result["max_force"] = fit.max_force;
  result["impulse"] = fit.impulse;
  result["restitution"] = fit.restitution;
  return result;
}

using OptionalArray = std::optional<Array>;

void add_points(py::dict& result, const std::vector<SeriesPoint>& points, bool timed) {
  std::vector<double> restitutions, contact_times;
  for (const SeriesPoint& point : points) {
    restitutions.push_back(point.restitution);
    contact_times.push_back(point.contact_time);
  }
  result["fitted_restitution"] = to_array(restitutions);
  result["fitted_contact_time"] = py::none();
  if (timed) result["fitted_contact_time"] = to_array(contact_times);
}

/// Columns of the same length by name; what was not measured is not there.
py::dict series(const std::map<std::string, Array>& columns, const py::dict& options) {
  std::vector<SeriesImpact> impacts(static_cast<std::size_t>(columns.at("speed").size()));
  for (const auto& [name, values] : columns) {
    const auto assign = [&, column = &values](auto member) {
      for (std::size_t i = 0; i < impacts.size(); ++i) impacts[i].*member = column->data()[i];
    };
    if (name == "speed") assign(&SeriesImpact::speed);
    if (name == "restitution") assign(&SeriesImpact::restitution);
    if (name == "contact_time") assign(&SeriesImpact::contact_time);
    if (name == "max_force") assign(&SeriesImpact::max_force);
    if (name == "mass") assign(&SeriesImpact::mass);
    if (name == "speed_sd") assign(&SeriesImpact::speed_sd);
    if (name == "restitution_sd") assign(&SeriesImpact::restitution_sd);
    if (name == "contact_time_sd") assign(&SeriesImpact::contact_time_sd);
    if (name == "max_force_sd") assign(&SeriesImpact::max_force_sd);
  }
  const FitSettings settings = settings_of(options);
  const Identification laws = identify_series(impacts, settings);
  py::dict result = to_dict(laws);
  add_points(result, series_points(laws.law(), impacts, settings),
             columns.contains("contact_time"));
  return result;
}

Array strikes(const Array& samples, double rate) {
  std::vector<double> times;
  for (const Onset& onset : impact_onsets(span_of(samples), rate)) times.push_back(onset.time);
  return to_array(times);
}

py::dict fitted_bounces(const std::vector<Onset>& onsets, double timing, const py::dict& options) {
  const FittedBounces fit =
      identify_bounces(find_bounces(onsets, timing), timing, settings_of(options));
  py::dict result = to_dict(fit.laws);
  std::vector<double> speeds, restitutions;
  for (const SeriesImpact& impact : fit.impacts) {
    speeds.push_back(impact.speed);
    restitutions.push_back(*impact.restitution);
  }
  add_points(result, series_points(fit.laws.law(), fit.impacts), false);
  result["times"] = to_array(fit.chain.times);
  result["speed_in"] = to_array(speeds);
  result["restitution"] = to_array(restitutions);
  result["mean_restitution"] = fit.restitution;
  return result;
}

py::dict bounces(const Array& times, double timing, const py::dict& options) {
  std::vector<Onset> onsets;
  for (const double time : span_of(times)) onsets.push_back({time});
  return fitted_bounces(onsets, timing, options);
}

py::dict recording(const Array& samples, double rate, const py::dict& options) {
  return fitted_bounces(impact_onsets(span_of(samples), rate), 1 / rate, options);
}

/// The document of `carom identify FILE --json`.
std::string file(const std::string& path, const std::vector<std::string>& columns,
                 const std::vector<std::string>& units, std::optional<long> run,
                 const py::dict& options) {
  const IdentifyFileOptions asked{{columns, units, run}, settings_of(options)};
  const py::gil_scoped_release unlocked;
  return json_text(identify_file(path, asked).document);
}

/// Numbers of an impact under the law of a fit document, with 95 % intervals.
py::dict prediction(const std::string& document, Optional mass, double speed, double force) {
  const FitFile fit = fit_of(parse_json(document));
  if (!mass) mass = fit.mass;
  if (!mass) throw InvalidInput("mass: the fit does not have it; give it");
  const Prediction found = predict(fit, {*mass, speed, force});
  py::dict result;
  for (const auto& [name, range] : found.intervals)
    result[py::str(name)] = py::make_tuple(range.first, range.second);
  return result;
}

py::list costs(const std::vector<double>& asked, double exponent) {
  py::list rows;
  for (const FormulaCost& cost : formula_costs(asked, exponent)) {
    py::dict row;
    row["asked"] = cost.asked;
    for (std::size_t i = 0; i < all_formulas.size(); ++i) {
      row[py::str(std::string(formula_name(all_formulas[i])))] = cost.delivered[i];
    }
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_identify(py::module_& module) {
  module.def("identify", &identify, py::kw_only(), py::arg("law"), py::arg("formula"),
             py::arg("release"), py::arg("mass"), py::arg("speed"), py::arg("restitution"),
             py::arg("contact_time"), py::arg("max_force"), py::arg("max_compression"),
             py::arg("stiffness"), py::arg("exponent"), py::arg("mu"), py::arg("lambda_"));
  module.def("identify_many", &identify_many);
  module.def("identify_by_search", &searched);
  module.def("identify_two_speeds", &two_speeds);
  module.def("identify_force_trace", &force_trace);
  module.def("identify_series", &series);
  module.def("impact_times", &strikes);
  module.def("identify_bounces", &bounces);
  module.def("identify_recording", &recording);
  module.def("identify_file", &file);
  module.def("predict", &prediction);
  module.def("formula_costs", &costs);
}

}  // namespace carom::python
