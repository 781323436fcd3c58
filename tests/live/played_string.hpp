#pragma once

#include <array>

#include <carom/live/instrument.hpp>
#include <carom/systems/stiff_string.hpp>

namespace support {

inline const carom::StiffString live_string{.length = 0.65,
                                            .linear_density = 1.2e-3,
                                            .tension = 70,
                                            .modes = 90,
                                            .inharmonicity = 2e-5,
                                            .viscoelastic = 2e-3,
                                            .thermoelastic = 2e-4};

/// A string over two obstacles, of which the second comes from above, and a hammer if wanted.
inline carom::PlayedBody played_string(const carom::ModalContactLaw& law, bool hammer = false) {
  carom::PlayedBody body;
  const std::array places{0.1, 0.4};
  body.problem.body = modal_body(live_string, places);
  body.problem.heights = {-2e-4, 4e-3};
  body.problem.sides = {carom::Side::above, carom::Side::below};
  body.problem.laws = {law, law};
  body.ears = carom::string_shapes(live_string.length, live_string.modes, std::array{0.6});
  body.string_length = live_string.length;
  if (!hammer) return body;
  carom::ModalBody& modes = body.problem.body;
  const Eigen::Index count = modes.mode_count();
  add_rigid_body(modes, 2e-3);
  modes.shapes.conservativeResize(3, count + 1);
  modes.shapes.col(count).setZero();
  modes.shapes.row(2) << carom::string_shapes(live_string.length, live_string.modes,
                                              std::array{0.08}),
      -1.0;
  body.problem.heights.push_back(0);
  body.problem.sides.push_back(carom::Side::below);
  body.problem.laws.emplace_back(
      carom::AnyLaw(carom::HuntCrossley{.stiffness = 1e7, .exponent = 2.0, .mu = 0.1}));
  body.ears.conservativeResize(1, count + 1);
  body.ears(0, count) = 0;
  body.hammer = 2;
  return body;
}

inline const carom::ModalContactLaw soft{
    carom::AnyLaw(carom::HuntCrossley{.stiffness = 1e7, .exponent = 1.5, .mu = 0.1})};
inline const carom::ModalContactLaw hard{carom::NewtonRestitution{.restitution = 0.0}};

}  // namespace support
