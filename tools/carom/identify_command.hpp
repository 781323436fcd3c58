#pragma once

#include <string>
#include <vector>

#include <carom/identify/searched_law.hpp>
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

/// "a,b,c" as its entries.
std::vector<std::string> listed(const std::string& text);

/// `--plot`: an impact under this law; nothing without a file.
void draw_impact(const AnyLaw& law, const Collision& collision, const std::string& file);

/// Throws InvalidInput with the flag, its value and the reason when it was given.
void refuse_flag(const char* flag, const std::optional<double>& value, const char* reason);

/// `carom identify FILE`: exit code 0 where every law was accepted, else 1.
int identify_data(const IdentifyOptions& options);

/// The law that one impact given by numbers fixes: exactly, or by search. Throws InvalidInput with
/// what is missing.
AnyLaw measured_law(const IdentifyOptions& options);

/// The law that one impact given by numbers fixes, found by search, and the collision it holds for.
SearchedLaw searched_law(const IdentifyOptions& options);

/// One impact given by numbers, for laws and circumstances without a closed inverse: any law, a
/// force during contact.
int identify_by_search(const IdentifyOptions& options);

}  // namespace carom::cli
