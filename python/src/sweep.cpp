#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <pybind11/stl.h>

#include <carom/core/error.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/sweep.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

/// One column as numpy has it best: whole numbers, numbers (NaN where there is none), or objects.
py::object column_of(const SweepTable& table, std::size_t index) {
  bool whole = true, number = true;
  for (const auto& row : table.rows) {
    const Cell& cell = row[index];
    whole = whole && std::holds_alternative<std::int64_t>(cell);
    number = number && !std::holds_alternative<std::string>(cell);
  }
  const auto size = static_cast<py::ssize_t>(table.rows.size());
  if (whole) {
    py::array_t<std::int64_t> values(size);
    for (py::ssize_t i = 0; i < size; ++i) {
      values.mutable_at(i) = std::get<std::int64_t>(table.rows[static_cast<std::size_t>(i)][index]);
    }
    return values;
  }
  if (number) {
    py::array_t<double> values(size);
    for (py::ssize_t i = 0; i < size; ++i) {
      const Cell& cell = table.rows[static_cast<std::size_t>(i)][index];
      const auto* as_whole = std::get_if<std::int64_t>(&cell);
      const auto* as_number = std::get_if<double>(&cell);
      values.mutable_at(i) = as_number != nullptr  ? *as_number
                             : as_whole != nullptr ? static_cast<double>(*as_whole)
                                                   : std::numeric_limits<double>::quiet_NaN();
    }
    return values;
  }
  py::list values;
  for (const auto& row : table.rows) {
    std::visit(
        [&values](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
            values.append(py::none());
          } else {
            values.append(value);
          }
        },
        row[index]);
  }
  return values;
}

py::list columns_of(const SweepTable& table) {
  py::list columns;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    columns.append(py::make_tuple(table.names[i], column_of(table, i)));
  }
  return columns;
}

SweepPlan plan_of(const std::string& file, const std::string& description,
                  const std::string& folder) {
  return description.empty() ? load_plan(file) : make_plan(parse_json(description), folder);
}

py::list sweep(const std::string& file, const std::string& description, const std::string& folder,
               const std::string& out, int jobs, bool resume, bool retry_failed) {
  if (jobs < 0) throw InvalidInput("jobs = " + std::to_string(jobs) + ": must be at least 1");
  const SweepPlan plan = plan_of(file, description, folder);
  std::atomic<bool> interrupt = false;
  const auto listen = [&interrupt] {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) interrupt = true;
  };
  SweepSettings settings;
  settings.out = out;
  settings.jobs = jobs;
  settings.resume = resume;
  settings.retry_failed = retry_failed;
  settings.progress = [&listen](const SweepProgress&) { listen(); };
  settings.validation_progress = [&listen](double) { listen(); };
  settings.interrupt = &interrupt;
  try {
    SweepTable table;
    {
      const py::gil_scoped_release unlocked;
      if (out.empty()) {
        table = sweep_in_memory(plan, settings);
      } else {
        if (run_sweep(plan, settings).interrupted) throw Interrupted();
        table = read_table(out);
      }
    }
    return columns_of(table);
  } catch (const Interrupted&) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
}

py::list read_sweep(const std::string& store) {
  const SweepTable table = [&] {
    const py::gil_scoped_release unlocked;
    return read_table(store);
  }();
  return columns_of(table);
}

}  // namespace

void bind_sweep(py::module_& module) {
  module.def("sweep", &sweep);
  module.def("read_sweep", &read_sweep);
}

}  // namespace carom::python
