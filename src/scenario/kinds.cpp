#include "kinds.hpp"

#include <carom/core/error.hpp>

namespace carom {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      // One a line: kinds are added often and by several people.
      impact_kind(), bounce_kind(), pair_kind(), pendulums_kind(), strike_kind(),
      string_kind(), bar_kind(),    body_kind(), assembly_kind(),
  };
  return all;
}

const Kind& find_kind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  throw InvalidInput(unknown_name_message("kind", name, names));
}

const Table& top_table() {
  static const Table table{
      .name = "",
      .help = "These keys stand before the first table.",
      .fields = {text("kind", "what is simulated").required(),
                 text("title", "title, shown at the head of the report"),
                 text("description", "a sentence or two, shown in the report"),
                 whole_number("seed", "seed of the random numbers").defaults_to(1).not_negative()}};
  return table;
}

Table sound_table(std::vector<Field> more) {
  Table table{
      .name = "sound",
      .help =
          "Writes sound.wav, at a fixed gain or to a given peak; gain and loudness are in "
          "summary.json.",
      .fields = {number("rate", "Hz", "sample rate of the file")
                     .within(8000, 384000)
                     .defaults_to(44100.0)
                     .starts_with(44100.0),
                 whole_number("bits", "bits of a sample; 32: floating point")
                     .one_of({"16", "24", "32"})
                     .defaults_to(24),
                 number("peak", "", "largest sample of the file; full scale is 1")
                     .within(0.001, 1.0)
                     .defaults_to(0.9),
                 number("gain", "",
                        "sample of the file over simulated quantity, in place of peak: files made "
                        "with one gain keep their relative loudness")
                     .positive(),
                 number_list("fade", "s",
                             "fade-in and fade-out, at most a tenth of the sound; by default 0.002 "
                             "in (none where the sound begins at zero) and 0.02 out")
                     .not_negative()
                     .count(2, 2)},
      .optional = true};
  table.fields.insert(table.fields.end(), more.begin(), more.end());
  return table;
}

Advice predictability(bool chaotic, std::string message) {
  return {chaotic ? Advice::Verdict::note : Advice::Verdict::good,
          "predictability",
          std::move(message),
          "",
          chaotic ? 1.0 : 0.0,
          "known_chaotic"};
}

EnergyAudit audit(const Ledger& ledger) {
  return {.initial = ledger.initial(),
          .final = ledger.stored(),
          .dissipated = ledger.dissipated(),
          .injected = ledger.injected(),
          .residual = ledger.residual(),
          .worst_residual = ledger.worst_residual()};
}

}  // namespace carom
