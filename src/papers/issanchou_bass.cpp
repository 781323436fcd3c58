#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/steppers/modal_march.hpp>

#include "issanchou_signals.hpp"
#include "points.hpp"

namespace carom::issanchou {
namespace {

/// Fig. 6: the frets and the string at the start.
void figure_6(Reproduction& paper, const Case& string) {
  Series frets{.label = "frets", .x = {}, .y = {}, .style = Series::Style::points, .colour = 1};
  for (std::size_t i = 0; i < string.positions.size(); ++i) {
    frets.x.push_back(string.positions[i]);
    frets.y.push_back(millimetres * string.problem.heights[i]);
  }
  Series shape{.label = "string at the start", .x = evenly(0, string.model.length, 400), .y = {}};
  const ShapeMatrix shapes = string_shapes(string.model.length, string.model.modes, shape.x);
  const Eigen::VectorXd start = shapes * string.problem.start.position;
  for (const double u : start) shape.y.push_back(millimetres * u);
  paper.set("Fig. 6", "frets", static_cast<double>(frets.x.size()));
  paper.set("Fig. 6", "largest initial displacement", start.maxCoeff() * millimetres);
  Eigen::Index top = 0;
  start.maxCoeff(&top);
  paper.set("Fig. 6", "at", 1e2 * shape.x[static_cast<std::size_t>(top)]);
  paper.draw(
      "Fig. 6",
      string.measured ? "The string at the start and the frets of the measured neck."
                      : "The string at the start and the frets of a parametric neck.",
      {.panels =
           {{.title = "", .x_label = "x [m]", .y_label = "height [mm]", .series = {shape, frets}}},
       .columns = 1,
       .panel_width = 860,
       .panel_height = 340});
}

/// When contact ends, by the rate: which graze is the last one.
void last_contacts(Reproduction& paper, const Case& string) {
  std::string evidence;
  int near = 0, tried = 0;
  for (const double megahertz : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0}) {
    if (paper.quick() && megahertz > 4) break;
    const double last =
        play(string, with(string.problem, 1e6 * megahertz, bounces), 0.11, 1e-5).last_contact;
    evidence +=
        fmt::format("{}{:.1f} ms at {} MHz", evidence.empty() ? "" : ", ", 1e3 * last, megahertz);
    near += last > 0.085 && last < 0.095;
    ++tried;
    if (megahertz == 1 || megahertz == 4) {
      paper.set("Fig. 7", fmt::format("last contact at {} MHz", megahertz),
                string.measured ? last : std::numeric_limits<double>::quiet_NaN());
    }
  }
  // The graze at 0.09 s is a feature of coarse steps, if most rates do not have it.
  paper.check("graze", 2 * near < tried, evidence);
}

void figures_7_8(Reproduction& paper, const Case& string) {
  const auto at = [&](double rate, ModalContactLaw law) { return with(string.problem, rate, law); };
  const Signal hard = play(string, at(4e6, bounces), 0.01, sample);
  const Signal compliant = play(string, at(8e6, stiff_contact(string)), 0.01, sample);
  const double longest = paper.quick() ? 0.1 : 0.5;
  const Signal soft = play(string, at(8e6, stiff_contact(string)), longest, 1e-5),
               long_hard = play(string, at(4e6, bounces), longest, 1e-5);
  paper.set("Fig. 7", "measured displacement", std::numeric_limits<double>::quiet_NaN());
  paper.set("Fig. 7", "compliant against nonsmooth over 10 ms",
            difference_percent(compliant, hard));
  paper.set("Fig. 7", "compliant against nonsmooth over 50 ms",
            difference_percent(until(soft, 0.05), long_hard));
  paper.set("Fig. 7", "compliant against nonsmooth over 100 ms",
            difference_percent(until(soft, 0.1), long_hard));
  const Signal stiffer =
      play(string, at(8e6, PowerLaw{.stiffness = 1e13, .exponent = 1.5}), 0.05, 1e-5);
  const double off = difference_percent(stiffer, long_hard);
  paper.check("stiffness", off < 10,
              fmt::format("{:.2g} % over 50 ms with 1e13 N/m^1.5 at each fret, {:.2g} % with 1e10",
                          off, difference_percent(until(soft, 0.05), long_hard)));
  Panel early = time_panel("first 10 ms"), zoom = time_panel("50 to 60 ms"),
        late = time_panel("0.1 s"), apart = time_panel("compliant less nonsmooth", micrometres);
  early.series = {curve("nonsmooth, 4 MHz", hard, 0, 0.01),
                  curve("compliant, 8 MHz", compliant, 0, 0.01, Series::Style::dashes)};
  zoom.series = {curve("nonsmooth, 4 MHz", long_hard, 0.05, 0.06),
                 curve("compliant, 8 MHz", soft, 0.05, 0.06, Series::Style::dashes)};
  late.series = {curve("nonsmooth, 4 MHz", long_hard, 0, 0.1),
                 curve("compliant, 8 MHz", soft, 0, 0.1, Series::Style::dashes)};
  apart.series = {curve("", minus(soft, long_hard), 0, 0.1, Series::Style::line, micrometres)};
  paper.draw("Fig. 7",
             "The string against the neck, 9 mm from the end; the measured curve of the figure is "
             "not public.",
             {.panels = {late, apart, early, zoom}});
  paper.set("Fig. 8", "contact ends, compliant", soft.last_contact);
  for (const auto& [name, signal] :
       {std::pair{"nonsmooth", &long_hard}, std::pair{"compliant", &soft}}) {
    const auto level = [&](double low, double high) {
      return band_level(*signal, 0.0, 0.09, low, high);
    };
    // The zone stands out when it is louder than what a line through its neighbours says.
    paper.set("Fig. 8", fmt::format("zone of 4.2 to 4.8 kHz over its neighbours, {}", name),
              level(4200, 4800) - 0.5 * (level(3400, 4000) + level(5000, 5600)));
    paper.check("zone", !string.measured,
                fmt::format("{} neck, {}: {:.1f}, {:.1f} and {:.1f} dB in the three zones",
                            string.measured ? "measured" : "parametric", name, level(3400, 4000),
                            level(4200, 4800), level(5000, 5600)));
  }
  paper.draw("Fig. 8", "Spectrograms of the displacement, 70 dB; the measured one is not public.",
             {.panels = {spectrogram("compliant, 8 MHz", soft, 8000),
                         spectrogram("nonsmooth, 4 MHz, restitution 1", long_hard, 8000)}});
  const auto hear = [&](const std::string& caption, const Signal& signal) {
    paper.hear("Fig. 8", caption, signal.rate, signal.value);
  };
  if (!paper.quick()) {
    hear("Two seconds of the bass: nonsmooth, restitution 1, 1 MHz.",
         play(string, at(1e6, bounces), 2.0, 1e-5));
  }
  hear("The beginning at 4 MHz.", long_hard);
  hear("The beginning, compliant, 8 MHz.", soft);

  const Signal soft10 = play(string, at(4e6, sticks), 0.01, sample);
  const Signal soft50 = play(string, at(4e6, sticks), 0.05, 1e-5);
  paper.set("Restitution of the bass", "over 10 ms", difference_percent(soft10, hard));
  paper.set("Restitution of the bass", "over 50 ms", difference_percent(soft50, long_hard));
}

/// Differences from the finest rate, over a short and over the whole time of contacts.
void bass_convergence(Reproduction& paper, const Case& string) {
  std::string evidence;
  bool converged = true;
  for (const bool printed : {false, true}) {
    const auto run = [&](double rate, double duration) {
      ModalProblem problem = with(string.problem, rate, bounces);
      if (printed) {
        problem.scaling = ImpulseScaling::printed;
        problem.activation = Activation::printed;
      }
      return play(string, problem, duration, sample);
    };
    const char* name = printed ? "printed" : "scaled";
    for (const bool whole : {false, true}) {
      if (paper.quick() && whole) continue;
      const double duration = whole ? 0.1 : 0.01;
      const Signal finest = run(whole ? 16e6 : 8e6, duration);
      for (const int megahertz : {1, 2, 4, 8}) {
        if (!whole && megahertz == 8) continue;
        const double off = difference_percent(run(1e6 * megahertz, duration), finest);
        paper.set("Convergence of the bass",
                  fmt::format("{} MHz {}, {}", megahertz, name,
                              whole ? "100 ms against 16 MHz" : "10 ms against 8 MHz"),
                  off);
      }
      if (!whole) continue;
      const Signal four = run(4e6, duration);
      double reached = 0;  // until when 4 MHz is converged by the criterion of the paper [s]
      for (double time = 1e-3; time <= duration; time += 1e-3) {
        if (difference_percent(until(four, time), finest) > 10) break;
        reached = time;
      }
      converged = converged && reached > 0.02;
      evidence += fmt::format("{}{}: below 10 % until {:.0f} ms", evidence.empty() ? "" : ", ",
                              name, 1e3 * reached);
    }
  }
  paper.check("neck", converged && !string.measured,
              fmt::format("{} neck, 4 MHz against 16 MHz; {}",
                          string.measured ? "measured" : "parametric", evidence));
}

}  // namespace

void reproduce_bass(Reproduction& paper) {
  const Case string = bass();
  figure_6(paper, string);
  figures_7_8(paper, string);
  paper.report(0.65);
  last_contacts(paper, string);
  paper.report(0.75);
  bass_convergence(paper, string);
  paper.report(0.9);
}

}  // namespace carom::issanchou
