#include "contact_windows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <carom/core/interrupt.hpp>

namespace carom::modal {
namespace {

void join(std::vector<int>& list, const std::vector<int>& more) {
  for (const int id : more) {
    const auto where = std::lower_bound(list.begin(), list.end(), id);
    if (where == list.end() || *where != id) list.insert(where, id);
  }
}

}  // namespace

ContactWindows::ContactWindows(Track& track, Gate& gate, int window)
    : track_(track), gate_(gate), window_(window) {
  const auto count = at(track.contact_count());
  find_responses(window);
  all_.resize(count);
  std::iota(all_.begin(), all_.end(), 0);
  for (auto* list : {&candidates_, &reached_, &pushers_, &touching_, &pushed_})
    list->reserve(count);
  for (auto* list : {&before_, &now_, &free_, &impulse_, &slack_, &window_push_})
    list->resize(count);
  for (auto* list : {&push_, &predicted_, &pending_}) list->resize(count * macro);
  for (auto* list : {&rows_, &pushed_rows_}) list->reserve(count);
  states_.assign(at(macro * track.modes.n), 0.0);
  saved_q_ = track.q;
  saved_dq_ = track.dq;
  track.contacts.save(saved_contacts_);
}

// shapes diag(weights) shapes^T, of which the lower half is computed, by the quick passes.
Eigen::MatrixXd ContactWindows::find_response(const std::vector<double>& weights) const {
  const Modes& modes = track_.modes;
  const int count = track_.contact_count();
  Eigen::MatrixXd response(count, count);
  std::vector<const double*> rows(at(count));
  for (int c = 0; c < count; ++c) rows[at(c)] = modes.row(c);
  Array weighted(at(macro * modes.n), 0.0);
  std::vector<double> products(at(macro * count));
  for (int first = 0; first < count; first += macro) {
    const int columns = std::min(macro, count - first);
    for (int k = 0; k < columns; ++k) {
      std::transform(weights.begin(), weights.end(), rows[at(first + k)],
                     weighted.begin() + static_cast<std::ptrdiff_t>(k) * modes.n,
                     std::multiplies<>());
    }
    track_.kernels.project(rows.data() + first, count - first, weighted.data(), modes.n, modes.n,
                           macro, products.data());
    for (int c = first; c < count; ++c) {
      for (int k = 0; k < columns; ++k) {
        response(c, first + k) = response(first + k, c) = products[at((c - first) * macro + k)];
      }
    }
  }
  return response;
}

void ContactWindows::find_responses(int window) {
  const Modes& modes = track_.modes;
  const int count = track_.contact_count();
  responses_.assign(macro, Eigen::MatrixXd::Zero(count, count));
  if (count == 0) return;
  const Eigen::Map<const ShapeMatrix> shapes(modes.rows.data(), count, modes.n);
  const Eigen::VectorXd largest = shapes.cwiseAbs().colwise().maxCoeff();
  const double lead = 1 + 2 * track_.contacts.lead();
  const bool few = count <= 64;
  if (few) {
    reach_ = Eigen::MatrixXd::Zero(count, count);
  } else {
    line_ = LineReach(modes, count);
  }
  impulse_responses(modes, window + 1, [&](int k, const auto&, const auto& weights) {
    const Eigen::Map<const Eigen::VectorXd> weight(weights.data(), modes.n);
    furthest_ = std::max(furthest_, lead * largest.cwiseAbs2().dot(weight.cwiseAbs()));
    if (line_.valid()) line_.take(weights);
    if (k >= macro && !few) return;
    const Eigen::MatrixXd response = find_response(weights);
    if (few) reach_ = reach_.cwiseMax(response.cwiseAbs() * lead);
    if (k < macro) responses_[at(k)] = response;
  });
}

// Those outside the window's candidates that its impulses could have brought into contact. With
// `factor`: if they were so many times as strong.
//
// An impulse p at contact i changes the gap at c by G_k(c, i) p after k steps, and what decides
// about contact, gap + lead (gap - gap^-), by no more than (1 + 2 lead) max_k |G_k(c, i)| |p|. The
// candidates' march is right up to the first step in which another contact acts; all impulses
// before that step are in the sum, so if it stays below the slack of every other contact, there is
// no such step.
void ContactWindows::find_reached(double factor) {
  reached_.clear();
  pushers_.clear();
  double total = 0;
  for (const int id : all_) {
    if (window_push_[at(id)] == 0) continue;
    total += window_push_[at(id)];
    pushers_.push_back(id);
  }
  if (pushers_.empty()) return;
  std::size_t next = 0;
  for (const int c : all_) {
    if (next < candidates_.size() && candidates_[next] == c) {
      ++next;
      continue;
    }
    double shift = total * furthest_;
    if (factor * shift < slack_[at(c)]) continue;
    if (reach_.size() > 0) {
      shift = 0;
      for (const int id : pushers_) shift += reach_(c, id) * window_push_[at(id)];
    } else if (line_.valid()) {
      shift = 0;
      for (const int id : pushers_) shift += line_(c, id) * window_push_[at(id)];
      shift *= 1 + 2 * track_.contacts.lead();
    }
    if (!(factor * shift < slack_[at(c)])) reached_.push_back(c);
  }
}

void ContactWindows::find_gaps() {
  const Modes& modes = track_.modes;
  rows_.clear();
  for (const int id : candidates_) rows_.push_back(modes.row(id));
  const auto n = static_cast<std::size_t>(modes.n);
  std::copy(track_.q.begin(), track_.q.end(), states_.begin());
  for (std::size_t j = 0; j < n; ++j) states_[n + j] = track_.q[j] - track_.dq[j];
  project(2);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const double height = modes.heights[at(candidates_[i])];
    now_[i] = predicted_[2 * i] - height;
    before_[i] = predicted_[2 * i + 1] - height;
  }
}

// `steps` (<= macro) steps of the candidates from their free displacements in `predicted_`;
// impulses into push_[i * macro + k].
bool ContactWindows::march(int steps) {
  const std::vector<int>& ids = candidates_;
  const std::size_t m = ids.size();
  bool any = false;
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < m; ++i) {
      free_[i] = predicted_[i * at(steps) + at(k)] - track_.modes.heights[at(ids[i])];
    }
    for (int past = 0; any && past < k; ++past) {
      const Eigen::MatrixXd& response = responses_[at(k - past)];
      for (std::size_t c = 0; c < m; ++c) {
        const double p = push_[c * macro + at(past)];
        if (p == 0) continue;
        for (std::size_t i = 0; i < m; ++i) free_[i] += response(ids[i], ids[c]) * p;
      }
    }
    const bool acted = track_.contacts.step(ids, {before_.data(), m}, {now_.data(), m},
                                            {free_.data(), m}, {impulse_.data(), m});
    before_.swap(now_);
    now_.swap(free_);
    for (std::size_t i = 0; i < m; ++i) push_[i * macro + at(k)] = acted ? impulse_[i] : 0.0;
    if (!acted) continue;
    any = true;
    ++track_.statistics.contact;
    for (std::size_t c = 0; c < m; ++c) {
      const double p = impulse_[c];
      if (p == 0) continue;
      ++track_.statistics.impulses;
      window_push_[at(ids[c])] += std::abs(p);
      track_.impulses.push_back({.step = track_.step + k + 1, .contact = ids[c], .impulse = p});
      for (std::size_t i = 0; i < m; ++i) now_[i] += responses_[0](ids[i], ids[c]) * p;
    }
  }
  return any;
}

// What still has to be done to the modes for the impulses of the last pass.
void ContactWindows::take_pending(bool any) {
  pushed_.clear();
  pushed_rows_.clear();
  if (!any) return;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const double* p = push_.data() + i * macro;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0) continue;
    std::copy_n(p, macro, pending_.data() + pushed_.size() * macro);
    pushed_.push_back(candidates_[i]);
    pushed_rows_.push_back(track_.modes.row(candidates_[i]));
  }
}

// Brings the modes up to date with the pending impulses and, if `states` is not null, four steps
// on.
void ContactWindows::pass(double* states) {
  const Modes& modes = track_.modes;
  track_.kernels.predict(track_.q.data(), track_.dq.data(), modes.e.data(), modes.d.data(),
                         modes.a.data(), modes.n, pushed_rows_.data(),
                         static_cast<int>(pushed_.size()), pending_.data(), states);
}

void ContactWindows::settle() {
  if (pushed_.empty()) return;
  pass(nullptr);
  pushed_.clear();
}

// The displacements of the candidates in so many states.
void ContactWindows::project(int columns) {
  const int n = track_.modes.n;
  track_.kernels.project(rows_.data(), static_cast<int>(rows_.size()), states_.data(), n, n,
                         columns, predicted_.data());
}

void ContactWindows::free_steps(int count, double* states) {
  const Modes& modes = track_.modes;
  track_.kernels.advance(track_.q.data(), track_.dq.data(), modes.e.data(), modes.d.data(),
                         modes.a.data(), modes.n, nullptr, 0, nullptr, count, states, nullptr);
}

void ContactWindows::macro_step() {
  pass(states_.data());
  project(macro);
  take_pending(march(macro));
  track_.step += macro;
}

void ContactWindows::single_step() {
  settle();
  free_steps(1, states_.data());
  project(1);
  std::fill(push_.begin(), push_.end(), 0.0);
  const bool any = march(1);
  if (any) {  // an impulse in the last of four steps that were otherwise free
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      std::swap(push_[i * macro], push_[i * macro + 3]);
  }
  take_pending(any);
  track_.step += 1;
}

void ContactWindows::run_candidates(long long steps) {
  find_gaps();
  std::fill(window_push_.begin(), window_push_.end(), 0.0);
  for (; steps >= macro; steps -= macro) {
    answer_interrupt();
    macro_step();
  }
  for (; steps > 0; --steps) single_step();
  settle();
}

void ContactWindows::choose_candidates() {
  gate_.candidates(track_.step, track_.q.data(), track_.dq.data(), candidates_, slack_);
  // A contact that is still compressed belongs to the window whatever the gate says.
  join(candidates_, touching_);
  // So does one that impulses somewhat like those of the window just before would reach.
  if (!candidates_.empty() && track_.step - window_end_ < window_) {
    find_reached(4);  // a few more contacts cost less than a window taken back
    join(candidates_, reached_);
  }
}

void ContactWindows::run(long long steps, bool all_contacts) {
  settle();
  if (all_contacts) {
    candidates_ = all_;
  } else {
    choose_candidates();
  }
  if (candidates_.empty()) {  // found by a closer look than the gate's own
    gate_.fly(0, track_.q.data(), track_.dq.data());
    track_.step += steps;
    track_.statistics.leapt += steps;
    ++track_.statistics.leaps;
    return;
  }
  ++track_.statistics.windows;
  if (!was_full()) save();
  for (;;) {
    run_candidates(steps);
    if (was_full()) break;
    find_reached(1);
    if (reached_.empty()) break;
    ++saved_statistics_.roll_backs;
    restore();
    join(candidates_, reached_);
  }
  window_end_ = track_.step;
  gate_.disturb();
  if (!track_.contacts.compliant()) return;
  touching_.clear();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const int id = candidates_[i];
    if (!track_.contacts.compliant(id)) continue;
    if (before_[i] < 0 || now_[i] < 0 || track_.contacts.engaged(id)) touching_.push_back(id);
  }
}

void ContactWindows::fly(long long steps) {
  while (steps > 0) {
    const int some = static_cast<int>(std::min<long long>(steps, macro));
    free_steps(some, nullptr);
    track_.step += some;
    steps -= some;
  }
  gate_.disturb();
}

void ContactWindows::archive(Archive& state) {
  state(slack_, window_push_, candidates_, touching_, before_, now_, pushed_, pending_,
        window_end_);
  if (!state.reading()) return;
  // Sorted lists of contacts: no longer than there are contacts, and none twice.
  for (const auto* list : {&candidates_, &touching_, &pushed_}) {
    int next = 0;
    for (const int id : *list) {
      state.require(id >= next && id < track_.contact_count());
      next = id + 1;
    }
  }
  state.require(window_end_ <= track_.step);
  pushed_rows_.clear();
  for (const int id : pushed_) pushed_rows_.push_back(track_.modes.row(id));
}

void ContactWindows::save() {
  std::copy(track_.q.begin(), track_.q.end(), saved_q_.begin());
  std::copy(track_.dq.begin(), track_.dq.end(), saved_dq_.begin());
  track_.contacts.save(saved_contacts_);
  saved_step_ = track_.step;
  saved_impulses_ = track_.impulses.size();
  saved_statistics_ = track_.statistics;
}

void ContactWindows::restore() {
  std::copy(saved_q_.begin(), saved_q_.end(), track_.q.begin());
  std::copy(saved_dq_.begin(), saved_dq_.end(), track_.dq.begin());
  track_.contacts.restore(saved_contacts_);
  track_.step = saved_step_;
  track_.impulses.resize(saved_impulses_);
  track_.statistics = saved_statistics_;
}

}  // namespace carom::modal
