#include "modal_film.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr std::size_t frames_a_period = 36, periods_filmed = 3;
constexpr std::size_t filmed = frames_a_period * periods_filmed + 1;

template <class Numbers>
std::vector<double> in_millimetres(const Numbers& metres) {
  std::vector<double> result;
  for (const double value : metres) result.push_back(1e3 * value);
  return result;
}

std::vector<double> seen(const SideView& view, const Eigen::VectorXd& position) {
  return in_millimetres(Eigen::VectorXd(view.shapes * position));
}

double lowest_frequency(const ModalProblem& problem) {
  double lowest = problem.rate;
  for (const Mode& mode : problem.body.modes) {
    if (mode.frequency > 0) lowest = std::min(lowest, mode.frequency);
  }
  return lowest;
}

}  // namespace

ModalFilm::ModalFilm(const ModalSetup& setup)
    : view_(setup.view),
      interval_(std::max(
          1LL, static_cast<long long>(setup.problem.rate / lowest_frequency(setup.problem) /
                                      frames_a_period))) {}

bool ModalFilm::filming() const noexcept { return !view_.x.empty() && frames_.size() < filmed; }

void ModalFilm::take(double time, const Eigen::VectorXd& position) {
  if (filming()) frames_.emplace_back(time, position);
}

Film ModalFilm::film() const {
  Film film{.name = "film",
            .title = "In motion",
            .caption = "The first periods of the lowest mode" + view_.where +
                       (view_.mark_x.empty() ? "." : ", obstacles as discs."),
            .x_label = "x [m]",
            .y_label = "displacement [mm]",
            .x = view_.x,
            .mark_x = view_.mark_x,
            .mark_y = in_millimetres(view_.mark_height),
            .ball_x = view_.hammer_x.value_or(0)};
  for (const auto& [time, position] : frames_) {
    film.times.push_back(time);
    film.frames.push_back(seen(view_, position));
    if (view_.hammer_x) film.ball_y.push_back(1e3 * position[position.size() - 1]);
  }
  return film;
}

Picture ModalFilm::picture() const {
  const bool marked = !view_.mark_x.empty();
  const std::size_t shown = std::min(frames_.size(), frames_a_period);
  Panel panel{.title = marked ? "The body over its obstacles" : "The body in motion",
              .x_label = "x [m]",
              .y_label = "displacement [mm]",
              .key = Panel::Key::right};
  for (std::size_t k = 0; k < shown; k += 6) {
    const auto& [time, position] = frames_[k];
    panel.series.push_back(
        {.label = fmt::format("{:.3g} ms", 1e3 * time), .x = view_.x, .y = seen(view_, position)});
  }
  if (marked) {
    panel.series.push_back({.label = "obstacles",
                            .x = view_.mark_x,
                            .y = in_millimetres(view_.mark_height),
                            .style = Series::Style::points});
  }
  return {.name = "body",
          .caption = fmt::format(
              "Snapshots from 0 to {:.3g} ms, over the first period of the lowest "
              "mode{}{}.",
              1e3 * frames_[shown - 1].first, view_.where, marked ? "; obstacles as dots" : ""),
          .panel = std::move(panel)};
}

}  // namespace carom
