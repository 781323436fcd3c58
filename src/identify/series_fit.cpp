#include "series_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/laws/units.hpp>

namespace carom::detail {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// A law that is true is rejected once in a thousand times.
constexpr double significance = 1e-3;

double middle_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

SeriesFit::SeriesFit(std::span<const SeriesImpact> impacts, const FitSettings& settings)
    : settings_(settings), model_(impacts, settings), spreads_(impacts.size()) {
  const SeriesImpact& first = impacts.front();
  kinds_ = {first.restitution.has_value(), first.contact_time.has_value(),
            first.max_force.has_value()};
  weighted_ = first.restitution_sd || first.contact_time_sd || first.max_force_sd;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const SeriesImpact& one = impacts[i];
    if (one.restitution_sd) spreads_[i].restitution = *one.restitution_sd;
    if (one.contact_time_sd) spreads_[i].log_time = *one.contact_time_sd / *one.contact_time;
    if (one.max_force_sd) spreads_[i].log_force = *one.max_force_sd / *one.max_force;
  }
}

Candidate SeriesFit::candidate(const std::string& law) const {
  Candidate out{.law = law, .family = LawFamily(law, settings_.given)};
  search_in(out, *out.family);
  prepare(out);
  return out;
}

void SeriesFit::search_in(Candidate& out, const LawFamily& family) const {
  out.searched = family;
  out.law_at = [family](const VectorXd& p) { return family.law(p); };
  out.problem.residuals = [this, family](const VectorXd& p, VectorXd& r) {
    residuals(family.law(p), r);
  };
}

Candidate SeriesFit::constant_restitution() const {
  Candidate out{.law = "constant-restitution"};
  out.problem.residuals = [this](const VectorXd& p, VectorXd& r) {
    for (std::size_t i = 0; i < model_.size(); ++i)
      r[long(i)] = (p[0] - *model_.impact(i).restitution) / spreads_[i].restitution;
  };
  prepare(out);
  return out;
}

void SeriesFit::prepare(Candidate& out) const {
  out.problem.values = values();
  out.problem.noise_known = weighted_ && !settings_.relative_deviations;
  if (settings_.relative_deviations) out.problem.loss_scale = 3;
  if (!weighted_) out.problem.noise_scales = kinds_.count();
  out.in_reach = [](const FieldInfo&) { return true; };
}

std::vector<AnyLaw> SeriesFit::starts(const LawFamily& family) const {
  std::vector<double> e, time, force;
  for (std::size_t i = 0; i < model_.size(); ++i) {
    const SeriesImpact& one = model_.impact(i);
    e.push_back(one.restitution.value_or(0.7));
    if (one.contact_time) time.push_back(*one.contact_time);
    if (one.max_force) force.push_back(*one.max_force);
  }
  const Collision at = model_.reference();
  // Under a force that a weak rebound does not overcome the search begins with stronger ones.
  std::vector<double> rebounds{middle_of(e)};
  if (at.force > 0) rebounds = {rebounds[0], std::max(0.7, rebounds[0]), 0.95};
  std::vector<AnyLaw> out;
  for (const double exponent : {1.5, 1.1, 2.2, 3.5}) {
    for (const double rebound : rebounds) {
      const std::optional<AnyLaw> begin = family.start(exponent, rebound);
      if (!begin) continue;
      try {
        const Impact hit = impact(*begin, {.mass = 1, .speed = 1});
        if (!hit.releases) continue;
        double unit = 1e-3;  // [s]
        if (!time.empty()) {
          unit = middle_of(time) / hit.contact_time;
        } else if (!force.empty()) {
          unit = at.mass * at.speed * hit.max_force / middle_of(force);
        }
        const AnyLaw law = in_si_units(
            *begin, {.length = at.speed * unit, .time = unit, .force = at.mass * at.speed / unit});
        if (at.force > 0 && !impact(law, at).releases) continue;
        out.push_back(law);
      } catch (const InvalidInput&) {
        continue;
      }
    }
    if (!family.has("exponent")) break;
  }
  return out;
}

void SeriesFit::residuals(const AnyLaw& law, VectorXd& r) const {
  try {
    const std::vector<SeriesPoint> points = model_.all(law);
    Eigen::Index next = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SeriesImpact& one = model_.impact(i);
      const SeriesSpread& spread = spreads_[i];
      if (kinds_.restitution)
        r[next++] = (points[i].restitution - *one.restitution) / spread.restitution;
      if (kinds_.contact_time)
        r[next++] = std::log(points[i].contact_time / *one.contact_time) / spread.log_time;
      if (kinds_.max_force)
        r[next++] = std::log(points[i].max_force / *one.max_force) / spread.log_force;
    }
  } catch (const InvalidInput&) {
    r.setConstant(std::nan(""));  // an impact that cannot be followed: not a step to take
  }
}

void SeriesFit::weigh(const Candidate& best) {
  if (!weighted_) {
    if (kinds_.count() > 1) weigh_kinds(best);
    return;
  }
  if (!best.family) return;
  const AnyLaw law = best.law_at(best.optimum.p);
  for (std::size_t i = 0; i < model_.size(); ++i) {
    const SeriesImpact& one = model_.impact(i);
    if (!(one.speed_sd.value_or(0) > 0)) continue;
    const double step = 1e-4, share = *one.speed_sd / one.speed / (2 * step);
    const SeriesPoint high = model_.at(law, model_.mass(i), one.speed * (1 + step)),
                      low = model_.at(law, model_.mass(i), one.speed * (1 - step));
    SeriesSpread& spread = spreads_[i];
    if (kinds_.restitution)
      spread.restitution =
          std::hypot(*one.restitution_sd, share * (high.restitution - low.restitution));
    if (kinds_.contact_time)
      spread.log_time = std::hypot(*one.contact_time_sd / *one.contact_time,
                                   share * std::log(high.contact_time / low.contact_time));
    if (kinds_.max_force)
      spread.log_force = std::hypot(*one.max_force_sd / *one.max_force,
                                    share * std::log(high.max_force / low.max_force));
  }
}

void SeriesFit::weigh_kinds(const Candidate& best) {
  VectorXd r(values());
  best.problem.residuals(best.optimum.p, r);
  const int kinds = kinds_.count();
  std::vector<double> scatter;
  for (int kind = 0; kind < kinds; ++kind) {
    double sum = 0, freedom = 0;
    for (int i = kind; i < values(); i += kinds) {
      sum += r[i] * r[i];
      freedom += 1 - best.known.leverage[i];
    }
    // Floor: what agrees to rounding is not infinitely certain.
    scatter.push_back(std::max(std::sqrt(sum / std::max(freedom, 0.5)), best.problem.resolution));
  }
  for (SeriesSpread& spread : spreads_) {
    int kind = 0;
    if (kinds_.restitution) spread.restitution = scatter[std::size_t(kind++)];
    if (kinds_.contact_time) spread.log_time = scatter[std::size_t(kind++)];
    if (kinds_.max_force) spread.log_force = scatter[std::size_t(kind++)];
  }
}

void SeriesFit::hold_what_does_not_matter(Candidate& candidate, const AnyLaw& typical) const {
  const LawFamily& family = *candidate.family;
  const Collision at = model_.reference();
  const Residuals wide = [&](const VectorXd& p, VectorXd& r) {
    Eigen::Index next = 0;
    const AnyLaw law = family.law(p);
    // A slow body would be held down by a force.
    for (const double factor : at.force > 0 ? std::array{1.0, 1.5, 2.5, 5.0, 10.0}
                                            : std::array{0.1, 0.3, 1.0, 3.0, 10.0}) {
      const SeriesPoint point = model_.at(law, at.mass, factor * at.speed);
      r[next++] = kinds_.restitution ? point.restitution : 0;
      r[next++] = kinds_.contact_time ? std::log(point.contact_time) : 0;
      r[next++] = kinds_.max_force ? std::log(point.max_force) : 0;
    }
  };
  const FieldValues values = values_of(typical);
  std::vector<std::string_view> blind;
  FieldValues held = settings_.given;
  try {
    MatrixXd slopes(15, family.size());
    differences(wide, family.parameters(typical), slopes);
    // Along the last directions nothing changes: what moves in them is out of reach, and of the
    // columns as many can be held as there are such directions.
    const Eigen::JacobiSVD<MatrixXd> svd(slopes, Eigen::ComputeFullV);
    Eigen::ColPivHouseholderQR<MatrixXd> columns(slopes);
    int rank = 0;
    while (rank < family.size() && svd.singularValues()[rank] > 1e-6 * svd.singularValues()[0])
      ++rank;
    for (int i = 0; i < family.size(); ++i) {
      if (svd.matrixV().row(i).tail(family.size() - rank).norm() > 1e-3)
        blind.push_back(family.field(i).name);
    }
    for (int k = rank; k < family.size(); ++k) {
      const std::string name(family.field(columns.colsPermutation().indices()[k]).name);
      held[name] = values.find(name)->second;
    }
  } catch (const InvalidInput&) {
    // Such impacts cannot be followed: nothing is known to be out of reach.
  }
  search_in(candidate, LawFamily(candidate.law, held));
  if (!model_.mass_known()) {
    const FieldValues heavier =
        values_of(in_si_units(typical, {.length = 1, .time = 1, .force = 2}));
    for (int i = 0; i < family.size(); ++i) {
      const std::string_view name = family.field(i).name;
      if (values.find(name)->second != heavier.find(name)->second) blind.push_back(name);
    }
  }
  candidate.in_reach = [blind](const FieldInfo& field) {
    return std::find(blind.begin(), blind.end(), field.name) == blind.end();
  };
}

double SeriesFit::misfit(const Candidate& candidate) const {
  const double freedom = std::max(1, values() - candidate.known.rank);
  if (weighted_) return std::sqrt(candidate.optimum.objective / freedom);
  VectorXd r(values());
  candidate.problem.residuals(candidate.optimum.p, r);
  Eigen::Index next = 0;
  for (const SeriesSpread& spread : spreads_) {
    if (kinds_.restitution) r[next++] *= spread.restitution;
    if (kinds_.contact_time) r[next++] *= spread.log_time;
    if (kinds_.max_force) r[next++] *= spread.log_force;
  }
  return r.norm() / std::sqrt(static_cast<double>(values()));
}

std::string SeriesFit::lack_of_fit(int parameters, double misfit, double objective) const {
  const double n = values(), freedom = n - parameters;
  if (freedom < 1) return "";
  if (weighted_ && !settings_.relative_deviations) {
    const boost::math::chi_squared chance(freedom);
    if (boost::math::cdf(boost::math::complement(chance, objective)) >= significance) return "";
    return "it misses the data by " + number_text(std::round(misfit * 100) / 100) +
           " standard deviations";
  }
  constexpr double rounding_of_data = 1e-5;
  if (misfit < rounding_of_data) return "";
  const double smooth = smooth_objective();
  const double more = 3.0 * kinds_.count() - parameters, left = n - 3.0 * kinds_.count();
  const double rounding = n * 1e-14;
  if (more < 1 || left < 4 || objective < rounding) return "";
  const double ratio = (objective - smooth) / more / (std::max(smooth, rounding) / left);
  if (!(ratio > 0)) return "";
  const boost::math::fisher_f chance(more, left);
  if (boost::math::cdf(boost::math::complement(chance, ratio)) >= significance) return "";
  return "what it leaves varies with the speed, " + number_text(std::round(1e4 * misfit) / 1e4) +
         " rms against a scatter of " + number_text(std::round(1e4 * std::sqrt(smooth / n)) / 1e4);
}

double SeriesFit::smooth_objective() const {
  const auto n = static_cast<Eigen::Index>(model_.size());
  MatrixXd powers(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double x = std::log(model_.impact(std::size_t(i)).speed / model_.reference().speed);
    powers.row(i) << 1, x, x * x;
  }
  double sum = 0;
  const auto add = [&](bool measured, double SeriesSpread::*spread, auto value) {
    if (!measured) return;
    MatrixXd a = powers;
    VectorXd y(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      a.row(i) /= spreads_[std::size_t(i)].*spread;
      y[i] = value(model_.impact(std::size_t(i))) / spreads_[std::size_t(i)].*spread;
    }
    sum += (a * linear_fit(a, y) - y).squaredNorm();
  };
  add(kinds_.restitution, &SeriesSpread::restitution,
      [](const SeriesImpact& one) { return *one.restitution; });
  add(kinds_.contact_time, &SeriesSpread::log_time,
      [](const SeriesImpact& one) { return std::log(*one.contact_time); });
  add(kinds_.max_force, &SeriesSpread::log_force,
      [](const SeriesImpact& one) { return std::log(*one.max_force); });
  return sum;
}

}  // namespace carom::detail
