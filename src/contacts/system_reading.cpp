// What is read inside a step.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

void SystemMarch::note_extremes(double h) {
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  for (const int contact : parts_.near) {
    const std::size_t i = index(contact);
    Touch& touch = contacts_[i];
    if (!pressed(contact)) continue;
    ImpactRecord& record = touch.impact.record;
    const auto raise = [&](double x, double f) {
      record.max_compression = std::max(record.max_compression, x - touch.state.dent());
      record.max_force = std::max(record.max_force, f);
    };
    const double last = touch.state.force(touch.contact, end_point_.x[i], end_point_.r[i]).total();
    raise(end_point_.x[i], last);
    if (!own_steps) continue;
    for (const Point& node : nodes_) raise(node.x[i], node.f[i]);
    if (record.max_compression <= gap_rounding()) continue;
    // Where it turns round and where the force is largest, on the polynomials. Of a system of parts
    // the two bodies of the contact are enough.
    std::vector<int> own;
    if (parts_.local) rows_.each(contact, [&](int c, double) { own.push_back(c); });
    const std::vector<int>& looked_at = parts_.local ? own : parts_.seen;
    const auto at = [&](double t) {
      const Collocation& c = table();
      const double u = 2 * c.sigma_at(t / h) - 1;
      Collocation::Nodes place{}, speed{};
      for (int j = 0; j < S; ++j) {
        for (std::size_t k = c.dense_place.size(); k-- > 0;)
          place[j] = place[j] * u + c.dense_place[k][j];
        for (std::size_t k = c.dense_rate.size(); k-- > 0;)
          speed[j] = speed[j] * u + c.dense_rate[k][j];
      }
      for (const int at : looked_at) {
        scratch_.q[at] = begin_.q[at] + t * begin_.v[at];
        scratch_.v[at] = begin_.v[at];
        for (int j = 0; j < S; ++j) {
          scratch_.q[at] += h * h * place[j] * nodes_[j].a[at];
          scratch_.v[at] += h * speed[j] * nodes_[j].a[at];
        }
      }
      if (parts_.local) {
        system_.gaps(begin_.t + t, scratch_.q, std::array{contact}, gaps_);
        compressions(std::array{contact}, scratch_);
      } else {
        compressions(begin_.t + t, scratch_);
      }
      return touch.state.force(touch.contact, scratch_.x[i], scratch_.r[i]).total();
    };
    const auto rate = [&](double t) {
      at(t);
      return scratch_.r[i];
    };
    if (begin_point_.r[i] > 0 && rate(h) < 0) {
      std::uintmax_t evaluations = 40;
      const auto bracket = boost::math::tools::toms748_solve(
          rate, 0.0, h, begin_point_.r[i], rate(h),
          [&](double a, double b) { return std::abs(b - a) <= 1e-12 * h; }, evaluations);
      const double force = at(bracket.first);
      raise(scratch_.x[i], force);
    }
    int top = 0;
    for (int k = 1; k < S; ++k) {
      if (nodes_[k].f[i] > nodes_[top].f[i]) top = k;
    }
    if (nodes_[top].f[i] < 0.9 * record.max_force) continue;
    const auto place = [&](int k) { return k < 0 ? 0.0 : k < S ? h * table().time[k] : h; };
    const auto best = boost::math::tools::brent_find_minima([&](double t) { return -at(t); },
                                                            place(top - 1), place(top + 1), 40);
    raise(record.max_compression + touch.state.dent(), -best.second);
  }
}

void SystemMarch::state_at(double t, Moment& out) {
  if (t >= end_.t || status_ == MarchStatus::at_rest) {
    out = end_;
    out.t = t;
    impulse_now_ = impulse_end_;
    return;
  }
  const Collocation& c = table();
  const double since = t - begin_.t, h = end_.t - begin_.t, u = 2 * c.sigma_at(since / h) - 1;
  out = {t, begin_.q + since * begin_.v, begin_.v, begin_.spring};
  impulse_now_ = impulse_begin_;
  for (int j = 0; j < S; ++j) {
    double place = 0, speed = 0;
    for (std::size_t k = c.dense_place.size(); k-- > 0;) place = place * u + c.dense_place[k][j];
    for (std::size_t k = c.dense_rate.size(); k-- > 0;) speed = speed * u + c.dense_rate[k][j];
    out.q += (h * h * place) * nodes_[j].a;
    out.v += (h * speed) * nodes_[j].a;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      impulse_now_[i] += h * speed * nodes_[j].f[i];
      if (rubs_) out.spring[i] += h * speed * nodes_[j].slip[i];
    }
  }
}

Ledger SystemMarch::ledger_now() const {
  if (now_.t >= end_.t || status_ == MarchStatus::at_rest) return ledger_;
  const Collocation& c = table();
  const double h = end_.t - begin_.t, u = 2 * c.sigma_at((now_.t - begin_.t) / h) - 1;
  double injected = 0;
  for (int j = 0; j < S; ++j) {
    double share = 0;
    for (std::size_t k = c.dense_rate.size(); k-- > 0;) share = share * u + c.dense_rate[k][j];
    injected += h * share * power_in_[index(j)];
  }
  Ledger ledger = ledger_before_;
  const double stored = stored_energy();
  ledger.close_step(stored, std::max(0.0, ledger.stored() - stored + injected), injected);
  return ledger;
}

}  // namespace carom
