#include <carom/core/error.hpp>
#include <carom/steppers/strike.hpp>

namespace carom {
namespace {

/// The modes of the resonator, and the body as the last one.
LinearSystem system_of(const Striker& striker, const ModalBody& resonator) {
  const Eigen::Index modes = resonator.mode_count();
  LinearSystem system;
  system.body.modes = resonator.modes;
  system.body.modes.push_back({.frequency = 0.0, .damping = 0.0, .mass = striker.mass});
  system.body.shapes.resize(1, modes + 1);
  system.body.shapes << resonator.shapes.row(0), -1.0;
  system.observed.resize(1, modes + 1);
  system.observed << resonator.shapes.row(1), 0.0;
  system.offsets = Eigen::VectorXd::Zero(1);
  system.force = Eigen::VectorXd::Zero(modes + 1);
  system.force[modes] = striker.force;
  return system;
}

MotionState start_of(const Striker& striker, const ModalBody& resonator, const ModalState& start) {
  const Eigen::Index modes = resonator.mode_count();
  MotionState all{Eigen::VectorXd::Zero(modes + 1), Eigen::VectorXd::Zero(modes + 1)};
  if (start.position.size() > 0) {
    if (start.position.size() != modes || start.velocity.size() != modes) {
      throw InvalidInput("start: a position and a velocity are needed for each mode");
    }
    all.q.head(modes) = start.position;
    all.v.head(modes) = start.velocity;
  }
  all.q[modes] = -striker.gap;
  all.v[modes] = striker.speed;
  return all;
}

}  // namespace

void validate(const Striker& striker, const ModalBody& resonator, const StrikeSettings& settings) {
  validate(resonator);
  if (resonator.point_count() < 2) {
    throw InvalidInput("shapes: a row for the hit point and one for the heard point are needed");
  }
  require_positive("mass", striker.mass);
  require_finite("speed", striker.speed);
  require_not_negative("gap", striker.gap);
  require_finite("force", striker.force);
  require_positive("rate", settings.rate);
  require_within("tolerance", settings.tolerance, 1e-14, 1e-3);
}

Strike::Strike(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
               const StrikeSettings& settings, const ModalState& start)
    : mass_(striker.mass),
      gap_(striker.gap),
      force_(striker.force),
      march_((validate(striker, resonator, settings), system_of(striker, resonator)),
             {Contact{law}}, start_of(striker, resonator, start),
             {.rate = settings.rate,
              .tolerance = settings.tolerance,
              .closes_energy = settings.closes_energy}) {
  for (const Mode& mode : resonator.modes) {
    vibrates_.push_back(mode.frequency != 0 || mode.damping != 0);
  }
}

void Strike::step() {
  while (!step_partly()) {
  }
}

bool Strike::step_partly() {
  march_.step();
  return march_.sampled() || !march_.converged();
}

void Strike::push(double force) {
  pushed_ = true;
  march_.set_force(march_.position().size() - 1, force);
}

double Strike::position() const noexcept { return march_.position()[march_.position().size() - 1]; }
double Strike::velocity() const noexcept { return march_.velocity()[march_.velocity().size() - 1]; }
double Strike::kinetic_energy() const noexcept { return 0.5 * mass_ * velocity() * velocity(); }
double Strike::stored() const noexcept {
  return march_.kinetic_energy() + march_.vibration_energy() + march_.elastic_energy();
}

ModalState Strike::modes() const {
  const auto count = static_cast<Eigen::Index>(vibrates_.size());
  const ModalState vibrating = march_.vibration();
  ModalState all{Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Eigen::Index j = 0, rigid = 0, other = 0; j < count; ++j) {
    const bool vibrates = vibrates_[static_cast<std::size_t>(j)] != 0;
    const Eigen::Index at = vibrates ? other++ : rigid++;
    all.position[j] = vibrates ? vibrating.position[at] : march_.position()[at];
    all.velocity[j] = vibrates ? vibrating.velocity[at] : march_.velocity()[at];
  }
  return all;
}

}  // namespace carom
