#include <array>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/identify/formula.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/identify/recording.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/identify/two_speeds.hpp>

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

py::dict to_dict(const LawUncertainty& widths) { return law_numbers(widths); }

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

py::dict two_speeds(std::array<double, 3> first, std::array<double, 3> second, Optional mass) {
  const TwoSpeeds found =
      identify_two_speeds({first[0], first[1], first[2]}, {second[0], second[1], second[2]}, mass);
  py::dict result = to_dict(found.law);
  result["first_mu"] = found.first_mu;
  result["second_mu"] = found.second_mu;
  result["mismatch"] = found.mismatch;
  return result;
}

py::dict force_trace(const Array& times, const Array& forces, Optional mass, Optional speed) {
  if (times.size() != forces.size()) {
    throw InvalidInput("times and forces: must have the same length");
  }
  const FittedTrace fit = identify_force_trace(span_of(times), span_of(forces), mass, speed);
  py::dict result = to_dict(fit.law);
  result["converged"] = fit.status == FitStatus::converged;
  result["onset"] = fit.onset;
  result["contact_time"] = fit.contact_time;
  result["max_force"] = fit.max_force;
  result["impulse"] = fit.impulse;
  result["restitution"] = fit.restitution;
  result["residual"] = fit.residual;
  result["uncertainty"] = to_dict(fit.uncertainty);
  return result;
}

py::dict to_dict(const FittedSeries& fit) {
  py::dict result = to_dict(fit.law);
  result["converged"] = fit.status == FitStatus::converged;
  result["misfit"] = fit.misfit;
  result["uncertainty"] = to_dict(fit.uncertainty);
  std::vector<double> restitutions, contact_times;
  for (const FittedSeries::Point& point : fit.points) {
    restitutions.push_back(point.restitution);
    if (point.contact_time) contact_times.push_back(*point.contact_time);
  }
  result["fitted_restitution"] = to_array(restitutions);
  result["fitted_contact_time"] = py::none();
  if (!contact_times.empty()) result["fitted_contact_time"] = to_array(contact_times);
  return result;
}

using OptionalArray = std::optional<Array>;

/// Columns of the same length; None is a column that was not measured.
py::dict series(const std::string& law, const std::string& release, const Array& speed,
                const Array& restitution, const OptionalArray& contact_time,
                const OptionalArray& speed_sd, const OptionalArray& restitution_sd,
                const OptionalArray& contact_time_sd, Optional mass, Optional exponent) {
  std::vector<SeriesImpact> impacts;
  for (py::ssize_t i = 0; i < speed.size(); ++i) {
    const auto entry = [&](const OptionalArray& column) {
      return column ? Optional(column->data()[i]) : Optional();
    };
    impacts.push_back({.speed = speed.data()[i],
                       .restitution = restitution.data()[i],
                       .contact_time = entry(contact_time),
                       .speed_sd = entry(speed_sd),
                       .restitution_sd = entry(restitution_sd),
                       .contact_time_sd = entry(contact_time_sd)});
  }
  return to_dict(identify_series(
      impacts, law == "hunt-crossley" ? SeriesLaw::hunt_crossley : SeriesLaw::hertz_damper, mass,
      exponent, release_of(release)));
}

Array strikes(const Array& samples, double rate) {
  return to_array(impact_times(span_of(samples), rate));
}

py::dict bounces(const Array& times, double timing, double gravity) {
  const FittedBounces fit = identify_bounces(span_of(times), timing, gravity);
  py::dict result = to_dict(fit.series);
  std::vector<double> speeds, restitutions;
  for (const SeriesImpact& impact : fit.impacts) {
    speeds.push_back(impact.speed);
    restitutions.push_back(impact.restitution);
  }
  result["times"] = to_array(fit.times);
  result["speed_in"] = to_array(speeds);
  result["restitution"] = to_array(restitutions);
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
  module.def("identify_two_speeds", &two_speeds);
  module.def("identify_force_trace", &force_trace);
  module.def("identify_series", &series);
  module.def("impact_times", &strikes);
  module.def("identify_bounces", &bounces);
  module.def("formula_costs", &costs);
}

}  // namespace carom::python
