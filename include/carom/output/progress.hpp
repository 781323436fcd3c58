#pragma once

#include <cstdio>
#include <string>

#include <carom/scenario/run_context.hpp>

namespace carom {

/// One line with percentage, rate and time left on stderr: rewritten in place on a terminal from
/// the second second on; elsewhere a plain line at most every ten seconds.
class ProgressLine {
 public:
  /// `what` is named in the line. `quiet`: say nothing.
  ProgressLine(std::string what, bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const Progress& progress);
  /// The same with something else to say between percentage and time left.
  void update(double fraction, const std::string& detail);
  void clear();  ///< removes the line from the terminal

 private:
  std::string what_;
  bool quiet_, terminal_, drawn_ = false;
  double start_, last_;
};

/// "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace carom
