#include "report_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include <carom/output/html.hpp>
#include <carom/output/motion.hpp>
#include <carom/scenario/json.hpp>

#include "report.hpp"
#include "units.hpp"

namespace carom {
namespace {

constexpr std::size_t max_panels = 7, max_curves = 6;  // of one panel: as many as there are colours

std::string base64(const std::string& bytes) {
  return data_url("", bytes).substr(std::string("data:;base64,").size());
}

template <class Value>
void append(std::string& bytes, Value value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);  // little-endian, as browsers are
  bytes.append(raw, sizeof value);
}

/// Blocks of 256: the lowest and highest of each, then 16 bits for every value between them.
std::string packed(const std::vector<double>& values) {
  constexpr std::size_t block = 256;
  std::string ends, steps;
  for (std::size_t i = 0; i < values.size(); i += block) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(i);
    const auto to =
        values.begin() + static_cast<std::ptrdiff_t>(std::min(i + block, values.size()));
    const auto [least, most] = std::minmax_element(from, to);
    const double low = *least, high = *most;
    append(ends, static_cast<float>(low));
    append(ends, static_cast<float>(high));
    for (auto value = from; value != to; ++value) {
      const double part = high > low ? (*value - low) / (high - low) : 0.0;
      append(steps, static_cast<std::uint16_t>(std::lround(65535 * std::clamp(part, 0.0, 1.0))));
    }
  }
  return base64(ends + steps);
}

/// x as start and distance where it is regular, else all of it.
void add_places(Json& series, const std::vector<double>& x) {
  const std::size_t n = x.size();
  series["n"] = n;
  const double dx = n > 1 ? (x.back() - x.front()) / static_cast<double>(n - 1) : 1.0;
  bool regular = dx > 0;
  for (std::size_t i = 0; i < n && regular; ++i)
    regular = std::abs(x[i] - x.front() - dx * static_cast<double>(i)) <= 1e-3 * dx;
  if (regular) {
    series["x0"] = x.front();
    series["dx"] = dx;
    return;
  }
  std::string bytes;
  for (const double place : x) append(bytes, place);
  series["x"] = base64(bytes);
}

bool drawable(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// In a script element nothing may look like its end.
std::string script_json(const Json& json) {
  std::string text = json_text(json);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return "<script type=\"application/json\">" + text + "</script>";
}

std::string plot_box(const std::string& id, const Json& spec) {
  return fmt::format("<div class=\"plot\" id=\"{}\">{}</div>\n", html_escaped(id),
                     script_json(spec));
}

}  // namespace

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string signal_title(const Signal& signal) {
  const std::string name = words(signal.name);
  if (signal.help.empty()) return name;
  return signal.help.starts_with(name) ? signal.help : name + ", " + signal.help;
}

std::string ShownPanel::label(const EnvelopeSignals& envelope, std::size_t signal) const {
  const std::string& name = envelope.signals[signal].name;
  return words(signals.size() > 1 ? name.substr(0, name.rfind('.')) : name);
}

std::vector<ShownPanel> shown_panels(const EnvelopeSignals& envelope,
                                     const std::string& main_signal) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < envelope.signals.size(); ++k) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (envelope.signals[a].name == main_signal) > (envelope.signals[b].name == main_signal);
  });
  std::vector<ShownPanel> panels;
  std::map<std::string, std::size_t> panel_of;  // by what follows the dot
  for (const std::size_t k : order) {
    const Signal& signal = envelope.signals[k];
    const std::size_t dot = signal.name.rfind('.');
    if (dot == std::string::npos) {
      panels.push_back({signal_title(signal), {k}});
      continue;
    }
    const auto [place, is_new] =
        panel_of.try_emplace(signal.name.substr(dot) + " [" + signal.unit + "]", panels.size());
    if (is_new) panels.push_back({signal_title(signal), {}});
    ShownPanel& panel = panels[place->second];
    if (panel.signals.size() == 1) {
      const std::string what = signal.name.substr(dot + 1);
      panel.title = envelope.signals[panel.signals.front()].help;
      if (panel.title.find(what) == std::string::npos) panel.title += ", " + what;
    }
    if (panel.signals.size() < max_curves) panel.signals.push_back(k);
  }
  if (panels.size() > max_panels) panels.resize(max_panels);
  return panels;
}

std::string signals_plot(const EnvelopeSignals& envelope, const std::string& main_signal) {
  if (envelope.spans.size() < 2) return {};
  std::vector<double> times;
  for (const auto& span : envelope.spans) times.push_back(span.time);
  Json panels = Json::array();
  int colour = 0;
  for (const ShownPanel& shown : shown_panels(envelope, main_signal)) {
    Json list = Json::array();
    if (shown.signals.size() > 1) colour = 0;  // a body has the same one in every panel
    for (const std::size_t k : shown.signals) {
      const Signal& signal = envelope.signals[k];
      std::vector<double> low, high;
      for (const auto& span : envelope.spans) {
        low.push_back(span.low[k]);
        high.push_back(span.high[k]);
      }
      if (!drawable(low) || !drawable(high)) return {};
      Json series{{"name", signal.name},
                  {"label", shown.label(envelope, k)},
                  {"colour", colour++ % static_cast<int>(max_curves)}};
      add_places(series, times);
      series["low"] = packed(low);
      if (envelope.rows_per_span > 1) series["high"] = packed(high);
      list.push_back(std::move(series));
    }
    panels.push_back({{"title", shown.title},
                      {"unit", envelope.signals[shown.signals.front()].unit},
                      {"series", std::move(list)}});
  }
  return plot_box("signals", {{"label", "signals over time"},
                              {"x_label", "time"},
                              {"unit", "s"},
                              {"from", times.front()},
                              {"to", envelope.spans.back().last_time},
                              {"panels", std::move(panels)}});
}

std::string energy_plot(const std::vector<EnergySample>& samples) {
  if (samples.size() < 2) return {};
  std::vector<double> times, kinetic, elastic, lost, budget;
  const EnergySample& first = samples.front();
  const double initial = first.kinetic + first.elastic + first.dissipated - first.injected;
  for (const EnergySample& sample : samples) {
    times.push_back(sample.time);
    kinetic.push_back(sample.kinetic);
    elastic.push_back(sample.kinetic + sample.elastic);
    lost.push_back(sample.kinetic + sample.elastic + sample.dissipated);
    budget.push_back(initial + sample.injected);
  }
  Json list = Json::array();
  const auto add = [&](const char* label, int colour, const std::vector<double>& values,
                       bool dashed) {
    Json series{{"name", label}, {"label", label}, {"colour", colour}, {"dashed", dashed}};
    add_places(series, times);
    series["low"] = packed(values);
    list.push_back(std::move(series));
  };
  for (const auto* values : {&lost, &elastic, &kinetic, &budget}) {
    if (!drawable(*values)) return {};
  }
  add("dissipated", 1, lost, false);
  add("stored", 2, elastic, false);
  add("kinetic", 0, kinetic, false);
  add("initial + injected", 5, budget, true);
  const Json panel{{"title", "energy"}, {"unit", "J"}, {"area", true}, {"series", std::move(list)}};
  return plot_box("energy", {{"label", "energy over time"},
                             {"x_label", "time"},
                             {"unit", "s"},
                             {"from", times.front()},
                             {"to", times.back()},
                             {"panels", Json::array({panel})}});
}

std::string figure_plot(const std::string& id, const std::optional<Figure>& figure) {
  if (!figure || figure->panels.size() != 1 || figure->panels.front().series.empty()) return {};
  const Panel& panel = figure->panels.front();
  // "level [dB]": the word and the unit.
  const auto split = [](const std::string& label) {
    const std::size_t bracket = label.find(" [");
    return bracket == std::string::npos
               ? std::pair(label, std::string())
               : std::pair(label.substr(0, bracket),
                           label.substr(bracket + 2, label.size() - bracket - 3));
  };
  const auto [x_label, x_unit] = split(panel.x_label);
  const auto [y_label, y_unit] = split(panel.y_label);
  Json list = Json::array();
  int colour = 0;
  for (const Series& one : panel.series) {
    if (one.x.size() < 2 || !drawable(one.x) || !drawable(one.y)) return {};
    Json series{{"name", one.label}, {"label", one.label}, {"colour", colour++}};
    add_places(series, one.x);
    series["low"] = packed(one.y);
    list.push_back(std::move(series));
  }
  const Series& first = panel.series.front();
  return plot_box(
      id, {{"label", y_label + " over " + x_label},
           {"x_label", x_label},
           {"unit", x_unit},
           {"from", first.x.front()},
           {"to", first.x.back()},
           {"panels", Json::array({{{"title", y_label}, {"unit", y_unit}, {"series", list}}})}});
}

std::string motion_film(const std::string& kind, const EnvelopeSignals& envelope) {
  const Json motion = motion_of(kind);
  if (motion.is_null() || envelope.spans.size() < 2) return {};
  const auto has = [&](const std::string& name) {
    return std::any_of(envelope.signals.begin(), envelope.signals.end(),
                       [&](const Signal& signal) { return signal.name == name; });
  };
  for (const Json& name : motion.at("signals")) {
    if (!has(name.get<std::string>())) return {};
  }
  return fmt::format(
      "<section><h2>In motion</h2>\n<div class=\"film\" id=\"motion\">{}<canvas role=\"img\" "
      "aria-label=\"{}\"></canvas>\n<p class=\"controls\"><button type=\"button\">Play</button> "
      "<input type=\"range\" min=\"0\" max=\"1000\" value=\"0\" aria-label=\"moment shown\"> "
      "<output></output></p>\n<p class=\"caption\">{} It plays what the plot above shows, in eight "
      "seconds: zoom into a contact to see it slowed down.</p></div></section>\n",
      script_json(motion), html_escaped(motion.at("caption").get<std::string>()),
      html_escaped(motion.at("caption").get<std::string>()));
}

}  // namespace carom
