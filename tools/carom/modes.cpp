#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/output/json.hpp>
#include <carom/records/mode_file.hpp>

#include "commands.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct ModesOptions {
  std::string file, output;
  std::optional<double> mass, lowest, highest, weakest, blow;
  std::optional<long> modes;
  bool json = false;
};

ReadModesOptions reading_of(const ModesOptions& options) {
  ReadModesOptions out;
  out.mass = options.mass.value_or(1);
  require_positive("--mass", out.mass);
  ModesSettings& settings = out.settings;
  settings.lowest = options.lowest.value_or(settings.lowest);
  settings.highest = options.highest.value_or(settings.highest);
  settings.weakest = options.weakest.value_or(settings.weakest);
  settings.blow = options.blow.value_or(settings.blow);
  require_positive("--lowest", settings.lowest);
  require_not_negative("--highest", settings.highest);
  require_within("--weakest", settings.weakest, -140, 0);
  require_within("--blow", settings.blow, 0, 1);
  require_within("--modes", double(options.modes.value_or(1)), 1, 10000);
  settings.modes = int(options.modes.value_or(settings.modes));
  return out;
}

int run_modes(const ModesOptions& options) {
  if (options.file.empty()) throw InvalidInput("missing: FILE");
  const ModeTable table = read_modes(options.file, reading_of(options));
  if (!options.output.empty()) write_file(options.output, table.csv());
  if (options.json) {
    Json modes = Json::array();
    for (const std::vector<double>& row : table.rows) {
      Json mode;
      for (std::size_t i = 0; i < row.size(); ++i) mode[table.columns[i]] = json_number(row[i]);
      modes.push_back(std::move(mode));
    }
    print_json({{"origin", table.origin}, {"modes", std::move(modes)}, {"notes", table.notes}});
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  constexpr std::size_t shown = 10;  // shapes at many nodes are for the file
  const std::size_t columns = std::min(shown, table.columns.size());
  for (const std::vector<double>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns; ++i) cells.push_back(short_number(row[i]));
    rows.push_back(std::move(cells));
  }
  fmt::print("{} modes ({})\n", table.rows.size(), table.origin);
  print_table({table.columns.begin(), table.columns.begin() + long(columns)}, rows);
  if (!options.output.empty()) fmt::print(stderr, "table: {}\n", options.output);
  return 0;
}

}  // namespace

Command modes_command() {
  const auto options = std::make_shared<ModesOptions>();
  return {
      .name = "modes",
      .summary = "find the modes of a struck object from a recording or another program's table",
      .flags = {{"file", "FILE",
                 "a recording of a blow; a table of frequency with t60 and gain; a universal "
                 "file (55, 58)",
                 &options->file},
                {"--output",
                 "MODES.csv",
                 "write the table that scenarios of kind strike and body take",
                 &options->output,
                 {},
                 {},
                 "-o"},
                {"--mass", "kg", "modal mass of every mode where the file has none; by default 1",
                 &options->mass},
                {"--lowest", "Hz", "lowest frequency; by default 20", &options->lowest},
                {"--highest", "Hz", "highest frequency; by default 0.45 of the rate",
                 &options->highest},
                {"--weakest", "dB", "weakest mode, relative to the strongest; by default -60",
                 &options->weakest},
                {"--modes", "N", "keep at most this many, the strongest; by default 100",
                 &options->modes},
                {"--blow", "s",
                 "time skipped after the onset, while the blow lasts; by default 0.002",
                 &options->blow},
                {"--json", "", "one JSON document on stdout", &options->json}},
      .run = [options] { return run_modes(*options); },
      .examples =
          "  carom modes bell.wav -o modes.csv\n"
          "  carom modes measured.uff --json\n"};
}

}  // namespace carom::cli
