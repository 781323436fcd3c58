#pragma once

#include <vector>

#include <carom/energy/ledger.hpp>

#include "pushed.hpp"
#include "track.hpp"

namespace carom::modal {

/// The ledger of a march, closed every so many steps; some of these intervals are replayed step by
/// step, so that their damping loss is a sum and not what is missing from the balance.
class EnergyBook {
 public:
  EnergyBook(Track& track, int interval, int audit_every);

  bool due() const { return track_.step - closed_at_ >= interval_; }
  bool open() const { return track_.step > closed_at_; }
  /// The modes must be up to date with all impulses.
  void close();
  /// Before the track's impulses are dropped.
  void keep_impulses();

  const Ledger& ledger() const { return ledger_; }
  void archive(Archive& state) {
    state(closed_at_, intervals_, closed_contacts_, auditing_, q_, dq_, kept_, kept_from_, ledger_);
  }

 private:
  double stored() const;
  void open_interval();
  double replay();

  Track& track_;
  int interval_, audit_every_;
  long long closed_at_ = 0, intervals_ = 0;
  ContactEnergy closed_contacts_;
  bool auditing_ = false;
  Array q_, dq_;  // at the beginning of an audited interval
  std::vector<ContactImpulse> kept_;
  std::size_t kept_from_ = 0;  // the track's impulses from here on belong to the interval
  Pushed pushed_;
  Ledger ledger_;
};

}  // namespace carom::modal
