#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/scenario/spectrum.hpp>
#include <carom/steppers/modal_march.hpp>

#include "issanchou_strings.hpp"
#include "registry.hpp"

namespace carom {
namespace issanchou {
namespace {

constexpr double sample = 1e-6;  // [s] between compared samples; every rate is a multiple of 1 MHz

ModalProblem with(const ModalProblem& problem, double rate, ModalContactLaw law) {
  ModalProblem changed = problem;
  changed.rate = rate;
  changed.law = law;
  return changed;
}

const PowerLaw stiff{.stiffness = 1e13, .exponent = 1.5};

constexpr double millimetres = 1e3, micrometres = 1e6;

Series curve(const std::string& label, const Signal& signal, double from, double to,
             Series::Style style = Series::Style::line, double unit = millimetres) {
  Series series{.label = label, .x = {}, .y = {}, .style = style};
  const auto within = [&](std::size_t i) { return signal.time[i] >= from && signal.time[i] <= to; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < signal.time.size(); ++i) count += within(i);
  const std::size_t stride = std::max<std::size_t>(1, count / 3000);
  for (std::size_t i = 0; i < signal.time.size(); i += stride) {
    if (!within(i)) continue;
    series.x.push_back(1e3 * signal.time[i]);
    series.y.push_back(unit * signal.value[i]);
  }
  return series;
}

Signal minus(Signal a, const Signal& b) {
  for (std::size_t i = 0; i < a.value.size(); ++i) a.value[i] -= b.value[i];
  return a;
}

Panel panel(const std::string& title, double unit = millimetres) {
  return {.title = title,
          .x_label = "time [ms]",
          .y_label = unit == millimetres ? "displacement [mm]" : "displacement [µm]",
          .key = "outside top center horizontal"};
}

/// Where contact pauses for more than a millisecond.
std::vector<double> contact_edges(const Signal& signal) {
  std::vector<double> edges;
  double last = -1;
  for (const double t : signal.contact_times) {
    if (t - last > 1e-3) {
      if (last >= 0) edges.push_back(last);
      edges.push_back(t);
    }
    last = t;
  }
  if (last >= 0) edges.push_back(last);
  return edges;
}

/// Level of partial 2 against partial 1 in the last 0.2 s.
double second_partial(const Signal& signal, double fundamental) {
  const auto count = static_cast<std::size_t>(std::lround(0.1 * signal.rate)) * 2;
  const std::vector<double> level =
      spectrum_db(std::span(signal.value).subspan(signal.value.size() - count, count));
  const auto near = [&](double frequency) {
    const double bin = signal.rate / static_cast<double>(count);
    const auto middle = static_cast<std::size_t>(frequency / bin),
               half = static_cast<std::size_t>(40 / bin);
    return *std::max_element(level.begin() + static_cast<std::ptrdiff_t>(middle - half),
                             level.begin() + static_cast<std::ptrdiff_t>(middle + half));
  };
  return near(2 * fundamental) - near(fundamental);
}

/// Level over time and frequency up to 5 kHz, 70 dB below the strongest.
Panel spectrogram(const std::string& title, const Signal& signal) {
  constexpr std::size_t window = 4096;
  const double bin = signal.rate / window;
  const auto rows = static_cast<std::size_t>(5000 / bin) + 1;
  const std::size_t hop = std::max<std::size_t>(1, (signal.value.size() - window) / 120);
  HeatMap map{.x = {}, .y = {}, .z = {}, .label = "level [dB]"};
  std::vector<std::vector<double>> columns;
  double strongest = -std::numeric_limits<double>::infinity();
  for (std::size_t from = 0; from + window <= signal.value.size(); from += hop) {
    columns.push_back(spectrum_db(std::span(signal.value).subspan(from, window)));
    map.x.push_back(signal.time[from + window / 2]);
    strongest = std::max(
        strongest, *std::max_element(columns.back().begin() + 1,
                                     columns.back().begin() + static_cast<std::ptrdiff_t>(rows)));
  }
  for (std::size_t k = 0; k < rows; ++k) {
    map.y.push_back(static_cast<double>(k) * bin / 1e3);
    for (const auto& column : columns) map.z.push_back(std::max(column[k] - strongest, -70.0));
  }
  return {.title = title,
          .x_label = "time [s]",
          .y_label = "frequency [kHz]",
          .heat_map = std::move(map)};
}

void hear(Reproduction& paper, const std::string& item, const std::string& caption,
          const Signal& signal) {
  paper.hear(item, caption, signal.rate, signal.value);
}

}  // namespace

void reproduce_bridge(Reproduction& paper) {
  const Case string = point_bridge();
  const auto at = [&](double rate, ModalContactLaw law) { return with(string.problem, rate, law); };
  const NewtonRestitution sticks{.restitution = 0}, bounces{.restitution = 1};

  const Signal hard = play(string, at(2e6, sticks), 0.02, sample);
  const Signal elastic = play(string, at(2e6, bounces), 0.02, sample);
  const Signal compliant = play(string, at(2e6, stiff), 0.02, sample);
  paper.set("Fig. 2", "restitution 0 against 1", difference_percent(hard, elastic));
  paper.set("Fig. 2", "compliant against restitution 0", difference_percent(compliant, hard));
  Panel output = panel("displacement"), apart = panel("difference from compliant", micrometres);
  output.series = {curve("compliant", compliant, 0, 0.02),
                   curve("restitution 1", elastic, 0, 0.02, Series::Style::dashes)};
  apart.series = {
      curve("restitution 0", minus(hard, compliant), 0, 0.02, Series::Style::line, micrometres),
      curve("restitution 1", minus(elastic, compliant), 0, 0.02, Series::Style::line, micrometres)};
  paper.draw("Fig. 2",
             "The string vibrating against a point obstacle, 1 cm from the end, and how far the "
             "nonsmooth signals are from the compliant one.",
             {.panels = {output, apart}});

  ModalProblem free = at(2e6, bounces);
  free.heights = {-1.0};
  const double fundamental = string.problem.body.modes.front().frequency;
  const Signal buzzing = play(string, at(2e6, bounces), 1.0, 1e-5),
               soft = play(string, at(2e6, stiff), 1.0, 1e-5),
               alone = play(string, free, 1.0, 1e-5);
  paper.draw("Fig. 3", "Spectrograms of the displacement, 70 dB, 2 MHz; the formant descends.",
             {.panels = {spectrogram("compliant", soft),
                         spectrogram("nonsmooth, restitution 1", buzzing)}});
  hear(paper, "Fig. 3", "Nonsmooth, restitution 1, 2 MHz.", buzzing);
  hear(paper, "Fig. 3", "Compliant, 2 MHz.", soft);
  hear(paper, "Fig. 3", "The same string without the bridge.", alone);
  paper.set("Fig. 3", "second partial against first", second_partial(buzzing, fundamental));
  paper.set("Fig. 3", "the same without the bridge", second_partial(alone, fundamental));

  const Signal stuck = play(string, at(2e6, sticks), 0.01, 5e-7, true);
  const std::vector<double> edges = contact_edges(stuck);
  const auto edge = [&](std::size_t i) {
    return i < edges.size() ? 1e3 * edges[i] : std::numeric_limits<double>::quiet_NaN();
  };
  paper.set("Fig. 4", "first period begins", edge(0));
  paper.set("Fig. 4", "first period ends", edge(1));
  paper.set("Fig. 4", "second period begins", edge(2));
  paper.set("Fig. 4", "second period ends", edge(3));
  const Signal jumping = play(string, at(2e6, bounces), 0.01, 5e-7, true);
  const Signal pressed = play(string, at(2e6, stiff), 0.01, 5e-7, true);
  // The one-step oscillation while the string lies on the obstacle: deepest to highest point,
  // without the 50 us of the arrival.
  double highest = 0, lowest = 0;
  for (std::size_t i = 0; i < jumping.time.size(); ++i) {
    if (jumping.time[i] < 1e-3 * edge(0) + 5e-5 || jumping.time[i] > 1e-3 * edge(1) - 5e-5)
      continue;
    highest = std::max(highest, jumping.value[i]);
    lowest = std::min(lowest, jumping.value[i]);
  }
  paper.set("Fig. 4", "size of the bounces with restitution 1", highest - lowest);
  const auto obstacle_panel = [&](const std::string& title, double from, double to, double unit) {
    Panel result = panel(title, unit);
    result.series = {curve("restitution 1", jumping, from, to, Series::Style::line, unit),
                     curve("compliant", pressed, from, to, Series::Style::line, unit),
                     curve("restitution 0", stuck, from, to, Series::Style::line, unit)};
    return result;
  };
  std::vector<Panel> periods{obstacle_panel("both periods", 0, 0.01, millimetres)};
  periods.front().key = "off";  // the zooms have it
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    Panel zoom = obstacle_panel(i == 0 ? "first contact period" : "second contact period",
                                1e-3 * edge(i) - 1e-5, 1e-3 * edge(i + 1) + 1e-5, micrometres);
    zoom.y_range = Range{-0.2, 0.2};
    zoom.key = "top center";
    periods.push_back(std::move(zoom));
  }
  paper.draw("Fig. 4", "The string at the obstacle position.",
             {.panels = std::move(periods), .columns = 3, .panel_width = 360});

  const auto deepest = [&](double rate) {
    const Signal signal = play(string, at(rate, sticks), 0.004, 1 / rate, true);
    return -*std::min_element(signal.value.begin(), signal.value.end());
  };
  paper.set("Fig. 5", "at 2 MHz", deepest(2e6));
  paper.set("Fig. 5", "at 8 MHz", deepest(8e6));
  const Signal fine_stuck = play(string, at(8e6, sticks), 0.007, 1.25e-7, true);
  const Signal fine_jumping = play(string, at(8e6, bounces), 0.007, 1.25e-7, true);
  Panel first = panel("first contact", micrometres), second = panel("second contact", micrometres);
  for (Panel* p : {&first, &second}) {
    const double begins = 1e-3 * edge(p == &first ? 0 : 2);
    const double from = begins - 2e-6, to = begins + 1.2e-5;
    const auto marked = [&](const std::string& label, const Signal& signal) {
      return curve(label, signal, from, to, Series::Style::line_points, micrometres);
    };
    p->series = {marked("2 MHz, restitution 0", stuck), marked("2 MHz, restitution 1", jumping),
                 marked("8 MHz, restitution 0", fine_stuck),
                 marked("8 MHz, restitution 1", fine_jumping)};
    p->key = "top right";
  }
  paper.draw("Fig. 5", "The string at the obstacle as contact begins.",
             {.panels = {first, second}});
}

void reproduce_bass(Reproduction& paper) {
  const Case string = bass();
  const NewtonRestitution sticks{.restitution = 0}, bounces{.restitution = 1};
  const auto at = [&](double rate, ModalContactLaw law) { return with(string.problem, rate, law); };

  const Signal one = play(string, at(1e6, bounces), 0.2, 1e-5),
               four = play(string, at(4e6, bounces), 0.2, 1e-5);
  paper.set("Fig. 7", "last contact at 1 MHz", one.last_contact);
  paper.set("Fig. 7", "last contact at 4 MHz", four.last_contact);
  const Signal hard = play(string, at(4e6, bounces), 0.01, sample);
  const Signal compliant = play(string, at(8e6, stiff), 0.01, sample);
  paper.set("Fig. 7", "compliant against nonsmooth over 10 ms",
            difference_percent(compliant, hard));
  Panel early = panel("first 10 ms"), late = panel("0.1 s");
  early.series = {curve("nonsmooth, 4 MHz", hard, 0, 0.01),
                  curve("compliant, 8 MHz", compliant, 0, 0.01, Series::Style::dashes)};
  late.series = {curve("nonsmooth, 4 MHz", four, 0, 0.1)};
  paper.draw("Fig. 7", "The string against the neck, 9 mm from the end.",
             {.panels = {early, late}});

  const Signal soft = play(string, at(8e6, stiff), 0.5, 1e-5),
               long_hard = play(string, at(4e6, bounces), 0.5, 1e-5);
  paper.set("Fig. 8", "contact ends, compliant", soft.last_contact);
  paper.draw("Fig. 8", "Spectrograms of the displacement, 70 dB; the measured one is not public.",
             {.panels = {spectrogram("compliant, 8 MHz", soft),
                         spectrogram("nonsmooth, 4 MHz, restitution 1", long_hard)}});
  const Signal ringing = play(string, at(1e6, bounces), 2.0, 1e-5);
  hear(paper, "Fig. 8", "Two seconds of the bass: nonsmooth, restitution 1, 1 MHz.", ringing);
  hear(paper, "Fig. 8", "Half a second at 4 MHz.", long_hard);
  hear(paper, "Fig. 8", "Half a second, compliant, 8 MHz.", soft);

  const Signal soft10 = play(string, at(4e6, sticks), 0.01, sample);
  const Signal soft50 = play(string, at(4e6, sticks), 0.05, 1e-5),
               hard50 = play(string, at(4e6, bounces), 0.05, 1e-5);
  paper.set("Restitution of the bass", "over 10 ms", difference_percent(soft10, hard));
  paper.set("Restitution of the bass", "over 50 ms", difference_percent(soft50, hard50));

  for (const bool printed : {false, true}) {
    const auto run = [&](double rate) {
      ModalProblem problem = at(rate, bounces);
      if (printed) {
        problem.scaling = ImpulseScaling::printed;
        problem.activation = Activation::printed;
      }
      return play(string, problem, 0.01, sample);
    };
    const Signal finest = run(8e6);
    for (const int megahertz : {1, 2, 4}) {
      paper.set("Convergence of the bass",
                fmt::format("{} MHz {}", megahertz, printed ? "printed" : "scaled"),
                difference_percent(run(1e6 * megahertz), finest));
    }
  }
}

}  // namespace issanchou

void reproduce_issanchou2018(Reproduction& paper) {
  issanchou::reproduce_strings(paper);
  issanchou::reproduce_bridge(paper);
  issanchou::reproduce_bass(paper);
  issanchou::reproduce_times(paper);
}

}  // namespace carom
