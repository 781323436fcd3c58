#include <algorithm>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/steppers/modal_recorder.hpp>

#include "modal/pushed.hpp"

namespace carom {
namespace {

constexpr int batch = modal::macro;  // states in one pass
std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

struct ModalRecorder::State {
  State(const ModalProblem& problem, const ShapeMatrix& points, int steps_per_output)
      : modes((validate(problem), problem)),
        kernels(modal::kernels()),
        every(steps_per_output),
        shapes(modes.shapes(points)),
        q(modes.start_q),
        dq(modes.start_dq),
        leap(modes.leap(steps_per_output)) {
    for (Eigen::Index i = 0; i < points.rows(); ++i) rows.push_back(shapes.data() + i * modes.n);
    states.assign(index(batch * modes.n), 0.0);
    values.resize(rows.size() * batch);
    pushed.reserve(problem.heights.size());
  }

  int point_count() const { return static_cast<int>(rows.size()); }

  void emit(int columns, std::vector<double>& out) {
    const int asked = columns == batch ? batch : 1;
    for (int k = 0; k < columns; k += asked) {
      kernels.project(rows.data(), point_count(),
                      states.data() + static_cast<std::ptrdiff_t>(k) * modes.n, modes.n, modes.n,
                      asked, values.data());
      for (int c = 0; c < asked; ++c) {
        for (std::size_t i = 0; i < rows.size(); ++i)
          out.push_back(values[i * index(asked) + index(c)]);
      }
    }
  }

  // Single steps, no more than a batch, with the impulses that fall into them.
  void advance(int count, std::span<const ContactImpulse>& impulses) {
    pushed.take(impulses, step, count, modes);
    pushed.advance(kernels, modes, q, dq, count, states.data(), nullptr);
    step += count;
  }

  void record(long long until, std::span<const ContactImpulse> impulses, std::vector<double>& out) {
    while (!impulses.empty() && impulses.front().step <= step) impulses = impulses.subspan(1);
    while (step < until) {
      if (every == 1) {
        const int count = static_cast<int>(std::min<long long>(batch, until - step));
        advance(count, impulses);
        emit(count, out);
        continue;
      }
      const long long next = (step / every + 1) * every;
      const long long quiet = impulses.empty() ? until : impulses.front().step - 1;
      if (step % every == 0 && next <= std::min(quiet, until)) {
        const int count =
            static_cast<int>(std::min<long long>(batch, (std::min(quiet, until) - step) / every));
        for (int k = 0; k < count; ++k) {
          fly(kernels, leap, 0, modes.n, q.data(), dq.data(), q.data(), dq.data());
          std::copy(q.begin(), q.end(), states.begin() + static_cast<std::ptrdiff_t>(k) * modes.n);
        }
        step += static_cast<long long>(count) * every;
        emit(count, out);
      } else {
        const long long end = std::min(next, until);
        advance(static_cast<int>(std::min<long long>(batch, end - step)), impulses);
        if (step % every == 0) {
          std::copy(q.begin(), q.end(), states.begin());
          emit(1, out);
        }
      }
    }
  }

  modal::Modes modes;
  const modal::Kernels& kernels;
  int every;
  modal::Array shapes, q, dq;
  modal::Leap leap;
  long long step = 0;
  std::vector<const double*> rows;
  std::vector<double> values;
  modal::Pushed pushed;
  modal::Array states;
};

ModalRecorder::ModalRecorder(const ModalProblem& problem, const ShapeMatrix& points, int every) {
  if (every < 1) {
    throw InvalidInput("every = " + std::to_string(every) + ": must be at least 1");
  }
  if (points.cols() != problem.body.mode_count()) {
    throw InvalidInput("points = " + std::to_string(points.cols()) +
                       " columns: must be one per mode, " +
                       std::to_string(problem.body.mode_count()));
  }
  state_ = std::make_unique<State>(problem, points, every);
}
ModalRecorder::~ModalRecorder() = default;
ModalRecorder::ModalRecorder(ModalRecorder&&) noexcept = default;
ModalRecorder& ModalRecorder::operator=(ModalRecorder&&) noexcept = default;

void ModalRecorder::record(long long until, std::span<const ContactImpulse> impulses,
                           std::vector<double>& rows) {
  const FlushDenormals flush;
  state_->record(until, impulses, rows);
}

void ModalRecorder::displacements(std::vector<double>& row) const {
  std::copy(state_->q.begin(), state_->q.end(), state_->states.begin());
  row.clear();
  state_->emit(1, row);
}

long long ModalRecorder::step() const noexcept { return state_->step; }
int ModalRecorder::every() const noexcept { return state_->every; }
void ModalRecorder::archive(Archive& state) {
  state(state_->q, state_->dq, state_->step);
  state.require(state_->step >= 0);
}
std::size_t ModalRecorder::point_count() const noexcept { return state_->rows.size(); }

}  // namespace carom
