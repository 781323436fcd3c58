#include "refinement.hpp"

#include <algorithm>
#include <string>

#include <carom/core/error.hpp>

namespace carom {

const Field* run_field(const Kind& kind, const char* name) {
  for (const Table& table : kind.tables) {
    if (table.name == "run") return find_field(table, name);
  }
  return nullptr;
}

void refine(const Scenario& scenario, const Kind& kind, int times,
            std::vector<Override>& overrides) {
  if (times == 1) return;
  if (run_field(kind, "rate") != nullptr) {
    overrides.push_back({"run.rate", number_text(scenario.number("run.rate") * times)});
  } else if (run_field(kind, "step") != nullptr) {
    overrides.push_back({"run.step", number_text(scenario.number("run.step") / times)});
  } else {
    throw InvalidInput("kind '" + kind.name + "' has neither run.rate nor run.step");
  }
  if (scenario.has("output.every")) {
    overrides.push_back(
        {"output.every", std::to_string(scenario.whole_number("output.every") * times)});
  }
}

double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at) {
  const auto right = std::lower_bound(x.begin(), x.end(), at);
  if (right == x.begin()) return y.front();
  if (right == x.end()) return y.back();
  const auto i = static_cast<std::size_t>(right - x.begin());
  const double part = (at - x[i - 1]) / (x[i] - x[i - 1]);
  return y[i - 1] + part * (y[i] - y[i - 1]);
}

}  // namespace carom
