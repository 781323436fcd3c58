#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_engine.hpp>
#include <carom/steppers/modal_recorder.hpp>
#include <carom/systems/modal_structures.hpp>
#include <carom/systems/stiff_string.hpp>

#include "module.hpp"

// Names of its own: files of the module may be compiled together.
namespace carom::python::modal {
namespace {

std::vector<double> to_vector(const Array& array) {
  return {array.data(), array.data() + array.size()};
}

ShapeMatrix to_matrix(const Array& array, Eigen::Index columns) {
  if (array.size() == 0) return ShapeMatrix::Zero(0, columns);
  if (array.ndim() != 2) throw InvalidInput("shapes: must be an array of points times modes");
  return Eigen::Map<const ShapeMatrix>(array.data(), array.shape(0), array.shape(1));
}

using python::to_array;
Array to_array(const ShapeMatrix& matrix) {
  return Array({matrix.rows(), matrix.cols()}, matrix.data());
}

Array to_array(const Eigen::VectorXd& values) { return Array(values.size(), values.data()); }

/// Frequencies, dampings, masses and shapes.
py::tuple to_tuple(const ModalBody& body) {
  std::vector<double> frequency, damping, mass;
  for (const Mode& mode : body.modes) {
    frequency.push_back(mode.frequency);
    damping.push_back(mode.damping);
    mass.push_back(mode.mass);
  }
  return py::make_tuple(to_array(frequency), to_array(damping), to_array(mass),
                        to_array(body.shapes));
}

ModalBody to_body(const Array& frequency, const Array& damping, const Array& mass,
                  const Array& shapes) {
  if (damping.size() != frequency.size() || mass.size() != frequency.size()) {
    throw InvalidInput("damping, mass: must have one value per frequency");
  }
  ModalBody body;
  for (py::ssize_t j = 0; j < frequency.size(); ++j) {
    body.modes.push_back(
        {.frequency = frequency.data()[j], .damping = damping.data()[j], .mass = mass.data()[j]});
  }
  body.shapes = to_matrix(shapes, body.mode_count());
  return body;
}

/// A number of a dictionary, or its default; what is left over at the end was not understood.
class Given {
 public:
  explicit Given(py::dict values) : values_(std::move(values)) {}
  template <class T>
  void take(const char* name, T& target) {
    if (!values_.contains(name)) return;
    target = values_[name].cast<T>();
    taken_.emplace_back(name);
  }
  void finish() const {
    for (const auto& [key, value] : values_) {
      const std::string name = py::str(key);
      if (std::find(taken_.begin(), taken_.end(), name) == taken_.end()) {
        throw py::type_error("unknown parameter '" + name + "'");
      }
    }
  }

 private:
  py::dict values_;
  std::vector<std::string> taken_;
};

StiffString read_string(const py::dict& parameters) {
  StiffString string;
  std::string model = "square-root";
  Given given(parameters);
  given.take("length", string.length);
  given.take("linear_density", string.linear_density);
  given.take("tension", string.tension);
  given.take("modes", string.modes);
  given.take("inharmonicity", string.inharmonicity);
  given.take("diameter", string.air_diameter);
  given.take("viscoelastic", string.viscoelastic);
  given.take("thermoelastic", string.thermoelastic);
  given.take("model", model);
  given.finish();
  if (model == "appendix") {
    string.model = StringModel::appendix;
  } else if (model != "square-root") {
    throw InvalidInput("model '" + model + "': must be square-root or appendix");
  }
  validate(string);
  return string;
}

py::tuple string_modes(const py::dict& parameters, const Array& positions) {
  return to_tuple(modal_body(read_string(parameters), to_vector(positions)));
}

py::tuple string_pluck(const py::dict& parameters, const std::string& shape, double position,
                       double height, double smoothing, double duration) {
  const StiffString string = read_string(parameters);
  Pluck how{.position = position, .height = height, .smoothing = smoothing, .duration = duration};
  if (shape == "smoothed") {
    how.shape = PluckShape::smoothed;
  } else if (shape == "point") {
    how.shape = PluckShape::point;
  } else if (shape == "moving") {
    how.shape = PluckShape::moving;
  } else if (shape != "triangle") {
    throw InvalidInput("shape '" + shape + "': must be triangle, smoothed, point or moving");
  }
  const ModalState state = pluck(string, modal_body(string), how);
  return py::make_tuple(to_array(state.position), to_array(state.velocity));
}

StructureLoss read_loss(Given& given) {
  StructureLoss loss;
  given.take("loss_constant", loss.constant);
  given.take("loss_ratio", loss.ratio);
  given.take("loss_viscous", loss.viscous);
  return loss;
}

py::tuple structure_modes(const std::string& kind, const py::dict& parameters,
                          const Array& positions) {
  Given given(parameters);
  std::vector<Place> places;
  if (positions.ndim() == 2) {
    for (py::ssize_t i = 0; i < positions.shape(0); ++i) {
      places.push_back({positions.at(i, 0), positions.at(i, 1)});
    }
  }
  const auto surface = [&](auto body) {
    given.take("area_density", body.area_density);
    given.take("modes", body.modes);
    body.loss = read_loss(given);
    given.finish();
    return to_tuple(modal_body(body, places));
  };
  if (kind == "bar") {
    ThinBar bar;
    std::string ends = "free";
    given.take("length", bar.length);
    given.take("linear_density", bar.linear_density);
    given.take("bending_stiffness", bar.bending_stiffness);
    given.take("modes", bar.modes);
    given.take("ends", ends);
    bar.loss = read_loss(given);
    given.finish();
    bar.ends = named<BarEnds>("ends", ends,
                              {{"free", BarEnds::free},
                               {"supported", BarEnds::simply_supported},
                               {"clamped", BarEnds::clamped},
                               {"cantilever", BarEnds::cantilever}});
    return to_tuple(modal_body(bar, to_vector(positions)));
  }
  const auto rectangle = [&](auto body, const char* elasticity, auto member) {
    given.take("width", body.width);
    given.take("height", body.height);
    given.take(elasticity, body.*member);
    return surface(body);
  };
  const auto edge = [&](auto body, const char* otherwise) {
    std::string name = otherwise;
    given.take("edge", name);
    given.take("poisson", body.poisson);
    body.edge = named<PlateEdge>("edge", name,
                                 {{"free", PlateEdge::free},
                                  {"supported", PlateEdge::supported},
                                  {"clamped", PlateEdge::clamped}});
    return body;
  };
  if (kind == "plate") {
    return rectangle(edge(RectangularPlate{}, "supported"), "bending_stiffness",
                     &RectangularPlate::bending_stiffness);
  }
  if (kind == "disc") {
    CircularPlate disc = edge(CircularPlate{}, "free");
    given.take("radius", disc.radius);
    given.take("bending_stiffness", disc.bending_stiffness);
    return surface(disc);
  }
  if (kind == "membrane") {
    return rectangle(RectangularMembrane{}, "tension", &RectangularMembrane::tension);
  }
  CircularMembrane drum;
  given.take("radius", drum.radius);
  given.take("tension", drum.tension);
  return surface(drum);
}

/// (name, values).
ModalContactLaw read_law(const py::tuple& law) {
  if (law[0].cast<std::string>() == NewtonRestitution::text.name)
    return NewtonRestitution{.restitution = law[1].cast<py::dict>()["restitution"].cast<double>()};
  return law_of(law);
}

struct RunResult {
  std::vector<double> rows, step, contact, impulse;
  Ledger ledger;
  ModalMarchStatistics statistics;
};

RunResult run(const ModalProblem& problem, ModalEngine::Kind kind, long long steps,
              const ShapeMatrix& points, int every) {
  ModalEngine engine(problem, kind);
  // The reference is read where it is, the fast engine replayed from its impulses.
  engine.set_stretch(engine.fast() ? 65536 : every);
  ModalRecorder recorder(problem, points, every);
  RunResult result;
  if (points.rows() > 0) recorder.displacements(result.rows);
  const py::gil_scoped_release unlocked;
  march(
      engine, static_cast<double>(steps) / problem.rate,
      [&](const ModalEngine& now) {
        if (now.fast() && points.rows() > 0) {
          recorder.record(now.steps(), now.impulses(), result.rows);
        } else if (now.steps() % every == 0) {
          const Eigen::VectorXd u = points * now.position();
          result.rows.insert(result.rows.end(), u.begin(), u.end());
        }
        for (const ContactImpulse& impulse : now.impulses()) {
          result.step.push_back(static_cast<double>(impulse.step));
          result.contact.push_back(impulse.contact);
          result.impulse.push_back(impulse.impulse);
        }
      },
      [&, asked = 0LL](const ModalEngine& now) mutable {
        if (now.steps() < asked + 1024) return;
        asked = now.steps();
        const py::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
  engine.finish();
  result.ledger = engine.ledger();
  result.statistics = engine.statistics();
  return result;
}

py::dict modal_run(const Array& frequency, const Array& damping, const Array& mass,
                   const Array& shapes, const Array& heights, const std::vector<bool>& below,
                   const Array& position, const Array& velocity, const std::vector<py::tuple>& laws,
                   const py::dict& options, const Array& points) {
  ModalProblem problem;
  problem.body = to_body(frequency, damping, mass, shapes);
  problem.heights = to_vector(heights);
  for (const bool is_below : below) problem.sides.push_back(is_below ? Side::below : Side::above);
  problem.start.position = Eigen::Map<const Eigen::VectorXd>(position.data(), position.size());
  problem.start.velocity = Eigen::Map<const Eigen::VectorXd>(velocity.data(), velocity.size());
  for (const py::tuple& law : laws) problem.laws.push_back(read_law(law));
  double duration = 0;
  int every = 1;
  bool plain = false, quadratised = false, printed = false, exact = false;
  Given given(options);
  given.take("rate", problem.rate);
  given.take("duration", duration);
  given.take("every", every);
  given.take("plain", plain);
  given.take("quadratised", quadratised);
  given.take("printed", printed);
  given.take("exact_start", exact);
  given.finish();
  if (quadratised) problem.compliant = CompliantScheme::quadratised;
  if (printed) {
    problem.scaling = ImpulseScaling::printed;
    problem.activation = Activation::printed;
  }
  if (exact) problem.first_step = ModalStart::exact;
  validate(problem);
  require_not_negative("duration", duration);
  const ShapeMatrix heard = to_matrix(points, problem.body.mode_count());
  if (heard.cols() != problem.body.mode_count()) {
    throw InvalidInput("points: must have one column per mode");
  }
  if (every < 1) throw InvalidInput("every: must be at least 1");
  const long long steps = std::llround(duration * problem.rate);
  const RunResult result =
      run(problem, plain ? ModalEngine::Kind::plain : ModalEngine::Kind::fast, steps, heard, every);
  py::dict dict;
  const auto count = heard.rows() > 0 ? static_cast<py::ssize_t>(result.rows.size()) / heard.rows()
                                      : py::ssize_t{0};
  dict["displacement"] = Array({count, static_cast<py::ssize_t>(heard.rows())}, result.rows.data());
  dict["step"] = to_array(result.step);
  dict["contact"] = to_array(result.contact);
  dict["impulse"] = to_array(result.impulse);
  using namespace py::literals;
  dict["energy"] = py::dict(
      "initial"_a = result.ledger.initial(), "final"_a = result.ledger.stored(),
      "dissipated"_a = result.ledger.dissipated(), "residual"_a = result.ledger.residual());
  const ModalMarchStatistics& s = result.statistics;
  dict["path"] =
      py::dict("engine"_a = plain ? "plain" : "fast", "instructions"_a = std::string(s.kernels),
               "steps"_a = s.steps, "leapt"_a = s.leapt, "impulses"_a = s.impulses,
               "unsolved"_a = s.unsolved);
  return dict;
}

}  // namespace
}  // namespace carom::python::modal

namespace carom::python {

void bind_modal(py::module_& module) {
  module.def("string_modes", &modal::string_modes);
  module.def("string_pluck", &modal::string_pluck);
  module.def("structure_modes", &modal::structure_modes);
  module.def("modal_run", &modal::modal_run);
}

}  // namespace carom::python
