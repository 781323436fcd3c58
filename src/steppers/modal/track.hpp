#pragma once

#include <vector>

#include <carom/core/archive.hpp>
#include <carom/steppers/contact_space.hpp>
#include <carom/steppers/modal_march.hpp>

#include "kernels.hpp"
#include "modes.hpp"

namespace carom::modal {

/// Of a checkpoint: impulses in the order of their steps, at contacts that are there.
inline void require_contacts(const Archive& state, const std::vector<ContactImpulse>& impulses,
                             int contacts) {
  long long last = 0;
  for (const ContactImpulse& impulse : impulses) {
    state.require(impulse.contact >= 0 && impulse.contact < contacts && impulse.step >= last);
    last = impulse.step;
  }
}

/// What the parts of a march share: the motion of the modes, how far it has got, what happened.
struct Track {
  explicit Track(const ModalProblem& problem)
      : modes((validate(problem), problem)),
        kernels(modal::kernels()),
        contacts(problem),
        q(modes.start_q),
        dq(modes.start_dq) {
    statistics.kernels = kernels.name;
  }

  int contact_count() const { return contacts.contact_count(); }

  void archive(Archive& state) {
    state.expect("instructions", kernels.name);
    state(contacts, q, dq, step, impulses, statistics);
    state.require(step >= 0);
    require_contacts(state, impulses, contact_count());
    statistics.kernels = kernels.name;
  }

  Modes modes;
  const Kernels& kernels;
  ContactSpace contacts;
  Array q, dq;
  long long step = 0;
  std::vector<ContactImpulse> impulses;
  ModalMarchStatistics statistics;
};

/// G_k(a, b), k = 0..count-1: the gap gained at contact a, k + 1 steps after the beginning of the
/// step in which a unit impulse acted at b. Calls `take` with each further set of modal weights
/// w_j = admittance_j u_kj.
template <class Take>
void impulse_responses(const Modes& modes, int count, Take&& take) {
  std::vector<double> u(static_cast<std::size_t>(modes.n), 0.0), rise(u.size(), 1.0),
      weights(u.size(), 0.0);
  for (int k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < u.size(); ++j) {
      if (k > 0) rise[j] = modes.e[j] * rise[j] - modes.d[j] * u[j];
      u[j] += rise[j];
      weights[j] = modes.a[j] * u[j];
    }
    take(k, u, weights);
  }
}

}  // namespace carom::modal
