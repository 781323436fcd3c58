#pragma once

#include <memory>
#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>
#include <carom/steppers/march.hpp>

#include "contact_law.hpp"
#include "contact_trace.hpp"
#include "wall_simulation.hpp"

/// What the kinds of one body and a wall (impact, bounce, pair) share.
namespace carom {

std::vector<Field> method_fields(double rate);  ///< method, rate, events, correct of [run]
std::string method_of(const Scenario& scenario);
Events events_of(const Scenario& scenario);
Correct correct_of(const Scenario& scenario);

/// The fields of one entry of `impacts`.
Json impact_json(const ImpactRecord& impact);

/// The exact curve of one impact for the pictures.
std::vector<Picture> contact_pictures(const LawChoice& law, const Collision& collision,
                                      const ContactTrace& trace);

/// The fields of an exact answer; `rebound_speed` and the like as in `carom impact --json`.
Json exact_json(const Impact& impact);

/// [run] of the kinds with one contact: method_fields() and the duration.
Table contact_run_table(std::vector<Field> more = {});
/// [output] of kinds that write samples.
Table samples_output_table();
/// [sound] of these kinds, which `carom new` only mentions.
Table contact_sound_table(std::vector<Field> more = {});

/// Files what make_wall_simulation() says against the method.
void check_wall_method(const WallSettings& settings, Problems& problems);

/// One contact, watched sample by sample.
struct WatchedContact {
  std::unique_ptr<WallSimulation> simulation = {};
  ContactTrace trace = {};
  std::vector<ImpactRecord> ended = {};
  WallSample now = {};
  bool whole = false;  ///< false: interrupted

  /// The audit, the time and whether all iterations converged.
  RunOutcome outcome() const;
};

/// `row(sample)` records one, `heard(sample)` is the sound, `done(sample, ended)` ends the run.
template <class Row, class Heard, class Done>
WatchedContact watch_contact(const WallSettings& settings, long long every, double until,
                             RunContext& context, Row row, Heard heard, Done done) {
  WatchedContact watched{.simulation = make_wall_simulation(settings)};
  WallSample& now = watched.now;
  now = watched.simulation->now();
  long long step = 0;
  context.sound_rate(settings.rate);
  const bool resumed = context.resume([&](Archive& state) {
    state(*watched.simulation, watched.trace, watched.ended, now, step);
    state.require(step >= 0 && now.time == watched.simulation->now().time);
  });
  context.begin_loop();
  const auto take = [&] {
    if (step % every == 0) row(now);
    if (watched.ended.empty() && now.position >= 0) {
      watched.trace.add(now.position, now.velocity, now.force);
    }
    if (context.heard()) context.hear(heard(now));
    ++step;
  };
  if (!resumed) take();
  bool ended = done(now, watched.ended);
  // `until` is only a guess where a contact is waited for. A march that has lost its way, or whose
  // clock does not advance, ends as it is.
  while (!ended && watched.simulation->converged() && now.time + until > now.time) {
    march(*watched.simulation, now.time + until, [&](const WallSimulation& simulation) {
      now = simulation.now();
      watched.ended.insert(watched.ended.end(), simulation.finished().begin(),
                           simulation.finished().end());
      take();
      ended = done(now, watched.ended);
      return !ended && simulation.converged() && context.keep_going(now.time / until, now.time);
    });
    if (context.interrupted()) return watched;
  }
  watched.simulation->finish();
  context.end_loop();
  watched.whole = true;
  return watched;
}

}  // namespace carom
