#include "modal_ledger.hpp"

#include <algorithm>

namespace carom::modal {
namespace {

constexpr int longest_stretch = 256, shortest_stretch = 8;  // steps

}  // namespace

ModalLedger::ModalLedger(Track& track, int interval, double cost)
    : track_(track), interval_(interval), cost_(cost), q_(track.q), dq_(track.dq) {
  if (cost_ > 0) find_stretches();
  ledger_ = Ledger(stored());
  open_interval();
}

// s_k = dq_{k+1} + dq_k from (q, dq) = (1, 0) and from (0, 1), squared and summed.
void ModalLedger::find_stretches() {
  const Modes& modes = track_.modes;
  for (int steps = longest_stretch; steps >= shortest_stretch; steps /= 2) {
    Stretch stretch{.steps = steps, .leap = modes.leap(steps), .qq = {}, .qd = {}, .dd = {}};
    for (Array* array : {&stretch.qq, &stretch.qd, &stretch.dd})
      array->assign(static_cast<std::size_t>(modes.n), 0.0);
    stretches_.push_back(std::move(stretch));
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(modes.count); ++j) {
    const double e = modes.e[j], d = modes.d[j], loss = modes.loss[j];
    double q1 = 1, v1 = 0, q2 = 0, v2 = 1, qq = 0, qd = 0, dd = 0;
    auto next = stretches_.rbegin();
    for (int k = 1; k <= longest_stretch; ++k) {
      const double before1 = v1, before2 = v2;
      v1 = e * v1 - d * q1;
      v2 = e * v2 - d * q2;
      q1 += v1;
      q2 += v2;
      const double s1 = v1 + before1, s2 = v2 + before2;
      qq += s1 * s1;
      qd += 2 * s1 * s2;
      dd += s2 * s2;
      if (k != next->steps) continue;
      next->qq[j] = loss * qq;
      next->qd[j] = loss * qd;
      next->dd[j] = loss * dd;
      ++next;
    }
  }
}

double ModalLedger::stored() const {
  const Modes& modes = track_.modes;
  return track_.kernels.stored(track_.q.data(), track_.dq.data(), modes.inertia.data(),
                               modes.elasticity.data(), modes.n) +
         track_.contacts.energy().stored;
}

void ModalLedger::open_interval() {
  closed_at_ = track_.step;
  closed_contacts_ = track_.contacts.energy();
  const ModalMarchStatistics& done = track_.statistics;
  const double passes =
      static_cast<double>(done.leaps) + static_cast<double>(done.steps - done.leapt) / macro;
  auditing_ = cost_ > 0 && (passes_ == 0 || passes_ <= cost_ * passes);
  if (!auditing_) return;
  std::copy(track_.q.begin(), track_.q.end(), q_.begin());
  std::copy(track_.dq.begin(), track_.dq.end(), dq_.begin());
  kept_from_ = track_.impulses.size();
  kept_.clear();
}

void ModalLedger::keep_impulses() {
  if (auditing_) {
    kept_.insert(kept_.end(), track_.impulses.begin() + static_cast<std::ptrdiff_t>(kept_from_),
                 track_.impulses.end());
  }
  kept_from_ = 0;
}

void ModalLedger::close() {
  const double energy = stored();
  const ContactEnergy& contacts = track_.contacts.energy();
  const double contact_loss = contacts.dissipated - closed_contacts_.dissipated;
  const double contact_gain = contacts.gained - closed_contacts_.gained;
  double damping = 0;
  if (auditing_) {
    damping = replay();
    track_.statistics.audited += track_.step - closed_at_;
  } else {
    damping = std::max(0.0, ledger_.stored() - energy - contact_loss + contact_gain);
  }
  ledger_.close_step(energy, contact_loss + damping);
  open_interval();
}

// The damping loss of the interval.
double ModalLedger::replay() {
  const Modes& modes = track_.modes;
  double lost = 0;
  keep_impulses();
  std::span<const ContactImpulse> impulses = kept_;
  for (long long at_step = closed_at_; at_step < track_.step;) {
    const long long next = impulses.empty() ? track_.step : impulses.front().step - 1;
    if (next - at_step >= shortest_stretch) {
      lost += fly(next - at_step);
      at_step = next;
      continue;
    }
    const int some = static_cast<int>(std::min<long long>(track_.step - at_step, macro));
    pushed_.take(impulses, at_step, some, modes);
    lost += pushed_.advance(track_.kernels, modes, q_, dq_, some, nullptr, modes.loss.data());
    at_step += some;
    ++passes_;
  }
  return lost;
}

// What so many free steps lose.
double ModalLedger::fly(long long steps) {
  const Modes& modes = track_.modes;
  double lost = 0;
  for (const Stretch& stretch : stretches_) {
    for (; steps >= stretch.steps; steps -= stretch.steps) {
      lost += track_.kernels.quadratic(q_.data(), dq_.data(), stretch.qq.data(), stretch.qd.data(),
                                       stretch.dd.data(), modes.n);
      modal::fly(track_.kernels, stretch.leap, 0, modes.n, q_.data(), dq_.data(), q_.data(),
                 dq_.data());
      ++passes_;
    }
  }
  for (; steps > 0; ++passes_) {
    const int some = static_cast<int>(std::min<long long>(steps, macro));
    lost += track_.kernels.advance(q_.data(), dq_.data(), modes.e.data(), modes.d.data(),
                                   modes.a.data(), modes.n, nullptr, 0, nullptr, some, nullptr,
                                   modes.loss.data());
    steps -= some;
  }
  return lost;
}

}  // namespace carom::modal
