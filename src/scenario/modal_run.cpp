#include "modal_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>
#include <carom/steppers/modal_recorder.hpp>

#include "contact_law.hpp"
#include "modal_method.hpp"

namespace carom {
namespace {

constexpr long long chunk = 4096;  // steps between two visits to the outside
constexpr std::size_t frames_a_period = 36, periods_filmed = 3;
constexpr std::size_t filmed = frames_a_period * periods_filmed + 1;

/// The two engines behind one face.
class Engine {
 public:
  Engine(const ModalProblem& problem, bool plain) {
    if (plain) {
      plain_ = std::make_unique<ModalPlain>(problem);
    } else {
      march_ = std::make_unique<ModalMarch>(problem);
    }
    for (const Mode& mode : problem.body.modes) {
      inertia_.push_back(mode_step(mode, 1 / problem.rate, problem.scaling).inertia);
    }
  }

  void advance(long long steps) {
    if (march_) {
      march_->clear_impulses();
      march_->advance(steps);
      return;
    }
    impulses_.clear();
    for (long long n = 0; n < steps; ++n) {
      plain_->step();
      if (!plain_->touched()) continue;
      for (Eigen::Index c = 0; c < plain_->impulses().size(); ++c) {
        const double p = plain_->impulses()[c];
        if (p != 0) {
          impulses_.push_back(
              {.step = plain_->steps(), .contact = static_cast<int>(c), .impulse = p});
        }
      }
    }
  }

  void finish() {
    if (march_) march_->close_ledger();
  }

  std::span<const ContactImpulse> impulses() const {
    return march_ ? march_->impulses() : std::span<const ContactImpulse>(impulses_);
  }
  const Ledger& ledger() const { return march_ ? march_->ledger() : plain_->ledger(); }
  Eigen::VectorXd position() const { return march_ ? march_->position() : plain_->position(); }
  double kinetic() const {
    const Eigen::VectorXd difference = march_ ? march_->difference() : plain_->difference();
    double sum = 0;
    for (Eigen::Index j = 0; j < difference.size(); ++j) {
      sum += inertia_[static_cast<std::size_t>(j)] * difference[j] * difference[j] / 2;
    }
    return sum;
  }
  long long unsolved() const {
    return march_ ? march_->statistics().unsolved : plain_->contacts().unsolved();
  }
  const ModalMarch* march() const { return march_.get(); }
  void archive(Archive& state) {
    if (march_) {
      state(*march_);
    } else {
      state(*plain_, impulses_);
    }
  }

 private:
  std::unique_ptr<ModalMarch> march_;
  std::unique_ptr<ModalPlain> plain_;
  std::vector<ContactImpulse> impulses_;
  std::vector<double> inertia_;
};

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

using Frames = std::vector<std::pair<double, Eigen::VectorXd>>;

template <class Numbers>
std::vector<double> in_millimetres(const Numbers& metres) {
  std::vector<double> result;
  for (const double value : metres) result.push_back(1e3 * value);
  return result;
}

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

std::vector<double> seen(const SideView& view, const Eigen::VectorXd& position) {
  return in_millimetres(Eigen::VectorXd(view.shapes * position));
}

Film body_film(const SideView& view, const Frames& frames) {
  Film film{.name = "film",
            .title = "In motion",
            .caption = "The first periods of the lowest mode" + view.where +
                       (view.mark_x.empty() ? "." : ", obstacles as discs."),
            .x_label = "x [m]",
            .y_label = "displacement [mm]",
            .x = view.x,
            .mark_x = view.mark_x,
            .mark_y = in_millimetres(view.mark_height),
            .ball_x = view.hammer_x.value_or(0)};
  for (const auto& [time, position] : frames) {
    film.times.push_back(time);
    film.frames.push_back(seen(view, position));
    if (view.hammer_x) film.ball_y.push_back(1e3 * position[position.size() - 1]);
  }
  return film;
}

Picture body_picture(const SideView& view, const Frames& frames) {
  const bool marked = !view.mark_x.empty();
  const std::size_t shown = std::min(frames.size(), frames_a_period);
  Panel panel{.title = marked ? "The body over its obstacles" : "The body in motion",
              .x_label = "x [m]",
              .y_label = "displacement [mm]",
              .key = "off"};
  for (std::size_t k = 0; k < shown; k += 6) {
    const auto& [time, position] = frames[k];
    panel.series.push_back(
        {.label = fmt::format("{:.3g} ms", 1e3 * time), .x = view.x, .y = seen(view, position)});
  }
  if (marked) {
    panel.series.push_back({.label = "obstacles",
                            .x = view.mark_x,
                            .y = in_millimetres(view.mark_height),
                            .style = Series::Style::points});
  }
  return {.name = "body",
          .caption = fmt::format(
              "Snapshots from 0 to {:.3g} ms, over the first period of the lowest "
              "mode{}{}.",
              1e3 * frames[shown - 1].first, view.where, marked ? "; obstacles as dots" : ""),
          .panel = std::move(panel)};
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
  const bool plain = scenario.text("run.engine") == "plain";

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

  Engine engine(problem, plain);
  ModalRecorder recorder(problem, recorded, every);
  std::unique_ptr<ModalRecorder> heard;
  bool velocity = false;
  double sound_rate = rate;
  if (context.heard()) {
    const auto point = static_cast<Eigen::Index>(scenario.whole_number("sound.point")) - 1;
    const int stride = std::max(1, static_cast<int>(rate / (4 * scenario.number("sound.rate"))));
    heard = std::make_unique<ModalRecorder>(problem, setup.output_points.row(point), stride);
    velocity = scenario.text("sound.quantity") == "velocity";
    sound_rate = rate / stride;
    context.sound_rate(sound_rate);
  }

  double lowest = rate;
  for (const Mode& mode : problem.body.modes) {
    if (mode.frequency > 0) lowest = std::min(lowest, mode.frequency);
  }
  const auto frame =
      std::max<long long>(1, static_cast<long long>(rate / lowest / frames_a_period));
  Frames frames;
  if (!setup.view.x.empty()) frames.emplace_back(0.0, engine.position());

  RunOutcome outcome;
  ContactTally tally;
  std::vector<double> rows, samples;
  double last_sample = 0;
  long long step = 0;
  const bool resumed = context.resume([&](Archive& state) {
    state(engine, recorder, tally, last_sample, step, frames);
    if (heard) state(*heard);
  });
  if (!resumed) {
    recorder.displacements(rows);
    context.record(0, rows);
    if (heard) {
      heard->displacements(samples);
      last_sample = samples.front();
      context.hear(velocity ? 0.0 : last_sample);
    }
    context.energy({0, engine.kinetic(), engine.ledger().stored() - engine.kinetic(), 0, 0});
  }
  while (step < total) {
    const bool picturing = !setup.view.x.empty() && frames.size() < filmed;
    const long long next = std::min({total, step + chunk, picturing ? step + frame : total});
    context.begin_loop();
    engine.advance(next - step);
    context.end_loop();
    step = next;
    const double time = static_cast<double>(step) / rate;
    if (picturing) frames.emplace_back(time, engine.position());
    for (const ContactImpulse& impulse : engine.impulses()) {
      tally.add(impulse, rate);
      if (table) {
        table->row({static_cast<double>(impulse.step), static_cast<double>(impulse.step) / rate,
                    static_cast<double>(impulse.contact + 1), impulse.impulse});
      }
    }
    rows.clear();
    long long recorded_step = recorder.step() / every * every;
    if (width > 0) recorder.record(step, engine.impulses(), rows);
    for (std::size_t i = 0; i < rows.size(); i += width) {
      recorded_step += every;
      context.record(static_cast<double>(recorded_step) / rate, std::span(rows).subspan(i, width));
    }
    if (heard) {
      samples.clear();
      heard->record(step, engine.impulses(), samples);
      for (const double sample : samples) {
        context.hear(velocity ? (sample - last_sample) * sound_rate : sample);
        last_sample = sample;
      }
    }
    const Ledger& ledger = engine.ledger();
    const double kinetic = engine.kinetic();
    context.energy(
        {time, kinetic, std::max(0.0, ledger.stored() - kinetic), ledger.dissipated(), 0});
    if (!context.keep_going(static_cast<double>(step) / static_cast<double>(total), time))
      return outcome;
  }
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
  double audited = 1;
  if (const ModalMarch* march = engine.march()) {
    const ModalMarchStatistics& s = march->statistics();
    results["path"] = {
        {"engine", "fast"},
        {"instructions", std::string(s.kernels)},
        {"leapt_share", static_cast<double>(s.leapt) / static_cast<double>(total)},
        {"leaps", s.leaps},
        {"windows", s.windows},
        {"roll_backs", s.roll_backs},
        {"convolved_share", static_cast<double>(s.convolved) / static_cast<double>(total) /
                                static_cast<double>(problem.body.modes.size())},
        {"audited_steps", s.audited}};
    audited = static_cast<double>(s.audited) / static_cast<double>(total);
  } else {
    results["path"] = {{"engine", "plain"}};
  }
  results["audited_share"] = audited;
  results["audit"] =
      audited == 1
          ? "the losses of every step were found apart from its energy balance"
          : "in the audited share of the steps all losses were found apart from the energy "
            "balance; in the rest the damping of the modes is what the balance lacks, and "
            "only a gain would show";
  outcome.key_numbers.push_back({"steps audited", 100 * audited, "%",
                                 audited == 1 ? "" : "in the others only a gain would show"});
  results["unsolved_steps"] = engine.unsolved();
  if (engine.unsolved() > 0) {
    outcome.converged = false;
    outcome.status =
        fmt::format("the contact problem was not solved to its tolerance in {} of {} steps",
                    engine.unsolved(), total);
  }
  outcome.key_numbers.insert(outcome.key_numbers.begin(),
                             {"steps with contact", static_cast<double>(tally.steps), "", ""});
  if (tally.first_time >= 0) {
    outcome.key_numbers.push_back({"first contact", tally.first_time, "s", ""});
    outcome.key_numbers.push_back({"last contact", tally.last_time, "s", ""});
  }
  if (!frames.empty()) {
    outcome.films.push_back(body_film(setup.view, frames));
    outcome.pictures.push_back(body_picture(setup.view, frames));
  }
  return outcome;
}

}  // namespace carom
