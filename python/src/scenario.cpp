#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include <carom/output/presets.hpp>
#include <carom/output/run.hpp>
#include <carom/papers/papers.hpp>
#include <carom/scenario/template.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

/// JSON values cross as text: Python's own reader keeps every digit and every type.
py::object to_python(const Json& json) {
  return py::module_::import("json").attr("loads")(json_text(json));
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

/// `call(scenario, settings)` without the interpreter lock; progress callbacks take it to look for
/// Ctrl-C.
template <class Settings, class Call>
auto run_unlocked(const Scenario& scenario, Settings settings, Call&& call) {
  std::atomic<bool> interrupt = false;
  settings.interrupt = &interrupt;
  settings.progress = [&interrupt](const Progress&) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) interrupt = true;
  };
  try {
    const py::gil_scoped_release unlocked;
    return call(scenario, settings);
  } catch (const Interrupted&) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
}

/// As `carom run` does: files and summary.
py::tuple run_into(const std::string& file, const py::dict& overrides, const std::string& folder,
                   double checkpoint, bool resume) {
  require_not_negative("checkpoint", checkpoint);
  const Scenario scenario = load_scenario(file, overrides_of(overrides));
  RunSettings settings;
  settings.out = folder;
  settings.checkpoint = checkpoint;
  settings.resume = resume;
  const RunReport report = run_unlocked(scenario, std::move(settings), run_to_folder);
  py::list files;
  for (const auto& written : report.files) files.append(written.string());
  return py::make_tuple(files, to_python(report.summary));
}

py::tuple run_scenario(const Scenario& scenario) {
  RecordedRun recorded = run_unlocked(scenario, MemorySettings{}, run_in_memory);
  py::dict columns;
  for (std::size_t i = 0; i < recorded.signals.size(); ++i) {
    columns[py::str(recorded.signals[i].name)] = adopt(std::move(recorded.columns[i]));
  }
  return py::make_tuple(adopt(std::move(recorded.time)), columns, to_python(recorded.summary));
}

py::tuple run(const std::string& file, const py::dict& overrides) {
  return run_scenario(load_scenario(file, overrides_of(overrides)));
}

/// A scenario that is in no file; `name` stands for one in messages and relative paths.
py::tuple run_text(const std::string& text, const std::string& name, const py::dict& overrides) {
  return run_scenario(parse_scenario(text, name, overrides_of(overrides)));
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
  module.def("run_to_folder", &run_into);
  module.def("run", &run);
  module.def("run_text", &run_text);
  module.def("new_scenario",
             [](const std::string& kind, const std::string& example, const std::string& preset) {
               if (!preset.empty()) return std::string(find_preset(kind, preset).text);
               return scenario_template(find_kind(kind), example);
             });
  module.def("presets", [] {
    py::dict all;
    for (const Preset& preset : presets())
      all[py::str(preset.name)] = py::make_tuple(preset.kind, preset.summary);
    return all;
  });
  module.def("papers", &papers);
}

}  // namespace carom::python
