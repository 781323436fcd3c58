#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <carom/contacts/system_march.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

inline Eigen::VectorXd vector(std::initializer_list<double> values) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), x.begin());
  return x;
}

/// Goes to `until` and returns the impacts that ended on the way.
inline std::vector<SystemImpact> run(SystemMarch& system, double until) {
  std::vector<SystemImpact> all;
  march(system, until, [&](const SystemMarch& now) {
    if (now.sampled()) all.insert(all.end(), now.finished().begin(), now.finished().end());
    return now.status() == MarchStatus::going || now.status() == MarchStatus::at_rest;
  });
  system.finish();
  return all;
}

}  // namespace carom
