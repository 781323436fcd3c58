#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include <carom/steppers/simulated_bounces.hpp>
#include <carom/steppers/simulated_impact.hpp>
#include <carom/steppers/wall_march.hpp>

#include "papetti2011.hpp"
#include "papetti_model.hpp"

namespace carom::papetti {
namespace {

const std::string item = "Methods of carom";

/// Energy after 100 rebounds in percent of the exact one, flight simulated, gravity suspended in
/// contact as in the paper.
double accumulated_error(const Case& impact, ContactMethod method) {
  const Bounces bounces = simulate_bounces(impact.law, {.mass = impact.mass, .speed = impact.speed},
                                           {.method = method, .rate = audio_rate, .impacts = 100});
  Case exact = impact;
  for (int i = 0; i < 100; ++i) exact.speed = -exit_velocity(exact);
  if (bounces.impacts.size() < 100) return std::numeric_limits<double>::quiet_NaN();
  return 100 * (std::pow(bounces.impacts.back().speed_out / exact.speed, 2) - 1);
}

/// CPU nanoseconds per sample with the energy ledger kept, the smallest of several runs. In
/// contact: one impact oversampled so that it lasts some thousand samples; in flight: away from the
/// wall.
double nanoseconds(ContactMethod method, bool in_contact) {
  constexpr int samples = 10'000;
  constexpr double oversampling = 2000;
  double best = std::numeric_limits<double>::infinity(), sink = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto march = make_wall_march({.law = case_2.law,
                                        .method = method,
                                        .mass = case_2.mass,
                                        .rate = in_contact ? oversampling * audio_rate : audio_rate,
                                        .position = in_contact ? 0.0 : -1.0,
                                        .velocity = in_contact ? case_2.speed : -case_2.speed});
    const std::clock_t begin = std::clock();
    for (int i = 0; i < samples; ++i) march->step();
    best = std::min(best, double(std::clock() - begin) / CLOCKS_PER_SEC / samples);
    sink += march->now().position;
  }
  return std::isnan(sink) ? sink : 1e9 * best;
}

}  // namespace

void reproduce_by_carom(Reproduction& paper) {
  for (const ContactMethodEntry& entry : contact_methods()) {
    const std::string name(entry.traits.name);
    for (const auto& [label, impact] : {std::pair{"case 1", case_1}, std::pair{"case 2", case_2}}) {
      const SimulatedImpact run =
          simulate_impact(impact.law, {.mass = impact.mass, .speed = impact.speed},
                          {.method = entry.method, .rate = audio_rate});
      const std::string column(label);
      paper.set(item, column + ", %err(v_out) " + name, run.error.rebound_speed_percent);
      paper.set(item, column + ", %waveform " + name, run.error.waveform_percent);
      paper.set(item, column + ", 100 rebounds, %err(H) " + name,
                accumulated_error(impact, entry.method));
    }
    // It takes no samples: its step follows the motion.
    if (entry.method == ContactMethod::event_driven) continue;
    paper.set(item, "ns per sample in contact " + name, nanoseconds(entry.method, true));
    paper.set(item, "ns per sample in flight " + name, nanoseconds(entry.method, false));
  }
}

}  // namespace carom::papetti
