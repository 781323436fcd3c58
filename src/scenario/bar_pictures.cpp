#include "bar_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr std::size_t max_frames = 800;

}  // namespace

void BarFilm::add(const BarSample& sample) {
  impulse_ += sample.impulse;
  if (--until_next_ > 0) return;
  until_next_ = stride_;
  Frame frame{
      sample.time, sample.q[1] - drop_.bar.radius, impulse_, bar_outline(drop_, sample.q), {}};
  const Eigen::Index last = frame.outline.cols() - 1;
  const Eigen::Vector2d along = (frame.outline.col(last) - frame.outline.col(0)).normalized();
  frame.deflection.resize(last + 1);
  for (Eigen::Index i = 0; i <= last; ++i) {
    const Eigen::Vector2d d = frame.outline.col(i) - frame.outline.col(0);
    frame.deflection[i] = along[0] * d[1] - along[1] * d[0];
  }
  frames_.push_back(std::move(frame));
  if (frames_.size() < max_frames) return;
  for (std::size_t i = 0; i < frames_.size() / 2; ++i) frames_[i] = std::move(frames_[2 * i]);
  frames_.resize(frames_.size() / 2);
  stride_ *= 2;
}

void BarFilm::archive(Archive& state) {
  state(frames_, stride_, until_next_, impulse_);
  state.require(frames_.size() < max_frames && stride_ > 0 && until_next_ > 0 &&
                until_next_ <= stride_);
  for (const Frame& frame : frames_) {
    state.require(frame.outline.cols() == frames_.front().outline.cols() &&
                  frame.outline.cols() == frame.deflection.size());
  }
}

std::vector<Picture> BarFilm::pictures(const BarDropResult& result) const {
  if (frames_.size() < 2) return {};
  return {landing(result), push(result), filmstrip(result), bending(result)};
}

std::pair<double, double> BarFilm::contact_window(const BarDropResult& result) const {
  const double first = result.first_impact_time.value_or(frames_.back().time);
  return {first - 0.1e-3, std::max(result.last_contact_time, first) + 0.5e-3};
}

/// The gap and the impacts around the contacts.
Picture BarFilm::landing(const BarDropResult& result) const {
  Panel panel{.title = "Gap of the tip", .x_label = "time [ms]", .y_label = "gap [µm]"};
  const auto [from, to] = contact_window(result);
  Series gap{.label = "gap", .x = {}, .y = {}};
  for (const Frame& frame : frames_) {
    if (frame.time < from || frame.time > to) continue;
    gap.x.push_back(1e3 * frame.time);
    gap.y.push_back(1e6 * frame.gap);
  }
  Series marks{.label = "impacts", .x = {}, .y = {}, .style = Series::Style::points};
  for (const double t : result.impact_times) {
    marks.x.push_back(1e3 * t);
    marks.y.push_back(0.0);
  }
  panel.series.push_back(std::move(gap));
  if (!marks.x.empty()) panel.series.push_back(std::move(marks));
  return {.name = "landing",
          .caption = fmt::format("{} micro-impact{} in {} contact interval{}.", result.impacts,
                                 result.impacts == 1 ? "" : "s", result.intervals.size(),
                                 result.intervals.size() == 1 ? "" : "s"),
          .panel = std::move(panel)};
}

/// What the floor has given so far, over the same time.
Picture BarFilm::push(const BarDropResult& result) const {
  const auto [from, to] = contact_window(result);
  Series sum{.label = "", .x = {}, .y = {}, .style = Series::Style::steps};
  for (const Frame& frame : frames_) {
    if (frame.time < from || frame.time > to) continue;
    sum.x.push_back(1e3 * frame.time);
    sum.y.push_back(1e3 * frame.impulse);
  }
  return {.name = "push",
          .caption = fmt::format("Impulse so far, {:.4g} mN s in all: impacts and sticking.",
                                 1e3 * frames_.back().impulse),
          .panel = {.title = "Push of the floor",
                    .x_label = "time [ms]",
                    .y_label = "impulse [mN s]",
                    .series = {std::move(sum)},
                    .key = Panel::Key::off}};
}

/// The bar side by side at seven instants, its bending magnified until it can be seen.
Picture BarFilm::filmstrip(const BarDropResult& result) const {
  constexpr int pictures = 7;
  const double first = result.first_impact_time.value_or(0.0);
  const double begin = std::max(0.0, first - 0.05e-3);
  const double end =
      std::min(frames_.back().time, std::max(first, result.last_contact_time) + 0.7e-3);
  double largest = 0.0;
  for (const Frame& frame : frames_) {
    if (frame.time >= begin && frame.time <= end) {
      largest = std::max(largest, frame.deflection.cwiseAbs().maxCoeff());
    }
  }
  const double magnify = largest > 0.0 ? std::max(1.0, 0.06 * drop_.bar.length / largest) : 1.0;
  const double lean = std::abs(std::cos(drop_.start.angle));
  const double apart = drop_.bar.length * (0.25 + 0.75 * lean);
  Panel panel{.title = fmt::format("The bar at seven instants, bending x {:.0f}", magnify),
              .x_label = "side by side [m]",
              .y_label = "height [m]",
              .equal_scales = true,
              .y_tick = 0.25 * drop_.bar.length,
              .key = Panel::Key::off};
  std::size_t next = 0;
  std::vector<std::string> times;
  Range sides{0.0, apart * (pictures - 1)};
  for (int k = 0; k < pictures; ++k) {
    const double t = begin + (end - begin) * k / (pictures - 1);
    while (next + 1 < frames_.size() && frames_[next].time < t) ++next;
    const Frame& frame = frames_[next];
    times.push_back(fmt::format("{:.3f}", 1e3 * frame.time));
    const Eigen::Index last = frame.outline.cols() - 1;
    const Eigen::Vector2d chord = frame.outline.col(last) - frame.outline.col(0);
    const Eigen::Vector2d along = chord.normalized(), across(-along[1], along[0]);
    Series bar{.label = "", .x = {}, .y = {}, .style = Series::Style::line_points, .colour = 0};
    for (Eigen::Index i = 0; i <= last; ++i) {
      const Eigen::Vector2d point =
          frame.outline.col(i) + (magnify - 1.0) * frame.deflection[i] * across;
      bar.x.push_back(apart * k + point[0] - frame.outline(0, 0));
      bar.y.push_back(point[1]);
      sides = {std::min(sides.first, bar.x.back()), std::max(sides.second, bar.x.back())};
    }
    panel.series.push_back(std::move(bar));
  }
  const double margin = 0.1 * drop_.bar.length;
  panel.x_range = Range{sides.first - margin, sides.second + margin};
  panel.series.push_back({.label = "",
                          .x = {panel.x_range->first, panel.x_range->second},
                          .y = {0.0, 0.0},
                          .style = Series::Style::dashes,
                          .colour = 1});
  return {.name = "filmstrip",
          .caption =
              fmt::format("Left to right at {} ms; the floor is dashed.", fmt::join(times, ", ")),
          .panel = std::move(panel)};
}

/// Deflection along the bar over time: bending waves as slanted bands.
Picture BarFilm::bending(const BarDropResult& result) const {
  const double first = result.first_impact_time.value_or(0.0);
  const double begin = std::max(0.0, first - 0.1e-3), end = first + 2.0e-3;
  Panel panel{.title = "Bending along the bar",
              .x_label = "time [ms]",
              .y_label = "from the tip [segments]"};
  HeatMap map{.x = {}, .y = {}, .z = {}, .label = "deflection [µm]"};
  std::vector<const Frame*> chosen;
  for (const Frame& frame : frames_) {
    if (frame.time >= begin && frame.time <= end) chosen.push_back(&frame);
  }
  if (chosen.size() < 2) {
    for (const Frame& frame : frames_) chosen.push_back(&frame);
  }
  for (const Frame* frame : chosen) map.x.push_back(1e3 * frame->time);
  for (int i = 0; i <= drop_.bar.segments; ++i) {
    map.y.push_back(i);
    for (const Frame* frame : chosen) map.z.push_back(1e6 * frame->deflection[i]);
  }
  panel.heat_map = std::move(map);
  return {.name = "bending",
          .caption = "Deflection across the line from tip to far end.",
          .panel = std::move(panel)};
}

}  // namespace carom
