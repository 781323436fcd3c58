#include "module.hpp"

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>

namespace carom::python {

AnyLaw make_law(const std::string& name, double stiffness, double exponent, double damping) {
  AnyLaw law = PowerLaw{stiffness, exponent};
  if (name == "hunt-crossley") law = HuntCrossley{stiffness, exponent, damping};
  if (name == "hertz-damper") law = HertzDamper{stiffness, exponent, damping, Release::zero_force};
  if (name == "hertz-damper/zero-compression") {
    law = HertzDamper{stiffness, exponent, damping, Release::zero_compression};
  }
  validate(law);
  return law;
}

}  // namespace carom::python

PYBIND11_MODULE(_carom, module) {
  module.doc() = "The compiled part of carom; use the package carom.";
  module.attr("version") = std::string(carom::version());
  carom::python::bind_impact(module);
  carom::python::bind_simulate(module);
  carom::python::bind_identify(module);
  carom::python::bind_nonsmooth(module);
  carom::python::bind_own_system(module);
  carom::python::bind_scenario(module);
  carom::python::bind_sweep(module);
  carom::python::bind_modal(module);
}
