#include <algorithm>
#include <cmath>
#include <numeric>

#include <carom/core/error.hpp>
#include <carom/core/least_squares.hpp>
#include <carom/identify/recording.hpp>

namespace carom {
namespace {

/// Variances of a restitution: one that is the body's own, and one of a time (see `lever`).
struct Scatter {
  double own, time;
};

/// How the errors of three times act on a ratio of flights: var(e) = lever var(time).
double lever(double e, double flight) { return 2 * (1 + e + e * e) / (flight * flight); }

/// Both variances from what a parabola over the flights leaves, each at least zero.
Scatter scatter_of(const std::vector<double>& flights, const std::vector<double>& e,
                   double timing) {
  const auto n = static_cast<Eigen::Index>(e.size());
  const double least = timing * timing;
  if (n < 6) return {0, least};
  Eigen::MatrixXd powers(n, 3), parts(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double x = std::log(flights[std::size_t(i)] / flights.front());
    powers.row(i) << 1, x, x * x;
    parts.row(i) << 1, lever(e[std::size_t(i)], flights[std::size_t(i)]);
  }
  const Eigen::Map<const Eigen::VectorXd> y(e.data(), n);
  const Eigen::VectorXd left = y - powers * linear_fit(powers, y);
  const Eigen::VectorXd squares =
      left.cwiseAbs2() * (static_cast<double>(n) / static_cast<double>(n - 3));
  const Eigen::Vector2d both = linear_fit(parts, squares);
  if (both[1] < least) return {std::max(squares.mean() - parts.col(1).mean() * least, 0.0), least};
  if (both[0] < 0) return {0, std::max(squares.sum() / parts.col(1).sum(), least)};
  return {both[0], both[1]};
}

}  // namespace

FittedBounces identify_bounces(const BounceChain& chain, double timing,
                               const FitSettings& settings) {
  require_positive("timing", timing);
  const double gravity = settings.gravity.value_or(9.81);
  require_positive("gravity", gravity);
  FittedBounces out{
      .laws = {}, .chain = chain, .impact_times = {}, .impacts = {}, .restitution = 0};
  std::vector<double> flights, ratios;
  for (std::size_t i = 1; i + 1 < chain.times.size(); ++i) {
    if (chain.after_gap[i] || chain.after_gap[i + 1]) continue;
    const double before = chain.times[i] - chain.times[i - 1],
                 behind = chain.times[i + 1] - chain.times[i];
    flights.push_back(before);
    ratios.push_back(behind / before);
    out.impact_times.push_back(chain.times[i]);
  }
  if (flights.size() < 2)
    throw InvalidInput("fewer than two bounces have whole flights around them");
  const Scatter scatter = scatter_of(flights, ratios, timing);
  double weights = 0;
  for (std::size_t i = 0; i < flights.size(); ++i) {
    const double variance = scatter.own + scatter.time * lever(ratios[i], flights[i]);
    out.impacts.push_back({.speed = gravity * flights[i] / 2,
                           .restitution = std::min(ratios[i], 1.1),
                           .speed_sd = gravity * std::sqrt(scatter.time / 2),
                           .restitution_sd = std::sqrt(variance)});
    out.restitution += ratios[i] / variance;
    weights += 1 / variance;
  }
  out.restitution /= weights;
  FitSettings flight = settings;
  flight.gravity.reset();  // it made the speeds; contacts are short beside flights
  flight.relative_deviations = true;
  out.laws = identify_series(out.impacts, flight);
  return out;
}

std::vector<Onset> track_bounces(std::span<const double> times, std::span<const double> heights) {
  if (times.size() != heights.size())
    throw InvalidInput("times and heights: must have the same length");
  for (std::size_t i = 0; i < times.size(); ++i) {
    require_finite("time", times[i]);
    require_finite("height", heights[i]);
    if (i > 0 && !(times[i] > times[i - 1])) throw InvalidInput("times must increase");
  }
  if (times.size() < 8) throw InvalidInput("a track needs at least 8 points");
  const double floor = *std::min_element(heights.begin(), heights.end());
  const double top = *std::max_element(heights.begin(), heights.end());
  // Flights: stretches above a fiftieth of the height, of five points or more, each a parabola.
  const double least = floor + 0.02 * (top - floor);
  struct Parabola {
    double rise, fall;
  };
  std::vector<Parabola> flights;
  for (std::size_t begin = 0; begin < times.size();) {
    if (!(heights[begin] > least)) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < times.size() && heights[end] > least) ++end;
    if (end - begin >= 5) {
      const double origin = times[begin], span = times[end - 1] - origin;
      Eigen::MatrixXd powers(long(end - begin), 3);
      Eigen::VectorXd y(long(end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        const double x = (times[i] - origin) / span;
        powers.row(long(i - begin)) << 1, x, x * x;
        y[long(i - begin)] = heights[i] - floor;
      }
      const Eigen::Vector3d c = linear_fit(powers, y);
      const double root = std::sqrt(c[1] * c[1] - 4 * c[2] * c[0]);
      if (c[2] < 0 && std::isfinite(root)) {
        flights.push_back({origin + span * (-c[1] + root) / (2 * c[2]),
                           origin + span * (-c[1] - root) / (2 * c[2])});
      }
    }
    begin = end;
  }
  if (flights.size() < 3)
    throw InvalidInput("the track has fewer than three flights between bounces");
  // One flight ends where the next begins: their mean, and the ends of the first and last.
  std::vector<Onset> out;
  const bool drops_in = heights.front() > least, flies_out = heights.back() > least;
  if (!drops_in) out.push_back({flights.front().rise});
  for (std::size_t i = 0; i + 1 < flights.size(); ++i)
    out.push_back({(flights[i].fall + flights[i + 1].rise) / 2});
  if (!flies_out) out.push_back({flights.back().fall});
  return out;
}

}  // namespace carom
