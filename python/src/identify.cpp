#include <array>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/identify/formula.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/identify/two_speeds.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

using Optional = std::optional<double>;

/// What Python turns into a law with its check values.
py::dict to_dict(const Identified& found) {
  py::dict check;
  check["restitution"] = found.check.restitution;
  check["contact_time"] = found.check.contact_time;
  check["max_force"] = found.check.max_force;
  check["max_compression"] = found.check.max_compression;
  py::dict result;
  result["stiffness"] = found.stiffness;
  result["exponent"] = found.exponent;
  result["mu"] = found.mu;
  result["lambda"] = found.lambda;
  result["damping"] = found.damping;
  result["epsilon"] = found.epsilon;
  result["omega_i"] = found.omega;
  result["mass"] = found.mass;
  result["speed"] = found.speed;
  result["formula"] = formula_name(found.formula);
  result["problem"] = found.problem;
  result["check"] = check;
  return result;
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
  return to_dict(identify_hertz_damper(
      measured, chosen, release == "zero-force" ? Release::zero_force : Release::zero_compression));
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
  const FittedTrace fit =
      identify_force_trace({times.data(), std::size_t(times.size())},
                           {forces.data(), std::size_t(forces.size())}, mass, speed);
  py::dict result = to_dict(fit.law);
  result["converged"] = fit.status == FitStatus::converged;
  result["onset"] = fit.onset;
  result["contact_time"] = fit.contact_time;
  result["max_force"] = fit.max_force;
  result["impulse"] = fit.impulse;
  result["restitution"] = fit.restitution;
  result["residual"] = fit.residual;
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
  module.def("formula_costs", &costs);
}

}  // namespace carom::python
