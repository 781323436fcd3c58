#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/impact/hunt_crossley.hpp>

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
  const SequenceErrors corrected = run(impact, {.method = Method::verlet, .corrected = true});
  set("corrected", corrected);
  paper.set("Sect. IV-C, D",
            fmt::format("{}, accumulated error of the corrected Verlet over that of RK4",
                        item == "Table III(a)" ? "case 1" : "case 2"),
            std::abs(corrected.accumulated / run(impact, {.method = Method::rk4}).accumulated));
  const SequenceErrors fine =
      run(impact, {.method = Method::rk4, .rate = 16 * audio_rate, .count_release = true});
  set("16x RK4", fine);
  if (item == "Table III(b)") {
    const double plain = run(impact, {.method = Method::rk4, .rate = 16 * audio_rate}).accumulated;
    paper.check("sixteen",
                plain == fine.accumulated && std::abs(std::abs(plain) - 0.002) < 0.001 &&
                    std::abs(plain) < 0.0015,
                fmt::format("{:.6f} %", plain));
  }

  const SequenceErrors heun = run(impact, {.method = Method::heun});
  paper.set(item, "Heun accum. %err, restarted with the corrected velocity", heun.accumulated);
  paper.set(item, "Heun max %dev, restarted with the corrected velocity", heun.deviation);
  paper.set(item, "RK4 max %dev, in contact", run(impact, {.method = Method::rk4}).deviation);
}

/// Height over time, sample by sample.
struct Flight {
  std::vector<double> time, height;
  std::vector<double> landings;  ///< when each rebound lands again [s]
};

/// The sequence of Sect. IV-B2, simulated: gravity acts in flight only, a flight is followed on
/// samples (which for a constant force every method does exactly), a contact begins at the first
/// sample inside the wall and ends at the first one outside.
Flight simulate_rebounds(const Case& start, Method method, const Corrections& corrections,
                         int rebounds_shown) {
  constexpr double gravity = 9.81, h = 1 / audio_rate;
  Flight flight;
  long long n = 0;
  Case impact = start;
  double x = 0, v = start.speed;  // into the wall
  for (int i = 0; i < rebounds_shown; ++i) {
    impact.speed = v;
    // What was gone into the wall before contact was seen is taken back: the contact starts at 0,
    // which changes the height by a fraction of v/F_s.
    const Contact contact = simulate(impact, method, audio_rate, corrections);
    for (const Sample& sample : contact.samples) {
      flight.time.push_back(double(n++) * h);
      flight.height.push_back(-sample.x);
    }
    x = contact.samples.back().x, v = contact.exit();
    for (x += h * v + gravity * h * h / 2, v += gravity * h; x <= 0;
         x += h * v + gravity * h * h / 2, v += gravity * h) {
      if (n++ % 40 != 0) continue;
      flight.time.push_back(double(n) * h);
      flight.height.push_back(-x);
    }
    v -= gravity * x / v;  // of the instant of touch, to first order in the sample
    flight.landings.push_back(double(n) * h);
  }
  return flight;
}

/// The same from exact contact times, rebound speeds and flight times.
std::vector<double> exact_landings(const Case& start, int rebounds_shown) {
  Case each = start;
  std::vector<double> landings;
  double time = 0;
  for (int i = 0; i < rebounds_shown; ++i) {
    time += carom::impact(each.law, {.mass = each.mass, .speed = each.speed}).contact_time;
    each.speed = -exit_velocity(each);
    landings.push_back(time += 2 * each.speed / 9.81);
  }
  return landings;
}

void figure_12(Reproduction& paper) {
  constexpr int shown = 12;
  const Flight verlet = simulate_rebounds(case_2, Method::verlet, {}, shown),
               rk4 = simulate_rebounds(case_2, Method::rk4, {}, shown),
               corrected =
                   simulate_rebounds(case_2, Method::verlet, {.hybrid = true, .exit = true}, shown);
  const std::vector<double> exact = exact_landings(case_2, shown);
  paper.set("Fig. 12", "last landing shown, exact", exact.back());
  paper.set("Fig. 12", "last landing shown, corrected", corrected.landings.back());
  paper.set("Fig. 12", "last landing shown, Verlet", verlet.landings.back());
  paper.set("Fig. 12", "last landing shown, RK4", rk4.landings.back());
  paper.set("Fig. 12", "corrected against exact, of Verlet against exact",
            std::abs(corrected.landings.back() - exact.back()) /
                std::abs(verlet.landings.back() - exact.back()));
  Panel late{.title = "landings, later than the exact ones",
             .x_label = "rebound",
             .y_label = "delay [ms]"};
  for (const auto& [name, flight] :
       {std::pair{"corrected", &corrected}, std::pair{"Verlet", &verlet}, std::pair{"RK4", &rk4}}) {
    Series delay{name, {}, {}, Series::Style::line_points};
    for (std::size_t i = 0; i < exact.size(); ++i) {
      delay.x.push_back(double(i + 1));
      delay.y.push_back(1e3 * (flight->landings[i] - exact[i]));
    }
    late.series.push_back(delay);
  }
  paper.draw(
      "Fig. 12",
      "Simulated sample by sample; RK4 and the corrected Verlet coincide in the left picture.",
      {.title = "",
       .panels = {{.title = "height over the wall",
                   .x_label = "time [s]",
                   .y_label = "height [m]",
                   .series = {{"corrected", corrected.time, corrected.height},
                              {"Verlet", verlet.time, verlet.height, Series::Style::dashes},
                              {"RK4", rk4.time, rk4.height, Series::Style::dashes}}},
                  late}});
}

}  // namespace

void reproduce_rebounds(Reproduction& paper) {
  table_3(paper, "Table III(a)", case_1);
  table_3(paper, "Table III(b)", case_2);
  figure_12(paper);
}

}  // namespace carom::papetti
