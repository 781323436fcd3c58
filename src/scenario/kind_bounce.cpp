#include <cmath>

#include <carom/laws/newton_restitution.hpp>

#include "kinds.hpp"

namespace carom {
namespace {

/// A ball that keeps its restitution at every impact, in closed form: parabolas between instants.
RunOutcome run_newton(const Scenario& scenario, RunContext& context) {
  const NewtonRestitution law{scenario.number("contact.restitution")};
  const double mass = scenario.number("body.mass"), g = scenario.number("body.gravity");
  const double rate = scenario.number("run.rate");
  const auto most = scenario.whole_number("run.impacts");
  const auto every = scenario.whole_number("output.every");
  RunOutcome outcome;
  outcome.passive = true;
  context.signals({{"height", "m", "of the ball above the floor"}, {"velocity", "m/s", "upward"}});
  context.sound_rate(rate);
  double speed = scenario.number("body.speed"), start = 0, lost = 0;
  const double initial = 0.5 * mass * speed * speed;
  Json impacts = Json::array();
  long long step = 0;
  context.begin_loop();
  for (long long i = 0; i < most && speed > 0; ++i) {
    const double out = -law.outgoing(speed);
    impacts.push_back({{"time", start},
                       {"speed_in", speed},
                       {"speed_out", out},
                       {"restitution", law.restitution},
                       {"contact_time", 0.0}});
    lost += 0.5 * mass * (speed * speed - out * out);
    speed = out;
    const double flight = 2 * speed / g;
    for (; static_cast<double>(step) / rate < start + flight; ++step) {
      const double time = static_cast<double>(step) / rate, t = time - start;
      const double y = speed * t - 0.5 * g * t * t, v = speed - g * t;
      if (step % every == 0) context.record(time, {y, v});
      context.hear(y);
      context.energy({time, 0.5 * mass * v * v, mass * g * y, lost, 0});
      if (!context.keep_going(static_cast<double>(i) / static_cast<double>(most), time))
        return outcome;
    }
    start += flight;
  }
  context.end_loop();
  outcome.results["impacts"] = std::move(impacts);
  outcome.simulated_time = start;
  const double final = 0.5 * mass * speed * speed;
  outcome.energy = {
      .initial = initial, .final = final, .dissipated = lost, .residual = final + lost - initial};
  return outcome;
}

}  // namespace

Kind bounce_kind() {
  return {
      .name = "bounce",
      .summary = "A body that bounces on a floor under gravity.",
      .tables =
          {{"body",
            "The body that bounces.",
            {number("mass", "kg", "of the body").positive().required().starts_with(0.01),
             number("speed", "m/s", "at the first impact").positive().required().starts_with(1.0),
             number("gravity", "m/s^2", "acceleration in flight").positive().defaults_to(9.81)}},
           {"contact",
            "What happens when body and floor touch.",
            {text("law", "of the contact").one_of({"newton"}).required().starts_with("newton"),
             number("restitution", "", "speed after an impact / speed before it")
                 .within(0, 1)
                 .starts_with(0.8)
                 .required()}},
           {"run",
            "How time advances.",
            {number("rate", "Hz", "steps per second").positive().defaults_to(44100.0),
             whole_number("impacts", "after which the run ends").at_least(1).defaults_to(20)}},
           {"output",
            "What is written.",
            {whole_number("every", "steps per recorded row").at_least(1).defaults_to(1)}},
           sound_table()},
      .run = run_newton};
}

}  // namespace carom
