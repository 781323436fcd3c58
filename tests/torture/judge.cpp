#include "judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <carom/core/interrupt.hpp>
#include <carom/output/recorded_run.hpp>
#include <carom/scenario/workload.hpp>

namespace carom::torture {
namespace {

/// The ledger adds up to rounding: each of some 1e5 steps rounds four sums, by 1e-16 each.
constexpr double closed = 1e-9;

/// Methods whose contacts are computed to a tolerance, and how far their rebound may be from the
/// exact one: the collocation stops at 1e-10 a step, and an impact is a few hundred of them.
const std::set<std::string> accurate{"exact", "passive", "event-driven"};
constexpr double agreed = 1e-6;

/// The rebound of a single impact against the closed form or collocation that `carom impact` gives.
double disagreement(const Json& results) {
  if (!results.contains("exact") || !results.contains("impacts")) return 0;
  const Json& impacts = results.at("impacts");
  if (impacts.size() != 1 || !accurate.contains(results.value("method", ""))) return 0;
  const Json& exact = results.at("exact").at("rebound_speed");
  const Json& ours = impacts.at(0).at("speed_out");
  if (!exact.is_number() || !ours.is_number()) return 0;
  const double speed_in = std::abs(impacts.at(0).at("speed_in").get<double>());
  return std::abs(ours.get<double>() - exact.get<double>()) / std::max(speed_in, 1e-300);
}

bool finite(const RecordedRun& run) {
  for (const auto& column : run.columns) {
    if (!std::all_of(column.begin(), column.end(), [](double v) { return std::isfinite(v); }))
      return false;
  }
  return true;
}

Judgement failed(std::string complaint) {
  return {.ending = Ending::failed, .complaint = std::move(complaint)};
}

Judgement judge_run(const RecordedRun& run, const Scenario& scenario) {
  const std::string status = run.summary.at("status");
  const EnergyAudit& energy = run.outcome.energy;
  const double sum =
      energy.initial + energy.injected + energy.residual - energy.dissipated - energy.final;
  const double scale =
      std::max({std::abs(energy.initial), std::abs(energy.final), std::abs(energy.dissipated),
                std::abs(energy.injected), energy.scale, 1e-300});
  // A step in which an explicit method makes a billion times the energy and loses it again rounds
  // them.
  const double largest = std::max(scale, std::abs(energy.worst_residual));
  Judgement found;
  if (!run.outcome.converged) {
    if (status == "done" || run.passed) return failed("not converged, but status " + status);
    found.ending = Ending::not_converged;
    return found;
  }
  if (status != "done" && run.passed) return failed("passed, but status " + status);
  if (!finite(run)) return failed("the signals are not finite, status done");
  if (!std::isfinite(sum)) return failed("the energy is not finite, status done");
  found.ledger = std::abs(sum) / largest;
  if (found.ledger > closed)
    return failed(fmt::format("the ledger does not close: {:.3g} of the energy", found.ledger));
  if (run.outcome.passive) {
    found.gain = std::max({0.0, energy.residual, energy.worst_residual}) / scale;
    if (found.gain > closed && run.passed)
      return failed(fmt::format("a passive method gained {:.3g} of the energy", found.gain));
  }
  if (!run.passed) {
    found.ending = Ending::broken;
    found.complaint =
        fmt::format("a promise is broken and said so: gained {:.3g} of the energy", found.gain);
    return found;
  }
  // Corrections and events on samples are asked for to see what they cost.
  const auto plain = [&](const char* key, const char* usual) {
    return !scenario.has(key) || scenario.text(key) == usual;
  };
  if (plain("run.events", "subsample") && plain("run.correct", "none")) {
    found.disagreement = disagreement(run.outcome.results);
    if (found.disagreement > agreed) {
      return failed(
          fmt::format("the rebound is not that of the exact impact: {:.3g}", found.disagreement));
    }
  }
  return found;
}

}  // namespace

Judgement judge(const std::string& text, const std::filesystem::path& folder, double max_samples,
                const std::atomic<bool>& interrupt) {
  const InterruptScope interruptible(&interrupt);  // reading computes impacts, too
  try {
    const Scenario scenario = parse_scenario(text, folder / "one.toml");
    const double samples = workload(scenario).steps;
    if (samples > max_samples) return {.ending = Ending::too_large, .samples = samples};
    MemorySettings settings;
    settings.interrupt = &interrupt;
    return judge_run(run_in_memory(scenario, settings), scenario);
  } catch (const Interrupted&) {
    return {.ending = Ending::late, .complaint = "did not end in time"};
  } catch (const InvalidInput&) {
    return {.ending = Ending::refused};
  } catch (const std::exception& error) {
    return failed(fmt::format("unexpected: {}", error.what()));
  }
}

}  // namespace carom::torture
