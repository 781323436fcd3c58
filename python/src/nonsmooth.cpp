#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/nonsmooth/lcp.hpp>
#include <carom/steppers/bar_drop.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/bar_spiral.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// The settings of a drop; Python's signature has seen to it that all keys are there.
BarDrop drop_of(const py::dict& given) {
  const auto number = [&](const char* key) { return given[key].cast<double>(); };
  const auto whole = [&](const char* key) { return given[key].cast<int>(); };
  const auto text = [&](const char* key) { return given[key].cast<std::string>(); };
  BarDrop drop;
  drop.model = named<BarModel>("model", text("model"),
                               {{"spiral", BarModel::spiral}, {"pairs", BarModel::pairs}});
  drop.bar = {.segments = whole("segments"),
              .length = number("length"),
              .radius = number("radius"),
              .density = number("density"),
              .young = number("young"),
              .gravity = number("gravity"),
              .inertia = named<BarInertia>(
                  "inertia", text("inertia"),
                  {{"as-printed", BarInertia::as_printed}, {"consistent", BarInertia::consistent}}),
              .stiffness = named<BarStiffness>(
                  "stiffness", text("stiffness"),
                  {{"as-printed", BarStiffness::as_printed}, {"limit", BarStiffness::limit}})};
  drop.start = {
      .angle = number("angle") * degree, .height = number("height"), .speed = number("speed")};
  drop.excitation = {.fraction = number("excitation_fraction"),
                     .phase = number("excitation_phase") * degree,
                     .mode = whole("excitation_mode") - 1};
  const auto law = given["law"].cast<py::tuple>();
  if (law[0].cast<std::string>() == NewtonRestitution::text.name) {
    drop.law = NewtonRestitution{law[1]["restitution"].cast<double>()};
  } else {
    drop.law = law_of(law);
  }
  drop.method = named<BarMethod>("method", text("method"),
                                 {{"paoli-schatzman", BarMethod::paoli_schatzman},
                                  {"event-driven", BarMethod::event_driven},
                                  {"moreau-jean", BarMethod::moreau_jean},
                                  {"passive", BarMethod::passive},
                                  {"rk4", BarMethod::rk4},
                                  {"heun-textbook", BarMethod::heun},
                                  {"verlet-textbook", BarMethod::verlet},
                                  {"trapezoid", BarMethod::trapezoid}});
  drop.instant = named<ImpactInstant>(
      "instant", text("instant"),
      {{"resolved", ImpactInstant::resolved}, {"interpolated", ImpactInstant::interpolated}});
  drop.flight =
      named<FlightRule>("flight", text("flight"),
                        {{"midpoint", FlightRule::midpoint}, {"newmark", FlightRule::newmark}});
  drop.theta = number("theta");
  drop.step = number("step");
  if (!given["duration"].is_none()) drop.duration = number("duration");
  drop.averaging = number("averaging");
  drop.longest = number("longest");
  drop.separation = number("separation");
  return drop;
}

constexpr std::string_view status_names[] = {
    "ok",         "not converged", "contact not solved", "mass not definite",
    "not finite", "energy gained"};

py::array_t<double> array_of(const std::vector<double>& values, py::ssize_t columns = 1) {
  const auto size = static_cast<py::ssize_t>(values.size());
  std::vector<py::ssize_t> shape{size};
  if (columns > 1) shape = {size / columns, columns};
  return py::array_t<double>(shape, values.data());
}

/// What a run leaves behind, row by row.
struct Recording {
  std::vector<double> time, q, v, impulse, kinetic, energy, dissipated;
  bool interrupted = false;

  bool add(const BarSample& s) {
    time.push_back(s.time);
    q.insert(q.end(), s.q.begin(), s.q.end());
    v.insert(v.end(), s.v.begin(), s.v.end());
    impulse.push_back(s.impulse);
    kinetic.push_back(s.kinetic);
    energy.push_back(s.energy);
    dissipated.push_back(s.dissipated);
    if (time.size() % 100 == 0) {
      const py::gil_scoped_acquire locked;
      interrupted = PyErr_CheckSignals() != 0;
    }
    return !interrupted;
  }
};

py::dict results_of(const BarDropResult& result) {
  std::vector<double> intervals;
  for (const BarContactInterval& interval : result.intervals) {
    intervals.insert(intervals.end(), {interval.begin, interval.end, interval.impulse,
                                       static_cast<double>(interval.impacts)});
  }
  py::dict out;
  out["apparent_restitution"] = result.apparent_restitution.value_or(std::nan(""));
  out["first_impact_time"] = result.first_impact_time.value_or(std::nan(""));
  out["last_contact_time"] = result.first_impact_time ? result.last_contact_time : std::nan("");
  out["impact_speed"] = result.impact_speed;
  out["impacts"] = result.impacts;
  out["impact_times"] = array_of(result.impact_times);
  out["intervals"] = array_of(intervals, 4);
  py::dict after;
  after["expected"] = result.energy.expected;
  after["highest"] = result.energy.highest;
  after["lowest"] = result.energy.lowest;
  after["mean"] = result.energy.mean;
  after["deviation"] = result.energy.deviation;
  out["energy_after_first_impact"] = after;
  py::dict audit;
  audit["initial"] = result.ledger.initial();
  audit["final"] = result.ledger.stored();
  audit["dissipated"] = result.ledger.dissipated();
  audit["residual"] = result.ledger.residual();
  audit["worst_residual"] = result.ledger.worst_residual();
  out["audit"] = audit;
  out["status"] = status_names[static_cast<std::size_t>(result.report.status)];
  out["steps"] = result.steps;
  return out;
}

py::tuple drop(const py::dict& given, int every) {
  const BarDrop settings = drop_of(given);
  Recording rows;
  const BarDropResult result = [&] {
    const py::gil_scoped_release unlocked;
    return drop_bar(settings,
                    {.every = every, .sample = [&](const BarSample& s) { return rows.add(s); }});
  }();
  if (rows.interrupted) throw py::error_already_set();
  const py::ssize_t coordinates = 2 * settings.bar.segments + 2;
  py::dict signals;
  signals["time"] = array_of(rows.time);
  signals["q"] = array_of(rows.q, coordinates);
  signals["v"] = array_of(rows.v, coordinates);
  signals["impulse"] = array_of(rows.impulse);
  signals["kinetic"] = array_of(rows.kinetic);
  signals["energy"] = array_of(rows.energy);
  signals["dissipated"] = array_of(rows.dissipated);
  return py::make_tuple(results_of(result), signals);
}

/// Tip, joints and far end for each row of q: rows x (n + 1) x 2.
py::array_t<double> outlines(const py::dict& given, const Array& q) {
  const BarDrop settings = drop_of(given);
  const py::ssize_t coordinates = 2 * settings.bar.segments + 2, rows = q.size() / coordinates;
  if (q.size() != rows * coordinates) {
    throw InvalidInput("q has rows of another length: must be " + std::to_string(coordinates));
  }
  py::array_t<double> points({rows, py::ssize_t(settings.bar.segments) + 1, py::ssize_t(2)});
  double* out = points.mutable_data();
  for (py::ssize_t i = 0; i < rows; ++i) {
    const Eigen::Matrix2Xd outline = bar_outline(
        settings, Eigen::Map<const Eigen::VectorXd>(q.data() + i * coordinates, coordinates));
    out = std::copy(outline.data(), outline.data() + outline.size(), out);
  }
  return points;
}

py::tuple modes(const py::dict& given) {
  const BarDrop settings = drop_of(given);
  validate(settings);
  const BarModes modes = settings.model == BarModel::spiral
                             ? BarSpiral(settings.bar).modes(settings.start.angle)
                             : BarPairs(settings.bar).modes(settings.start.angle);
  const py::ssize_t size = modes.frequencies.size();
  py::list kinds;
  for (py::ssize_t i = 0; i < size; ++i) kinds.append("rigid");
  for (int k = 0; modes.bending(k) >= 0; ++k) kinds[py::size_t(modes.bending(k))] = "bending";
  for (int k = 0; modes.axial(k) >= 0; ++k) kinds[py::size_t(modes.axial(k))] = "axial";
  py::array_t<double> shapes({size, size});
  // Column-major from Eigen, row by row here: each row is a mode.
  std::copy(modes.shapes.data(), modes.shapes.data() + modes.shapes.size(), shapes.mutable_data());
  return py::make_tuple(py::array_t<double>(size, modes.frequencies.data()), shapes, kinds);
}

py::dict solve(const Array& matrix, const Array& vector, const Array& guess,
               const std::string& method, double tolerance, int max_iterations) {
  const py::ssize_t n = vector.size();
  if (vector.ndim() != 1 || matrix.ndim() != 2 || matrix.shape(0) != n || matrix.shape(1) != n ||
      guess.size() != n) {
    throw InvalidInput("M, q and z: must be n x n, n and n numbers");
  }
  const LcpMethod chosen = named<LcpMethod>("method", method,
                                            {{"automatic", LcpMethod::automatic},
                                             {"closed-form", LcpMethod::closed_form},
                                             {"lemke", LcpMethod::lemke},
                                             {"gauss-seidel", LcpMethod::gauss_seidel},
                                             {"newton", LcpMethod::newton}});
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd M = Eigen::Map<const RowMajor>(matrix.data(), n, n);
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(vector.data(), n);
  Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(guess.data(), n);
  LcpSolver solver(static_cast<int>(n), {chosen, tolerance, max_iterations});
  const LcpResult result = solver.solve(M, q, z);
  constexpr std::string_view names[] = {"solved", "iteration limit", "ray termination",
                                        "not finite"};
  py::dict out;
  out["z"] = py::array_t<double>(n, z.data());
  out["status"] = names[static_cast<std::size_t>(result.status)];
  out["iterations"] = result.iterations;
  out["residual"] = result.residual;
  return out;
}

}  // namespace

void bind_nonsmooth(py::module_& module) {
  module.def("drop_bar", &drop);
  module.def("bar_outlines", &outlines);
  module.def("bar_modes", &modes);
  module.def("solve_lcp", &solve);
}

}  // namespace carom::python
