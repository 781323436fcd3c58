#include "summary.hpp"

#include <cmath>

#include <fmt/format.h>

#include <carom/core/version.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/modal_march.hpp>

#include "provenance.hpp"

namespace carom {
namespace {

/// The law by the keys that [contact] has for it.
Json law_of_contact(const Scenario& scenario) {
  const std::string& name = scenario.text("contact.law");
  const LawInfo& law = law_info(name);
  Json json{{"name", name}};
  for (const auto& [key, value] : scenario.values().at("contact").items()) {
    const bool by_restitution = key == "restitution" && law.by_restitution() != nullptr;
    if (by_restitution || law.find(key) != nullptr) json[key] = value;
  }
  return json;
}

}  // namespace

EnergyVerdict judge(const RunOutcome& outcome) {
  const EnergyAudit& e = outcome.energy;
  const double scale = e.scale > 0 ? e.scale : std::abs(e.initial) + std::abs(e.injected);
  EnergyVerdict verdict{true, scale > 0 ? e.residual / scale : 0, {}};
  const double gained = scale > 0 ? std::max(e.residual, e.worst_residual) / scale : 0;
  const double size = std::abs(verdict.relative);
  if (outcome.passive && !(gained <= outcome.tolerance)) {
    verdict.kept = false;
    verdict.message = fmt::format(
        "The method promises never to gain energy and gained {:.2g} of it: the audit failed.",
        gained);
  } else if (!std::isfinite(size)) {
    verdict.message = "The energy of the run is not finite.";
  } else if (size < 1e-12) {
    verdict.message = fmt::format(
        "The energy balance closes: {:.1g} of the energy is unaccounted for, which is rounding.",
        size);
  } else if (size < 1e-6) {
    verdict.message = fmt::format(
        "The energy balance closes: the method left {:.1g} of the energy unaccounted for.", size);
  } else {
    verdict.message = fmt::format("The method {} {:.2g} % of the energy.",
                                  verdict.relative > 0 ? "created" : "lost", 100 * size);
  }
  return verdict;
}

Json program_json() {
  return {{"version", version()},
          {"commit", commit()},
          {"compiler", compiler()},
          {"instructions", instruction_set()}};
}

Json make_summary(const Scenario& scenario, const RunOutcome& outcome,
                  const std::vector<Signal>& signals, double cpu_seconds) {
  const EnergyAudit& e = outcome.energy;
  const EnergyVerdict verdict = judge(outcome);
  const Json energy{{"initial", e.initial},
                    {"final", e.final},
                    {"dissipated", e.dissipated},
                    {"injected", e.injected},
                    {"residual", e.residual},
                    {"worst_residual", e.worst_residual},
                    {"relative_residual", verdict.relative},
                    {"passive", outcome.passive},
                    {"verdict", verdict.message}};
  const double per_second = outcome.simulated_time > 0 ? cpu_seconds / outcome.simulated_time : 0.0;

  Json summary;
  summary["status"] = !outcome.converged ? outcome.status
                      : verdict.kept     ? "done"
                                         : "audit violated";
  summary["kind"] = scenario.kind();
  summary["file"] = scenario.file().filename().string();
  summary["scenario"] = scenario.values();
  summary["inputs"] = scenario.values();  // their name in 0.1
  summary["law"] = outcome.law.is_null() ? law_of_contact(scenario) : outcome.law;
  summary["method"] = outcome.results.contains("method") ? outcome.results.at("method")
                                                         : Json(scenario.text("run.method"));
  // What people and sweeps look up under results is there too, beside what the kind found.
  Json results = outcome.results;
  results["energy"] = energy;
  results["cpu_seconds"] = cpu_seconds;
  results["cpu_seconds_per_simulated_second"] = per_second;
  summary["results"] = std::move(results);
  summary["energy"] = energy;
  summary["timing"] = {{"simulated_seconds", outcome.simulated_time},
                       {"cpu_seconds", cpu_seconds},
                       {"cpu_seconds_per_simulated_second", per_second}};
  Json columns = Json::array();
  columns.push_back({{"name", "time"}, {"unit", "s"}, {"help", "since the start"}});
  for (const Signal& signal : signals) {
    columns.push_back({{"name", signal.name}, {"unit", signal.unit}, {"help", signal.help}});
  }
  summary["signals"] = std::move(columns);
  summary["warnings"] = outcome.warnings;
  summary["program"] = program_json();
  summary["versions"] = {{"carom", version()}};
  return summary;
}

}  // namespace carom
