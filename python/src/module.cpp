#include "module.hpp"

#include <carom/core/version.hpp>

PYBIND11_MODULE(_carom, module) {
  module.doc() = "The compiled part of carom; use the package carom.";
  module.attr("version") = std::string(carom::version());
  carom::python::bind_laws(module);
  carom::python::bind_impact(module);
  carom::python::bind_simulate(module);
  carom::python::bind_identify(module);
  carom::python::bind_nonsmooth(module);
  carom::python::bind_own_system(module);
  carom::python::bind_scenario(module);
  carom::python::bind_sweep(module);
  carom::python::bind_modal(module);
  carom::python::bind_export(module);
}
