#include "series_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <boost/math/interpolators/barycentric_rational.hpp>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>

namespace carom::detail {
namespace {

constexpr int node_count = 9;

double middle(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

SeriesModel::SeriesModel(std::span<const SeriesImpact> impacts, const FitSettings& settings)
    : impacts_(impacts),
      mass_(settings.mass),
      force_(settings.force),
      gravity_(settings.gravity),
      mass_known_(settings.mass || impacts.front().mass) {
  if (force_ && !mass_known_) throw InvalidInput("a force during contact needs the mass");
  std::vector<double> speeds, masses;
  std::map<double, std::vector<std::size_t>> by_mass;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    speeds.push_back(impacts[i].speed);
    masses.push_back(mass(i));
    by_mass[mass(i)].push_back(i);
  }
  reference_ = {.mass = middle(masses), .speed = middle(speeds)};
  reference_.force = force(reference_.mass);
  for (auto& [one_mass, members] : by_mass) {
    Group group{one_mass, std::move(members), {}};
    const auto [low, high] = std::minmax_element(
        group.members.begin(), group.members.end(),
        [&](std::size_t a, std::size_t b) { return impacts[a].speed < impacts[b].speed; });
    const double from = std::log(impacts[*low].speed), to = std::log(impacts[*high].speed);
    if (group.members.size() > node_count && to > from) {
      for (int k = 0; k < node_count; ++k) {
        const double c = -std::cos(std::numbers::pi * k / (node_count - 1));
        group.nodes.push_back((from + to) / 2 + c * (to - from) / 2);
      }
    }
    groups_.push_back(std::move(group));
  }
}

double SeriesModel::mass(std::size_t i) const {
  return impacts_[i].mass ? *impacts_[i].mass : mass_.value_or(1);
}

double SeriesModel::force(double mass) const {
  return force_.value_or(0) + mass * gravity_.value_or(0);
}

SeriesPoint SeriesModel::at(const AnyLaw& law, double mass, double speed) const {
  const Impact hit = carom::impact(law, {mass, speed, force(mass)});
  // A body that stays has no rebound and no end of contact: far from anything measured.
  if (!hit.releases) return {0, 1e3 * speed * mass / hit.max_force, hit.max_force};
  return {hit.restitution, hit.contact_time, hit.max_force};
}

std::vector<SeriesPoint> SeriesModel::all(const AnyLaw& law) const {
  std::vector<SeriesPoint> points(impacts_.size());
  for (const Group& group : groups_) {
    if (group.nodes.empty()) {
      for (const std::size_t i : group.members) points[i] = at(law, group.mass, impacts_[i].speed);
      continue;
    }
    std::vector<double> e, time, force;
    for (const double node : group.nodes) {
      const SeriesPoint point = at(law, group.mass, std::exp(node));
      e.push_back(point.restitution);
      time.push_back(std::log(point.contact_time));
      force.push_back(std::log(point.max_force));
    }
    using Curve = boost::math::barycentric_rational<double>;
    const auto curve = [&](const std::vector<double>& values) {
      return Curve(group.nodes.data(), values.data(), values.size(), node_count - 1);
    };
    const Curve e_curve = curve(e), time_curve = curve(time), force_curve = curve(force);
    for (const std::size_t i : group.members) {
      const double x = std::log(impacts_[i].speed);
      points[i] = {e_curve(x), std::exp(time_curve(x)), std::exp(force_curve(x))};
    }
  }
  return points;
}

}  // namespace carom::detail
