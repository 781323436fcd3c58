#pragma once

#include <vector>

#include <Eigen/Core>

#include "gate.hpp"
#include "line_reach.hpp"
#include "track.hpp"

namespace carom::modal {

/// Steps of a body with several contacts, a window of them at a time, for those contacts alone that
/// may act in it. If their impulses could have reached others, the window is taken back and done
/// again with these.
class ContactWindows {
 public:
  /// `window`: the longest [steps].
  ContactWindows(Track& track, Gate& gate, int window);

  /// `all_contacts`: without asking the gate which may act.
  void run(long long steps, bool all_contacts);
  /// Brings the modes up to date with all impulses.
  void settle();
  /// Steps without contacts.
  void fly(long long steps);

  /// Whether a compliant contact was still compressed at the end of the last window.
  bool touching() const { return !touching_.empty(); }
  void archive(Archive& state);
  /// Whether the last window stepped every contact.
  bool was_full() const { return candidates_.size() == all_.size(); }

 private:
  void find_responses(int window);
  Eigen::MatrixXd find_response(const std::vector<double>& weights) const;
  void choose_candidates();
  void find_reached(double factor);
  void find_gaps();
  void run_candidates(long long steps);
  bool march(int steps);
  void take_pending(bool any);
  void pass(double* states);
  void project(int columns);
  void free_steps(int count, double* states);
  void macro_step();
  void single_step();
  void save();
  void restore();

  Track& track_;
  Gate& gate_;
  int window_;
  std::vector<Eigen::MatrixXd> responses_;  // G_0..G_3
  Eigen::MatrixXd reach_;  // largest gap a unit impulse can take at another contact in a window
  LineReach line_;         // the same for many contacts in a row
  double furthest_ = 0;    // at any contact
  std::vector<double> slack_, window_push_;

  std::vector<int> all_, candidates_, touching_, reached_, pushers_, pushed_;
  std::vector<const double*> rows_, pushed_rows_;
  std::vector<double> before_, now_, free_, impulse_, push_, predicted_, pending_;
  Array states_;
  long long window_end_ = -1000000;

  Array saved_q_, saved_dq_;
  ContactSpace::Memory saved_contacts_;
  long long saved_step_ = 0;
  std::size_t saved_impulses_ = 0;
  ModalMarchStatistics saved_statistics_;
};

}  // namespace carom::modal
