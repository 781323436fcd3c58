#include "candidate.hpp"

#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/laws/units.hpp>

namespace carom {

std::string_view verdict_name(FitVerdict verdict) noexcept {
  switch (verdict) {
    case FitVerdict::accepted:
      return "accepted";
    case FitVerdict::rejected:
      return "rejected";
    case FitVerdict::undetermined:
      break;
  }
  return "undetermined";
}

const FittedNumber* LawFit::find(std::string_view number) const {
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const auto& one) { return one.name == number; });
  return found == numbers.end() ? nullptr : &*found;
}

bool LawFit::complete() const {
  using Status = FittedNumber::Status;
  return fitted && std::none_of(numbers.begin(), numbers.end(), [](const FittedNumber& one) {
           return one.status == Status::out_of_reach || one.status == Status::open;
         });
}

namespace detail {

std::vector<std::string> candidate_laws(const FitSettings& settings) {
  if (!settings.law.empty() && !settings.rank) return {settings.law};
  std::vector<std::string> names;
  for (const LawInfo& info : law_catalogue()) {
    if (!is_of_numbers(info)) continue;
    // A law that needs several numbers of the bodies (their radius, their surface energy) is not
    // guessed at: it is fitted when it is wanted or when some of them are given.
    const auto open = std::count_if(info.fields.begin(), info.fields.end(), [&](const auto* field) {
      return field->is_required && field->name != "stiffness" && !field->by_restitution &&
             !settings.given.contains(field->name);
    });
    // Nor is one whose exponent is another than the given one.
    const bool contradicted =
        std::any_of(info.fields.begin(), info.fields.end(), [&](const auto* field) {
          const auto given = settings.given.find(field->name);
          return field->type == FieldType::fixed && given != settings.given.end() &&
                 given->second != FieldValue(field->fallback);
        });
    if ((open < 2 && !contradicted) || info.text.name == settings.law)
      names.emplace_back(info.text.name);
  }
  return names;
}

void check_settings(const FitSettings& settings) {
  if (settings.mass) require_positive("mass", *settings.mass);
  if (settings.speed) require_positive("speed", *settings.speed);
  if (settings.force) require_finite("force", *settings.force);
  if (settings.gravity) require_finite("gravity", *settings.gravity);
  if (settings.force && settings.gravity)
    throw InvalidInput("force and gravity both say what pushes during contact; give one of them");
  for (const auto& [name, value] : settings.given) {
    const auto has = [&, field = std::string_view(name)](const LawInfo& info) {
      return is_of_numbers(info) && info.find(field) != nullptr;
    };
    const std::vector<LawInfo>& all = law_catalogue();
    const bool known = settings.law.empty() || settings.law == "constant-restitution"
                           ? std::any_of(all.begin(), all.end(), has)
                           : has(law_info(settings.law));
    if (!known) {
      throw InvalidInput(
          name + " is no number of " +
          (settings.law.empty() ? "any law that is fitted" : "law '" + settings.law + "'"));
    }
  }
  if (settings.law.empty() || settings.law == "constant-restitution") return;
  LawFamily(settings.law, settings.given);
}

void search(Candidate& candidate, const std::vector<Eigen::VectorXd>& starts) {
  std::vector<std::pair<double, const Eigen::VectorXd*>> begun;
  for (const Eigen::VectorXd& start : starts) {
    Eigen::VectorXd r(candidate.problem.values);
    candidate.problem.residuals(start, r);
    if (r.allFinite()) begun.emplace_back(r.lpNorm<1>(), &start);
  }
  std::sort(begun.begin(), begun.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  // A second one where the first does not begin clearly nearer.
  for (std::size_t i = 0; i < std::min<std::size_t>(2, begun.size()); ++i) {
    if (begun[i].first > 1.3 * begun.front().first) break;
    Optimum optimum = minimum(candidate.problem, *begun[i].second, Effort::rough);
    if (optimum.objective < candidate.optimum.objective) candidate.optimum = std::move(optimum);
  }
}

}  // namespace detail
}  // namespace carom
