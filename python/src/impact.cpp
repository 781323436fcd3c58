#include <array>
#include <optional>
#include <vector>

#include <carom/impact/any_law.hpp>
#include <carom/impact/derivatives.hpp>
#include <carom/impact/tabulated_impact.hpp>

#include "impact_fields.hpp"
#include "module.hpp"

namespace carom::python {
namespace {

/// For as many impacts of one exponent as make a table worth while.
std::optional<TabulatedImpact> table_for(const AnyLaw& first, py::ssize_t count) {
  constexpr py::ssize_t many = 500;
  const auto* law = std::get_if<HuntCrossley>(&first);
  if (law == nullptr || count < many) return {};
  return TabulatedImpact(law->exponent);
}

py::dict impacts(const std::string& name, const py::dict& law_values, const Array& mass,
                 const Array& speed, const Array& force) {
  const LawArray laws(name, law_values);
  const py::ssize_t count = mass.size();
  std::array<py::array_t<double>, impact_fields.size()> columns;
  std::array<double*, impact_fields.size()> values{};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j] = py::array_t<double>(count);
    values[j] = columns[j].mutable_data();
  }
  py::array_t<bool> releases(count);
  bool* const release_values = releases.mutable_data();
  const double *m = mass.data(), *v = speed.data(), *f = force.data();
  std::optional<TabulatedImpact> tabulated = table_for(laws.at(0), count);
  for_each_unlocked(count, [&](py::ssize_t i) {
    const AnyLaw law = laws.at(i);
    const Collision collision{m[i], v[i], f[i]};
    const auto* same = tabulated && f[i] == 0 ? std::get_if<HuntCrossley>(&law) : nullptr;
    const Impact hit = same != nullptr && same->exponent == tabulated->exponent()
                           ? impact(*same, collision, *tabulated)
                           : impact(law, collision);
    for (std::size_t j = 0; j < values.size(); ++j) values[j][i] = hit.*impact_fields[j].second;
    release_values[i] = hit.releases;
  });
  py::dict result;
  for (std::size_t j = 0; j < columns.size(); ++j) result[impact_fields[j].first] = columns[j];
  result["releases"] = releases;
  return result;
}

/// {parameter: {result: array}}
py::dict derivatives(const std::string& name, const py::dict& law_values, const Array& mass,
                     const Array& speed, const Array& force) {
  const LawArray laws(name, law_values);
  const py::ssize_t count = mass.size();
  const double *m = mass.data(), *v = speed.data(), *f = force.data();
  std::vector<std::vector<ImpactDerivative>> found(static_cast<std::size_t>(count));
  for_each_unlocked(count, [&](py::ssize_t i) {
    found[static_cast<std::size_t>(i)] = impact_derivatives(laws.at(i), {m[i], v[i], f[i]});
  });
  py::dict result;
  for (const auto& [column, member] : {std::pair{"rebound_speed", &ImpactDerivative::rebound_speed},
                                       {"restitution", &ImpactDerivative::restitution},
                                       {"max_compression", &ImpactDerivative::max_compression},
                                       {"max_force", &ImpactDerivative::max_force},
                                       {"contact_time", &ImpactDerivative::contact_time}}) {
    for (py::ssize_t i = 0; i < count; ++i) {
      for (const ImpactDerivative& one : found[static_cast<std::size_t>(i)]) {
        const py::str parameter(one.parameter);
        if (!result.contains(parameter)) result[parameter] = py::dict();
        py::dict columns = result[parameter];
        if (!columns.contains(column)) columns[column] = py::array_t<double>(count);
        columns[column].cast<py::array_t<double>>().mutable_data()[i] = one.*member;
      }
    }
  }
  return result;
}

py::tuple states(const ImpactHistory& history, const Array& times) {
  const std::vector<py::ssize_t> shape(times.shape(), times.shape() + times.ndim());
  py::array_t<double> x(shape), v(shape), f(shape), energy(shape);
  double *px = x.mutable_data(), *pv = v.mutable_data(), *pf = f.mutable_data(),
         *ph = energy.mutable_data();
  const double* t = times.data();
  for_each_unlocked(times.size(), [&](py::ssize_t i) {
    const ImpactState state = history.at(t[i]);
    px[i] = state.compression;
    pv[i] = state.rate;
    pf[i] = state.force;
    ph[i] = state.energy;
  });
  return py::make_tuple(x, v, f, energy);
}

}  // namespace

void bind_impact(py::module_& module) {
  module.def("impact", &impacts);
  module.def("impact_derivatives", &derivatives);
  py::class_<ImpactHistory>(module, "History")
      .def(py::init([](const py::tuple& law, double mass, double speed, double force) {
        return impact_history(law_of(law), {mass, speed, force});
      }))
      .def("at", &states);
  module.def("restitution_of_epsilon", py::vectorize(&restitution_of_epsilon));
  module.def("epsilon_of_restitution", py::vectorize(&epsilon_of_restitution));
  module.def("rebound_speed", py::vectorize(&rebound_speed));
  module.def("published_rebound_speed", py::vectorize(&published_rebound_speed));
  module.def("compression_at_rate",
             py::vectorize([](double k, double n, double mu, double m, double v, double rate) {
               return compression_at_rate(HuntCrossley{k, n, mu}, {m, v}, rate);
             }));
  module.def("energy_at_rate",
             py::vectorize([](double k, double n, double mu, double m, double v, double rate) {
               return energy_at_rate(HuntCrossley{k, n, mu}, {m, v}, rate);
             }));
}

}  // namespace carom::python
