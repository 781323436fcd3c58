#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/compare.hpp>

#include "refinement.hpp"
#include "summary.hpp"
#include "units.hpp"

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int own_refinement = 4;         ///< of a method that is its own reference
constexpr std::size_t max_points = 3000;  ///< of a curve in the picture

const std::vector<std::string>& methods_of(const Kind& kind) {
  const Field* field = run_field(kind, "method");
  if (field == nullptr) throw InvalidInput("kind '" + kind.name + "' has no choice of methods");
  return field->choices;
}

/// What is run, in the order of the table: the reference first.
struct Contender {
  std::string method;
  int refined = 1;
};

std::string label_of(const std::string& method, int refined) {
  return refined > 1 ? fmt::format("{} x {}", method, refined) : method;
}

std::vector<Contender> contenders(const Scenario& scenario, const Kind& kind,
                                  std::span<const std::string> methods,
                                  const CompareSettings& settings) {
  const std::vector<std::string>& known = methods_of(kind);
  const std::vector<std::string_view> names(known.begin(), known.end());
  const auto require_known = [&](const std::string& method) {
    if (std::find(known.begin(), known.end(), method) == known.end()) {
      throw InvalidInput(unknown_name_message("method", method, names));
    }
  };
  std::string reference = !settings.reference.empty()     ? settings.reference
                          : kind.reference_for != nullptr ? kind.reference_for(scenario)
                          : kind.reference_method.empty() ? known.front()
                                                          : kind.reference_method;
  require_known(reference);
  std::vector<Contender> all{{reference, settings.refine.value_or(kind.reference_refinement)}};
  for (const std::string& method :
       methods.empty() ? std::span<const std::string>(known) : methods) {
    require_known(method);
    const bool listed = std::any_of(all.begin(), all.end(), [&](const Contender& each) {
      return each.method == method && each.refined == 1;
    });
    if (!listed) all.push_back({method});
  }
  return all;
}

std::optional<double> first_speed_out(const Json& results) {
  if (results.contains("rebound_speed") && results["rebound_speed"].is_number()) {
    return results["rebound_speed"].get<double>();
  }
  if (results.contains("contacts") && results["contacts"].is_array()) {
    // Of an assembly: whichever contact is struck first.
    double first = infinity;
    std::optional<double> speed;
    for (const Json& contact : results["contacts"]) {
      for (const Json& impact : contact["impacts"]) {
        if (!(impact["time"].get<double>() < first) || !impact["speed_out"].is_number()) continue;
        first = impact["time"].get<double>();
        speed = impact["speed_out"].get<double>();
      }
    }
    return speed;
  }
  if (!results.contains("impacts") || !results["impacts"].is_array() ||
      results["impacts"].empty()) {
    return {};
  }
  const Json& first = results["impacts"].front();
  if (!first.contains("speed_out") || !first["speed_out"].is_number()) return {};
  return first["speed_out"].get<double>();
}

void measure(MethodResult& result, const RecordedRun& run, const RecordedRun& reference,
             const std::string& signal) {
  const std::vector<double>& y = run.column(signal);
  const std::vector<double>& truth = reference.column(signal);
  double scale = 0, worst = 0;
  for (const double value : truth) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (truth.empty() || run.time[i] > reference.time.back()) break;
    worst = std::max(worst, std::abs(y[i] - interpolate(reference.time, truth, run.time[i])));
  }
  result.waveform_percent = scale > 0 ? 100 * worst / scale : 0;
  const auto speed = first_speed_out(run.outcome.results);
  const auto exact = first_speed_out(reference.outcome.results);
  if (speed && exact && *exact > 0) result.rebound_percent = 100 * (*speed / *exact - 1);
  const std::size_t stride = std::max<std::size_t>(1, y.size() / max_points);
  for (std::size_t i = 0; i < y.size(); i += stride) {
    result.time.push_back(run.time[i]);
    result.signal.push_back(y[i]);
    result.deviation.push_back(
        truth.empty() || run.time[i] > reference.time.back()
            ? std::nan("")
            : std::abs(y[i] - interpolate(reference.time, truth, run.time[i])));
  }
}

std::string percent_text(double value) { return fmt::format("{:.3g} %", value); }

}  // namespace

Comparison compare_methods(const std::filesystem::path& file, std::span<const std::string> methods,
                           const CompareSettings& settings) {
  const Scenario scenario = load_scenario(file, settings.overrides);
  const Kind& kind = find_kind(scenario.kind());
  std::vector<Contender> order = contenders(scenario, kind, methods, settings);
  Comparison comparison;
  comparison.reference = label_of(order.front().method, order.front().refined);
  comparison.signal = kind.main_signal;
  RecordedRun reference;
  for (std::size_t i = 0; i < order.size();) {
    MethodResult result;
    result.method = order[i].method;
    result.refined = order[i].refined;
    result.is_reference = i == 0;
    try {
      std::vector<Override> overrides = settings.overrides;
      overrides.push_back({"run.method", "\"" + order[i].method + "\""});
      refine(scenario, kind, order[i].refined, overrides);
      const auto part = [&, i](const Progress& progress) {
        if (!settings.progress) return;
        const double done = (static_cast<double>(i) + progress.fraction) / double(order.size());
        settings.progress({done, progress.simulated_time});
      };
      RecordedRun run = run_in_memory(load_scenario(file, overrides),
                                      {.progress = part, .interrupt = settings.interrupt});
      result.passed = run.passed;
      if (!run.outcome.converged)
        result.stopped =
            fmt::format("stopped at {:.4g} s: {}", run.outcome.simulated_time, run.outcome.status);
      result.cpu_seconds = run.summary["timing"]["cpu_seconds"].get<double>();
      result.energy_residual = judge(run.outcome).relative;
      // A reference that cannot follow the motion to its end is none: finer steps of the scenario's
      // own method are.
      if (i == 0 && !run.outcome.converged && settings.reference.empty() &&
          scenario.has("run.method") && order.front().method != scenario.text("run.method")) {
        order.front() = {scenario.text("run.method"), settings.refine.value_or(own_refinement)};
        comparison.reference = label_of(order.front().method, order.front().refined);
        continue;
      }
      if (i == 0) {
        if (comparison.signal.empty()) comparison.signal = run.signals.front().name;
        reference = std::move(run);
        for (const Signal& signal : reference.signals) {
          if (signal.name == comparison.signal) comparison.unit = signal.unit;
        }
        measure(result, reference, reference, comparison.signal);
      } else {
        measure(result, run, reference, comparison.signal);
      }
    } catch (const InvalidInput& error) {
      if (i == 0) throw;
      result.failure = error.what();
    }
    comparison.methods.push_back(std::move(result));
    ++i;
  }
  return comparison;
}

Json comparison_json(const Comparison& comparison) {
  Json methods = Json::array();
  for (const MethodResult& result : comparison.methods) {
    Json entry{{"method", result.method}, {"reference", result.is_reference}};
    if (result.refined > 1) entry["refined"] = result.refined;
    if (!result.failure.empty()) {
      entry["refused"] = result.failure;
    } else {
      entry["waveform_percent"] = result.waveform_percent;
      entry["rebound_speed_percent"] =
          result.rebound_percent ? Json(*result.rebound_percent) : Json(nullptr);
      entry["energy_residual"] = result.energy_residual;
      entry["cpu_seconds"] = result.cpu_seconds;
      entry["passed"] = result.passed;
      if (!result.stopped.empty()) entry["stopped"] = result.stopped;
    }
    methods.push_back(std::move(entry));
  }
  return {{"reference", comparison.reference}, {"signal", comparison.signal}, {"methods", methods}};
}

std::string comparison_table(const Comparison& comparison) {
  std::string text = fmt::format("{:<20} {:>14} {:>14} {:>15} {:>12}\n", "method", "waveform error",
                                 "rebound error", "energy residual", "cost");
  double cheapest = infinity;
  for (const MethodResult& result : comparison.methods) {
    if (result.failure.empty()) cheapest = std::min(cheapest, result.cpu_seconds);
  }
  for (const MethodResult& result : comparison.methods) {
    if (!result.failure.empty()) {
      text += fmt::format("{:<20} refused: {}\n", result.method,
                          result.failure.substr(0, result.failure.find('\n')));
      continue;
    }
    const std::string rebound =
        result.rebound_percent ? fmt::format("{:+.3g} %", *result.rebound_percent) : "";
    text += fmt::format(
        "{:<20} {:>14} {:>14} {:>15} {:>12}{}\n", label_of(result.method, result.refined),
        result.is_reference ? "reference" : percent_text(result.waveform_percent),
        result.is_reference ? "" : rebound, fmt::format("{:+.2g}", result.energy_residual),
        fmt::format("{:.3g} x", result.cpu_seconds / cheapest),
        !result.stopped.empty() ? "  " + result.stopped
        : result.passed         ? ""
                                : "  audit failed");
  }
  text += fmt::format(
      "waveform error: largest deviation of {} from {}, relative to its largest value{}\n",
      comparison.signal, comparison.reference,
      comparison.methods.front().stopped.empty() ? "" : ", until that stopped");
  return text;
}

namespace {

std::vector<double> in_unit(std::vector<double> values, const ScaledUnit& unit) {
  for (double& each : values) each /= unit.factor;
  return values;
}

/// Whether two curves lie on each other in a logarithmic picture: within a tenth of a decade at
/// nine in ten of the instants that both have.
bool coincide(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t common = 0, apart = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!(a[i] > 0 && b[i] > 0)) continue;
    ++common;
    apart += std::abs(std::log10(a[i] / b[i])) > 0.1 ? 1 : 0;
  }
  return common > 0 && 10 * apart <= common;
}

}  // namespace

Figure comparison_figure(const Comparison& comparison) {
  double longest = 0, largest = 0;
  for (const MethodResult& result : comparison.methods) {
    if (!result.time.empty()) longest = std::max(longest, result.time.back());
    if (!result.is_reference) continue;
    for (const double each : result.signal) largest = std::max(largest, std::abs(each));
  }
  const ScaledUnit time_unit = unit_for(longest, "s");
  const ScaledUnit signal_unit = unit_for(largest, comparison.unit);
  const std::string unit = signal_unit.name.empty() ? "" : " [" + signal_unit.name + "]";
  Panel curves{.title = "",
               .x_label = "time [" + time_unit.name + "]",
               .y_label = comparison.signal + unit,
               .key = Panel::Key::right};
  // Curves that lie on the reference would hide it and each other: their errors are drawn instead.
  Panel errors{.title = "",
               .x_label = curves.x_label,
               .y_label = "|error of " + comparison.signal + "|" + unit,
               .log_y = true,
               .key = Panel::Key::right};
  Panel cost{.title = "",
             .x_label = "processor time",
             .y_label = "waveform error [%]",
             .log_x = true,
             .log_y = true,
             .key = Panel::Key::right};
  constexpr double visible = 0.5;  // [%] of the signal: what can be told apart in the picture
  int colour = 0;
  for (const MethodResult& result : comparison.methods) {
    if (!result.failure.empty()) continue;
    const std::vector<double> time = in_unit(result.time, time_unit);
    const std::string label = label_of(result.method, result.refined);
    if (result.is_reference || result.waveform_percent > visible) {
      curves.series.push_back(
          {.label = label,
           .x = time,
           .y = in_unit(result.signal, signal_unit),
           .style = result.is_reference ? Series::Style::line : Series::Style::dashes,
           .colour = colour});
    }
    // Nothing is cheaper than a microsecond or better than rounding on this picture.
    if (!result.is_reference) {
      Series error{
          .label = label, .x = time, .y = in_unit(result.deviation, signal_unit), .colour = colour};
      for (double& each : error.y) each = each > 0 ? each : std::nan("");
      // Two methods can make the same error: the curve below shows between the dashes.
      if (std::any_of(errors.series.begin(), errors.series.end(),
                      [&](const Series& drawn) { return coincide(drawn.y, error.y); })) {
        error.style = Series::Style::dashes;
      }
      errors.series.push_back(std::move(error));
      cost.series.push_back({.label = result.method,
                             .x = {std::max(result.cpu_seconds, 1e-6)},
                             .y = {std::max(result.waveform_percent, 1e-13)},
                             .style = Series::Style::points,
                             .colour = colour});
    }
    ++colour;
  }
  double dearest = 0;
  for (const Series& point : cost.series) dearest = std::max(dearest, point.x.front());
  const ScaledUnit cost_unit = unit_for(dearest, "s");
  cost.x_label += " [" + cost_unit.name + "]";
  for (Series& point : cost.series) point.x.front() /= cost_unit.factor;
  Figure figure;
  figure.panels = {std::move(curves)};
  if (!cost.series.empty()) {
    figure.panels.push_back(std::move(errors));
    figure.panels.push_back(std::move(cost));
  }
  figure.columns = 1;
  figure.panel_width = 960;
  figure.panel_height = 340;
  return figure;
}

}  // namespace carom
