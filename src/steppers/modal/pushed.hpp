#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <carom/steppers/modal_problem.hpp>

#include "kernels.hpp"
#include "modes.hpp"

namespace carom::modal {

/// Impulses of a few steps as the passes want them: the shapes of the contacts that push, and what
/// each of them pushes in each step.
class Pushed {
 public:
  /// So that take() does not ask for memory.
  void reserve(std::size_t contacts) {
    rows_.reserve(contacts);
    impulses_.reserve(contacts * macro);
  }

  /// Takes the impulses of the `count` <= macro steps after `step` off the front of the list.
  void take(std::span<const ContactImpulse>& list, long long step, int count, const Modes& modes) {
    rows_.clear();
    impulses_.clear();
    for (; !list.empty() && list.front().step <= step + count; list = list.subspan(1)) {
      const double* row = modes.row(list.front().contact);
      auto found = std::find(rows_.begin(), rows_.end(), row);
      if (found == rows_.end()) {
        found = rows_.insert(found, row);
        impulses_.resize(impulses_.size() + macro, 0.0);
      }
      impulses_[static_cast<std::size_t>(found - rows_.begin()) * macro +
                static_cast<std::size_t>(list.front().step - step - 1)] = list.front().impulse;
    }
  }

  /// The pass itself, see Kernels::advance.
  double advance(const Kernels& kernels, const Modes& modes, Array& q, Array& dq, int count,
                 double* states, const double* loss) const {
    return kernels.advance(q.data(), dq.data(), modes.e.data(), modes.d.data(), modes.a.data(),
                           modes.n, rows_.data(), static_cast<int>(rows_.size()), impulses_.data(),
                           count, states, loss);
  }

 private:
  std::vector<const double*> rows_;
  std::vector<double> impulses_;
};

}  // namespace carom::modal
