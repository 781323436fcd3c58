#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <carom/identify/formula.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

#include "points.hpp"
#include "poursina2020.hpp"

namespace carom::poursina {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double restitution = 0.3, exponent = 1.5, stiffness = 1e8, duration = 8.0;
// The second pivot to the left, angles from the downward vertical: one of two readings of the
// paper, which gives neither layout nor reference. The other one is B.
constexpr PendulumRods rods{.masses = {1.0, 0.2}, .lengths = {6.0, 4.0}, .offset = -2.0};
const PendulumState start_a{.angles = {pi / 12, -pi / 2}},
    start_b{.angles = {pi / 12 + pi / 2, 0.0}};

struct Model {
  std::string name;
  PendulumContact contact;
};

LawOfImpact damper(double dimensionless) {
  return [=](const Collision& hit) -> AnyLaw {
    const double n = exponent;
    const double unit =
        std::pow(stiffness * std::pow(hit.speed, n - 1) * std::pow(hit.mass, n), 1 / (n + 1));
    return HertzDamper{.stiffness = stiffness, .exponent = n, .damping = dimensionless * unit};
  };
}

LawOfImpact hunt_crossley(double epsilon) {
  return [=](const Collision& hit) -> AnyLaw {
    return HuntCrossley{.stiffness = stiffness, .exponent = exponent, .mu = epsilon / hit.speed};
  };
}

std::vector<Model> models() {
  return {{"piecewise", NewtonRestitution{restitution}},
          {"eq. (50)", damper(poursina_damping(restitution, exponent))},
          {"Hunt-Crossley, (16)", hunt_crossley(epsilon_by(Formula::flores, restitution))},
          {"Hertz damper, exact c", damper(damping_of_restitution(restitution, exponent))},
          {"Hunt-Crossley, exact (18)", hunt_crossley(epsilon_of_restitution(restitution))}};
}

void figure_11(Reproduction& paper) {
  Panel first{.title = "first rod", .x_label = "time [s]", .y_label = "angular velocity [rad/s]"};
  Panel second{.title = "second rod", .x_label = "time [s]", .y_label = "angular velocity [rad/s]"};
  int drawn = 0;
  std::vector<double> third;  // of each model, the time of the third impact [s]
  for (const Model& model : models()) {
    const PendulumRun run =
        simulate_pendulums(rods, start_a, model.contact, {.duration = duration, .interval = 0.01});
    paper.set("Fig. 11", model.name + " impacts in 8 s", double(run.impacts.size()));
    for (std::size_t i = 0; i < 3 && i < run.impacts.size(); ++i) {
      paper.set("Fig. 11", fmt::format("{} time of impact {} [s]", model.name, i + 1),
                run.impacts[i].record.time);
    }
    third.push_back(run.impacts.size() > 2 ? run.impacts[2].record.time : std::nan(""));
    const auto& impact = run.impacts.front();
    paper.set("Fig. 11", model.name + " restitution of impact 1",
              impact.record.speed_out / impact.record.speed_in);
    if (++drawn > 3) continue;
    using enum Series::Style;
    Series rate_1{model.name, {}, {}, drawn == 1 ? line : dashes}, rate_2 = rate_1;
    for (const PendulumSample& sample : run.samples) {
      rate_1.x.push_back(sample.time);
      rate_1.y.push_back(sample.state.rates[0]);
      rate_2.x.push_back(sample.time);
      rate_2.y.push_back(sample.state.rates[1]);
    }
    first.series.push_back(rate_1);
    second.series.push_back(rate_2);
  }
  paper.set("Fig. 11", "error of the time of impact 3, eq. (50) over Hunt-Crossley, (16)",
            std::abs(third[1] - third[0]) / std::abs(third[2] - third[0]));
  paper.set("Fig. 11", "the same, eq. (50) over Hunt-Crossley, exact (18)",
            std::abs(third[1] - third[0]) / std::abs(third[4] - third[0]));
  paper.set("Fig. 11", "impacts in 8 s, the other reading, piecewise",
            double(simulate_pendulums(rods, start_b, NewtonRestitution{restitution},
                                      {.duration = duration})
                       .impacts.size()));
  paper.draw("Fig. 11", "Angular velocities; the models part at the first impact, 1.142 s.",
             {.title = "", .panels = {first, second}});
}

void figure_12(Reproduction& paper) {
  // A run to just before the first touch, then the contact itself finely sampled.
  const PendulumRun before =
      simulate_pendulums(rods, start_a, NewtonRestitution{restitution}, {.duration = 1.1424});
  Panel panel{.title = "", .x_label = "penetration [mm]", .y_label = "contact force [kN]"};
  const std::vector<Model> all = models();
  for (const std::size_t index : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    const PendulumRun contact = simulate_pendulums(rods, before.end, all[index].contact,
                                                   {.duration = 1e-3, .interval = 1e-6});
    Series loop{all[index].name, {}, {}};
    double largest = 0;
    for (const PendulumSample& sample : contact.samples) {
      largest = std::max(largest, sample.force);
      if (!(sample.force > 0)) continue;
      loop.x.push_back(1e3 * sample.compression);
      loop.y.push_back(1e-3 * sample.force);
    }
    panel.series.push_back(loop);
    paper.set("Fig. 12", "largest force, " + all[index].name, largest);
  }
  paper.draw("Fig. 12", "The first contact.", {.title = "", .panels = {panel}, .panel_width = 760});
}

/// The two rods at the start and at the first touch.
void figure_10(Reproduction& paper) {
  const PendulumRun run =
      simulate_pendulums(rods, start_a, NewtonRestitution{restitution}, {.duration = 1.5});
  Panel panel{.title = "", .x_label = "x [m]", .y_label = "y [m]", .equal_scales = true};
  const auto draw = [&](const PendulumState& state, const char* label, Series::Style style) {
    for (int rod = 0; rod < 2; ++rod) {
      const double pivot = rod == 0 ? 0 : rods.offset, length = rods.lengths[std::size_t(rod)];
      const double angle = state.angles[std::size_t(rod)];
      panel.series.push_back({fmt::format("rod {}, {}", rod + 1, label),
                              {pivot, pivot + length * std::sin(angle)},
                              {0, -length * std::cos(angle)},
                              style,
                              rod});
    }
  };
  draw(start_a, "start", Series::Style::line);
  draw(run.impacts.front().before, "first impact", Series::Style::dashes);
  paper.set("Fig. 10", "effective mass at the first impact", run.impacts.front().effective_mass);
  paper.set("Fig. 10", "m1 m2/(m1 + m2)",
            rods.masses[0] * rods.masses[1] / (rods.masses[0] + rods.masses[1]));
  paper.set("Fig. 10", "closing speed", run.impacts.front().record.speed_in);
  paper.draw("Fig. 10", "The reading used here: the second pivot 2 m to the left of the first.",
             {.title = "", .panels = {panel}, .panel_width = 620, .panel_height = 480});
}

}  // namespace

void reproduce_pendulums(Reproduction& paper) {
  figure_10(paper);
  figure_11(paper);
  figure_12(paper);
}

}  // namespace carom::poursina
