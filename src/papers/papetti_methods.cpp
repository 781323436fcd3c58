#include "papetti_methods.hpp"

#include <algorithm>
#include <cmath>

#include <carom/steppers/heun.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom::papetti {
namespace {

ContactMethod method_of_carom(Method method) {
  switch (method) {
    case Method::am1:
      return ContactMethod::trapezoid;
    case Method::verlet:
      return ContactMethod::verlet;
    case Method::heun:
      return ContactMethod::heun;
    case Method::rk4:
      break;
  }
  return ContactMethod::rk4;
}

Correct correction_of(const Corrections& corrections) {
  if (corrections.hybrid) return corrections.exit ? Correct::both : Correct::hybrid;
  return corrections.exit ? Correct::exit : Correct::none;
}

}  // namespace

ContactPoint step(const Case& impact, Method method, const ContactPoint& state, double h) {
  const WallProblem problem{
      .contact = {impact.law}, .state = {}, .mass = impact.mass, .events_located = false};
  switch (method) {
    case Method::am1:
      return Trapezoid{}.step(problem, state, h);
    case Method::verlet:
      return Verlet{}.step(problem, state, h);
    case Method::heun:
      return Heun{}.step(problem, state, h);
    case Method::rk4:
      break;
  }
  return Rk4{}.step(problem, state, h);
}

Contact simulate(const Case& impact, Method method, double rate, const Corrections& corrections,
                 int step_limit) {
  const auto march = make_wall_march({.law = impact.law,
                                      .method = method_of_carom(method),
                                      .mass = impact.mass,
                                      .rate = rate,
                                      .velocity = impact.speed,
                                      .events = Events::sample,
                                      .correct = correction_of(corrections),
                                      .exit = ExitSpeed::published,
                                      .exit_threshold_percent = 100});  // applied at any error
  Contact contact{{{march->now().position, march->now().velocity}}};
  for (int n = 0; n < step_limit && march->finished().empty(); ++n) {
    const double v = march->now().velocity, f = march->now().force;
    march->step();
    const WallMarch::Sample& s = march->now();
    contact.samples.push_back({s.position, s.velocity});
    contact.predicted_exit = method == Method::heun ? v - f / (impact.mass * rate) : s.velocity;
  }
  return contact;
}

double deviation_x(const Case& impact, const Contact& contact) {
  double worst = 0;
  for (const auto& [x, v] : contact.samples) {
    if (x > 0) worst = std::max(worst, std::abs(x - compression(impact, v)));
  }
  return 100 * worst / max_compression(impact);
}

double deviation_energy(const Case& impact, const Contact& contact, double exit_velocity) {
  const double lost =
      impact.mass / 2 * (impact.speed * impact.speed - exit_velocity * exit_velocity);
  double worst = 0;
  for (const auto& [x, v] : contact.samples) {
    if (x > 0) worst = std::max(worst, std::abs(energy(impact, x, v) - energy_on_path(impact, v)));
  }
  return 100 * worst / lost;
}

}  // namespace carom::papetti
