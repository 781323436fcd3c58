#pragma once

#include <optional>

#include <carom/identify/identified.hpp>

namespace carom {

/// One of several impacts of the same bodies.
struct TimedImpact {
  double speed;         ///< v_in [m/s], > 0
  double restitution;   ///< e, 0 < e < 1
  double contact_time;  ///< [s], > 0
};

/// Two impacts determine mu, n and (with the mass) k, and leave one number to test the model: under
/// Hunt-Crossley both restitutions come from the same mu.
struct TwoSpeeds {
  Identified law;       ///< at the first speed, with the common mu
  double first_mu;      ///< mu that the first restitution alone gives [s/m]
  double second_mu;     ///< mu that the second gives
  double mismatch;      ///< second_mu/first_mu - 1; zero if the model holds
  double first_check;   ///< restitution of the identified law at the first speed
  double second_check;  ///< and at the second
};
TwoSpeeds identify_two_speeds(const TimedImpact& first, const TimedImpact& second,
                              std::optional<double> mass = {});

}  // namespace carom
