#include "fit_pictures.hpp"

#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/records/fit_file.hpp>

namespace carom {
namespace {

constexpr std::size_t max_points = 3000;  ///< of a curve in a picture

/// The largest and the smallest of each stretch: a long record keeps its peaks.
Series outline(std::string label, const std::vector<double>& x, const std::vector<double>& y) {
  Series out{std::move(label), {}, {}};
  const std::size_t stretch = std::max<std::size_t>(1, 2 * x.size() / max_points);
  for (std::size_t begin = 0; begin < x.size(); begin += stretch) {
    const std::size_t end = std::min(x.size(), begin + stretch);
    const auto [low, high] = std::minmax_element(y.begin() + long(begin), y.begin() + long(end));
    auto first = low, second = high;
    if (second < first) std::swap(first, second);
    for (const auto& at : {first, second}) {
      out.x.push_back(x[std::size_t(at - y.begin())]);
      out.y.push_back(*at);
      if (stretch == 1) break;
    }
  }
  return out;
}

std::vector<double> even(double from, double to, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(from + (to - from) * i / (count - 1));
  return out;
}

std::vector<Panel> panels_of(const TraceRecord& trace, const FittedTrace& fit) {
  const char* unit = trace.acceleration ? "acceleration [m/s^2]" : "force [N]";
  const double scale = fit.laws.mass_known && trace.acceleration ? fit.laws.reference.mass : 1;
  Panel record{"The record, and the pulse that was taken", "time [s]", unit};
  record.series.push_back(outline("record", trace.times, trace.values));
  Series pulse{"pulse", {}, {}, Series::Style::line};
  for (std::size_t i = 0; i < trace.times.size(); ++i) {
    if (trace.times[i] < fit.pulse.begin || trace.times[i] > fit.pulse.end) continue;
    pulse.x.push_back(trace.times[i]);
    pulse.y.push_back(trace.values[i]);
  }
  record.series.push_back(std::move(pulse));
  const double middle = (fit.pulse.begin + fit.pulse.end) / 2;
  const auto baseline = [&](double t) {
    return (fit.pulse.offset + fit.pulse.drift * (t - middle)) / scale;
  };
  record.series.push_back({"baseline",
                           {trace.times.front(), trace.times.back()},
                           {baseline(trace.times.front()), baseline(trace.times.back())},
                           Series::Style::dashes});
  Panel fitted{"Fit", "time [s]", scale == 1 && trace.acceleration ? unit : "force [N]"};
  fitted.series.push_back({"measured", fit.pulse.times, fit.pulse.values, Series::Style::points});
  const std::vector<double> fine = even(fit.pulse.times.front(), fit.pulse.times.back(), 500);
  fitted.series.push_back({fit.laws.law().law, fine, fitted_forces(fit, fine)});
  Panel residual{"What the law leaves", "time [s]", "measured - fitted, " + fitted.y_label};
  const std::vector<double> model = fitted_forces(fit, fit.pulse.times);
  Series left{"", fit.pulse.times, {}, Series::Style::line_points};
  for (std::size_t i = 0; i < model.size(); ++i) left.y.push_back(fit.pulse.values[i] - model[i]);
  residual.series.push_back(std::move(left));
  return {std::move(record), std::move(fitted), std::move(residual)};
}

Panel restitution_panel(const Identification& laws, const std::vector<SeriesImpact>& impacts,
                        const FitSettings& settings) {
  Panel panel{"Restitution over speed", "speed [m/s]", "restitution"};
  Series measured{"measured", {}, {}, Series::Style::points};
  double low = impacts.front().speed, high = low;
  for (const SeriesImpact& one : impacts) {
    measured.x.push_back(one.speed);
    measured.y.push_back(*one.restitution);
    low = std::min(low, one.speed);
    high = std::max(high, one.speed);
  }
  panel.series.push_back(std::move(measured));
  std::vector<SeriesImpact> line;
  for (const double speed : even(0.9 * low, 1.1 * high, 60)) line.push_back({.speed = speed});
  FitSettings plain = settings;
  if (!plain.mass) plain.mass = laws.reference.mass;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < laws.candidates.size() && shown < 4; ++i) {
    // The chosen law and the next ones.
    const LawFit& fit = laws.candidates[i];
    if (i != laws.chosen && shown >= 3 && laws.chosen > i) continue;
    Series curve{fit.law, {}, {}, i == laws.chosen ? Series::Style::line : Series::Style::dashes};
    const std::vector<SeriesPoint> points = series_points(fit, line, plain);
    for (std::size_t k = 0; k < line.size(); ++k) {
      curve.x.push_back(line[k].speed);
      curve.y.push_back(points[k].restitution);
    }
    panel.series.push_back(std::move(curve));
    ++shown;
  }
  return panel;
}

Panel residual_panel(const Identification& laws, const std::vector<SeriesImpact>& impacts,
                     const FitSettings& settings) {
  Panel panel{"What the law leaves", "speed [m/s]", "restitution, measured - fitted"};
  Series left{"", {}, {}, Series::Style::points};
  const std::vector<SeriesPoint> points = series_points(laws.law(), impacts, settings);
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    left.x.push_back(impacts[i].speed);
    left.y.push_back(*impacts[i].restitution - points[i].restitution);
  }
  panel.series.push_back(std::move(left));
  return panel;
}

std::vector<Panel> panels_of(const FittedSeries& fit, const FitSettings& settings) {
  std::vector<Panel> panels;
  if (fit.impacts.front().restitution) {
    panels.push_back(restitution_panel(fit.laws, fit.impacts, settings));
    panels.push_back(residual_panel(fit.laws, fit.impacts, settings));
  }
  if (fit.impacts.front().contact_time) {
    Panel panel{"Contact time over speed", "speed [m/s]", "contact time [s]"};
    Series measured{"measured", {}, {}, Series::Style::points}, fitted{fit.laws.law().law, {}, {}};
    const std::vector<SeriesPoint> points = series_points(fit.laws.law(), fit.impacts, settings);
    std::vector<std::pair<double, double>> line;
    for (std::size_t i = 0; i < points.size(); ++i) {
      measured.x.push_back(fit.impacts[i].speed);
      measured.y.push_back(*fit.impacts[i].contact_time);
      line.emplace_back(fit.impacts[i].speed, points[i].contact_time);
    }
    std::sort(line.begin(), line.end());
    for (const auto& [x, y] : line) {
      fitted.x.push_back(x);
      fitted.y.push_back(y);
    }
    panel.series = {std::move(measured), std::move(fitted)};
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<Panel> panels_of(const MeasuredRun& measured, const FittedBounces& fit) {
  Panel record{"The record, and the bounces that were taken", "time [s]", ""};
  double top = 1;
  if (const auto* sound = std::get_if<SoundRecord>(&measured.data)) {
    record.y_label = "sound";
    std::vector<double> t(sound->samples.size());
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = double(i) / sound->rate;
    record.series.push_back(outline("recording", t, sound->samples));
    top = *std::max_element(sound->samples.begin(), sound->samples.end());
  } else if (const auto* track = std::get_if<TrackRecord>(&measured.data)) {
    record.y_label = "height [m]";
    record.series.push_back(outline("track", track->times, track->heights));
    top = *std::max_element(track->heights.begin(), track->heights.end());
  }
  record.series.push_back({"bounces", fit.chain.times,
                           std::vector<double>(fit.chain.times.size(), top),
                           Series::Style::impulses});
  return {std::move(record), restitution_panel(fit.laws, fit.impacts, {}),
          residual_panel(fit.laws, fit.impacts, {})};
}

/// Of a number of a law, or of its other name; empty for none.
std::string_view unit_of(const LawFit& fit, std::string_view number) {
  if (!fit.fitted) return "";
  for (const FieldInfo* field : law_info(fit.law).fields) {
    if (field->name == number) return field->unit;
    if (field->other_name == number) return field->other_unit;
  }
  return "";
}

/// How far off the best fit is that keeps a number at a value: the 95 % interval ends at one.
std::vector<Panel> profiles(const LawFit& fit) {
  std::vector<Panel> panels;
  for (const FittedNumber& one : fit.numbers) {
    if (one.profile.empty()) continue;
    Panel panel{"Profile of " + one.name, one.name, "misfit (95 % ends at 1)"};
    if (const std::string_view unit = unit_of(fit, one.name); !unit.empty())
      panel.x_label += " [" + std::string(unit) + "]";
    Series curve{"", {}, {}, Series::Style::line_points};
    for (const auto& [value, deviation] : one.profile) {
      curve.x.push_back(value);
      curve.y.push_back(deviation);
    }
    panel.series = {std::move(curve),
                    {"", {one.low, one.high}, {1, 1}, Series::Style::dashes},
                    {"", {one.value}, {0}, Series::Style::points}};
    panels.push_back(std::move(panel));
  }
  return panels;
}

/// The 95 % intervals over a decade of speed, from the joint uncertainty of the numbers.
void add_intervals(Panel& rebound, Panel& force, const Identification& laws, const Json& document) {
  if (!document.contains("joint")) return;
  const FitFile file = fit_of(document);
  Series e{"95 %", {}, {}, Series::Style::filled, 0}, f = e;
  for (const double share : even(-1, 0.5, 10)) {
    const double speed = laws.reference.speed * std::pow(10.0, share);
    const Prediction at = predict(file, {laws.reference.mass, speed, laws.reference.force});
    for (const auto& [name, interval] : at.intervals) {
      Series* band = name == "restitution" ? &e : name == "max_force" ? &f : nullptr;
      if (band == nullptr) continue;
      band->x.push_back(speed);
      band->low.push_back(interval.first);
      band->y.push_back(interval.second);
    }
  }
  rebound.series.push_back(std::move(e));
  force.series.push_back(std::move(f));
}

/// Rebound and largest force over a decade of speed.
std::vector<Panel> predictions(const Identification& laws, const Json& document) {
  const LawFit& fit = laws.law();
  if (!fit.fitted || !fit.complete()) return {};
  Panel rebound{"Predicted rebound", "speed [m/s]", "restitution"},
      force{"Predicted largest force", "speed [m/s]", "force [N]"};
  add_intervals(rebound, force, laws, document);
  int colour = 0;
  for (const LawFit& one : laws.candidates) {
    if (!one.complete() || (&one != &fit && one.verdict != FitVerdict::accepted)) continue;
    const auto style = &one == &fit ? Series::Style::line : Series::Style::dashes;
    Series e{one.law, {}, {}, style, &one == &fit ? 0 : ++colour}, f = e;
    for (const double share : even(-1, 0.5, 40)) {
      const double speed = laws.reference.speed * std::pow(10.0, share);
      try {
        const Impact hit = impact(*one.fitted, {laws.reference.mass, speed, laws.reference.force});
        e.x.push_back(speed);
        e.y.push_back(hit.restitution);
        f.x.push_back(speed);
        f.y.push_back(hit.max_force);
      } catch (const InvalidInput&) {
        continue;
      }
    }
    rebound.series.push_back(std::move(e));
    force.series.push_back(std::move(f));
  }
  rebound.log_x = force.log_x = force.log_y = true;
  return {std::move(rebound), std::move(force)};
}

}  // namespace

std::vector<Panel> fit_panels(const IdentifiedRun& run, const FitSettings& settings) {
  std::vector<Panel> panels;
  if (const auto* trace = std::get_if<FittedTrace>(&run.result)) {
    panels = panels_of(std::get<TraceRecord>(run.measured.data), *trace);
  } else if (const auto* series = std::get_if<FittedSeries>(&run.result)) {
    panels = panels_of(*series, settings);
  } else {
    panels = panels_of(run.measured, std::get<FittedBounces>(run.result));
  }
  for (Panel& panel : profiles(run.laws().law())) panels.push_back(std::move(panel));
  for (Panel& panel : predictions(run.laws(), run.document)) panels.push_back(std::move(panel));
  return panels;
}

}  // namespace carom
