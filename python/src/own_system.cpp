#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>
#include <carom/output/hdf5.hpp>
#include <carom/steppers/impact_reader.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>

#include "module.hpp"
#include "python_system.hpp"

namespace carom::python {
namespace {

constexpr const char* step_status[] = {
    "ok",         "not converged", "contact not solved", "mass not definite",
    "not finite", "energy gained"};
constexpr const char* march_status[] = {"ok", "at rest", "sustained contact", "not converged",
                                        "not finite"};

/// Rows of a run, and its impacts where the method sees them.
class ContactRows {
 public:
  void row(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
           const Eigen::VectorXd& impulses, const Eigen::VectorXd& forces, double energy) {
    time_.push_back(time);
    q_.insert(q_.end(), q.begin(), q.end());
    v_.insert(v_.end(), v.begin(), v.end());
    impulses_.insert(impulses_.end(), impulses.begin(), impulses.end());
    forces_.insert(forces_.end(), forces.begin(), forces.end());
    energy_.push_back(energy);
  }
  void impact(int contact, const ImpactRecord& impact, double impulse) {
    impacts_.insert(impacts_.end(),
                    {static_cast<double>(contact), impact.time, impact.speed_in, impact.speed_out,
                     impact.contact_time, impact.max_compression, impact.max_force, impulse});
  }
  py::dict result(const Ledger& ledger, const char* status, long long steps) const {
    const auto rows = static_cast<py::ssize_t>(time_.size());
    const auto table = [](const std::vector<double>& values, std::size_t columns) {
      const auto count =
          static_cast<py::ssize_t>(values.size() / std::max<std::size_t>(1, columns));
      return py::array_t<double>({count, static_cast<py::ssize_t>(columns)}, values.data());
    };
    py::dict out;
    out["time"] = py::array_t<double>(rows, time_.data());
    out["q"] = table(q_, q_.size() / time_.size());
    out["v"] = table(v_, v_.size() / time_.size());
    out["impulses"] = table(impulses_, impulses_.size() / time_.size());
    out["forces"] = table(forces_, forces_.size() / time_.size());
    out["energy"] = py::array_t<double>(rows, energy_.data());
    out["impacts"] = table(impacts_, 8);
    py::dict audit;
    audit["initial"] = ledger.initial();
    audit["final"] = ledger.stored();
    audit["dissipated"] = ledger.dissipated();
    audit["injected"] = ledger.injected();
    audit["residual"] = ledger.residual();
    out["audit"] = audit;
    out["status"] = status;
    out["steps"] = steps;
    return out;
  }

 private:
  std::vector<double> time_, q_, v_, impulses_, forces_, energy_, impacts_;
};

void look_for_ctrl_c() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

template <class Stepper>
py::dict march_nonsmooth(Stepper stepper, const PythonSystem& system, const MotionState& start,
                         double step, double duration, long every) {
  constexpr bool stops_at_impacts = requires { stepper.rates_before(); };
  ImpactReader<PythonSystem> reader(system, start);
  if constexpr (!stops_at_impacts) reader.read(stepper, step);
  ContactRows rows;
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(stepper.impulses().size());
  Eigen::VectorXd held = pushed;
  const auto record = [&] {
    rows.row(stepper.time(), stepper.position(), stepper.velocity(), pushed, held,
             stepper.energy());
    pushed.setZero();
  };
  record();
  long count = 0;
  double last = stepper.time();
  march(stepper, duration, [&](const Stepper& s) {
    pushed += s.impulses();
    if constexpr (stops_at_impacts) {
      for (Eigen::Index i = 0; i < pushed.size(); ++i) {
        if (!(s.impulses()[i] > 0)) continue;
        rows.impact(static_cast<int>(i),
                    {.time = s.time(),
                     .speed_in = std::abs(s.rates_before()[i]),
                     .speed_out = std::abs(s.rates_after()[i]),
                     .max_force = std::numeric_limits<double>::infinity()},
                    s.impulses()[i]);
      }
      held = s.holding_forces();
      pushed += (s.time() - last) * held;
    } else {
      reader.read(s, step);
      for (const SystemImpact& hit : reader.finished()) {
        rows.impact(hit.contact, hit.record, hit.impulse);
      }
      if (s.time() > last) held = s.impulses() / (s.time() - last);
    }
    last = s.time();
    if (++count % every == 0) record();
    look_for_ctrl_c();
    return s.report().status != StepStatus::not_finite;
  });
  if (count % every != 0) record();  // the end is always there
  return rows.result(stepper.ledger(), step_status[static_cast<int>(stepper.report().status)],
                     count);
}

py::dict march_system(SystemMarch run, double duration, int contacts, long every) {
  ContactRows rows;
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(contacts), last = pushed, forces = pushed;
  const auto record = [&](const SystemMarch& now) {
    for (int i = 0; i < contacts; ++i) {
      pushed[i] = now.impulse(i) - last[i];
      last[i] = now.impulse(i);
      forces[i] = now.force(i);
    }
    rows.row(now.time(), now.position(), now.velocity(), pushed, forces, now.stored_energy());
  };
  record(run);
  long count = 0;
  march(run, duration, [&](const SystemMarch& now) {
    look_for_ctrl_c();
    if (now.sampled()) {
      for (const SystemImpact& hit : now.finished()) {
        rows.impact(hit.contact, hit.record, hit.impulse);
      }
      if (++count % every == 0) record(now);
    }
    return now.status() == MarchStatus::going || now.status() == MarchStatus::at_rest;
  });
  if (count % every != 0) record(run);
  run.finish();
  return rows.result(run.ledger(), march_status[static_cast<int>(run.status())], run.steps());
}

LawChoice law_choice_of(const py::tuple& law) {
  if (law[0].cast<std::string>() != NewtonRestitution::text.name) return law_of(law);
  const NewtonRestitution newton{law[1]["restitution"].cast<double>()};
  validate(newton);
  return newton;
}

/// Newton's laws for a method that knows impacts without duration only.
std::vector<NewtonRestitution> restitutions_of(const std::vector<LawChoice>& laws,
                                               const std::string& method) {
  std::vector<NewtonRestitution> all;
  for (const LawChoice& law : laws) {
    if (const auto* compliant = std::get_if<AnyLaw>(&law)) {
      throw InvalidInput("method '" + method + "': its impacts take no time, the law '" +
                         std::string(law_name(*compliant)) +
                         "' is a force; use passive, event-driven, rk4, heun-textbook, "
                         "verlet-textbook or trapezoid");
    }
    all.push_back(std::get<NewtonRestitution>(law));
  }
  return all;
}

py::dict simulate(const py::dict& functions, const Array& q, const Array& v, const py::list& given,
                  int contacts, const std::string& method, double step, double duration, long every,
                  double theta, const std::string& flight) {
  const PythonSystem system(functions, static_cast<int>(q.size()), contacts);
  const MotionState start{Eigen::Map<const Eigen::VectorXd>(q.data(), q.size()),
                          Eigen::Map<const Eigen::VectorXd>(v.data(), v.size())};
  std::vector<LawChoice> laws;
  bool compliant = false;
  for (const py::handle& law : given) {
    laws.push_back(law_choice_of(law.cast<py::tuple>()));
    compliant = compliant || std::holds_alternative<AnyLaw>(laws.back());
  }
  require_positive("step", step);
  require_positive("duration", duration);
  require_within("every", static_cast<double>(every), 1, 1e9);
  const NonsmoothSettings common{.step = step};
  if (method == "paoli-schatzman") {
    return march_nonsmooth(PaoliSchatzman(system, restitutions_of(laws, method), start, common),
                           system, start, step, duration, every);
  }
  if (method == "moreau-jean") {
    return march_nonsmooth(MoreauJean(system, restitutions_of(laws, method), start,
                                      {.common = common, .theta = theta}),
                           system, start, step, duration, every);
  }
  if (method == "event-driven" && !compliant) {
    const auto rule = named<FlightRule>(
        "flight", flight, {{"midpoint", FlightRule::midpoint}, {"newmark", FlightRule::newmark}});
    return march_nonsmooth(NewmarkImpacts(system, restitutions_of(laws, method), start,
                                          {.common = common, .flight = rule}),
                           system, start, step, duration, every);
  }
  SystemMarchSettings settings{.rate = 1 / step, .end = duration};
  settings.closes_energy = method == "passive";
  settings.scheme = named<SystemScheme>("method", method,
                                        {{"passive", SystemScheme::collocation},
                                         {"event-driven", SystemScheme::collocation},
                                         {"moreau-jean", SystemScheme::collocation},
                                         {"paoli-schatzman", SystemScheme::collocation},
                                         {"rk4", SystemScheme::rk4},
                                         {"heun-textbook", SystemScheme::heun},
                                         {"verlet-textbook", SystemScheme::verlet},
                                         {"trapezoid", SystemScheme::trapezoid}});
  return march_system(
      SystemMarch(AnySystem(system), std::move(laws), Surface::recovers, start, settings), duration,
      contacts, every);
}

/// Rows of time and the named columns as `carom run --format hdf5` writes them.
void write_hdf5(const std::string& path,
                const std::vector<std::pair<std::string, std::string>>& columns,
                const py::array_t<double, py::array::c_style | py::array::forcecast>& rows,
                const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::vector<Signal> signals;
  for (const auto& [name, unit] : columns) signals.push_back({name, unit, ""});
  Hdf5Signals file(path, attributes);
  file.begin(signals);
  file.write({rows.data(), static_cast<std::size_t>(rows.size())},
             static_cast<std::size_t>(rows.shape(0)));
  file.close();
}

}  // namespace

void bind_own_system(py::module_& module) {
  module.def("simulate_contacts", &simulate);
  module.def("write_hdf5", &write_hdf5);
}

}  // namespace carom::python
