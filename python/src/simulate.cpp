#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_bounces.hpp>
#include <carom/steppers/simulated_impact.hpp>
#include <carom/steppers/simulated_strike.hpp>

#include "impact_fields.hpp"
#include "module.hpp"

namespace carom::python {
namespace {

template <class Row>
py::array_t<double> column(const std::vector<Row>& rows, double Row::*member) {
  py::array_t<double> values(static_cast<py::ssize_t>(rows.size()));
  double* to = values.mutable_data();
  for (const Row& row : rows) *to++ = row.*member;
  return values;
}

template <class Row>
py::dict columns(const std::vector<Row>& rows,
                 std::initializer_list<std::pair<const char*, double Row::*>> members) {
  py::dict table;
  for (const auto& [name, member] : members) table[name] = column(rows, member);
  return table;
}

py::dict to_dict(const Impact& impact) {
  py::dict values;
  for (const auto& [name, member] : impact_fields) values[name] = impact.*member;
  values["releases"] = impact.releases;
  return values;
}

py::dict to_dict(const Ledger& ledger) {
  py::dict result;
  result["initial"] = ledger.initial();
  result["stored"] = ledger.stored();
  result["dissipated"] = ledger.dissipated();
  result["injected"] = ledger.injected();
  result["residual"] = ledger.residual();
  result["worst_residual"] = ledger.worst_residual();
  return result;
}

py::dict impacts_table(const std::vector<ImpactRecord>& impacts) {
  return columns<ImpactRecord>(impacts,
                               {{"time", &ImpactRecord::time},
                                {"speed_in", &ImpactRecord::speed_in},
                                {"speed_out", &ImpactRecord::speed_out},
                                {"contact_time", &ImpactRecord::contact_time},
                                {"max_compression", &ImpactRecord::max_compression},
                                {"max_force", &ImpactRecord::max_force},
                                {"separation_compression", &ImpactRecord::separation_compression}});
}

/// Looks for Ctrl-C from code that runs without the interpreter lock; false: it was pressed.
class Interrupt {
 public:
  bool go_on() {
    const py::gil_scoped_acquire locked;
    pressed_ = pressed_ || PyErr_CheckSignals() != 0;
    return !pressed_;
  }
  void throw_if_pressed() const {
    if (pressed_) throw py::error_already_set();
  }

 private:
  bool pressed_ = false;
};

Events events_of(const std::string& name) {
  return named<Events>("events", name,
                       {{"subsample", Events::subsample}, {"sample", Events::sample}});
}
ExitSpeed exit_of(const std::string& name) {
  return named<ExitSpeed>("exit", name,
                          {{"exact", ExitSpeed::exact}, {"published", ExitSpeed::published}});
}

/// What both simulations on a wall are asked for by the same names.
template <class Settings>
void read_method(Settings& settings, const py::dict& options) {
  settings.method = contact_method(options["method"].cast<std::string>());
  settings.rate = options["rate"].cast<double>();
  settings.events = events_of(options["events"].cast<std::string>());
  settings.correct = correction(options["correct"].cast<std::string>());
  settings.exit = exit_of(options["exit"].cast<std::string>());
  settings.exit_threshold_percent = options["exit_threshold_percent"].cast<double>();
}

py::dict impact_by_steps(const AnyLaw& law, double mass, double speed, double force,
                         const py::dict& options) {
  ImpactSettings settings;
  read_method(settings, options);
  settings.phase = options["phase"].cast<double>();
  const SimulatedImpact run = [&] {
    const py::gil_scoped_release unlocked;
    return simulate_impact(law, {mass, speed, force}, settings);
  }();
  py::dict error;
  error["rebound_speed_percent"] = run.error.rebound_speed_percent;
  error["dev_x_percent"] = run.error.dev_x_percent;
  error["dev_energy_percent"] = run.error.dev_energy_percent;
  error["waveform_percent"] = run.error.waveform_percent;
  error["samples_in_contact"] = run.error.samples_in_contact;
  py::dict out;
  out["history"] = columns<ImpactSample>(run.samples, {{"time", &ImpactSample::time},
                                                       {"compression", &ImpactSample::compression},
                                                       {"rate", &ImpactSample::rate},
                                                       {"force", &ImpactSample::force},
                                                       {"energy", &ImpactSample::energy}});
  out["result"] = to_dict(run.result);
  out["exact"] = to_dict(run.reference);
  out["error"] = error;
  out["ledger"] = to_dict(run.ledger);
  out["converged"] = run.converged;
  out["passive_kept"] = run.passive_kept;
  return out;
}

py::dict bounces_by_steps(const AnyLaw& law, double mass, double speed, double height,
                          double gravity, const py::dict& options) {
  BounceSettings settings;
  read_method(settings, options);
  settings.gravity_in_contact = options["gravity_in_contact"].cast<bool>();
  settings.surface = named<Surface>(
      "surface", options["surface"].cast<std::string>(),
      {{"recovers", Surface::recovers}, {"keeps-indentation", Surface::keeps_indentation}});
  settings.impacts = options["impacts"].cast<int>();
  settings.duration = options["duration"].cast<double>();
  settings.keep_every = options["keep_every"].cast<int>();
  Interrupt interrupt;
  settings.keep_going = [&] { return interrupt.go_on(); };
  const Bounces run = [&] {
    const py::gil_scoped_release unlocked;
    return simulate_bounces(law, {mass, speed, height, gravity}, settings);
  }();
  interrupt.throw_if_pressed();
  py::dict out;
  out["history"] = columns<BounceSample>(run.samples, {{"time", &BounceSample::time},
                                                       {"height", &BounceSample::height},
                                                       {"velocity", &BounceSample::velocity},
                                                       {"force", &BounceSample::force}});
  out["impacts"] = impacts_table(run.impacts);
  out["ledger"] = to_dict(run.ledger);
  out["end_time"] = run.end_time;
  out["at_rest"] = run.at_rest;
  out["converged"] = run.converged;
  out["passive_kept"] = run.passive_kept;
  return out;
}

/// `modes`: one row a mode, with frequency, damping, mass and the shapes where it is hit and heard.
py::dict strike_by_steps(const AnyLaw& law, double mass, double speed, double gap, double force,
                         const Array& modes, double duration, const py::dict& options) {
  const Eigen::Index count = modes.shape(0);
  ModalBody body;
  body.shapes.resize(2, count);
  const auto at = modes.unchecked<2>();
  for (Eigen::Index j = 0; j < count; ++j) {
    body.modes.push_back({at(j, 0), at(j, 1), at(j, 2)});
    body.shapes(0, j) = at(j, 3);
    body.shapes(1, j) = at(j, 4);
  }
  const StrikeSettings settings{
      .rate = options["rate"].cast<double>(),
      .tolerance = options["tolerance"].cast<double>(),
      .closes_energy = named<bool>("method", options["method"].cast<std::string>(),
                                   {{"passive", true}, {"event-driven", false}})};
  constexpr std::size_t between_looks = 4096;  // samples
  Interrupt interrupt;
  std::vector<StrikeSample> samples;
  const StrikeRun run = [&] {
    const py::gil_scoped_release unlocked;
    return simulate_strike(law, {mass, speed, gap, force}, body, settings, duration,
                           [&](const StrikeSample& sample) {
                             samples.push_back(sample);
                             return samples.size() % between_looks != 0 || interrupt.go_on();
                           });
  }();
  interrupt.throw_if_pressed();
  py::dict out;
  out["history"] =
      columns<StrikeSample>(samples, {{"time", &StrikeSample::time},
                                      {"body_position", &StrikeSample::body_position},
                                      {"body_velocity", &StrikeSample::body_velocity},
                                      {"force", &StrikeSample::force},
                                      {"hit", &StrikeSample::hit},
                                      {"heard", &StrikeSample::heard},
                                      {"heard_velocity", &StrikeSample::heard_velocity}});
  out["impacts"] = impacts_table(run.impacts);
  out["ledger"] = to_dict(run.ledger);
  out["converged"] = run.converged;
  out["passive_kept"] = run.passive_kept;
  return out;
}

}  // namespace

void bind_simulate(py::module_& module) {
  module.def("simulate_impact", [](const py::tuple& law, double mass, double speed, double force,
                                   const py::dict& options) {
    return impact_by_steps(law_of(law), mass, speed, force, options);
  });
  module.def("simulate_bounces", [](const py::tuple& law, double mass, double speed, double height,
                                    double gravity, const py::dict& options) {
    return bounces_by_steps(law_of(law), mass, speed, height, gravity, options);
  });
  module.def("simulate_strike", [](const py::tuple& law, double mass, double speed, double gap,
                                   double force, const Array& modes, double duration,
                                   const py::dict& options) {
    return strike_by_steps(law_of(law), mass, speed, gap, force, modes, duration, options);
  });
}

}  // namespace carom::python
