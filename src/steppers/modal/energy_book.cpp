#include "energy_book.hpp"

#include <algorithm>

namespace carom::modal {

EnergyBook::EnergyBook(Track& track, int interval, int audit_every)
    : track_(track),
      interval_(interval),
      audit_every_(audit_every),
      q_(track.q),
      dq_(track.dq),
      ledger_(stored()) {
  open_interval();
}

double EnergyBook::stored() const {
  const Modes& modes = track_.modes;
  return track_.kernels.stored(track_.q.data(), track_.dq.data(), modes.inertia.data(),
                               modes.elasticity.data(), modes.n) +
         track_.contacts.energy().stored;
}

void EnergyBook::open_interval() {
  closed_at_ = track_.step;
  closed_contacts_ = track_.contacts.energy();
  auditing_ = audit_every_ > 0 && intervals_ % audit_every_ == 0;
  ++intervals_;
  if (!auditing_) return;
  std::copy(track_.q.begin(), track_.q.end(), q_.begin());
  std::copy(track_.dq.begin(), track_.dq.end(), dq_.begin());
  kept_from_ = track_.impulses.size();
  kept_.clear();
}

void EnergyBook::keep_impulses() {
  if (auditing_) {
    kept_.insert(kept_.end(), track_.impulses.begin() + static_cast<std::ptrdiff_t>(kept_from_),
                 track_.impulses.end());
  }
  kept_from_ = 0;
}

void EnergyBook::close() {
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

// The damping loss of the interval, step by step from its beginning with its impulses.
double EnergyBook::replay() {
  const Modes& modes = track_.modes;
  double lost = 0;
  keep_impulses();
  std::span<const ContactImpulse> impulses = kept_;
  for (long long at_step = closed_at_; at_step < track_.step;) {
    const int some = static_cast<int>(std::min<long long>(track_.step - at_step, macro));
    pushed_.take(impulses, at_step, some, modes);
    lost += pushed_.advance(track_.kernels, modes, q_, dq_, some, nullptr, modes.loss.data());
    at_step += some;
  }
  return lost;
}

}  // namespace carom::modal
