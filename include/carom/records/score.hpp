#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/records/record.hpp>

namespace carom {

/// One impact of a trajectory that another program computed, beside the exact one at the same
/// speed.
struct ScoredImpact {
  double time;  ///< of first touch [s]
  double speed_in, speed_out;
  double restitution, exact_restitution;
  double resolution;          ///< of the restitution, where an acceleration acts in flight
  double contact_time;        ///< [s], known to a sample at either end
  double exact_contact_time;  ///< [s]; 0 by Newton's law
  double max_compression;     ///< of the samples [m]
  double exact_max_compression;
  double energy_gain;   ///< kinetic energy at the end beyond that of the exact impact [J]
  double energy_ratio;  ///< kinetic energy after the impact / before it
  bool agrees;
};

struct TrajectoryScore {
  std::vector<ScoredImpact> impacts;
  double step;          ///< median interval of the samples [s]
  std::string verdict;  ///< "agrees", "differs" or "gains energy"
};

/// Scores `time`, `position` and `velocity` of a body of this mass [kg] that hits a wall at x = 0,
/// x > 0 inside. `law_at` is the law for an impact, where it depends on the speed of the first one.
/// `force` [N] pushes into the wall during contact. An impact agrees where restitution and contact
/// time are within 1 % and what the samples resolve. Throws InvalidInput, naming the file, when
/// there is no such trajectory in it, or no impact.
TrajectoryScore score_trajectory(const std::filesystem::path& file,
                                 const std::function<LawChoice(const Collision&)>& law_at,
                                 double mass, double force = 0, const ReadOptions& options = {});

/// The same of columns in memory.
TrajectoryScore score_trajectory(const std::vector<double>& time,
                                 const std::vector<double>& position,
                                 const std::vector<double>& velocity,
                                 const std::function<LawChoice(const Collision&)>& law_at,
                                 double mass, double force = 0);

}  // namespace carom
