#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/studies.hpp>

#include "refinement.hpp"
#include "units.hpp"

namespace carom {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rounding_floor = 1e-12;       // errors below are not the method's
constexpr double rounding_of_signals = 1e-13;  // of their largest value
constexpr double saturation = 0.1;  // of the signal: runs this far apart have nothing in common

MemorySettings part_of(const StudySettings& settings, int part, int parts) {
  return {.progress =
              [&settings, part, parts](const Progress& progress) {
                if (!settings.progress) return;
                settings.progress({(part + progress.fraction) / parts, progress.simulated_time});
              },
          .interrupt = settings.interrupt};
}

std::string signal_of(const StudySettings& settings, const Kind& kind, const RecordedRun& run) {
  const std::string wanted = settings.signal.empty() ? kind.main_signal : settings.signal;
  if (wanted.empty()) return run.signals.front().name;
  std::vector<std::string_view> names;
  for (const Signal& signal : run.signals) {
    if (signal.name == wanted) return wanted;
    names.emplace_back(signal.name);
  }
  throw InvalidInput(unknown_name_message("signal", wanted, names));
}

double largest(const std::vector<double>& y) {
  double most = 0;
  for (const double value : y) most = std::max(most, std::abs(value));
  return most;
}

/// Slope of y over x by least squares.
double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 2) return nan;
  const double n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

OrderStudy study_order(const std::filesystem::path& file, int levels,
                       const StudySettings& settings) {
  require_within("levels", levels, 2, 12);
  const Scenario scenario = load_scenario(file, settings.overrides);
  const Kind& kind = find_kind(scenario.kind());
  OrderStudy study;
  study.method = scenario.text("run.method");
  std::string truth =
      kind.reference_for != nullptr ? kind.reference_for(scenario) : kind.reference_method;
  bool own = truth.empty() || truth == study.method || kind.reference_refinement > 1;
  const int finest = 4 << (levels - 1);
  std::vector<Override> overrides;
  const auto reference_run = [&] {
    overrides = settings.overrides;
    if (!own) overrides.push_back({"run.method", "\"" + truth + "\""});
    refine(scenario, kind, own ? finest : 1, overrides);
    return run_in_memory(load_scenario(file, overrides), part_of(settings, 0, levels + 1));
  };
  RecordedRun reference = reference_run();
  // One that cannot follow the motion to its end is none.
  if (!own && !reference.outcome.converged) {
    own = true;
    reference = reference_run();
  }
  study.reference = own ? fmt::format("{} x {}", study.method, finest) : truth;
  study.signal = signal_of(settings, kind, reference);
  const std::vector<double>& exact = reference.column(study.signal);
  const double scale = largest(exact);
  if (!(scale > 0)) throw InvalidInput("signal '" + study.signal + "' is zero throughout");
  std::vector<double> x, y;
  for (int level = 0; level < levels; ++level) {
    OrderStudy::Point point{.refined = 1 << level};
    overrides = settings.overrides;
    refine(scenario, kind, point.refined, overrides);
    const RecordedRun run =
        run_in_memory(load_scenario(file, overrides), part_of(settings, level + 1, levels + 1));
    const std::vector<double>& values = run.column(study.signal);
    for (std::size_t i = 0; i < values.size() && run.time[i] <= reference.time.back(); ++i) {
      point.error =
          std::max(point.error,
                   std::abs(values[i] - interpolate(reference.time, exact, run.time[i])) / scale);
    }
    point.cpu_seconds = run.summary["timing"]["cpu_seconds"].get<double>();
    point.slope = study.points.empty() ? nan : std::log2(study.points.back().error / point.error);
    study.points.push_back(point);
    if (point.error > rounding_floor) {
      x.push_back(-level);
      y.push_back(std::log2(point.error));
    }
  }
  study.order = slope_of(x, y);
  return study;
}

Json order_json(const OrderStudy& study) {
  Json points = Json::array();
  for (const OrderStudy::Point& point : study.points) {
    points.push_back({{"refined", point.refined},
                      {"error", point.error},
                      {"slope", number_or_null(point.slope)},
                      {"cpu_seconds", point.cpu_seconds}});
  }
  return {{"method", study.method},
          {"signal", study.signal},
          {"reference", study.reference},
          {"order", number_or_null(study.order)},
          {"points", std::move(points)}};
}

std::string order_table(const OrderStudy& study) {
  std::string text =
      fmt::format("{:>8} {:>12} {:>8} {:>12}\n", "steps x", "error", "slope", "cpu [s]");
  for (const OrderStudy::Point& point : study.points) {
    text += fmt::format("{:>8} {:>12.3e} {:>8} {:>12.3g}\n", point.refined, point.error,
                        std::isfinite(point.slope) ? fmt::format("{:.2f}", point.slope) : "",
                        point.cpu_seconds);
  }
  if (!std::isfinite(study.order)) {
    return text +
           fmt::format("the errors of {} are rounding: no order can be measured\n", study.method);
  }
  // The mean alone would take errors of steps that are too long for the order that comes in the
  // end.
  const double last = study.points.back().slope;
  return text + fmt::format(
                    "{} converges with order {:.2f} in {} over all levels{}, measured "
                    "against {}\n",
                    study.method, study.order, study.signal,
                    std::isfinite(last) ? fmt::format(", {:.2f} in the last one", last) : "",
                    study.reference);
}

Figure order_figure(const OrderStudy& study) {
  Series errors{.label = study.method, .x = {}, .y = {}, .style = Series::Style::points};
  for (const OrderStudy::Point& point : study.points) {
    errors.x.push_back(point.refined);
    errors.y.push_back(std::max(point.error, 1e-17));
  }
  Figure figure;
  figure.panels = {{.title = fmt::format("Error of {} against {}", study.signal, study.reference),
                    .x_label = "steps in place of one",
                    .y_label = "largest error / largest value",
                    .series = {std::move(errors)},
                    .log_x = true,
                    .log_y = true,
                    .key = Panel::Key::right}};
  figure.columns = 1;
  figure.panel_width = 920;
  figure.panel_height = 360;
  return figure;
}

DivergenceStudy study_divergence(const std::filesystem::path& file, const std::string& key,
                                 double change, const StudySettings& settings) {
  require_within("change", change, 1e-15, 0.1);
  const Scenario scenario = load_scenario(file, settings.overrides);
  const Kind& kind = find_kind(scenario.kind());
  if (!scenario.has(key) || !scenario.table(key).is_number())
    throw InvalidInput("key '" + key +
                       "': not a number of this scenario, e.g. run.duration is one");
  const double value = scenario.number(key);
  std::vector<Override> overrides = settings.overrides;
  overrides.push_back({key, fmt::format("{:.17g}", value != 0 ? value * (1 + change) : change)});
  const RecordedRun one = run_in_memory(scenario, part_of(settings, 0, 2));
  const RecordedRun other = run_in_memory(load_scenario(file, overrides), part_of(settings, 1, 2));
  DivergenceStudy study{.key = key, .signal = signal_of(settings, kind, one), .change = change};
  const std::vector<double>& a = one.column(study.signal);
  const std::vector<double>& b = other.column(study.signal);
  const double scale = largest(a);
  if (!(scale > 0)) throw InvalidInput("signal '" + study.signal + "' is zero throughout");
  // The largest distance in each of a hundred parts: two curves that cross are not together.
  std::vector<double> x, y;
  const std::size_t rows = std::min(a.size(), b.size()), part = rows / 100 + 1;
  for (std::size_t i = 0; i < rows; i += part) {
    const std::size_t end = std::min(i + part, rows);
    double distance = 0;
    for (std::size_t k = i; k < end; ++k)
      distance = std::max(distance, std::abs(a[k] - b[k]) / scale);
    study.time.push_back(one.time[end - 1]);
    study.distance.push_back(distance);
  }
  for (std::size_t i = 0; i < study.time.size() && study.distance[i] <= saturation; ++i) {
    if (!(study.distance[i] > rounding_of_signals)) continue;
    x.push_back(study.time[i]);
    y.push_back(std::log(study.distance[i]));
  }
  const auto first = std::find_if(study.distance.begin(), study.distance.end(),
                                  [](double each) { return each > 0; });
  study.growth = first == study.distance.end() ? 1.0 : study.distance.back() / *first;
  study.rate = slope_of(x, y);
  return study;
}

Json divergence_json(const DivergenceStudy& study) {
  return {{"key", study.key},
          {"signal", study.signal},
          {"change", study.change},
          {"rate", number_or_null(study.rate)},
          {"growth", study.growth},
          {"final_distance", study.distance.empty() ? 0.0 : study.distance.back()}};
}

std::string divergence_table(const DivergenceStudy& study) {
  const double last = study.distance.empty() ? 0.0 : study.distance.back();
  std::string text =
      fmt::format("{} changed by {:g}: {} differs by {:.3g} of its largest value at the end\n",
                  study.key, study.change, study.signal, last);
  if (std::isfinite(study.rate))
    text += fmt::format("growth rate {:.4g} 1/s (mean slope of the logarithm of the distance)\n",
                        study.rate);
  else
    text += "the runs differ by rounding only: no rate can be measured; --change makes it larger\n";
  return text;
}

Figure divergence_figure(const DivergenceStudy& study) {
  const ScaledUnit unit = unit_for(study.time.empty() ? 0.0 : study.time.back(), "s");
  Series curve{.label = study.signal, .x = {}, .y = {}};
  for (std::size_t i = 0; i < study.time.size(); ++i) {
    if (!(study.distance[i] > 0)) continue;
    curve.x.push_back(study.time[i] / unit.factor);
    curve.y.push_back(study.distance[i]);
  }
  Figure figure;
  figure.panels = {{.title = fmt::format("Two runs, {} changed by {:g}", study.key, study.change),
                    .x_label = "time [" + unit.name + "]",
                    .y_label = "distance / largest value",
                    .series = {std::move(curve)},
                    .log_y = true,
                    .key = Panel::Key::right}};
  figure.columns = 1;
  figure.panel_width = 920;
  figure.panel_height = 360;
  return figure;
}

}  // namespace carom
