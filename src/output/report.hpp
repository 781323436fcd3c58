#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures.hpp"
#include "summary.hpp"

namespace carom {

/// Everything the page shows.
struct ReportContents {
  const Scenario* scenario;
  const Kind* kind;
  const RunOutcome* outcome;
  const Json* summary;
  std::vector<Advice> advice = {};
  std::vector<DrawnPicture> pictures = {};
  std::string motion = {};            ///< a section that plays the signals
  std::vector<KeyNumber> heard = {};  ///< pitch and decay of the sound
  std::string sound_data = {};        ///< a data: URL; empty for no sound
  bool sound_is_whole = true;         ///< false: only its first part is in the page
  std::string scenario_text = {};     ///< the file as it was read
  std::string command = {};           ///< to run it again
  std::vector<std::string> files = {};
};

/// report.html: one page that stands alone. No outside links; its
/// scripts draw plots and films from what is in the page.
std::string report_page(const ReportContents& contents);

/// The style sheet of that page, for others that look like it.
std::string_view report_style();

/// data:TYPE;base64,...
std::string data_url(const std::string& type, const std::string& bytes);

}  // namespace carom
