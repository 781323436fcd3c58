#pragma once

#include <vector>

#include <carom/core/archive.hpp>
#include <carom/steppers/contact_space.hpp>

#include "kernels.hpp"
#include "modes.hpp"

namespace carom::modal {

/// Decides whether free flight is certain for a while, and if so flies.
///
/// Let z = q + lead dq per mode; a contact can act only where sum_j phi_j z_j - g <= 0. z_j is a
/// decaying sinusoid, |z_j| <= C_j and |z_j''| <= omega_j^2 C_j, so over a time h = H dt the sum of
/// the first J modes falls below the line through its ends by h^2/8 sum phi omega^2 C at most (the
/// error of linear interpolation), and the others by sum_{j >= J} phi C. Contact is impossible if
///   min(l(0), l(h)) - sum_j weight_j C_j > g,   l = sum_{j < J} phi_j z_j,
/// with one weight for all contacts, |phi_j| <= Phi_j. With many contacts l is evaluated at
/// proxies, every r-th contact, and the weight takes in how far any shape can lie from the straight
/// line between its proxies; that distance is found from the shapes themselves. Which contacts may
/// act is decided contact by contact, with l at a few more times, so that h is a part of the window
/// and J is larger. Where compliant contacts, which ask for sum phi_j q_j itself, stand beside
/// nonsmooth ones, the weight also takes in how far lead dq can be. Everything is rigorous: a
/// closed gate may be too careful, an open one is never wrong.
class Gate {
 public:
  /// `window`: the shortest leap [steps]; further ones double it, `levels` in all.
  Gate(const ModalProblem& problem, const Modes& modes, const ContactSpace& contacts, int window,
       int levels);

  int level_count() const { return static_cast<int>(levels_.size()); }
  int steps(int level) const { return levels_[static_cast<std::size_t>(level)].steps; }

  /// The state was changed by something other than a leap at step `now`.
  void disturb() {
    envelope_at_ = -1;
    ++epoch_;
  }

  /// Leaps over steps(level) steps if no contact can act in them. `now` is the present step.
  bool leap(int level, long long now, double* q, double* dq);

  /// Leaps without asking: for bodies without contacts.
  void fly(int level, double* q, double* dq) const;

  /// After leap(0) failed: the contacts that may act within the shortest leap, ascending. slack[c]
  /// is by how much the gap of every other contact c stays above zero.
  void candidates(long long now, const double* q, const double* dq, std::vector<int>& contacts,
                  std::vector<double>& slack);

  void archive(Archive& state) {
    state(sums_, envelope_at_, epoch_);
    for (Level& level : levels_) {
      state(level.at_start, level.start_known, level.start_epoch);
      if (state.reading()) level.end_known = -1;
    }
  }

 private:
  struct Level {
    int steps = 0;
    int prefix = 0;  // J
    Leap leap;
    std::vector<int> proxies;
    Array proxy_shapes;  // of the first J modes, padded rows close together
    std::vector<const double*> proxy_rows;
    std::vector<double> thresholds;          // the highest obstacle a proxy answers for
    std::vector<std::pair<int, int>> cover;  // the contacts it answers for, first..last
    std::vector<double> at_start, at_end;    // l of each proxy
    long long start_known = -1, start_epoch = -1;
    long long end_known = -1, end_epoch = -1;  // the step from which at_end was found
  };
  /// What the bounds need to know of a mode.
  struct Bounded {
    enum class Motion { oscillates, straight, other } motion;
    double largest;       // Phi: no shape of a contact is larger
    double turn;          // omega dt
    double extrapolated;  // lead |dq| <= extrapolated C
  };
  std::vector<Bounded> bound_modes(const ModalProblem& problem, const ContactSpace& contacts);
  void place_proxies(Level& level, const std::vector<Bounded>& modes,
                     std::vector<double>& deviation);
  static void weigh(Level& level, const std::vector<Bounded>& modes,
                    const std::vector<double>& deviation, double* weights);

  void refresh(long long now, const double* q, const double* dq);
  void sum(const Level& level, const double* q, const double* dq, std::vector<double>& sums);
  void sum_start(Level& level, long long now, const double* q, const double* dq);
  void sum_end(Level& level, long long now, const double* q, const double* dq);
  bool clear(const Level& level, double bound, bool both_ends) const;
  /// With a margin for rounding: C is known to 2e-10 (gate_setup.cpp), 20 000 terms sum to 2e-12,
  /// the leaps for which C is kept add 1e-13.
  double bound(int level) const { return sums_[static_cast<std::size_t>(level)] * (1 + 1e-9); }

  static constexpr int fine_parts = 4;  // of the shortest leap, which is a multiple of it
  const Modes& modes_;
  const Kernels& kernels_;
  double lead_;
  std::vector<Level> levels_;
  Array amplitude_, slope_q_, slope_dq_;  // C = sqrt((amplitude q)^2 + (slope_q q + slope_dq dq)^2)
  Array weights_;                         // one row per level, then the one of fine_
  std::vector<double> sums_;
  Array z_, low_q_, low_dq_;
  Level fine_;  // a part of the shortest leap, without proxies
  std::vector<const double*> fine_rows_;
  std::vector<double> fine_sums_;
  long long envelope_at_ = -1, epoch_ = 0, valid_for_ = 0;
};

}  // namespace carom::modal
