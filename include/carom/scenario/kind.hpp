#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <carom/energy/ledger.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/live/tables.hpp>
#include <carom/scenario/film.hpp>
#include <carom/scenario/panel.hpp>
#include <carom/scenario/run_context.hpp>
#include <carom/scenario/scenario.hpp>
#include <carom/scenario/schema.hpp>

namespace carom {

/// The energy audit of a run [J], from the Ledger of its stepper.
struct EnergyAudit {
  double initial = 0, final = 0, dissipated = 0, injected = 0;
  double residual = 0;        ///< sum over all steps: > 0 is energy out of nothing
  double worst_residual = 0;  ///< of a single step, with its sign
  double scale = 0;           ///< what residuals are compared with; 0: initial + injected
};

EnergyAudit audit(const Ledger& ledger);

/// A picture only the kind can draw, e.g. the force loop of an impact. Keep it bounded: a few
/// thousand points. Time histories of all signals, the energy ledger, the spectrum and the
/// spectrogram are drawn for every kind without being asked for.
struct Picture {
  std::string name = {};     ///< a word, unique in the report
  std::string caption = {};  ///< one sentence: what to see in it
  Panel panel;
};

/// A number worth a place at the head of the report.
struct KeyNumber {
  std::string label = {};
  double value = 0;
  std::string unit = {};
  std::string note = {};  ///< one phrase, may be empty
};

/// What a run comes to, apart from the rows it sent to the context.
struct RunOutcome {
  Json results = Json::object();  ///< `results` of summary.json
  /// The law as it was used, with every number; null: as [contact] gives it.
  Json law = nullptr;
  EnergyAudit energy;
  bool passive = false;  ///< the method promises never to gain energy; the audit holds it to that
  double tolerance = passive_tolerance;  ///< of that promise: gain / scale put down to rounding
  double simulated_time = 0;             ///< [s]
  bool converged = true;                 ///< false: exit 1, `status` says why
  std::string status = "done";
  std::vector<KeyNumber> key_numbers = {};
  std::vector<Picture> pictures = {};
  std::vector<Film> films = {};
  std::vector<BodyFilm> body_films = {};
  std::vector<std::string> warnings = {};  ///< shown by the command line and in the report
};

/// What `carom check` says about one aspect, without running.
struct Advice {
  enum class Verdict { good, note, poor };
  Verdict verdict = Verdict::good;
  std::string topic = {};     ///< "contact time in samples"
  std::string message = {};   ///< one sentence
  std::string proposal = {};  ///< `--set run.rate=192000`, or a sentence; may be empty
  double value = 0;           ///< the number behind it
  std::string name = {};  ///< of that number in the JSON, e.g. "samples_in_contact"; may be empty
};

/// Whether the outcome is known to be chaotic: the same topic and number (`known_chaotic`, 0 or 1)
/// for every kind.
Advice predictability(bool chaotic, std::string message);

/// A ready file of a kind.
struct ScenarioExample {
  std::string_view name = {};     ///< of `carom new KIND --example NAME`
  std::string_view summary = {};  ///< one phrase
  std::string_view text = {};     ///< the whole file
};

/// What touches in a scenario of one contact, at its first impact.
struct FirstImpact {
  LawChoice law;
  Collision collision;
};

/// A kind of scenario: everything the workbench needs to know about it. See docs/adding_a_kind.md.
struct Kind {
  std::string name = {};         ///< the value of `kind`
  std::string summary = {};      ///< one sentence
  std::string description = {};  ///< a paragraph for its docs page; may be empty
  std::vector<Table> tables = {};
  /// Files to start from, the first one by default; none: one is written from the tables.
  std::vector<ScenarioExample> examples = {};
  /// Why a contact of this law does not run by this method: a clause that follows a colon, one
  /// physical reason; empty: it runs. Answers for every law and method of the program.
  std::string (*refusal)(std::string_view law, std::string_view method) = nullptr;
  /// Refuses combinations that each single key cannot see; may be null.
  void (*check)(const Scenario&, Problems&) = nullptr;
  /// How long a run lasts at least [s] where `run.duration` does not say; may be null.
  double (*shortest_run)(const Scenario&) = nullptr;
  /// The first impact, of kinds with one contact and a closing speed of its own; may be null.
  FirstImpact (*first_impact)(const Scenario&) = nullptr;
  /// The advisor; may be null.
  std::vector<Advice> (*advise)(const Scenario&) = nullptr;
  RunOutcome (*run)(const Scenario&, RunContext&) = nullptr;
  /// What an Instrument at this rate [Hz] is made of; null: it cannot be played. Throws
  /// InvalidInput.
  InstrumentTables (*played)(const Scenario&, double rate) = nullptr;
  /// The key that tunes it, for `--note` and `--set note=D2`; empty: it has no pitch to set.
  std::string note_key = {};
  /// `carom compare`: the reference method, and the signal that is compared.
  std::string reference_method = {}, main_signal = {};
  /// Where the reference method depends on the scenario; may be null.
  std::string (*reference_for)(const Scenario&) = nullptr;
  /// How many times finer the reference steps than the scenario, where no method is free of steps.
  int reference_refinement = 1;
};

/// All kinds, in the order people read about them.
const std::vector<Kind>& kinds();
/// Throws InvalidInput with the nearest name when there is no such kind.
const Kind& find_kind(std::string_view name);

/// The tables that every kind has in addition to its own: the top level (kind, title, seed).
const Table& top_table();
/// `[sound]`, for kinds that can be heard; `more` are further keys of the kind, e.g. `point`.
Table sound_table(std::vector<Field> more = {});

}  // namespace carom
