#pragma once

#include <vector>

#include <carom/energy/ledger.hpp>

#include "pushed.hpp"
#include "track.hpp"

namespace carom::modal {

/// The ledger of a march, closed every so many steps.
///
/// What the contacts lose is summed by themselves. The damping loss of an interval,
///   sum_j loss_j sum_n (dq_{n+1} + dq_n)^2                                        (ModeStep),
/// is known apart from the balance only if every mode is followed through every step. In audited
/// intervals it is: from the state at the beginning, with the impulses of the interval, step by
/// step where contacts push, and over free stretches as the quadratic form of (q, dq) that the sum
/// is there. Their residual is a true one. In the others the loss is what is missing from the
/// balance, so that only a gain would show. As many intervals are audited as a share of the passes
/// over the modes allows.
class ModalLedger {
 public:
  /// `cost`: passes spent on audits for each pass of the march; 0: no audits.
  ModalLedger(Track& track, int interval, double cost);

  bool due() const { return track_.step - closed_at_ >= interval_; }
  bool open() const { return track_.step > closed_at_; }
  /// The modes must be up to date with all impulses.
  void close();
  /// Before the track's impulses are dropped.
  void keep_impulses();

  const Ledger& ledger() const { return ledger_; }
  void archive(Archive& state) {
    state(closed_at_, closed_contacts_, auditing_, passes_, q_, dq_, kept_, kept_from_, ledger_);
    state.require(closed_at_ >= 0 && closed_at_ <= track_.step);
    state.require(kept_from_ <= track_.impulses.size());
    require_contacts(state, kept_, track_.contact_count());
    for (const auto* list : {&kept_, &track_.impulses}) {
      const std::size_t from = list == &kept_ ? 0 : kept_from_;
      state.require(!auditing_ || from >= list->size() || (*list)[from].step > closed_at_);
      state.require(list->empty() || list->back().step <= track_.step);
    }
  }

 private:
  /// So many steps of free flight at once, and what they lose: q (qq q + qd dq) + dd dq^2.
  struct Stretch {
    int steps = 0;
    Leap leap;
    Array qq, qd, dd;
  };
  void find_stretches();
  double stored() const;
  void open_interval();
  double replay();
  double fly(long long steps);

  Track& track_;
  int interval_;
  double cost_;
  std::vector<Stretch> stretches_;  // the longest first
  long long closed_at_ = 0;
  ContactEnergy closed_contacts_;
  bool auditing_ = false;
  double passes_ = 0;  // spent on audits
  Array q_, dq_;       // at the beginning of an audited interval
  std::vector<ContactImpulse> kept_;
  std::size_t kept_from_ = 0;  // the track's impulses from here on belong to the interval
  Pushed pushed_;
  Ledger ledger_;
};

}  // namespace carom::modal
