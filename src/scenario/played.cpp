#include "played.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr int lowest_note = -12, highest_note = 24;  ///< semitones about the scenario's own pitch
/// More modes cost time that the audio thread does not have, and are hardly heard.
constexpr Eigen::Index max_modes = 160;
constexpr double held = 1e9;  ///< times the mass: nothing moves it

double ratio_of(int semitones) { return std::exp2(semitones / 12.0); }

void keep_columns(ShapeMatrix& shapes, Eigen::Index count, bool hammer) {
  ShapeMatrix kept(shapes.rows(), count + (hammer ? 1 : 0));
  kept.leftCols(count) = shapes.leftCols(count);
  if (hammer) kept.col(count) = shapes.col(shapes.cols() - 1);
  shapes = std::move(kept);
}

}  // namespace

void add_contact(PlayedBody& body, const ShapeMatrix& row, double height, Side side,
                 const ModalContactLaw& law) {
  ModalProblem& problem = body.problem;
  const Eigen::Index contacts = problem.body.point_count(), modes = problem.body.mode_count();
  std::vector<ModalContactLaw> laws;
  for (std::size_t i = 0; i < problem.heights.size(); ++i) laws.push_back(law_at(problem, i));
  laws.push_back(law);
  problem.laws = std::move(laws);
  problem.sides.resize(problem.heights.size(), Side::above);
  problem.sides.push_back(side);
  problem.heights.push_back(height);
  ShapeMatrix shapes = ShapeMatrix::Zero(contacts + 1, modes);
  if (contacts > 0) shapes.topRows(contacts) = problem.body.shapes;
  shapes.bottomLeftCorner(1, row.cols()) = row;
  problem.body.shapes = std::move(shapes);
}

InstrumentTables played(PlayedBody body, double rate,
                        const std::function<std::vector<Mode>(double)>& modes_at) {
  InstrumentTables tables;
  ModalBody& modes = body.problem.body;
  const bool hammer = body.hammer >= 0;
  // As many as are heard at the lowest note.
  const double lowest = ratio_of(lowest_note);
  const Eigen::Index own = modes.mode_count() - (hammer ? 1 : 0);
  Eigen::Index count = 0;
  while (count < std::min(own, max_modes) &&
         modes.modes[static_cast<std::size_t>(count)].frequency * lowest < 0.5 * rate)
    ++count;
  count = std::max<Eigen::Index>(count, 1);
  keep_columns(modes.shapes, count, hammer);
  keep_columns(body.ears, count, hammer);
  modes.modes.erase(modes.modes.begin() + count, modes.modes.begin() + own);
  double pitch = modes.modes.front().frequency;
  for (Eigen::Index j = 0; j < count; ++j)
    pitch = std::min(pitch, modes.modes[static_cast<std::size_t>(j)].frequency);
  for (int note = lowest_note; note <= highest_note; ++note) {
    std::vector<Mode> all = modes_at(ratio_of(note));
    all.resize(static_cast<std::size_t>(count));
    for (Mode& mode : all) {
      if (mode.frequency >= 0.48 * rate) mode.mass *= held;
    }
    tables.notes.push_back(std::move(all));
  }
  tables.lowest = lowest_note;
  tables.pitch = pitch;
  tables.body = std::move(body);
  return tables;
}

}  // namespace carom
