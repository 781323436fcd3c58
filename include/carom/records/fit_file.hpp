#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <carom/identify/law_family.hpp>
#include <carom/scenario/json.hpp>

namespace carom {

/// What `carom identify FILE --output FIT.json` wrote: a law, how sure its numbers are together,
/// and the other laws that the data allow.
struct FitFile {
  AnyLaw law;
  std::optional<double> mass;  ///< of the measurement [kg]
  LawFamily family;            ///< the numbers that were fitted
  Eigen::VectorXd centre;      ///< in the scale of the fit
  Eigen::MatrixXd covariance;
  double factor = 1.96;  ///< standard deviations that hold 95 %
  std::vector<AnyLaw> alternatives = {};
};

/// Throws InvalidInput that names the file when it is no such file, holds several runs, or a law
/// that the data left incomplete.
FitFile read_fit(const std::filesystem::path& file);
FitFile fit_of(const Json& document);

/// The law of such a file as the keys of `[contact]`: `law` and its numbers, `newton` for a
/// constant restitution.
Json fitted_law(const std::filesystem::path& file);
Json fitted_law(const std::filesystem::path& file, const std::string& bytes);

/// The law of such a file and the impact it was measured at, as far as the data say.
struct FittedContact {
  LawChoice law;
  std::optional<double> mass, speed;
};
FittedContact fitted_contact(const std::filesystem::path& file);
FittedContact fitted_contact_of(const Json& document);

/// One impact under a fitted law, with 95 % intervals from the joint uncertainty of its numbers.
struct Prediction {
  Impact hit;
  /// By the names of `carom impact`: rebound_speed, restitution, max_compression, max_force,
  /// contact_time.
  std::vector<std::pair<std::string, std::pair<double, double>>> intervals;
  std::vector<std::pair<std::string, Impact>> alternatives;  ///< under the other laws
};
Prediction predict(const FitFile& fit, const Collision& collision);

}  // namespace carom
