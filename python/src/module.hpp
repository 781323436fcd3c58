#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A copy for Python.
inline Array to_array(const std::vector<double>& values) {
  return Array(py::ssize_t(values.size()), values.data());
}

/// Laws as Python hands them over: a name and its values, where numbers may be arrays of the same
/// length, one law for each entry.
class LawArray {
 public:
  LawArray(const std::string& name, const py::dict& values);
  AnyLaw at(py::ssize_t i) const;  ///< validated; needs no interpreter lock

 private:
  AnyLaw first_;
  std::vector<std::pair<std::string, Array>> arrays_;
};

/// One law: (name, values).
AnyLaw law_of(const py::tuple& law);

/// The value that a name stands for. Throws InvalidInput with the nearest name.
template <class Value>
Value named(std::string_view what, const std::string& name,
            std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::vector<std::string_view> names;
  for (const auto& [known, value] : choices) {
    if (known == name) return value;
    names.push_back(known);
  }
  throw InvalidInput(unknown_name_message(what, name, names));
}

/// Runs `body(i)` for i < count without the interpreter lock, looking for Ctrl-C now and then.
template <class Body>
void for_each_unlocked(py::ssize_t count, Body&& body) {
  constexpr py::ssize_t block = 1000;
  for (py::ssize_t begin = 0; begin < count; begin += block) {
    {
      const py::gil_scoped_release unlocked;
      for (py::ssize_t i = begin; i < std::min(begin + block, count); ++i) body(i);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

void bind_laws(py::module_& module);
void bind_impact(py::module_& module);
void bind_simulate(py::module_& module);
void bind_identify(py::module_& module);
void bind_nonsmooth(py::module_& module);
void bind_own_system(py::module_& module);
void bind_scenario(py::module_& module);
void bind_sweep(py::module_& module);
void bind_modal(py::module_& module);
void bind_export(py::module_& module);

}  // namespace carom::python
