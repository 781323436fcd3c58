#include <algorithm>
#include <cmath>

#include "papetti2011.hpp"
#include "papetti_methods.hpp"

namespace carom::papetti {
namespace {

constexpr int rebounds = 100;

/// How a sequence is run: conventions of Table III by name.
struct Sequence {
  Method method;
  double rate = audio_rate;
  bool restart_predicted = false;  ///< Heun's slip: go on with the predicted velocity at release
  bool count_release = false;      ///< the deviation of the energy includes the release sample
  bool corrected = false;          ///< hybrid x(v) and v~_out
};

struct SequenceErrors {
  double accumulated;  ///< energy after the last rebound against the exact one [%]
  double deviation;    ///< largest of eq. (27) over all impacts [%]
};

SequenceErrors run(const Case& start, const Sequence& sequence) {
  Case impact = start, exact = start;
  SequenceErrors errors{0, 0};
  double last_exit = 0;
  for (int i = 0; i < rebounds; ++i) {
    const Contact contact = simulate(impact, sequence.method, sequence.rate,
                                     {.hybrid = sequence.corrected, .exit = sequence.corrected});
    const double v_out = exit_velocity(impact);
    errors.deviation = std::max(errors.deviation, deviation_energy(impact, contact, v_out));
    last_exit = contact.exit();
    if (sequence.count_release) {
      const double lost = impact.speed * impact.speed - v_out * v_out;
      errors.deviation =
          std::max(errors.deviation, 100 * std::abs(last_exit * last_exit - v_out * v_out) / lost);
    }
    impact.speed = sequence.restart_predicted ? -contact.predicted_exit : -last_exit;
    exact.speed = -exit_velocity(exact);
  }
  errors.accumulated = 100 * (last_exit * last_exit / (exact.speed * exact.speed) - 1);
  return errors;
}

void table_3(Reproduction& paper, const std::string& item, const Case& impact) {
  const auto set = [&](const std::string& column, const SequenceErrors& errors) {
    paper.set(item, column + " accum. %err", std::abs(errors.accumulated));
    paper.set(item, column + " max %dev", errors.deviation);
  };
  set("AM1", run(impact, {.method = Method::am1}));
  set("Verlet", run(impact, {.method = Method::verlet}));
  set("Heun", run(impact, {.method = Method::heun, .restart_predicted = true}));
  set("RK4", run(impact, {.method = Method::rk4, .count_release = true}));
  set("corrected", run(impact, {.method = Method::verlet, .corrected = true}));
  set("16x RK4",
      run(impact, {.method = Method::rk4, .rate = 16 * audio_rate, .count_release = true}));

  const SequenceErrors heun = run(impact, {.method = Method::heun});
  paper.set(item, "Heun accum. %err, restarted with the corrected velocity", heun.accumulated);
  paper.set(item, "Heun max %dev, restarted with the corrected velocity", heun.deviation);
  paper.set(item, "RK4 max %dev, in contact", run(impact, {.method = Method::rk4}).deviation);
}

/// Height over time for a sequence of rebounds under gravity that acts in flight only.
struct Flight {
  std::vector<double> time, height;
};

template <class Rebound>
Flight fly(const Case& start, int count, Rebound&& rebound) {
  constexpr double gravity = 9.81;
  Flight flight;
  Case impact = start;
  double time = 0;
  for (int i = 0; i < count; ++i) {
    const double speed = rebound(impact);
    const double duration = 2 * speed / gravity;
    for (int j = 0; j <= 40; ++j) {
      const double t = duration * j / 40;
      flight.time.push_back(time + t);
      flight.height.push_back(speed * t - gravity * t * t / 2);
    }
    time += duration;
    impact.speed = speed;
  }
  return flight;
}

void figure_12(Reproduction& paper) {
  constexpr int shown = 12;
  const Flight exact =
      fly(case_2, shown, [](const Case& impact) { return -exit_velocity(impact); });
  const auto by = [](Method method) {
    return [method](const Case& impact) { return -simulate(impact, method, audio_rate).exit(); };
  };
  const Flight verlet = fly(case_2, shown, by(Method::verlet)),
               rk4 = fly(case_2, shown, by(Method::rk4));
  const Flight corrected =
      fly(case_2, shown, [](const Case& impact) { return -approximate_exit_velocity(impact); });
  paper.set("Fig. 12", "last landing shown, exact", exact.time.back());
  paper.set("Fig. 12", "last landing shown, Verlet", verlet.time.back());
  paper.set("Fig. 12", "last landing shown, RK4", rk4.time.back());
  paper.draw("Fig. 12",
             "Height over the wall; the contacts, a fraction of a millisecond each, are left out.",
             {.title = "",
              .panels = {{.title = "",
                          .x_label = "time [s]",
                          .y_label = "height [m]",
                          .series = {{"corrected", corrected.time, corrected.height},
                                     {"Verlet", verlet.time, verlet.height, Series::Style::dashes},
                                     {"RK4", rk4.time, rk4.height, Series::Style::dashes}}}},
              .panel_width = 1000});
}

}  // namespace

void reproduce_rebounds(Reproduction& paper) {
  table_3(paper, "Table III(a)", case_1);
  table_3(paper, "Table III(b)", case_2);
  figure_12(paper);
}

}  // namespace carom::papetti
