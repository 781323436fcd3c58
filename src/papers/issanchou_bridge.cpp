#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/steppers/modal_march.hpp>

#include "issanchou_signals.hpp"

namespace carom::issanchou {
namespace {

void hear(Reproduction& paper, const std::string& caption, const Signal& signal) {
  paper.hear("Fig. 3", caption, signal.rate, signal.value);
}

/// The formant [Hz]: the middle of the loudest band of 200 Hz, as wide as one partial, from 1.5 to
/// 6 kHz.
double formant(const Signal& signal, double from, double to) {
  constexpr double width = 200;
  double loudest = -std::numeric_limits<double>::infinity(), at = 0;
  for (double low = 1500; low < 6000; low += width) {
    const double level = band_level(signal, from, to, low, low + width);
    if (level > loudest) loudest = level, at = low + width / 2;
  }
  return at;
}

void figures_2_3(Reproduction& paper, const Case& string) {
  const auto at = [&](double rate, ModalContactLaw law) { return with(string.problem, rate, law); };
  const Signal hard = play(string, at(2e6, sticks), 0.02, sample);
  const Signal elastic = play(string, at(2e6, bounces), 0.02, sample);
  const Signal compliant = play(string, at(2e6, stiff_contact(string)), 0.02, sample);
  paper.set("Fig. 2", "restitution 0 against 1", difference_percent(hard, elastic));
  paper.set("Fig. 2", "compliant against restitution 0", difference_percent(compliant, hard));
  Panel output = time_panel("displacement"),
        apart = time_panel("difference from compliant", micrometres);
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
  // The paper does not show restitution 0, because it sees no difference.
  const Signal sticking = play(string, at(2e6, sticks), 1.0, 1e-5);
  const Signal buzzing = play(string, at(2e6, bounces), 1.0, 1e-5),
               soft = play(string, at(2e6, stiff_contact(string)), 1.0, 1e-5),
               alone = play(string, free, 1.0, 1e-5);
  paper.draw(
      "Fig. 3", "Spectrograms of the displacement, 70 dB, 2 MHz; the formant descends.",
      {.panels = {spectrogram("compliant", soft), spectrogram("nonsmooth, restitution 1", buzzing),
                  spectrogram("nonsmooth, restitution 0", sticking)},
       .columns = 3,
       .panel_width = 400});
  double apart_db = 0;  // between the two restitutions, in thirds of a kHz and tenths of a second
  for (int t = 0; t < 10; ++t) {
    for (int f = 0; f < 15; ++f) {
      const auto level = [&](const Signal& signal) {
        return band_level(signal, 0.1 * t, 0.1 * (t + 1), 333.0 * f + 40, 333.0 * (f + 1) + 40);
      };
      apart_db = std::max(apart_db, std::abs(level(sticking) - level(buzzing)));
    }
  }
  paper.set("Fig. 3", "restitution 0 against 1, largest difference of band levels", apart_db);
  for (const auto& [name, signal] :
       {std::pair{"compliant", &soft}, std::pair{"nonsmooth", &buzzing}}) {
    const double early = formant(*signal, 0.0, 0.2), late = formant(*signal, 0.8, 1.0);
    paper.set("Fig. 3", fmt::format("formant in the first 0.2 s, {}", name), early);
    paper.set("Fig. 3", fmt::format("formant in the last 0.2 s, {}", name), late);
    paper.set("Fig. 3", fmt::format("late formant over early one, {}", name), late / early);
  }
  hear(paper, "Nonsmooth, restitution 1, 2 MHz.", buzzing);
  hear(paper, "Nonsmooth, restitution 0, 2 MHz.", sticking);
  hear(paper, "Compliant, 2 MHz.", soft);
  hear(paper, "The same string without the bridge.", alone);
  paper.set("Fig. 3", "second partial against first", second_partial(buzzing, fundamental));
  paper.set("Fig. 3", "the same without the bridge", second_partial(alone, fundamental));
}

/// The criterion of Sect. IV A: relative errors over three seconds below 1e-1.
void bridge_convergence(Reproduction& paper, const Case& string) {
  const double duration = paper.quick() ? 0.3 : 3.0;
  const auto run = [&](double rate, ModalContactLaw law) {
    return play(string, with(string.problem, rate, law), duration, 1e-5);
  };
  for (const auto& [name, law] :
       {std::pair<const char*, ModalContactLaw>{"nonsmooth, restitution 1", bounces},
        std::pair<const char*, ModalContactLaw>{"compliant", stiff_contact(string)}}) {
    const Signal fine = run(4e6, law);
    paper.set("Convergence of the bridge", fmt::format("1 MHz {}", name),
              difference_percent(run(1e6, law), fine));
    paper.set("Convergence of the bridge", fmt::format("2 MHz {}", name),
              difference_percent(run(2e6, law), fine));
  }
}

void figures_4_5(Reproduction& paper, const Case& string) {
  const auto at = [&](double rate, ModalContactLaw law) { return with(string.problem, rate, law); };
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
  const Signal pressed = play(string, at(2e6, stiff_contact(string)), 0.01, 5e-7, true);
  // The one-step oscillation while the string lies on the obstacle: deepest to highest point, with
  // the arrival and without its first 50 us.
  const auto swing = [&](const Signal& signal, double from, double to) {
    double highest = -1, lowest = 1;
    for (std::size_t i = 0; i < signal.time.size(); ++i) {
      if (signal.time[i] < from || signal.time[i] > to) continue;
      highest = std::max(highest, signal.value[i]);
      lowest = std::min(lowest, signal.value[i]);
    }
    return highest - lowest;
  };
  const double begins = 1e-3 * edge(0), ends = 1e-3 * edge(1);
  // How closely the lower envelope of one-step oscillations follows another signal: correlation.
  const auto envelope_fit = [&](const Signal& oscillating, const Signal& smooth) {
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 1; i < oscillating.time.size(); ++i) {
      if (smooth.time[i] < begins + 5e-5 || smooth.time[i] > ends - 5e-5) continue;
      const double a = 1e6 * std::min(oscillating.value[i - 1], oscillating.value[i]),
                   b = 1e6 * smooth.value[i];
      n += 1, x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    return (n * xy - x * y) / std::sqrt((n * xx - x * x) * (n * yy - y * y));
  };
  paper.set("Fig. 4", "envelope of the bounces against the compliant oscillation, correlation",
            envelope_fit(jumping, pressed));
  const double bounces_later = swing(jumping, begins + 5e-5, ends - 5e-5);
  paper.set("Fig. 4", "size of the bounces with restitution 1, arrival included",
            swing(jumping, begins, ends - 5e-5));
  paper.set("Fig. 4", "size of the bounces with restitution 1, 50 us after the arrival",
            bounces_later);
  paper.set("Fig. 4", "size of the oscillation, compliant, 50 us after the arrival",
            swing(pressed, begins + 5e-5, ends - 5e-5));
  paper.set("Fig. 4", "bounces with restitution 1 over the compliant oscillation",
            bounces_later / swing(pressed, begins + 5e-5, ends - 5e-5));
  paper.set("Fig. 4", "motion with restitution 0 while it sticks",
            swing(stuck, begins + 5e-6, ends - 5e-5));
  // "Around": from a curve. Is ours the end of the contact, or of the step?
  const std::vector<double> fine_edges =
      contact_edges(play(string, at(8e6, sticks), 0.01, 1.25e-7, true));
  const double fine_end = fine_edges.size() > 3 ? 1e3 * fine_edges[3] : std::nan("");
  paper.check("around", std::abs(fine_end - edge(3)) < 0.02,
              fmt::format("{:.3f} ms at 2 MHz, {:.3f} ms at 8 MHz", edge(3), fine_end));
  const auto obstacle_panel = [&](const std::string& title, double from, double to, double unit) {
    Panel result = time_panel(title, unit);
    result.series = {curve("restitution 1", jumping, from, to, Series::Style::line, unit),
                     curve("compliant", pressed, from, to, Series::Style::line, unit),
                     curve("restitution 0", stuck, from, to, Series::Style::line, unit)};
    return result;
  };
  std::vector<Panel> periods{obstacle_panel("both periods", 0, 0.01, millimetres)};
  periods.front().key = Panel::Key::off;  // the zooms have it
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    Panel zoom = obstacle_panel(i == 0 ? "first contact period" : "second contact period",
                                1e-3 * edge(i) - 1e-5, 1e-3 * edge(i + 1) + 1e-5, micrometres);
    zoom.y_range = Range{-0.3, 0.1};
    periods.push_back(std::move(zoom));
  }
  paper.draw("Fig. 4", "The string at the obstacle position.",
             {.panels = std::move(periods), .columns = 3, .panel_width = 360});

  const auto deepest = [&](double rate) {
    const Signal signal = play(string, at(rate, sticks), 0.004, 1 / rate, true);
    return -*std::min_element(signal.value.begin(), signal.value.end());
  };
  // Where the string is when it is stopped: at the first point seen inside. It stays there.
  const double lies = 1e-3 * (0.5 * edge(0) + 0.5 * edge(1));
  const auto at_time = [](const Signal& signal, double time) {
    const auto next = std::lower_bound(signal.time.begin(), signal.time.end(), time);
    return signal.value[static_cast<std::size_t>(next - signal.time.begin())];
  };
  paper.set("Fig. 5", "height where it lies against that at the first impulse, restitution 0",
            at_time(stuck, lies) / at_time(stuck, stuck.first_contact + 1e-9) - 1);
  paper.set("Fig. 5", "at 2 MHz", deepest(2e6));
  paper.set("Fig. 5", "at 8 MHz", deepest(8e6));
  const Signal fine_stuck = play(string, at(8e6, sticks), 0.007, 1.25e-7, true);
  const Signal fine_jumping = play(string, at(8e6, bounces), 0.007, 1.25e-7, true);
  Panel first = time_panel("first contact", micrometres),
        second = time_panel("second contact", micrometres);
  for (Panel* p : {&first, &second}) {
    const double touch = 1e-3 * edge(p == &first ? 0 : 2);
    const double from = touch - 2e-6, to = touch + 1.2e-5;
    const auto marked = [&](const std::string& label, const Signal& signal) {
      return curve(label, signal, from, to, Series::Style::line_points, micrometres);
    };
    p->series = {marked("2 MHz, restitution 0", stuck), marked("2 MHz, restitution 1", jumping),
                 marked("8 MHz, restitution 0", fine_stuck),
                 marked("8 MHz, restitution 1", fine_jumping)};
  }
  paper.draw("Fig. 5", "The string at the obstacle as contact begins.",
             {.panels = {first, second}});
  paper.set("Fig. 5", "penetration at 8 MHz over that at 2 MHz", deepest(8e6) / deepest(2e6));
}

}  // namespace

void reproduce_bridge(Reproduction& paper) {
  const Case string = point_bridge();
  figures_2_3(paper, string);
  paper.report(0.1);
  figures_4_5(paper, string);
  paper.report(0.15);
  bridge_convergence(paper, string);
  paper.report(0.5);
}

}  // namespace carom::issanchou
