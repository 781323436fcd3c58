#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/identify/pulse.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/laws/units.hpp>

#include "candidate.hpp"

namespace carom::detail {

/// What a trace says about an impact in units of mass, speed and stiffness one.
struct Placed {
  double onset, duration, size;  ///< [s], [s], [N]
  AnyLaw law;                    ///< in its own units
  ImpactHistory history;

  const Impact& hit() const { return history.summary(); }
  double time_unit() const { return duration / hit().contact_time; }
  double force_unit() const { return size / hit().max_force; }
  double momentum() const { return force_unit() * time_unit(); }  ///< m v [N s]
  double force(double t) const {
    const double own = (t - onset) / duration * hit().contact_time;
    return own > 0 && own < hit().contact_time ? history.at(own).force * force_unit() : 0;
  }
};

/// The impacts of one law that were computed last. Residuals, slopes and intervals ask for the same
/// ones again: onset, duration and size only move and stretch an impact.
class RecentImpacts {
 public:
  ImpactHistory operator()(const AnyLaw& law, const Eigen::VectorXd& numbers, double push) {
    for (const Entry& one : entries_) {
      if (one.history && one.push == push && one.numbers == numbers) return *one.history;
    }
    Entry& oldest = entries_[next_++ % entries_.size()];
    oldest = {numbers, push, impact_history(law, {.mass = 1, .speed = 1, .force = push})};
    return *oldest.history;
  }

 private:
  struct Entry {
    Eigen::VectorXd numbers = {};
    double push = 0;
    std::optional<ImpactHistory> history = {};
  };
  std::array<Entry, 32> entries_;  ///< those around one point of a search, several times over
  std::size_t next_ = 0;
};

/// The parameters of the search: onset and duration in units of the rough duration, size in units
/// of the peak (the last two as logarithms), what the baseline was missed by in units of the peak,
/// then the free numbers of the law but its stiffness. With mass and speed the size follows from
/// the duration. One more residual has what the samples outside the pulse say about the baseline.
class TraceFit {
 public:
  TraceFit(const Pulse& pulse, const FitSettings& settings)
      : pulse_(pulse), settings_(settings), rough_(pulse.end - pulse.begin) {}

  int samples() const { return static_cast<int>(pulse_.times.size()); }
  int values() const { return samples() + 1; }
  bool sized() const { return !(settings_.mass && settings_.speed); }
  int baseline() const { return sized() ? 3 : 2; }
  int family_begins() const { return baseline() + 1; }
  void set_noise(double relative) { noise_ = relative; }
  double noise() const { return noise_; }

  Placed placed(const LawFamily& family, const Eigen::VectorXd& p, RecentImpacts& recent) const {
    // In units of the impact a number beyond these makes no rebound, or no difference.
    constexpr double least = -16, most = 5.7;
    const Eigen::VectorXd numbers = p.tail(family.size()).cwiseMax(least).cwiseMin(most);
    const AnyLaw law = family.law(numbers);
    const double duration = rough_ * std::exp(std::clamp(p[1], -5.0, 5.0));
    double push = 0;
    const auto make = [&] {
      ImpactHistory history = recent(law, numbers, push);
      const Impact& hit = history.summary();
      const double size = sized() ? pulse_.peak * std::exp(std::clamp(p[2], -5.0, 5.0))
                                  : *settings_.mass * *settings_.speed * hit.max_force *
                                        hit.contact_time / duration;
      return Placed{pulse_.begin + p[0] * rough_, duration, size, law, std::move(history)};
    };
    Placed out = make();
    if (!settings_.force && !settings_.gravity) return out;
    // The force during contact in units that follow from the impact itself.
    for (int pass = 0; pass < 4 && out.hit().releases; ++pass) {
      push = weight(out) / out.force_unit();
      out = make();
    }
    return out;
  }

  double mass(const Placed& one) const {
    if (settings_.mass) return *settings_.mass;
    return settings_.speed ? one.momentum() / *settings_.speed : 1;
  }
  double weight(const Placed& one) const {
    return settings_.force.value_or(0) + mass(one) * settings_.gravity.value_or(0);
  }
  AnyLaw in_si(const Placed& one) const {
    const double speed = one.momentum() / mass(one);
    return in_si_units(
        one.law,
        {.length = speed * one.time_unit(), .time = one.time_unit(), .force = one.force_unit()});
  }

  Candidate candidate(const std::string& name) const {
    FieldValues given = settings_.given;
    given["stiffness"] = 1.0;
    Candidate out{.law = name, .family = LawFamily(name, settings_.given)};
    const LawFamily shape(name, given);
    out.searched = shape;
    const auto recent = std::make_shared<RecentImpacts>();
    out.problem = {
        .values = values(),
        .residuals = [this, shape, recent](const Eigen::VectorXd& p,
                                           Eigen::VectorXd& r) { residuals(shape, p, *recent, r); },
        .slopes = {},
        .loss_scale = 2,
        .resolution = 1e-6,
        .ordered = true};
    if (!settings_.force && !settings_.gravity) {
      out.problem.slopes = [this, shape, recent](const Eigen::VectorXd& p, Eigen::MatrixXd& j) {
        slopes(shape, p, *recent, j);
      };
    }
    out.law_at = [this, shape, recent](const Eigen::VectorXd& p) {
      return in_si(placed(shape, p, *recent));
    };
    const bool sizes_known = settings_.mass || settings_.speed;
    out.in_reach = [sizes_known](const FieldInfo& field) {
      return sizes_known || field.unit.empty();
    };
    return out;
  }

  std::vector<Eigen::VectorXd> starts(const std::string& name) const {
    FieldValues given = settings_.given;
    given["stiffness"] = 1.0;
    const LawFamily shape(name, given);
    std::vector<Eigen::VectorXd> out;
    for (const double e : {0.9, 0.4}) {
      for (const double exponent : {1.5, 1.1, 2.5}) {
        const std::optional<AnyLaw> begin = shape.start(exponent, e);
        if (!begin) continue;
        // A pulse is seen from five per cent on: it lasts somewhat longer than it is seen, unless
        // it begins with a jump.
        for (const double unseen : {0.05, 0.005}) {
          Eigen::VectorXd p = Eigen::VectorXd::Zero(family_begins() + shape.size());
          p[0] = -unseen;
          p[1] = std::log(1 + 2 * unseen);
          p.tail(shape.size()) = shape.parameters(*begin);
          out.push_back(p);
        }
        if (!shape.has("exponent")) break;
      }
    }
    return out;
  }

  Placed placed(const Candidate& candidate) const {
    FieldValues given = settings_.given;
    given["stiffness"] = 1.0;
    RecentImpacts recent;
    return placed(LawFamily(candidate.law, given), candidate.optimum.p, recent);
  }

  /// Without the few that lie far off: clipped at three standard deviations of the middle ones.
  double robust_rms(const Candidate& candidate) const {
    Eigen::VectorXd r(values());
    candidate.problem.residuals(candidate.optimum.p, r);
    const double spread = middling(r);
    const Eigen::VectorXd clipped = r.cwiseMin(3 * spread).cwiseMax(-3 * spread);
    return noise_ * std::sqrt(clipped.squaredNorm() / values());
  }
  static double middling(const Eigen::VectorXd& r) {
    std::vector<double> sizes;
    for (const double one : r) sizes.push_back(std::abs(one));
    const auto half = sizes.begin() + long(sizes.size() / 2);
    std::nth_element(sizes.begin(), half, sizes.end());
    return 1.4826 * *half;
  }

 private:
  void residuals(const LawFamily& shape, const Eigen::VectorXd& p, RecentImpacts& recent,
                 Eigen::VectorXd& r) const {
    try {
      const Placed model = placed(shape, p, recent);
      if (!model.hit().releases) {
        r.setConstant(std::nan(""));
        return;
      }
      const double shift = p[baseline()] * pulse_.peak;
      for (int i = 0; i < samples(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        r[i] = (model.force(pulse_.times[at]) + shift - pulse_.values[at]) / unit();
      }
      r[samples()] = shift / unit() * std::sqrt(pulse_.baseline_worth);
    } catch (const InvalidInput&) {
      r.setConstant(std::nan(""));
    }
  }

  /// Onset, duration and size move and stretch one and the same impact; the rest by differences.
  void slopes(const LawFamily& shape, const Eigen::VectorXd& p, RecentImpacts& recent,
              Eigen::MatrixXd& j) const {
    const Placed model = placed(shape, p, recent);
    Eigen::VectorXd here(values()), there(values());
    residuals(shape, p, recent, here);
    j.setZero();
    j.col(baseline()).setConstant(pulse_.peak / unit());
    j(samples(), baseline()) *= std::sqrt(pulse_.baseline_worth);
    const double step = 1e-5 * model.duration;
    for (int i = 0; i < samples(); ++i) {
      const double t = pulse_.times[std::size_t(i)];
      const double force = model.force(t),
                   rate = (model.force(t + step) - model.force(t - step)) / (2 * step);
      j(i, 0) = -rate * rough_ / unit();
      j(i, 1) = -rate * (t - model.onset) / unit();
      if (sized()) {
        j(i, 2) = force / unit();
      } else {
        j(i, 1) -= force / unit();
      }
    }
    for (Eigen::Index k = family_begins(); k < p.size(); ++k) {
      Eigen::VectorXd moved = p;
      moved[k] = p[k] + difference_step;
      residuals(shape, moved, recent, there);
      j.col(k) = (there - here) / difference_step;
      if (!j.col(k).allFinite()) j.col(k).setZero();
    }
  }

  double unit() const { return noise_ * pulse_.peak; }

  const Pulse& pulse_;
  const FitSettings& settings_;
  double rough_;         ///< duration [s]
  double noise_ = 0.01;  ///< of the samples, in units of the peak
};

}  // namespace carom::detail
