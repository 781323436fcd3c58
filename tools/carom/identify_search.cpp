#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/json.hpp>

#include "identify_command.hpp"
#include "table.hpp"

namespace carom::cli {

SearchedLaw searched_law(const IdentifyOptions& options) {
  const std::string& name = options.law.law;
  if (name == "constant-restitution" || options.formula != "exact") {
    throw InvalidInput(
        fmt::format("--law {} --formula {}: nothing to search for", name, options.formula));
  }
  FieldValues given = options.law.values();
  given.erase("restitution");
  return carom::identify_by_search(name, given,
                                   {.mass = options.mass,
                                    .speed = options.speed,
                                    .restitution = options.law.number("restitution"),
                                    .contact_time = options.contact_time,
                                    .max_force = options.max_force,
                                    .max_compression = options.max_compression},
                                   {options.force, options.gravity});
}

int identify_by_search(const IdentifyOptions& options) {
  const auto [law, collision] = searched_law(options);
  const Impact hit = impact(law, collision);
  draw_impact(law, collision, options.plot);
  if (options.json) {
    print_json({{"law", to_json(law, collision)},
                {"check",
                 {{"restitution", json_number(hit.restitution)},
                  {"contact_time", json_number(hit.contact_time)},
                  {"max_force", json_number(hit.max_force)},
                  {"max_compression", json_number(hit.max_compression)}}},
                {"problem", "one impact, by search"},
                {"formula", "exact"}});
    return 0;
  }
  fmt::print("{} by exact\n  {}\n", options.law.law, describe(law, collision));
  fmt::print("an impact under this law gives back\n");
  print_rows({{"restitution", short_number(hit.restitution)},
              {"contact time", short_number(hit.contact_time), "s"},
              {"largest force", short_number(hit.max_force), "N"},
              {"largest compression", short_number(hit.max_compression), "m"}});
  return 0;
}

}  // namespace carom::cli
