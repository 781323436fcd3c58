#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// One number of a fitted law.
struct FittedNumber {
  std::string name;  ///< of the field, or its other name
  double value;
  double low, high;  ///< 95 %, by profile likelihood; infinite where the data set no bound
  enum class Status {
    determined,
    given,         ///< by the user, not fitted
    out_of_reach,  ///< no data of this kind say anything about it, however many
    open,          ///< these data do not fix it, others of the kind would
    at_bound,      ///< the best value is a bound of its range
  } status = Status::determined;

  /// Values, and how far the best fit that keeps each of them is off: one at the ends of the 95 %
  /// interval. Where FitSettings asks for it.
  std::vector<std::pair<double, double>> profile = {};

  double half_width() const { return (high - low) / 2; }
};

enum class FitVerdict { accepted, rejected, undetermined };
std::string_view verdict_name(FitVerdict verdict) noexcept;

/// A candidate, fitted. `constant-restitution` is one for data that have nothing but restitutions.
struct LawFit {
  std::string law;                         ///< its name
  std::optional<AnyLaw> fitted = {};       ///< nothing for constant restitution
  std::optional<double> restitution = {};  ///< of constant restitution
  std::vector<FittedNumber> numbers = {};  ///< in the order of the fields
  bool converged = false;
  double misfit = 0;  ///< rms of what is left: in standard deviations where these are known
  double left_out_misfit = 0;  ///< the same with every datum predicted from the others
  double objective = 0;        ///< what was made smallest: the sum of squares over the noise
  double criterion = 0;        ///< Akaike's for small samples; only differences count
  int parameters = 0;          ///< that were searched
  int values = 0;              ///< that were measured
  FitVerdict verdict = FitVerdict::undetermined;
  std::vector<std::string> reasons = {};  ///< of the verdict, in words
  std::vector<std::string> same_as = {};  ///< laws that these data cannot tell from it

  /// Joint normal distribution of the free parameters, in the scale of the fit (law_family.hpp):
  /// what predictions get their intervals from.
  std::vector<std::string> free_fields = {};
  Eigen::VectorXd centre = {};
  Eigen::MatrixXd covariance = {};
  double factor = 1.96;  ///< standard deviations of it that hold 95 %

  const FittedNumber* find(std::string_view number) const;
  /// Every number of the law is known, so that it can be used.
  bool complete() const;
};

/// What is known besides the data, and what is asked.
struct FitSettings {
  std::string law = {};             ///< the law that is wanted; empty: the best
  FieldValues given = {};           ///< numbers that are not fitted, such as the exponent
  std::optional<double> mass{};     ///< [kg]
  std::optional<double> speed{};    ///< [m/s], of a trace
  std::optional<double> force{};    ///< [N], constant, during contact; > 0 pushes into it
  std::optional<double> gravity{};  ///< [m/s^2]: the same as a force m g
  bool relative_deviations =
      false;  ///< standard deviations up to a common factor; outliers allowed
  /// Of accepted laws whose criterion is this close to the best one the simplest is taken.
  double hardly_different = 2;
  bool profiles = false;  ///< keep the profile of every number of the law, for pictures
  bool rank = true;       ///< fit every law that the data can tell apart, not the wanted one only
  /// Calls use(0) to use(count - 1): one after the other, or side by side where there are threads.
  std::function<void(std::size_t count, const std::function<void(std::size_t)>& use)> each =
      [](std::size_t count, const std::function<void(std::size_t)>& use) {
        for (std::size_t i = 0; i < count; ++i) use(i);
      };
};

/// Which law? The candidates, best first.
struct Identification {
  std::vector<LawFit> candidates;
  std::size_t chosen = 0;  ///< the wanted law, else the best
  Collision reference{};   ///< a typical impact of the data; mass 1 kg where it is not known
  bool mass_known = false;
  std::vector<std::string> left_out = {};  ///< laws that could not be fitted, with the reason
  std::vector<std::string> advice = {};    ///< measurements that would determine what is open

  const LawFit& best() const { return candidates.front(); }
  const LawFit& law() const { return candidates[chosen]; }
};

}  // namespace carom
