#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include <carom/output/run.hpp>
#include <carom/papers/papers.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

/// JSON values cross as text: Python's own reader keeps every digit and every type.
py::object to_python(const Json& json) {
  return py::module_::import("json").attr("loads")(json.dump());
}

std::vector<Override> overrides_of(const py::dict& values) {
  const py::object dumps = py::module_::import("json").attr("dumps");
  std::vector<Override> overrides;
  for (const auto& [key, value] : values) {
    // JSON's numbers, texts, lists and truth values are also TOML's.
    overrides.push_back({py::str(key), py::str(dumps(value))});
  }
  return overrides;
}

/// Hands the vector over to numpy without copying it.
py::array_t<double> adopt(std::vector<double>&& values) {
  auto owned = std::make_unique<std::vector<double>>(std::move(values));
  std::vector<double>* raw = owned.get();
  const py::capsule owner(raw, [](void* p) { delete static_cast<std::vector<double>*>(p); });
  (void)owned.release();
  return py::array_t<double>(py::ssize_t(raw->size()), raw->data(), owner);
}

/// The run itself holds no interpreter lock; progress callbacks take it to look for Ctrl-C.
RecordedRun run_unlocked(const Scenario& scenario) {
  std::atomic<bool> interrupt = false;
  const MemorySettings settings{.keep_signals = true,
                                .progress =
                                    [&interrupt](const Progress&) {
                                      const py::gil_scoped_acquire locked;
                                      if (PyErr_CheckSignals() != 0) interrupt = true;
                                    },
                                .interrupt = &interrupt};
  const py::gil_scoped_release unlocked;
  return run_in_memory(scenario, settings);
}

py::tuple run(const std::string& file, const py::dict& overrides) {
  const Scenario scenario = load_scenario(file, overrides_of(overrides));
  RecordedRun recorded = [&] {
    try {
      return run_unlocked(scenario);
    } catch (const Interrupted&) {
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
  }();
  py::dict columns;
  for (std::size_t i = 0; i < recorded.signals.size(); ++i) {
    columns[py::str(recorded.signals[i].name)] = adopt(std::move(recorded.columns[i]));
  }
  return py::make_tuple(adopt(std::move(recorded.time)), columns, to_python(recorded.summary));
}

py::object papers(const std::string& key, bool quick) {
  const std::vector<PaperItem> items = [&] {
    const py::gil_scoped_release unlocked;
    return reproduce(key, quick).items();
  }();
  return to_python(to_json(items));
}

}  // namespace

void bind_scenario(py::module_& module) {
  module.def("run", &run);
  module.def("papers", &papers);
}

}  // namespace carom::python
