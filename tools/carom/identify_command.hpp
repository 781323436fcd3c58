#pragma once

#include <string>

#include <carom/identify/identified.hpp>
#include <carom/scenario/schema.hpp>

#include "law_flags.hpp"

/// What the files of `carom identify` share.
namespace carom::cli {

struct IdentifyOptions {
  std::string data;
  LawFlags law;
  std::optional<double> mass, speed, contact_time, max_force, max_compression, gravity;
  std::optional<double> second_speed, second_restitution, second_contact_time;
  std::string formula = "exact", plot;
  bool costs = false, json = false;
};

/// A number that the problem determines or not: null in JSON.
Json json_or_null(const std::optional<double>& value);
Json identified_json(const Identified& found, bool damper);
void print_identified(const Identified& found, bool damper);
/// `--plot`: an impact under the identified law; nothing without a file.
void draw_identified(const Identified& found, bool damper, const std::string& file);

/// `carom identify FILE`: exit code 0, or 1 when the fit did not converge.
int identify_data(const IdentifyOptions& options);

}  // namespace carom::cli
