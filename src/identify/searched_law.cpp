#include <array>

#include <carom/core/error.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/identify/searched_law.hpp>

namespace carom {

SearchedLaw identify_by_search(const std::string& law, const FieldValues& given,
                               const Measurement& measured, const Push& push) {
  if (measured.max_compression) {
    throw InvalidInput("max_compression = " + number_text(*measured.max_compression) +
                       ": this law is found from restitution, contact_time and max_force");
  }
  for (const auto& [name, value] :
       {std::pair{"mass", &measured.mass}, {"speed", &measured.speed}}) {
    if (!*value) throw InvalidInput("cannot identify " + law + ": missing " + name);
  }
  const FitSettings settings{.law = law,
                             .given = given,
                             .mass = measured.mass,
                             .force = push.force,
                             .gravity = push.gravity,
                             .rank = false};
  const std::array data{SeriesImpact{.speed = *measured.speed,
                                     .restitution = measured.restitution,
                                     .contact_time = measured.contact_time,
                                     .max_force = measured.max_force}};
  const Identification found = identify_series(data, settings);
  const LawFit& fit = found.law();
  std::string open;
  for (const FittedNumber& one : fit.numbers) {
    if (one.status == FittedNumber::Status::open ||
        one.status == FittedNumber::Status::out_of_reach)
      open += (open.empty() ? "" : ", ") + one.name;
  }
  if (!open.empty()) {
    throw InvalidInput("cannot identify " + law + ": " + open +
                       " stays open; give it, or one more of restitution, contact_time, max_force");
  }
  // One impact, no noise: it is met or it is not.
  constexpr double met = 1e-8;
  if (!(fit.misfit < met)) {
    throw InvalidInput("contradictory: no " + law + " has all of these (closest miss " +
                       number_text(fit.misfit) + ")");
  }
  return {*fit.fitted, found.reference};
}

}  // namespace carom
