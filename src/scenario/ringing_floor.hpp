#pragma once

#include <vector>

#include <carom/core/archive.hpp>
#include <carom/systems/modal_body.hpp>

namespace carom {

/// A floor that rings with the force of a contact and is too heavy to act back on it: modes under a
/// force that is constant over each sample, exactly.
class RingingFloor {
 public:
  /// Row 0 of the shapes is where it is hit, row 1 where it is heard.
  RingingFloor(const ModalBody& body, double rate);

  void step(double force);                                ///< the mean of the sample [N]
  double velocity() const noexcept { return velocity_; }  ///< where it is heard [m/s]
  void archive(Archive& state);

 private:
  struct Part {
    ModePropagator motion;
    double rest;   ///< displacement under a unit force [m/N]
    double heard;  ///< shape where it is heard
  };
  std::vector<Part> parts_;
  std::vector<double> q_, v_;
  double velocity_ = 0;
};

}  // namespace carom
