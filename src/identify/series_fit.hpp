#pragma once

#include <functional>
#include <string>
#include <vector>

#include "candidate.hpp"
#include "series_model.hpp"

namespace carom::detail {

/// Standard deviations of the residuals of one impact.
struct SeriesSpread {
  double restitution = 1, log_time = 1, log_force = 1;
};

/// A series of impacts as a problem of least squares, for any law.
class SeriesFit {
 public:
  SeriesFit(std::span<const SeriesImpact> impacts, const FitSettings& settings);
  SeriesFit(const SeriesFit&) = delete;  // candidates point to it
  SeriesFit& operator=(const SeriesFit&) = delete;

  const SeriesModel& model() const { return model_; }
  int values() const { return static_cast<int>(model_.size()) * kinds_.count(); }
  bool restitution_only() const { return kinds_.restitution && kinds_.count() == 1; }

  Candidate candidate(const std::string& law) const;
  /// The same restitution at every speed: what remains when nothing else was measured.
  Candidate constant_restitution() const;

  /// Laws that begin near the data: for several exponents, at the middle of what was measured.
  std::vector<AnyLaw> starts(const LawFamily& family) const;

  /// Weights from the best fit so far: the errors of the speeds carried over to what is predicted
  /// from them; without standard deviations the scatter of each kind of number.
  void weigh(const Candidate& best);

  /// What a series like this one, over two decades of speed, says nothing about, by what changes at
  /// a typical law: as many numbers as nothing depends on are held there. Without the mass nothing
  /// is known that depends on it.
  void hold_what_does_not_matter(Candidate& candidate, const AnyLaw& typical) const;

  /// rms in standard deviations where these were given, else of the numbers themselves.
  double misfit(const Candidate& candidate) const;

  /// Why data with this objective are not described, in words; empty where they are. With known
  /// noise by the sum of squares; without it against a parabola over ln(speed) for each kind.
  std::string lack_of_fit(int parameters, double misfit, double objective) const;

 private:
  void prepare(Candidate& out) const;
  void search_in(Candidate& out, const LawFamily& family) const;
  void residuals(const AnyLaw& law, Eigen::VectorXd& r) const;
  void weigh_kinds(const Candidate& best);
  double smooth_objective() const;

  FitSettings settings_;
  SeriesModel model_;
  std::vector<SeriesSpread> spreads_;
  SeriesKinds kinds_;
  bool weighted_ = false;
};

}  // namespace carom::detail
