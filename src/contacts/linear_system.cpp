#include <carom/contacts/linear_system.hpp>
#include <carom/core/error.hpp>

namespace carom {

void validate(const LinearSystem& system) {
  validate(system.body);
  const auto sized = [](const char* name, Eigen::Index size, Eigen::Index wanted) {
    if (size != wanted) {
      throw InvalidInput(std::string(name) + " has " + std::to_string(size) + " entries: must be " +
                         std::to_string(wanted));
    }
  };
  sized("offsets", system.offsets.size(), system.body.shapes.rows());
  sized("force", system.force.size(), system.body.mode_count());
  if (system.force_in_contact.size() > 0) {
    sized("force_in_contact", system.force_in_contact.size(), system.body.mode_count());
  }
  if (system.observed.rows() > 0) {
    sized("observed", system.observed.cols(), system.body.mode_count());
  }
}

LinearSystem wall_system(double mass, double force_in_flight, double force_in_contact) {
  LinearSystem system;
  system.body.modes = {{.frequency = 0.0, .damping = 0.0, .mass = mass}};
  system.body.shapes = ShapeMatrix::Ones(1, 1);
  system.offsets = Eigen::VectorXd::Zero(1);
  system.force = Eigen::VectorXd::Constant(1, -force_in_flight);  // towards the wall
  if (force_in_contact != force_in_flight) {
    system.force_in_contact = Eigen::VectorXd::Constant(1, -force_in_contact);
  }
  return system;
}

}  // namespace carom
