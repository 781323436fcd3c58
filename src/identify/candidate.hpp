#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <carom/identify/fit.hpp>
#include <carom/identify/law_family.hpp>

#include "fit_core.hpp"

namespace carom::detail {

/// A law being fitted to data of any kind.
struct Candidate {
  std::string law;
  std::optional<LawFamily> family = {};  ///< its free numbers; nothing for constant restitution
  /// Those of them that are searched: the last parameters of the problem. The others follow from
  /// these, or nothing depends on them.
  std::optional<LawFamily> searched = {};
  FitProblem problem = {};
  Optimum optimum = {};
  Knowledge known = {};
  /// The law at a point of the search, in SI units.
  std::function<AnyLaw(const Eigen::VectorXd& p)> law_at = {};
  /// Whether data of this kind can say anything about a field.
  std::function<bool(const FieldInfo& field)> in_reach = {};
  double misfit = 0;
};

/// Names of the laws to fit: the wanted one alone, or all that are made of numbers.
std::vector<std::string> candidate_laws(const FitSettings& settings);

/// Throws InvalidInput when settings name a law that is unknown or cannot be fitted, or numbers out
/// of range.
void check_settings(const FitSettings& settings);

/// The search from several starts: the two that begin best are followed.
void search(Candidate& candidate, const std::vector<Eigen::VectorXd>& starts);

/// Why a fit does not describe the data, in words; empty where it does.
using WhyRejected = std::function<std::string(const LawFit& fit)>;

/// The candidates described, judged and ranked by criterion, those that the data cannot tell apart
/// joined; the chosen one with intervals by profile likelihood, the others to first order.
Identification ranked(std::vector<Candidate> candidates, const FitSettings& settings,
                      const WhyRejected& why_rejected);

}  // namespace carom::detail
