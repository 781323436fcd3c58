#pragma once

#include <string>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/systems/with_gaps.hpp>

#include "module.hpp"

namespace carom::python {

/// A system with gaps that is written in Python: its functions by name, those of time with t first
/// (carom/nonsmooth.py sees to it). Called under the interpreter lock.
class PythonSystem {
 public:
  PythonSystem(const py::dict& functions, int coordinates, int contacts)
      : coordinates_(coordinates),
        contacts_(contacts),
        mass_matrix_(functions["mass_matrix"]),
        force_(functions["force"]),
        potential_energy_(functions["potential_energy"]),
        gaps_(functions["gaps"]),
        gap_gradients_(functions["gap_gradients"]),
        gap_rates_(optional(functions, "gap_rates")),
        dissipation_(optional(functions, "dissipation")),
        power_(optional(functions, "power")),
        can_touch_(optional(functions, "can_touch")),
        two_sided_(optional(functions, "two_sided")),
        stiffness_(optional(functions, "stiffness")) {}

  int coordinates() const { return coordinates_; }
  int contacts() const { return contacts_; }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const {
    fill(M, "mass_matrix", mass_matrix_(array(q)));
  }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    fill(f, "force", force_(t, array(q), array(v)));
  }
  double potential_energy(const Eigen::VectorXd& q) const {
    return potential_energy_(array(q)).cast<double>();
  }
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    fill(g, "gaps", gaps_(t, array(q)));
  }
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
    fill(G, "gap_gradients", gap_gradients_(t, array(q)));
  }
  bool has_gap_rates() const { return !gap_rates_.is_none(); }
  void gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
    r.setZero();
    if (has_gap_rates()) fill(r, "gap_rates", gap_rates_(t, array(q)));
  }
  double dissipation(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    return dissipation_.is_none() ? 0.0 : dissipation_(t, array(q), array(v)).cast<double>();
  }
  double power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    return power_.is_none() ? 0.0 : power_(t, array(q), array(v)).cast<double>();
  }
  bool can_touch(int contact, const Eigen::VectorXd& q) const {
    return can_touch_.is_none() || can_touch_(contact, array(q)).cast<bool>();
  }
  bool two_sided(int contact) const {
    return !two_sided_.is_none() && two_sided_(contact).cast<bool>();
  }
  bool has_stiffness() const { return !stiffness_.is_none(); }
  void stiffness(const Eigen::VectorXd& q, Eigen::MatrixXd& K) const {
    K.setZero();
    if (has_stiffness()) fill(K, "stiffness", stiffness_(array(q)));
  }

 private:
  static py::object optional(const py::dict& functions, const char* name) {
    return functions.contains(name) ? py::object(functions[name]) : py::none();
  }
  static py::array_t<double> array(const Eigen::VectorXd& x) {
    return py::array_t<double>(py::ssize_t(x.size()), x.data());
  }
  template <class Matrix>
  static void fill(Matrix& out, const char* name, const py::object& value) {
    const Array given = Array::ensure(value);
    if (!given || given.size() != out.size()) {
      throw InvalidInput(std::string(name) + "(): must give " + std::to_string(out.rows()) +
                         (out.cols() > 1 ? " x " + std::to_string(out.cols()) : "") + " numbers");
    }
    const double* next = given.data();
    for (Eigen::Index i = 0; i < out.rows(); ++i) {
      for (Eigen::Index j = 0; j < out.cols(); ++j) out(i, j) = *next++;
    }
  }

  int coordinates_, contacts_;
  py::object mass_matrix_, force_, potential_energy_, gaps_, gap_gradients_, gap_rates_,
      dissipation_, power_, can_touch_, two_sided_, stiffness_;
};

static_assert(SystemWithGaps<PythonSystem>);

}  // namespace carom::python
