#pragma once

#include <span>
#include <vector>

#include <carom/identify/impact_series.hpp>

namespace carom::detail {

/// Which numbers of the impacts were measured.
struct SeriesKinds {
  bool restitution = false, contact_time = false, max_force = false;
  int count() const { return int{restitution} + int{contact_time} + int{max_force}; }
};

/// The impacts of a series under any law.
class SeriesModel {
 public:
  SeriesModel(std::span<const SeriesImpact> impacts, const FitSettings& settings);

  std::size_t size() const { return impacts_.size(); }
  const SeriesImpact& impact(std::size_t i) const { return impacts_[i]; }
  double mass(std::size_t i) const;
  double force(double mass) const;  ///< during contact [N]
  bool mass_known() const { return mass_known_; }
  Collision reference() const { return reference_; }  ///< of middling mass and speed

  SeriesPoint at(const AnyLaw& law, double mass, double speed) const;
  /// Of all impacts. Many of one mass are read from a polynomial in ln(speed) through nine of
  /// Chebyshev's points: the functions are smooth, and over two decades less than 1e-5 is left.
  std::vector<SeriesPoint> all(const AnyLaw& law) const;

 private:
  struct Group {
    double mass;
    std::vector<std::size_t> members;
    std::vector<double> nodes;  ///< ln(speed); empty: each for itself
  };

  std::span<const SeriesImpact> impacts_;
  std::optional<double> mass_, force_, gravity_;
  bool mass_known_;
  Collision reference_;
  std::vector<Group> groups_;
};

}  // namespace carom::detail
