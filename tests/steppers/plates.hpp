#pragma once

#include <random>

#include <carom/systems/modal_body.hpp>

namespace carom {

/// Modes between 100 Hz and 18 kHz with random signed shapes; the first one is a rigid-body mode.
inline ModalBody plate(int modes, double loss) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> shape(-1, 1);
  ModalBody body;
  body.shapes.resize(2, modes);
  for (int j = 0; j < modes; ++j) {
    body.modes.push_back({j == 0 ? 0.0 : 100.0 + 18000.0 * j / modes, loss * (1 + 0.2 * j), 0.08});
    body.shapes(0, j) = shape(random);
    body.shapes(1, j) = shape(random);
  }
  return body;
}

/// The three modes of a small metal plate.
inline ModalBody small_plate() {
  ModalBody body;
  body.modes = {{523.0, 2.0, 0.08}, {1441.0, 4.5, 0.08}, {2826.0, 9.0, 0.08}};
  body.shapes.resize(2, 3);
  body.shapes << 1.0, 0.7, -0.5, 0.8, -0.6, 0.9;
  return body;
}

}  // namespace carom
