#include "ringing_floor.hpp"

#include <numbers>

namespace carom {

RingingFloor::RingingFloor(const ModalBody& body, double rate)
    : q_(body.modes.size(), 0.0), v_(body.modes.size(), 0.0) {
  for (std::size_t j = 0; j < body.modes.size(); ++j) {
    const Mode& mode = body.modes[j];
    const double omega = 2 * std::numbers::pi * mode.frequency;
    const auto column = static_cast<Eigen::Index>(j);
    parts_.push_back({.motion = free_motion(mode, 1 / rate),
                      .rest = body.shapes(0, column) / (mode.mass * omega * omega),
                      .heard = body.shapes(1, column)});
  }
}

// About its rest position under the force a mode moves freely.
void RingingFloor::step(double force) {
  velocity_ = 0;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const Part& part = parts_[j];
    const double rest = part.rest * force, q = q_[j] - rest, v = v_[j];
    q_[j] = rest + part.motion.q_from_q * q + part.motion.q_from_v * v;
    v_[j] = part.motion.v_from_q * q + part.motion.v_from_v * v;
    velocity_ += part.heard * v_[j];
  }
}

void RingingFloor::archive(Archive& state) {
  const std::size_t modes = parts_.size();
  state(q_, v_, velocity_);
  state.require(q_.size() == modes && v_.size() == modes);
}

}  // namespace carom
