#include <string>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>

#include "module.hpp"
#include "python_system.hpp"

namespace carom::python {
namespace {

constexpr const char* step_status[] = {"ok", "not converged", "contact not solved",
                                       "mass not definite", "not finite"};

template <class Stepper>
py::dict march_recorded(Stepper& stepper, double duration, long every) {
  std::vector<double> time, q, v, impulses, energy;
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(stepper.impulses().size());
  const auto record = [&] {
    time.push_back(stepper.time());
    q.insert(q.end(), stepper.position().begin(), stepper.position().end());
    v.insert(v.end(), stepper.velocity().begin(), stepper.velocity().end());
    impulses.insert(impulses.end(), pushed.begin(), pushed.end());
    energy.push_back(stepper.energy());
    pushed.setZero();
  };
  record();
  long count = 0;
  double last = stepper.time();
  march(stepper, duration, [&](const Stepper& s) {
    pushed += s.impulses();
    if constexpr (requires { s.holding_forces(); }) {
      pushed += (s.time() - last) * s.holding_forces();
    }
    last = s.time();
    if (++count % every == 0) record();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return s.report().status != StepStatus::not_finite;
  });
  if (count % every != 0) record();  // the end is always there
  const auto rows = py::ssize_t(time.size());
  const auto table = [rows](const std::vector<double>& values) {
    return py::array_t<double>({rows, py::ssize_t(values.size()) / rows}, values.data());
  };
  py::dict out;
  out["time"] = py::array_t<double>(rows, time.data());
  out["q"] = table(q);
  out["v"] = table(v);
  out["impulses"] = table(impulses);
  out["energy"] = py::array_t<double>(rows, energy.data());
  py::dict audit;
  audit["initial"] = stepper.ledger().initial();
  audit["final"] = stepper.ledger().stored();
  audit["dissipated"] = stepper.ledger().dissipated();
  audit["injected"] = stepper.ledger().injected();
  audit["residual"] = stepper.ledger().residual();
  out["audit"] = audit;
  out["status"] = step_status[static_cast<std::size_t>(stepper.report().status)];
  out["steps"] = count;
  return out;
}

py::dict simulate(const py::dict& functions, const Array& q, const Array& v,
                  const Array& restitutions, int contacts, const std::string& method, double step,
                  double duration, long every, double theta, const std::string& flight) {
  const PythonSystem system(functions, static_cast<int>(q.size()), contacts);
  const MotionState start{Eigen::Map<const Eigen::VectorXd>(q.data(), q.size()),
                          Eigen::Map<const Eigen::VectorXd>(v.data(), v.size())};
  std::vector<NewtonRestitution> laws;
  for (py::ssize_t i = 0; i < restitutions.size(); ++i) laws.push_back({restitutions.data()[i]});
  require_positive("duration", duration);
  require_within("every", double(every), 1, 1e9);
  const NonsmoothSettings common{.step = step};
  if (method == "paoli-schatzman") {
    PaoliSchatzman stepper(system, laws, start, common);
    return march_recorded(stepper, duration, every);
  }
  if (method == "moreau-jean") {
    MoreauJean stepper(system, laws, start, {.common = common, .theta = theta});
    return march_recorded(stepper, duration, every);
  }
  if (method == "event-driven") {
    NewmarkImpacts stepper(system, laws, start,
                           {.common = common,
                            .flight = named<FlightRule>("flight", flight,
                                                        {{"midpoint", FlightRule::midpoint},
                                                         {"newmark", FlightRule::newmark}})});
    return march_recorded(stepper, duration, every);
  }
  const std::vector<std::string_view> known{"paoli-schatzman", "moreau-jean", "event-driven"};
  throw InvalidInput(unknown_name_message("method", method, known));
}

}  // namespace

void bind_own_system(py::module_& module) { module.def("simulate_contacts", &simulate); }

}  // namespace carom::python
