#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/systems/pendulums.hpp>

namespace carom {

static_assert(SystemWithGaps<PendulumRods>);

void PendulumRods::mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
  M.setZero();
  for (int i = 0; i < 2; ++i) M(i, i) = inertia(i);
}
void PendulumRods::force(double /*t*/, const Eigen::VectorXd& q, const Eigen::VectorXd& /*v*/,
                         Eigen::VectorXd& f) const {
  for (int i = 0; i < 2; ++i) f[i] = -0.5 * masses[i] * gravity * lengths[i] * std::sin(q[i]);
}
double PendulumRods::potential_energy(const Eigen::VectorXd& q) const {
  return energy(*this, {.angles = {q[0], q[1]}});
}
void PendulumRods::gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
  for (int i = 0; i < 2; ++i) g[i] = tip_contact(*this, {q[0], q[1]}, i).distance;
}
void PendulumRods::gap_gradients(double /*t*/, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
  for (int i = 0; i < 2; ++i) {
    const TipContact tip = tip_contact(*this, {q[0], q[1]}, i);
    G.row(i) << tip.gradient[0], tip.gradient[1];
  }
}
bool PendulumRods::can_touch(int contact, const Eigen::VectorXd& q) const {
  return tip_contact(*this, {q[0], q[1]}, contact).facing;
}

void validate(const PendulumRods& rods) {
  for (int i = 0; i < 2; ++i) {
    require_positive("masses[" + std::to_string(i) + "]", rods.masses[i]);
    require_positive("lengths[" + std::to_string(i) + "]", rods.lengths[i]);
  }
  require_finite("offset", rods.offset);
  if (rods.offset == 0) throw InvalidInput("offset = 0: the pivots must not coincide");
  require_not_negative("gravity", rods.gravity);
}

double energy(const PendulumRods& rods, const PendulumState& state) noexcept {
  double sum = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double half = std::sin(0.5 * state.angles[i]);
    sum += 0.5 * rods.inertia(i) * state.rates[i] * state.rates[i] +
           rods.masses[i] * rods.gravity * rods.lengths[i] * half * half;
  }
  return sum;
}

std::array<double, 2> accelerations(const PendulumRods& rods, const std::array<double, 2>& angles,
                                    const std::array<double, 2>& contact) noexcept {
  std::array<double, 2> a{};
  for (int i = 0; i < 2; ++i) {
    const double weight =
        -0.5 * rods.masses[i] * rods.gravity * rods.lengths[i] * std::sin(angles[i]);
    a[i] = (weight + contact[i]) / rods.inertia(i);
  }
  return a;
}

TipContact tip_contact(const PendulumRods& rods, const std::array<double, 2>& angles,
                       int tip) noexcept {
  const int rod = 1 - tip;
  const double apart = tip == 1 ? rods.offset : -rods.offset;  // from the rod's pivot to the tip's
  const double s = std::sin(angles[rod]), c = std::cos(angles[rod]);
  const double turn = angles[tip] - angles[rod], length = rods.lengths[tip];
  // Tip minus pivot of the rod, on its normal (c, s) and on its direction (s, -c).
  const double distance = apart * c + length * std::sin(turn);
  const double along = apart * s + length * std::cos(turn);
  TipContact contact{distance, along, {}, along > 0 && along < rods.lengths[rod]};
  contact.gradient[tip] = length * std::cos(turn);
  contact.gradient[rod] = -along;
  return contact;
}

double effective_mass(const PendulumRods& rods, const std::array<double, 2>& gradient) noexcept {
  return 1 / (gradient[0] * gradient[0] / rods.inertia(0) +
              gradient[1] * gradient[1] / rods.inertia(1));
}

}  // namespace carom
