#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <carom/identify/modes.hpp>

namespace carom {

/// A table of modes as the kinds strike and body and bodies of assemblies read it: the columns
/// frequency [Hz, undamped], damping [1/s], mass [kg] and shapes (hit and heard, or point_1, ...),
/// and what else is known.
struct ModeTable {
  std::string origin;  ///< "recording", "table", "universal file, dataset 55", ...
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  std::vector<std::string> notes = {};  ///< one line each, written as comments

  std::string csv() const;
};

struct ReadModesOptions {
  ModesSettings settings = {};
  double mass = 1;  ///< of every mode [kg], where the file does not say
};

/// The modes of a file: of a recording (sound, or a text with time and one signal), found in it; of
/// a table of frequency with t60, damping or damping ratio and gain; of a universal file: modes
/// (dataset 55), or a measured response (dataset 58, in time or as a frequency response). Throws
/// InvalidInput that names the file when it is none of these, or nothing rings in it.
ModeTable read_modes(const std::filesystem::path& file, const ReadModesOptions& options = {});

}  // namespace carom
