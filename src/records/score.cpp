#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/records/score.hpp>

#include "text_file.hpp"

namespace carom {
namespace {

constexpr double agreement = 0.01;

/// The samples, and the constant acceleration of free flight between two of them.
struct Trajectory {
  const std::vector<double>&t, &x, &v;

  std::size_t size() const { return t.size(); }
  double slope(std::size_t i) const { return (v[i + 1] - v[i]) / (t[i + 1] - t[i]); }
};

/// A turn of the velocity away from the wall, from the last free sample before to the first after.
struct Turn {
  std::size_t before, after;
};

void check_samples(const Trajectory& path) {
  if (path.size() < 4) throw InvalidInput("has fewer than 4 samples");
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!std::isfinite(path.t[i] + path.x[i] + path.v[i]))
      throw InvalidInput(
          fmt::format("sample {}: time, position and velocity must be numbers", i + 1));
    if (i > 0 && !(path.t[i] > path.t[i - 1]))
      throw InvalidInput(fmt::format("sample {}: time {} does not follow {}", i + 1,
                                     number_text(path.t[i]), number_text(path.t[i - 1])));
  }
  // Positions and velocities that have nothing to do with each other are no trajectory.
  double travelled = 0, missed = 0;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const double h = path.t[i + 1] - path.t[i], low = std::min(path.v[i], path.v[i + 1]) * h,
                 high = std::max(path.v[i], path.v[i + 1]) * h, way = path.x[i + 1] - path.x[i];
    travelled += std::abs(way);
    missed += std::max({0.0, low - way, way - high});
  }
  if (missed > 0.3 * travelled)
    throw InvalidInput(
        "position and velocity contradict each other: velocity must be the rate of "
        "position, > 0 towards the wall");
}

/// Where the velocity turns from towards the wall to away from it.
std::vector<Turn> turns_of(const Trajectory& path) {
  std::vector<Turn> turns;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (!(path.v[i] > 0 && path.v[i + 1] <= 0)) continue;
    std::size_t before = i, after = i + 1;
    while (before > 0 && path.x[before] > 0) --before;
    while (after + 1 < path.size() && path.x[after] > 0) ++after;
    // A body that turns without having reached the wall is thrown, not hit.
    const double reach = path.x[before] + path.v[before] * (path.t[before + 1] - path.t[before]);
    const bool touched = before != i || reach >= 0 || after != i + 1;
    if (!touched || path.x[before] > 0) continue;
    if (!turns.empty() && turns.back().before == before) {
      turns.back().after = after;  // still the same contact
    } else {
      turns.push_back({before, after});
    }
  }
  return turns;
}

/// Nothing where the samples end before the contact does.
std::optional<ScoredImpact> scored(const Trajectory& path, const Turn& turn) {
  const auto [i, j] = turn;
  // Free flight has a constant acceleration; the interval before the last free sample shows it.
  const double before = i > 0 ? path.slope(i - 1) : 0.0,
               after = j + 1 < path.size() ? path.slope(j) : 0.0;
  const double onset = path.t[i] + std::max(0.0, -path.x[i] / path.v[i]);
  ScoredImpact hit{};
  hit.time = std::min(onset, path.t[i + 1]);
  hit.speed_in = path.v[i] + before * (hit.time - path.t[i]);
  // The force has ended in the last interval in which the velocity changed more than in flight.
  double largest = 0;
  for (std::size_t k = i; k < j; ++k)
    largest = std::max(largest, std::abs(path.v[k + 1] - path.v[k]));
  std::size_t last = i;
  for (std::size_t k = i; k < j; ++k) {
    const double free = after * (path.t[k + 1] - path.t[k]);
    if (std::abs(path.v[k + 1] - path.v[k] - free) > 1e-6 * largest) last = k;
  }
  if (path.x[j] > 0 && last + 1 == j) return {};
  hit.speed_out = -path.v[last + 1];
  hit.contact_time = path.t[last + 1] - hit.time;
  for (std::size_t k = i; k <= j; ++k)
    hit.max_compression = std::max(hit.max_compression, path.x[k]);
  // What flight alone changes within the samples at either end.
  hit.resolution = (std::abs(before) * (path.t[i + 1] - path.t[i]) +
                    std::abs(after) * (path.t[last + 1] - path.t[last])) /
                   hit.speed_in;
  hit.restitution = hit.speed_out / hit.speed_in;
  hit.energy_ratio = hit.restitution * hit.restitution;
  return hit;
}

}  // namespace

TrajectoryScore score_trajectory(const std::vector<double>& time,
                                 const std::vector<double>& position,
                                 const std::vector<double>& velocity,
                                 const std::function<LawChoice(const Collision&)>& law_at,
                                 double mass, double force) {
  require_positive("mass", mass);
  const Trajectory path{time, position, velocity};
  check_samples(path);
  const std::vector<Turn> turns = turns_of(path);
  if (turns.empty())
    throw InvalidInput(
        "no impact: nowhere does the velocity turn from > 0 to < 0 at the wall, x = 0, x > 0 "
        "inside");
  TrajectoryScore score;
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < time.size(); ++i) steps.push_back(time[i + 1] - time[i]);
  std::nth_element(steps.begin(), steps.begin() + long(steps.size() / 2), steps.end());
  score.step = steps[steps.size() / 2];
  std::optional<LawChoice> law;
  bool all = true, gains = false;
  for (const Turn& turn : turns) {
    const std::optional<ScoredImpact> found = scored(path, turn);
    if (!found) continue;
    ScoredImpact hit = *found;
    const Collision collision{mass, hit.speed_in, force};
    if (!law) law = law_at(collision);
    if (const auto* newton = std::get_if<NewtonRestitution>(&*law)) {
      hit.exact_restitution = newton->restitution;
    } else {
      const Impact exact = impact(std::get<AnyLaw>(*law), collision);
      hit.exact_restitution = exact.releases ? exact.restitution : 0.0;
      hit.exact_contact_time = exact.contact_time;
      hit.exact_max_compression = exact.max_compression;
    }
    const double kinetic = 0.5 * mass * hit.speed_in * hit.speed_in;
    hit.energy_gain = kinetic * (hit.energy_ratio - hit.exact_restitution * hit.exact_restitution);
    const bool impulsive = std::holds_alternative<NewtonRestitution>(*law);
    hit.agrees = std::abs(hit.restitution - hit.exact_restitution) <= agreement + hit.resolution &&
                 (impulsive || std::abs(hit.contact_time - hit.exact_contact_time) <=
                                   agreement * hit.exact_contact_time + 2 * score.step);
    all = all && hit.agrees;
    gains = gains || hit.energy_ratio > 1 + 1e-9;
    score.impacts.push_back(hit);
  }
  if (score.impacts.empty())
    throw InvalidInput("no whole impact: the samples end before the contact does");
  score.verdict = gains && !all ? "gains energy" : all ? "agrees" : "differs";
  return score;
}

TrajectoryScore score_trajectory(const std::filesystem::path& file,
                                 const std::function<LawChoice(const Collision&)>& law_at,
                                 double mass, double force, const ReadOptions& options) {
  try {
    const Record record = read_record(file, options);
    if (record.runs.size() != 1)
      throw InvalidInput(fmt::format("holds {} runs; choose one with --run", record.runs.size()));
    const RecordRun& run = record.runs.front();
    const RecordColumn *time = run.find("time"), *position = run.find("height"),
                       *velocity = run.find("speed");
    if (time == nullptr || position == nullptr || velocity == nullptr) {
      std::vector<std::string> titles;
      for (const RecordColumn& column : run.columns) titles.push_back("'" + column.title + "'");
      throw InvalidInput(
          fmt::format("needs columns time, position and velocity; it has {}; --columns names them",
                      fmt::join(titles, ", ")));
    }
    return score_trajectory(time->values, position->values, velocity->values, law_at, mass, force);
  } catch (const InvalidInput& error) {
    const std::string what = error.what();
    if (what.find(file.string()) != std::string::npos) throw;
    throw InvalidInput(fmt::format("{}: {}", file.string(), what));
  }
}

}  // namespace carom
