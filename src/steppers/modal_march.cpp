#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/steppers/contact_space.hpp>
#include <carom/steppers/modal_march.hpp>

#include "modal/gate.hpp"
#include "modal/kernels.hpp"
#include "modal/line_reach.hpp"
#include "modal/modes.hpp"

namespace carom {
namespace {

constexpr int macro = 4;  // steps in one pass over the modes

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int window_steps(const ModalMarchSettings& settings, double rate) {
  if (settings.window > 0) return (settings.window + macro - 1) / macro * macro;
  return std::max(16, static_cast<int>(16e-6 * rate / macro) * macro);
}

}  // namespace

struct ModalMarch::State {
  State(const ModalProblem& problem, const ModalMarchSettings& chosen)
      : settings(chosen),
        modes((validate(problem), problem)),
        kernels(modal::kernels()),
        contacts(problem),
        rate(problem.rate),
        count(contacts.contact_count()),
        window(window_steps(chosen, problem.rate)),
        gate(problem, modes, contacts.lead(), window, chosen.levels),
        q(modes.start_q),
        dq(modes.start_dq) {
    find_responses();
    all.resize(at(count));
    std::iota(all.begin(), all.end(), 0);
    candidates.reserve(at(count));
    for (auto* list : {&before, &now, &free, &impulse, &slack, &window_push})
      list->resize(at(count));
    reached.reserve(at(count));
    pushers.reserve(at(count));
    touching.reserve(at(count));
    push.resize(at(count * macro));
    predicted.resize(at(count * macro));
    pending.resize(at(count * macro));
    pushed.reserve(at(count));
    pushed_rows.reserve(at(count));
    rows.reserve(at(count));
    states.assign(at(macro * modes.n), 0.0);
    saved_q = q;
    saved_dq = dq;
    audit_q = q;
    audit_dq = dq;
    contacts.save(saved_contacts);
    statistics.kernels = kernels.name;
    in_contact = count == 1;
    ledger = Ledger(stored());
    open_interval();
    if (in_contact) find_gaps(all);
  }

  // ---- what one impulse does to the gaps, 1..macro steps later
  void find_responses() {
    responses.assign(at(macro), Eigen::MatrixXd::Zero(count, count));
    if (count == 0) return;
    using Map = Eigen::Map<const ShapeMatrix>;
    const Map shapes(modes.rows.data(), count, modes.n);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(modes.n), rise = Eigen::VectorXd::Ones(modes.n);
    const Eigen::VectorXd largest = shapes.cwiseAbs().colwise().maxCoeff();
    const bool few = count <= 64;
    if (few) {
      reach = Eigen::MatrixXd::Zero(count, count);
    } else {
      line = modal::LineReach(modes, count);
    }
    for (int k = 0; k < window + 1; ++k) {
      double most = 0;
      for (int j = 0; j < modes.n; ++j) {
        if (k > 0) rise[j] = modes.e[at(j)] * rise[j] - modes.d[at(j)] * u[j];
        u[j] += rise[j];
        most += largest[j] * largest[j] * modes.a[at(j)] * std::abs(u[j]);
      }
      furthest = std::max(furthest, most * (1 + 2 * contacts.lead()));
      Eigen::VectorXd weight = u;
      for (int j = 0; j < modes.n; ++j) weight[j] *= modes.a[at(j)];
      if (line.valid()) line.take({weight.begin(), weight.end()});
      if (k >= macro && !few) continue;
      const Eigen::MatrixXd response = shapes * weight.asDiagonal() * shapes.transpose();
      if (k < macro) responses[at(k)] = response;
      if (few) reach = reach.cwiseMax(response.cwiseAbs() * (1 + 2 * contacts.lead()));
    }
  }

  // Those outside the window's candidates that its impulses could have brought into contact.
  void find_reached() {
    reached.clear();
    pushers.clear();
    double total = 0;
    for (int id = 0; id < count; ++id) {
      if (window_push[at(id)] == 0) continue;
      total += window_push[at(id)];
      pushers.push_back(id);
    }
    if (pushers.empty()) return;
    std::size_t next = 0;
    for (int c = 0; c < count; ++c) {
      if (next < candidates.size() && candidates[next] == c) {
        ++next;
        continue;
      }
      double most = total * furthest;
      if (most < slack[at(c)]) continue;
      if (reach.size() > 0) {
        most = 0;
        for (const int id : pushers) most += reach(c, id) * window_push[at(id)];
      } else if (line.valid()) {
        most = 0;
        for (const int id : pushers) most += line(c, id) * window_push[at(id)];
        most *= 1 + 2 * contacts.lead();
      }
      if (!(most < slack[at(c)])) reached.push_back(c);
    }
  }

  // ---- free flight
  bool try_leap(long long limit) {
    while (level > 0 && gate.steps(level) > limit) --level;
    if (gate.steps(level) > limit) return false;
    for (;;) {
      if (count == 0) {
        gate.fly(level, q.data(), dq.data());
      } else if (!gate.leap(level, step, q.data(), dq.data())) {
        successes = 0;
        if (level == 0) return false;
        --level;
        continue;
      }
      step += gate.steps(level);
      statistics.leapt += gate.steps(level);
      ++statistics.leaps;
      if (++successes >= 2 && level + 1 < gate.level_count()) {
        ++level;
        successes = 0;
      }
      return true;
    }
  }

  // ---- contact
  void find_gaps(const std::vector<int>& ids) {
    choose_rows(ids);
    std::copy(q.begin(), q.end(), states.begin());
    for (int j = 0; j < modes.n; ++j) states[at(modes.n + j)] = q[at(j)] - dq[at(j)];
    kernels.project(rows.data(), static_cast<int>(ids.size()), states.data(), modes.n, modes.n, 2,
                    predicted.data());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      now[i] = predicted[2 * i] - modes.heights[at(ids[i])];
      before[i] = predicted[2 * i + 1] - modes.heights[at(ids[i])];
    }
  }

  void choose_rows(const std::vector<int>& ids) {
    rows.clear();
    for (const int id : ids) rows.push_back(modes.row(id));
  }

  // Up to `steps` (<= macro) steps of the contacts `ids` from free gaps in `predicted`; impulses
  // into push[i * macro + k].
  bool march_contacts(const std::vector<int>& ids, int steps) {
    const std::size_t m = ids.size();
    bool any = false;
    for (int k = 0; k < steps; ++k) {
      for (std::size_t i = 0; i < m; ++i) {
        free[i] = predicted[i * at(steps) + at(k)] - modes.heights[at(ids[i])];
      }
      if (any) {
        for (int past = 0; past < k; ++past) {
          const Eigen::MatrixXd& response = responses[at(k - past)];
          for (std::size_t c = 0; c < m; ++c) {
            const double p = push[c * macro + at(past)];
            if (p == 0) continue;
            for (std::size_t i = 0; i < m; ++i) free[i] += response(ids[i], ids[c]) * p;
          }
        }
      }
      const bool acted = contacts.step(ids, {before.data(), m}, {now.data(), m}, {free.data(), m},
                                       {impulse.data(), m});
      before.swap(now);
      now.swap(free);
      for (std::size_t i = 0; i < m; ++i) push[i * macro + at(k)] = acted ? impulse[i] : 0.0;
      if (!acted) continue;
      any = true;
      ++statistics.contact;
      last_impulse = step + k + 1;
      for (std::size_t c = 0; c < m; ++c) {
        const double p = impulse[c];
        if (p == 0) continue;
        ++statistics.impulses;
        window_push[at(ids[c])] += std::abs(p);
        impulses.push_back({.step = step + k + 1, .contact = ids[c], .impulse = p});
        for (std::size_t i = 0; i < m; ++i) now[i] += responses[0](ids[i], ids[c]) * p;
      }
    }
    return any;
  }

  // What still has to be done to the modes for the impulses of the last pass.
  void take_pending(const std::vector<int>& ids, bool any) {
    pushed.clear();
    pushed_rows.clear();
    if (!any) return;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double* p = push.data() + i * macro;
      if (p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0) continue;
      std::copy_n(p, macro, pending.data() + pushed.size() * macro);
      pushed.push_back(ids[i]);
      pushed_rows.push_back(modes.row(ids[i]));
    }
  }

  void settle() {
    if (pushed.empty()) return;
    kernels.predict(q.data(), dq.data(), modes.e.data(), modes.d.data(), modes.a.data(), modes.n,
                    pushed_rows.data(), static_cast<int>(pushed.size()), pending.data(), nullptr);
    pushed.clear();
  }

  void macro_step(const std::vector<int>& ids) {
    if (modes.unit_shape) {
      kernels.predict_one(q.data(), dq.data(), modes.e.data(), modes.d.data(), modes.a.data(),
                          modes.n, pushed.empty() ? nullptr : pending.data(), predicted.data());
    } else {
      kernels.predict(q.data(), dq.data(), modes.e.data(), modes.d.data(), modes.a.data(), modes.n,
                      pushed_rows.data(), static_cast<int>(pushed.size()), pending.data(),
                      states.data());
      kernels.project(rows.data(), static_cast<int>(ids.size()), states.data(), modes.n, modes.n,
                      macro, predicted.data());
    }
    take_pending(ids, march_contacts(ids, macro));
    step += macro;
  }

  void single_step(const std::vector<int>& ids) {
    settle();
    kernels.advance(q.data(), dq.data(), modes.e.data(), modes.d.data(), modes.a.data(), modes.n,
                    nullptr, 0, nullptr, 1, states.data(), nullptr);
    kernels.project(rows.data(), static_cast<int>(ids.size()), states.data(), modes.n, modes.n, 1,
                    predicted.data());
    std::fill(push.begin(), push.end(), 0.0);
    const bool any = march_contacts(ids, 1);
    if (any) {  // an impulse in the last of four steps that were otherwise free
      for (std::size_t i = 0; i < ids.size(); ++i) std::swap(push[i * macro], push[i * macro + 3]);
    }
    take_pending(ids, any);
    step += 1;
  }

  void run_steps(const std::vector<int>& ids, long long steps) {
    choose_rows(ids);
    for (; steps >= macro; steps -= macro) macro_step(ids);
    for (; steps > 0; --steps) single_step(ids);
  }

  // Whether free flight may be taken up again, as far as the contacts just stepped say.
  bool all_open(std::size_t m) const {
    for (std::size_t i = 0; i < m; ++i) {
      if (before[i] < 0 || now[i] < 0) return false;
    }
    return true;
  }

  // A window of steps for those contacts that may act. If their impulses could have reached others,
  // it is taken back and done again with these.
  void contact_window(long long steps, bool all_contacts) {
    settle();
    ++statistics.windows;
    if (all_contacts) {
      candidates = all;
    } else {
      gate.candidates(step, q.data(), dq.data(), candidates, slack);
      // A contact that is still compressed belongs to the window whatever the gate says.
      join(candidates, touching);
      // So does one that impulses like those of the window just before would reach.
      if (!candidates.empty() && step - window_end < window) {
        find_reached();
        join(candidates, reached);
      }
    }
    if (candidates.empty()) {
      fly_steps(steps);
      return;
    }
    if (candidates.size() < at(count)) save();
    for (;;) {
      find_gaps(candidates);
      std::fill(window_push.begin(), window_push.end(), 0.0);
      run_steps(candidates, steps);
      settle();
      if (candidates.size() == at(count)) break;
      find_reached();
      if (reached.empty()) break;
      restore();
      ++statistics.roll_backs;
      join(candidates, reached);
    }
    window_end = step;
    gate.disturb();
    if (contacts.compliant()) {
      touching.clear();
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (before[i] < 0 || now[i] < 0) touching.push_back(candidates[i]);
      }
    }
  }

  static void join(std::vector<int>& list, const std::vector<int>& more) {
    for (const int id : more) {
      const auto place = std::lower_bound(list.begin(), list.end(), id);
      if (place == list.end() || *place != id) list.insert(place, id);
    }
  }

  void fly_steps(long long steps) {
    while (steps > 0) {
      const int some = static_cast<int>(std::min<long long>(steps, macro));
      kernels.advance(q.data(), dq.data(), modes.e.data(), modes.d.data(), modes.a.data(), modes.n,
                      nullptr, 0, nullptr, some, nullptr, nullptr);
      step += some;
      steps -= some;
    }
    gate.disturb();
  }

  void save() {
    std::copy(q.begin(), q.end(), saved_q.begin());
    std::copy(dq.begin(), dq.end(), saved_dq.begin());
    contacts.save(saved_contacts);
    saved_step = step;
    saved_impulses = impulses.size();
    saved_statistics = statistics;
  }

  void restore() {
    std::copy(saved_q.begin(), saved_q.end(), q.begin());
    std::copy(saved_dq.begin(), saved_dq.end(), dq.begin());
    contacts.restore(saved_contacts);
    step = saved_step;
    impulses.resize(saved_impulses);
    statistics = saved_statistics;
  }

  // ---- one operation of at most `limit` steps
  void operate(long long limit) {
    if (count == 0) {
      if (!try_leap(limit)) fly_steps(limit);
    } else if (count == 1) {
      operate_one(limit);
    } else {
      operate_many(limit);
    }
    statistics.steps = step;
    statistics.unsolved = contacts.unsolved();
    if (step - closed_at >= settings.ledger_interval) close();
  }

  // With one contact: macro-steps until it has been quiet for a while, then leaps.
  void operate_one(long long limit) {
    if (!in_contact) {
      if (try_leap(limit)) return;
      in_contact = true;
      gate.disturb();
      find_gaps(all);
    }
    const long long end = step + limit, quiet = window * (1LL << refusals);
    const long long stretch = std::min<long long>(limit, window);
    run_steps(all, stretch);
    if (!settings.gate || step - std::max(last_impulse, contact_since) < quiet || !all_open(1))
      return;
    if (step + window > end) return;
    settle();
    gate.disturb();
    level = 0;
    // A gate that stays shut is asked less and less often.
    if (try_leap_or_stay()) {
      refusals = 0;
    } else {
      refusals = std::min(refusals + 1, 6);
      contact_since = step;
    }
  }

  bool try_leap_or_stay() {
    if (!gate.leap(0, step, q.data(), dq.data())) return false;
    step += gate.steps(0);
    statistics.leapt += gate.steps(0);
    ++statistics.leaps;
    in_contact = false;
    return true;
  }

  void operate_many(long long limit) {
    const long long stretch = std::min<long long>(limit, window);
    if (!settings.gate || skip > 0) {
      if (skip > 0) --skip;
      contact_window(stretch, true);
      return;
    }
    if (touching.empty() && try_leap(limit)) {
      refusals = 0;
      return;
    }
    const bool everyone = !settings.candidates || limit < window;
    contact_window(stretch, everyone);
    // Where the gate finds every contact possible again and again, asking is wasted.
    if (candidates.size() == at(count)) {
      refusals = std::min(refusals + 1, 6);
      skip = refusals > 2 ? 1 << (refusals - 2) : 0;
    } else {
      refusals = 0;
    }
  }

  // ---- energy
  double stored() {
    settle();
    return kernels.stored(q.data(), dq.data(), modes.inertia.data(), modes.elasticity.data(),
                          modes.n) +
           contacts.energy().stored;
  }

  void open_interval() {
    closed_at = step;
    closed_contacts = contacts.energy();
    auditing = settings.audit_every > 0 && intervals % settings.audit_every == 0;
    ++intervals;
    if (!auditing) return;
    std::copy(q.begin(), q.end(), audit_q.begin());
    std::copy(dq.begin(), dq.end(), audit_dq.begin());
    audit_from = impulses.size();
    audit_kept.clear();
  }

  void forget_impulses() {
    if (auditing) {
      audit_kept.insert(audit_kept.end(),
                        impulses.begin() + static_cast<std::ptrdiff_t>(audit_from), impulses.end());
    }
    impulses.clear();
    audit_from = 0;
  }

  void close() {
    const double energy = stored();
    const double contact_loss = contacts.energy().dissipated - closed_contacts.dissipated;
    const double contact_gain = contacts.energy().gained - closed_contacts.gained;
    double damping = 0;
    if (auditing) {
      damping = replay();
      statistics.audited += step - closed_at;
    } else {
      damping = std::max(0.0, ledger.stored() - energy - contact_loss + contact_gain);
    }
    ledger.close_step(energy, contact_loss + damping);
    open_interval();
  }

  // Everything that a later step depends on; the rest is scratch or follows from the problem.
  void archive(Archive& kept) {
    kept.expect("instructions", kernels.name);
    kept(contacts, gate, q, dq, step, slack, window_push, candidates, touching, before, now, pushed,
         pending, level, successes, refusals, skip, last_impulse, contact_since, window_end,
         in_contact, auditing, audit_q, audit_dq, audit_kept, audit_from, closed_at, intervals,
         closed_contacts, impulses, statistics, ledger);
    if (!kept.reading()) return;
    pushed_rows.clear();
    for (const int id : pushed) pushed_rows.push_back(modes.row(id));
    statistics.kernels = kernels.name;
  }

  // The damping loss of the interval, step by step from its beginning with its impulses.
  double replay() {
    double lost = 0;
    audit_kept.insert(audit_kept.end(), impulses.begin() + static_cast<std::ptrdiff_t>(audit_from),
                      impulses.end());
    std::size_t next = 0;
    for (long long at_step = closed_at; at_step < step;) {
      const int some = static_cast<int>(std::min<long long>(step - at_step, macro));
      audit_rows.clear();
      audit_push.clear();
      for (; next < audit_kept.size() && audit_kept[next].step <= at_step + some; ++next) {
        audit_rows.push_back(modes.row(audit_kept[next].contact));
        audit_push.resize(audit_push.size() + macro, 0.0);
        audit_push[audit_push.size() - macro +
                   static_cast<std::size_t>(audit_kept[next].step - at_step - 1)] =
            audit_kept[next].impulse;
      }
      lost += kernels.advance(audit_q.data(), audit_dq.data(), modes.e.data(), modes.d.data(),
                              modes.a.data(), modes.n, audit_rows.data(),
                              static_cast<int>(audit_rows.size()), audit_push.data(), some, nullptr,
                              modes.loss.data());
      at_step += some;
    }
    return lost;
  }

  ModalMarchSettings settings;
  modal::Modes modes;
  const modal::Kernels& kernels;
  ContactSpace contacts;
  double rate;
  int count;
  int window;
  modal::Gate gate;
  modal::Array q, dq;
  long long step = 0;
  std::vector<Eigen::MatrixXd> responses;
  Eigen::MatrixXd reach;  // largest gap a unit impulse can take at another contact within a window
  modal::LineReach line;  // the same for many contacts in a row
  double furthest = 0;    // at any contact
  std::vector<double> slack, window_push;

  std::vector<int> all, candidates, touching, reached, pushers;
  std::vector<const double*> rows, pushed_rows, audit_rows;
  std::vector<double> before, now, free, impulse, push, predicted, pending, audit_push;
  std::vector<int> pushed;
  modal::Array states, saved_q, saved_dq, audit_q, audit_dq;
  ContactSpace::Memory saved_contacts;
  long long saved_step = 0;
  std::size_t saved_impulses = 0, audit_from = 0;
  ModalMarchStatistics saved_statistics;

  int level = 0, successes = 0, refusals = 0;
  long long skip = 0, last_impulse = 0, contact_since = 0, window_end = -1000000;
  bool in_contact = false, auditing = false;
  long long closed_at = 0, intervals = 0;
  ContactEnergy closed_contacts;
  std::vector<ContactImpulse> impulses, audit_kept;
  ModalMarchStatistics statistics;
  Ledger ledger;
};

ModalMarch::ModalMarch(const ModalProblem& problem, const ModalMarchSettings& settings) {
  if (settings.levels < 1 || settings.levels > 10) {
    throw InvalidInput("levels = " + std::to_string(settings.levels) + ": must be 1..10");
  }
  if (settings.ledger_interval < 1) {
    throw InvalidInput("ledger_interval = " + std::to_string(settings.ledger_interval) +
                       ": must be at least 1");
  }
  const FlushDenormals flush;
  state_ = std::make_unique<State>(problem, settings);
}
ModalMarch::~ModalMarch() = default;
ModalMarch::ModalMarch(ModalMarch&&) noexcept = default;
ModalMarch& ModalMarch::operator=(ModalMarch&&) noexcept = default;

void ModalMarch::step() {
  const FlushDenormals flush;
  state_->operate(std::numeric_limits<long long>::max() / 2);
}

void ModalMarch::advance(long long steps) {
  const FlushDenormals flush;
  const long long end = state_->step + steps;
  while (state_->step < end) state_->operate(end - state_->step);
}

double ModalMarch::time() const noexcept {
  return static_cast<double>(state_->step) / state_->rate;
}
long long ModalMarch::steps() const noexcept { return state_->step; }
const Ledger& ModalMarch::ledger() const noexcept { return state_->ledger; }
const ModalMarchStatistics& ModalMarch::statistics() const noexcept { return state_->statistics; }
std::span<const ContactImpulse> ModalMarch::impulses() const noexcept { return state_->impulses; }

void ModalMarch::clear_impulses() noexcept { state_->forget_impulses(); }

void ModalMarch::reserve_impulses(std::size_t count) { state_->impulses.reserve(count); }

void ModalMarch::close_ledger() {
  if (state_->step > state_->closed_at) state_->close();
}

void ModalMarch::archive(Archive& state) { state_->archive(state); }

Eigen::VectorXd ModalMarch::position() const {
  state_->settle();
  Eigen::VectorXd position(state_->modes.count);
  for (int j = 0; j < state_->modes.count; ++j) {
    position[state_->modes.order[at(j)]] = state_->q[at(j)] / state_->modes.scale[at(j)];
  }
  return position;
}

Eigen::VectorXd ModalMarch::difference() const {
  state_->settle();
  Eigen::VectorXd difference(state_->modes.count);
  for (int j = 0; j < state_->modes.count; ++j) {
    difference[state_->modes.order[at(j)]] = state_->dq[at(j)] / state_->modes.scale[at(j)];
  }
  return difference;
}

}  // namespace carom
