#include <algorithm>
#include <cmath>
#include <tuple>

#include <carom/core/error.hpp>

#include "candidate.hpp"

namespace carom::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double number_in(const AnyLaw& law, std::string_view field) {
  return std::get<double>(values_of(law).find(field)->second);
}

double criterion_of(const Candidate& one) {
  return akaike(one.problem, one.optimum.objective, static_cast<int>(one.optimum.p.size()),
                one.known.rank);
}

/// The best value is a bound: towards it nothing changes any more, away from it the data object.
bool is_at_bound(const Candidate& candidate, const FieldInfo& field, Eigen::Index at) {
  const Eigen::VectorXd& p = candidate.optimum.p;
  const double value = number_in(candidate.law_at(p), field.name);
  if (std::isfinite(field.highest) && value >= field.highest * (1 - 1e-9)) return true;
  if (field.lowest_excluded) return false;
  const double tolerated = 1e-3 * candidate.known.noise + 1e-9 * candidate.optimum.objective +
                           candidate.problem.values * std::pow(candidate.problem.resolution, 2);
  const auto objective = [&](double moved) {
    Eigen::VectorXd q = p, r(candidate.problem.values);
    q[at] = moved;
    FitProblem one = candidate.problem;
    one.residuals(q, r);
    double sum = 0;
    for (const double each : r) {
      const double z = each / one.loss_scale;
      sum += 2 * each * each / (1 + std::sqrt(1 + z * z));
    }
    return sum;
  };
  if (std::abs(objective(p[at] - 40) - candidate.optimum.objective) > tolerated) return false;
  for (double up = 2; up <= 64; up *= 2) {
    if (objective(p[at] + up) - candidate.optimum.objective > 10 * tolerated) return true;
  }
  return false;
}

/// Known no better than its own size. A number whose unit has a fitted exponent in it ("N/m^n")
/// follows that exponent over decades: of such a one a factor of twenty is asked.
bool is_vague(const LawFit& fit, const FittedNumber& one) {
  if (!fit.fitted) return !(one.half_width() <= std::abs(one.value));
  const FieldInfo* field = law_info(fit.law).find(one.name);
  if (field == nullptr) return false;  // another name of a number that is judged itself
  if (field->unit.find_first_of("np") != std::string_view::npos)
    return !(one.low > one.value / 20 && one.high < one.value * 20);
  return !(one.half_width() <= std::abs(one.value));
}

/// How a number's interval is found: to first order, by profile likelihood, or that with the curve.
enum class Intervals { rough, profiled, drawn };

LawFit described(const Candidate& candidate, Intervals intervals) {
  using Status = FittedNumber::Status;
  const Eigen::VectorXd& p = candidate.optimum.p;
  LawFit fit{.law = candidate.law,
             .converged = candidate.optimum.converged,
             .misfit = candidate.misfit,
             .left_out_misfit = candidate.known.left_out_misfit,
             .objective = candidate.optimum.objective,
             .criterion = criterion_of(candidate),
             .parameters = static_cast<int>(p.size()),
             .values = candidate.problem.values};
  const auto add = [&](std::string name, Status status, const Derived& exact) {
    const Derived number = [&](const Eigen::VectorXd& q) {
      try {
        return exact(q);
      } catch (const InvalidInput&) {
        return std::nan("");  // an impact that cannot be followed: nowhere to go
      }
    };
    FittedNumber one{std::move(name), number(p), -infinity, infinity, status};
    if (status == Status::given) one.low = one.high = one.value;
    if (status == Status::determined || status == Status::at_bound) {
      if (intervals != Intervals::rough && status == Status::determined) {
        const Interval interval =
            profile_interval(candidate.problem, candidate.optimum, candidate.known, number);
        one.low = interval.low;
        one.high = interval.high;
        if (intervals == Intervals::drawn) {
          one.profile = profile_curve(candidate.problem, candidate.optimum, candidate.known, number,
                                      interval);
        }
      } else {
        const double width =
            candidate.known.factor * standard_deviation(candidate.known, number, p);
        one.low = one.value - width;
        one.high = one.value + width;
      }
    }
    fit.numbers.push_back(std::move(one));
  };
  if (!candidate.family) {
    fit.restitution = p[0];
    add("restitution", Status::determined, [](const Eigen::VectorXd& q) { return q[0]; });
    return fit;
  }
  const LawFamily& family = *candidate.family;
  fit.fitted = candidate.law_at(p);
  fit.centre = family.parameters(*fit.fitted);
  const LawInfo& info = law_info(*fit.fitted);
  const auto status_of = [&](const FieldInfo& field) {
    if (!family.has(field.name)) return Status::given;
    if (!candidate.in_reach(field)) return Status::out_of_reach;
    const Eigen::Index first = p.size() - candidate.searched->size();
    for (int i = 0; i < candidate.searched->size(); ++i) {
      if (candidate.searched->field(i).name != field.name) continue;
      if (is_at_bound(candidate, field, first + i)) return Status::at_bound;
      if (is_open(candidate.known, static_cast<int>(first) + i)) return Status::open;
    }
    return Status::determined;
  };
  for (const FieldInfo* field : info.fields) {
    if (field->type != FieldType::number) continue;
    const Status status = status_of(*field);
    add(std::string(field->name), status,
        [&](const Eigen::VectorXd& q) { return number_in(candidate.law_at(q), field->name); });
    if (field->other_name.empty()) continue;
    const FieldInfo& over = *info.find(field->other_over);
    add(std::string(field->other_name), std::max(status, status_of(over)),
        [&](const Eigen::VectorXd& q) {
          const AnyLaw law = candidate.law_at(q);
          return number_in(law, field->name) * number_in(law, over.name);
        });
  }
  if (p.size() == 0) return fit;
  // The joint distribution, carried to the parameters of the family.
  Eigen::MatrixXd slopes(family.size(), p.size());
  const Residuals parameters = [&](const Eigen::VectorXd& q, Eigen::VectorXd& out) {
    try {
      out = family.parameters(candidate.law_at(q));
    } catch (const InvalidInput&) {
      out = fit.centre;  // cannot be followed: nothing is known beyond
    }
  };
  differences(parameters, p, slopes);
  fit.factor = candidate.known.factor;
  fit.covariance = slopes * candidate.known.covariance * slopes.transpose();
  for (int i = 0; i < family.size(); ++i) fit.free_fields.emplace_back(family.field(i).name);
  return fit;
}

/// What speaks against a fit, and the verdict.
void judge(LawFit& fit, const LawFit& best, const WhyRejected& why_rejected) {
  using Status = FittedNumber::Status;
  // A difference of ten in Akaike's criterion leaves a law no support [BurnhamAnderson2002].
  constexpr double no_support = 10;
  fit.reasons.clear();
  const std::string wrong = why_rejected(fit);
  const double behind = fit.criterion - best.criterion;
  if (!wrong.empty()) fit.reasons.push_back(wrong);
  if (behind > no_support) {
    fit.reasons.push_back("the data favour " + best.law + " (criterion lower by " +
                          number_text(std::round(behind * 10) / 10) + ")");
  }
  fit.verdict = fit.reasons.empty() ? FitVerdict::accepted : FitVerdict::rejected;
  if (fit.verdict == FitVerdict::rejected) return;
  if (!fit.converged) fit.reasons.emplace_back("the search did not converge");
  if (fit.values <= fit.parameters)
    fit.reasons.emplace_back("no more values were measured than it has numbers: nothing tests it");
  for (const FittedNumber& one : fit.numbers) {
    if (one.status == Status::open) {
      fit.reasons.push_back("these data do not fix " + one.name);
    } else if (one.status == Status::at_bound) {
      fit.reasons.push_back(one.name + " is at a bound of its range, " + number_text(one.value));
    } else if (one.status == Status::determined && is_vague(fit, one)) {
      fit.reasons.push_back(one.name + " is not known better than its own size");
    }
  }
  if (!fit.reasons.empty()) fit.verdict = FitVerdict::undetermined;
}

/// The simplest of the accepted ones that the data hardly tell from the best, and of equally simple
/// ones the first of the catalogue; where none is accepted, the same of those not rejected.
std::size_t preferred(const std::vector<LawFit>& fits, double hardly) {
  const std::vector<std::string_view> names = law_names();
  const auto key = [&](const LawFit& fit) {
    const auto place = std::find(names.begin(), names.end(), fit.law) - names.begin();
    return std::tuple(fit.verdict == FitVerdict::accepted ? 0 : 1, fit.parameters, place);
  };
  std::size_t found = fits.size();
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (fits[i].verdict == FitVerdict::rejected) continue;
    if (fits[i].criterion > fits.front().criterion + hardly) continue;
    if (found == fits.size() || key(fits[i]) < key(fits[found])) found = i;
  }
  return found == fits.size() ? 0 : found;
}

}  // namespace

Identification ranked(std::vector<Candidate> candidates, const FitSettings& settings,
                      const WhyRejected& why_rejected) {
  Identification found;
  std::erase_if(candidates, [&](const Candidate& one) {
    const bool failed = !std::isfinite(one.optimum.objective);
    if (failed) found.left_out.push_back(one.law + ": no impact of this law comes near the data");
    return failed;
  });
  settings.each(candidates.size(), [&](std::size_t i) {
    candidates[i].known = knowledge(candidates[i].problem, candidates[i].optimum);
  });
  // What differs by rounding goes by the catalogue.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return std::round(1e3 * criterion_of(a)) < std::round(1e3 * criterion_of(b));
                   });
  std::vector<LawFit> fits(candidates.size());
  settings.each(candidates.size(),
                [&](std::size_t i) { fits[i] = described(candidates[i], Intervals::rough); });
  std::vector<Candidate*> kept;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& one = candidates[i];
    LawFit& fit = fits[i];
    const auto same =
        std::find_if(found.candidates.begin(), found.candidates.end(), [&](const LawFit& other) {
          return other.parameters == fit.parameters &&
                 std::abs(other.criterion - fit.criterion) < 1e-3 && one.law != settings.law;
        });
    if (same != found.candidates.end()) {
      same->same_as.push_back(one.law);
      continue;
    }
    found.candidates.push_back(std::move(fit));
    kept.push_back(&one);
  }
  if (found.candidates.empty()) {
    throw InvalidInput("no law could be fitted" +
                       (found.left_out.empty() ? "" : " (" + found.left_out.front() + ")"));
  }
  const LawFit best = found.candidates.front();
  for (LawFit& fit : found.candidates) judge(fit, best, why_rejected);
  const std::size_t first = preferred(found.candidates, settings.hardly_different);
  std::rotate(found.candidates.begin(), found.candidates.begin() + long(first),
              found.candidates.begin() + long(first) + 1);
  std::rotate(kept.begin(), kept.begin() + long(first), kept.begin() + long(first) + 1);
  if (!settings.law.empty()) {
    const auto wanted = std::find_if(found.candidates.begin(), found.candidates.end(),
                                     [&](const LawFit& fit) { return fit.law == settings.law; });
    if (wanted == found.candidates.end())
      throw InvalidInput("law '" + settings.law + "' could not be fitted to these data");
    found.chosen = static_cast<std::size_t>(wanted - found.candidates.begin());
  }
  LawFit& chosen = found.candidates[found.chosen];
  std::vector<std::string> same_as = std::move(chosen.same_as);
  Candidate& candidate = *kept[found.chosen];
  candidate.optimum = minimum(candidate.problem, candidate.optimum.p, Effort::full);
  candidate.known = knowledge(candidate.problem, candidate.optimum);
  chosen = described(candidate, settings.profiles ? Intervals::drawn : Intervals::profiled);
  chosen.same_as = std::move(same_as);
  judge(chosen, best, why_rejected);
  return found;
}

}  // namespace carom::detail
