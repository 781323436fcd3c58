#pragma once

#include <string>
#include <vector>

#include <carom/identify/identified.hpp>
#include <carom/scenario/schema.hpp>

#include "law_flags.hpp"

/// What the files of `carom identify` share.
namespace carom::cli {

struct IdentifyOptions {
  std::string data;
  LawFlags law;  ///< its name is empty where none was asked for
  std::optional<double> mass, speed, contact_time, max_force, max_compression, gravity, force;
  std::optional<double> second_speed, second_restitution, second_contact_time;
  std::optional<long> run;
  std::string formula = "exact", plot, report, output, columns, units;
  bool costs = false, json = false, dry_run = false;
};

/// `--plot`: an impact under this law; nothing without a file.
void draw_impact(const AnyLaw& law, const Collision& collision, const std::string& file);

/// Throws InvalidInput with the flag, its value and the reason when it was given.
void refuse_flag(const char* flag, const std::optional<double>& value, const char* reason);

/// `carom identify FILE`: exit code 0 where every law was accepted, else 1.
int identify_data(const IdentifyOptions& options);

/// One impact given by numbers, for laws and circumstances without a closed inverse: any law, a
/// force during contact.
int identify_by_search(const IdentifyOptions& options);

}  // namespace carom::cli
