#pragma once

#include <optional>
#include <string>

#include <carom/identify/identified.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// What pushes the body into the contact while it lasts; at most one of the two.
struct Push {
  std::optional<double> force{};    ///< [N]
  std::optional<double> gravity{};  ///< [m/s^2]
};

struct SearchedLaw {
  AnyLaw law;
  Collision collision;  ///< that it was found for
};

/// Any law whose parameters are numbers from one impact of known mass and speed, by a search on the
/// exact impact: for laws without a closed inverse, and for a push during contact. Restitution,
/// contact time and largest force are met to 1e-8; `given` are numbers of the law that are known.
/// Throws InvalidInput with what stays open or cannot be met.
SearchedLaw identify_by_search(const std::string& law, const FieldValues& given,
                               const Measurement& measured, const Push& push = {});

}  // namespace carom
