#include "modal_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <carom/steppers/modal_engine.hpp>
#include <carom/steppers/modal_recorder.hpp>

#include "contact_law.hpp"
#include "modal_film.hpp"
#include "modal_method.hpp"

namespace carom {
namespace {

constexpr long long chunk = 4096;  // steps between two visits to the outside

struct ContactTally {
  long long steps = 0, impulses = 0, last = -1;
  double first_time = -1, last_time = -1, total = 0, largest = 0;

  void add(const ContactImpulse& impulse, double rate) {
    ++impulses;
    total += impulse.impulse;
    largest = std::max(largest, impulse.impulse);
    if (impulse.step == last) return;
    ++steps;
    last = impulse.step;
    last_time = static_cast<double>(impulse.step) / rate;
    if (first_time < 0) first_time = last_time;
  }
};

LawChoice choice_of(const ModalContactLaw& law) {
  return std::visit([](const auto& one) -> LawChoice { return one; }, law);
}

/// What was used: every law with the number of its points, and the methods that stepped them.
void report_laws(const ModalProblem& problem, Json& results) {
  Json laws = Json::array();
  std::string names;
  for (std::size_t i = 0; i < problem.heights.size(); ++i) {
    const Json law = law_json(choice_of(law_at(problem, i)));
    const auto known = std::find_if(laws.begin(), laws.end(),
                                    [&](const Json& each) { return each.at("law") == law; });
    if (known != laws.end()) {
      (*known)["points"] = known->at("points").get<int>() + 1;
      continue;
    }
    laws.push_back({{"law", law}, {"points", 1}});
    names += (names.empty() ? "" : ", ") + law.at("name").get<std::string>();
  }
  const ContactKinds kinds = contact_kinds(problem);
  const char* compliant =
      problem.compliant == CompliantScheme::quadratised ? "quadratised" : "discrete-gradient";
  results["law"] = names;
  results["laws"] = std::move(laws);
  results["method"] = std::string(kinds.nonsmooth ? "moreau-jean" : "") +
                      (kinds.nonsmooth && kinds.compliant ? ", " : "") +
                      (kinds.compliant ? compliant : "");
}

}  // namespace

void add_hammer(ModalSetup& setup, const ShapeMatrix& at, double mass, double height,
                double speed) {
  ModalProblem& problem = setup.problem;
  const Eigen::Index modes = problem.body.mode_count(), contacts = problem.body.point_count();
  add_rigid_body(problem.body, mass);
  for (ShapeMatrix* shapes : {&setup.contact_points, &setup.output_points, &setup.view.shapes}) {
    shapes->conservativeResize(shapes->rows(), modes + 1);
    shapes->col(modes).setZero();
  }
  problem.body.shapes.conservativeResize(contacts + 1, modes + 1);
  problem.body.shapes.bottomRows(1) << at, -1.0;
  setup.contact_points.conservativeResize(contacts + 1, modes + 1);
  setup.contact_points.bottomRows(1) << at, 0.0;
  problem.heights.push_back(0);
  problem.sides.push_back(Side::below);
  if (problem.start.velocity.size() == 0) problem.start.velocity = Eigen::VectorXd::Zero(modes);
  problem.start.position.conservativeResize(modes + 1);
  problem.start.velocity.conservativeResize(modes + 1);
  problem.start.position[modes] = height;
  problem.start.velocity[modes] = -speed;
}

RunOutcome run_modal(const ModalSetup& setup, const Scenario& scenario, RunContext& context) {
  const ModalProblem& problem = setup.problem;
  const double rate = problem.rate;
  const long long total = std::max(1LL, std::llround(scenario.number("run.duration") * rate));
  const auto every = static_cast<int>(scenario.whole_number("output.every"));
  const bool with_contacts = scenario.truth("output.contacts");

  // What is recorded.
  std::vector<Signal> signals;
  for (Eigen::Index i = 0; i < setup.output_points.rows(); ++i) {
    signals.push_back({fmt::format("point_{}", i + 1), "m", "displacement"});
  }
  ShapeMatrix recorded = setup.output_points;
  if (with_contacts) {
    for (Eigen::Index i = 0; i < setup.contact_points.rows(); ++i) {
      signals.push_back(
          {fmt::format("contact_{}", i + 1), "m", "displacement at this obstacle point"});
    }
    recorded.conservativeResize(setup.output_points.rows() + setup.contact_points.rows(),
                                problem.body.mode_count());
    recorded.bottomRows(setup.contact_points.rows()) = setup.contact_points;
  }
  const std::size_t width = signals.size();
  context.signals(signals);
  std::unique_ptr<TableSink> table;
  if (with_contacts) {
    table =
        context.table("impulses.csv", {{"step", "", "the impulse acts on the step that ends here"},
                                       {"time", "s", ""},
                                       {"contact", "", "number of the obstacle point"},
                                       {"impulse", "N s", "pushing apart"}});
  }

  ModalEngine engine(problem, scenario.text("run.engine") == "plain" ? ModalEngine::Kind::plain
                                                                     : ModalEngine::Kind::fast);
  ModalRecorder recorder(problem, recorded, every);
  std::unique_ptr<ModalRecorder> heard;
  bool velocity = false;
  double sound_rate = rate;
  std::vector<double> last_samples;  // of the pickups: left, or left and right
  if (context.heard()) {
    ShapeMatrix pickups(scenario.has("sound.right") ? 2 : 1, problem.body.mode_count());
    for (Eigen::Index i = 0; i < pickups.rows(); ++i) {
      pickups.row(i) = setup.output_points.row(
          scenario.whole_number(i == 0 ? "sound.point" : "sound.right") - 1);
    }
    last_samples.resize(static_cast<std::size_t>(pickups.rows()));
    const int stride = std::max(1, static_cast<int>(rate / (4 * scenario.number("sound.rate"))));
    heard = std::make_unique<ModalRecorder>(problem, pickups, stride);
    velocity = scenario.text("sound.quantity") == "velocity";
    sound_rate = rate / stride;
    context.sound_rate(sound_rate);
  }
  ModalFilm film(setup);
  ContactTally tally;
  std::vector<double> rows, samples;

  // The observers of the march, in their order.
  const auto look = [&](ModalEngine& now) {
    film.take(now.time(), now.position());
    now.set_stretch(film.filming() ? std::min(chunk, film.interval()) : chunk);
  };
  const auto count = [&](const ModalEngine& now) {
    for (const ContactImpulse& impulse : now.impulses()) {
      tally.add(impulse, rate);
      if (!table) continue;
      table->row({static_cast<double>(impulse.step), static_cast<double>(impulse.step) / rate,
                  static_cast<double>(impulse.contact + 1), impulse.impulse});
    }
  };
  const auto record = [&](const ModalEngine& now) {
    rows.clear();
    long long recorded_step = recorder.step() / every * every;
    if (width > 0) recorder.record(now.steps(), now.impulses(), rows);
    for (std::size_t i = 0; i < rows.size(); i += width) {
      recorded_step += every;
      context.record(static_cast<double>(recorded_step) / rate, std::span(rows).subspan(i, width));
    }
  };
  const auto listen = [&](const ModalEngine& now) {
    if (!heard) return;
    samples.clear();
    heard->record(now.steps(), now.impulses(), samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      double& last = last_samples[i % last_samples.size()];
      context.hear(velocity ? (samples[i] - last) * sound_rate : samples[i]);
      last = samples[i];
    }
  };
  const auto balance = [&](const ModalEngine& now) {
    const Ledger& ledger = now.ledger();
    const double kinetic = now.kinetic_energy();
    context.energy(
        {now.time(), kinetic, std::max(0.0, ledger.stored() - kinetic), ledger.dissipated(), 0});
  };

  const bool resumed = context.resume([&](Archive& state) {
    const std::size_t pickups = last_samples.size();
    state(engine, recorder, tally, last_samples, film);
    state.require(last_samples.size() == pickups);
    state.require(engine.steps() <= total && recorder.step() <= engine.steps());
    if (!heard) return;
    state(*heard);
    state.require(heard->step() <= engine.steps());
  });
  if (!resumed) {
    recorder.displacements(rows);
    context.record(0, rows);
    if (heard) {
      heard->displacements(samples);
      last_samples = samples;
      for (const double sample : samples) context.hear(velocity ? 0.0 : sample);
    }
    balance(engine);
    film.take(0, engine.position());
  }
  engine.set_stretch(film.filming() ? std::min(chunk, film.interval()) : chunk);
  // Only the engine is timed: what observers do with a stretch is not the method's cost.
  context.begin_loop();
  march(
      engine, static_cast<double>(total) / rate, [&](const ModalEngine&) { context.end_loop(); },
      look, count, record, listen, balance,
      [&](const ModalEngine& now) {
        const bool going = context.keep_going(
            static_cast<double>(now.steps()) / static_cast<double>(total), now.time());
        context.begin_loop();
        return going;
      });
  context.end_loop();
  RunOutcome outcome;
  if (context.interrupted()) return outcome;
  engine.finish();

  outcome.simulated_time = static_cast<double>(total) / rate;
  outcome.energy = audit(engine.ledger());
  // Elastic impacts conserve the scheme's energy and compliant ones are balanced: proofs at
  // ModeStep and ContactSpace. Below rho = 1 an impulse on a point that is already leaving may add
  // a little.
  outcome.passive = problem.scaling == ImpulseScaling::scaled;
  for (std::size_t i = 0; i < problem.heights.size(); ++i) {
    const auto* newton = std::get_if<NewtonRestitution>(&law_at(problem, i));
    outcome.passive &= newton == nullptr || newton->restitution == 1.0;
  }
  Json& results = outcome.results;
  const auto or_null = [](double time) { return time < 0 ? Json(nullptr) : Json(time); };
  report_laws(problem, results);
  outcome.law = law_json(choice_of(problem.law));
  results["contact_steps"] = tally.steps;
  results["first_contact_time"] = or_null(tally.first_time);
  results["last_contact_time"] = or_null(tally.last_time);
  results["impulses"] = tally.impulses;
  results["total_impulse"] = tally.total;
  results["largest_impulse"] = tally.largest;
  results["steps"] = total;
  results["modes"] = problem.body.modes.size();
  results["contacts"] = problem.heights.size();
  const ModalMarchStatistics s = engine.statistics();
  results["path"] = {{"engine", engine.fast() ? "fast" : "plain"}};
  if (engine.fast()) {
    results["path"].update(
        {{"instructions", std::string(s.kernels)},
         {"leapt_share", static_cast<double>(s.leapt) / static_cast<double>(total)},
         {"leaps", s.leaps},
         {"windows", s.windows},
         {"roll_backs", s.roll_backs},
         {"convolved_share", static_cast<double>(s.convolved) / static_cast<double>(total) /
                                 static_cast<double>(problem.body.modes.size())},
         {"audited_steps", s.audited}});
  }
  const double audited = static_cast<double>(s.audited) / static_cast<double>(total);
  results["audited_share"] = audited;
  results["audit"] =
      audited == 1 ? "the losses of every step were computed independently of its energy balance"
                   : "in the audited steps all losses were computed independently of the energy "
                     "balance; in the rest whatever is missing from the balance counts as damping "
                     "of the modes, so only a gain would show";
  outcome.key_numbers.push_back({"steps audited", 100 * audited, "%",
                                 audited == 1 ? "" : "in the others only a gain would show"});
  results["unsolved_steps"] = s.unsolved;
  if (s.unsolved > 0) {
    outcome.converged = false;
    outcome.status = fmt::format(
        "the contact problem was not solved to its tolerance in {} of {} steps", s.unsolved, total);
  }
  outcome.key_numbers.insert(outcome.key_numbers.begin(),
                             {"steps with contact", static_cast<double>(tally.steps), "", ""});
  if (tally.first_time >= 0) {
    outcome.key_numbers.push_back({"first contact", tally.first_time, "s", ""});
    outcome.key_numbers.push_back({"last contact", tally.last_time, "s", ""});
  }
  if (!film.empty()) {
    outcome.films.push_back(film.film());
    outcome.pictures.push_back(film.picture());
  }
  return outcome;
}

}  // namespace carom
