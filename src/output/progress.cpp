#include <algorithm>
#include <cmath>
#include <unistd.h>

#include <fmt/format.h>

#include <carom/core/clock.hpp>
#include <carom/output/progress.hpp>

namespace carom {
namespace {

constexpr double silence = 1.0;         ///< [s] a short run says nothing
constexpr double between_lines = 10.0;  ///< [s] off a terminal

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "?";
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressLine::ProgressLine(std::string what, bool quiet)
    : what_(std::move(what)),
      quiet_(quiet),
      terminal_(isatty(2) == 1),
      start_(wall_now()),
      last_(start_) {}

void ProgressLine::update(const Progress& progress) {
  std::string detail;
  if (progress.simulated_time > 0) {
    detail = fmt::format("{:.3g} s simulated, {:.3g} s per second", progress.simulated_time,
                         progress.simulated_time / (wall_now() - start_));
  }
  update(progress.fraction, detail);
}

void ProgressLine::update(double fraction, const std::string& detail) {
  if (quiet_) return;
  const double time = wall_now(), elapsed = time - start_;
  if (elapsed < silence || (!terminal_ && time - last_ < between_lines)) return;
  last_ = time;
  fraction = std::clamp(fraction, 0.0, 1.0);
  std::string line = fmt::format("{} {:3.0f} %", what_, 100 * fraction);
  if (!detail.empty()) line += "  " + detail;
  if (fraction > 0.005) line += "  " + duration_text(elapsed * (1 / fraction - 1)) + " left";
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace carom
