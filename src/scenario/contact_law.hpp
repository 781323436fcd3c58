#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <carom/scenario/scenario.hpp>

#include "wall_simulation.hpp"

namespace carom {

/// `[contact]`: the law and its parameters, given in any of the ways people have them. `laws` are
/// the names this kind accepts, the first one is what `carom new` writes.
Table contact_table(std::vector<std::string> laws);

/// The names of all laws with a force, or of all laws there are; `first` comes first.
std::vector<std::string> compliant_laws(std::string_view first);
std::vector<std::string> all_laws(std::string_view first);

/// `radii` and `materials` of a table with the keys of a law stand for its stiffness (Hertz). Adds
/// what follows from them to the values of the law. Throws InvalidInput where they do not serve.
inline constexpr std::string_view hertz_keys[] = {"radii", "materials"};
bool is_hertz_key(std::string_view name);
void add_hertz(const Scenario& scenario, const std::string& table, const LawInfo& law,
               FieldValues& values);

/// What `[contact]`, or another table with the same keys ("contact.2"), gives for the fields of its
/// law; defaults are left out.
FieldValues contact_values(const Scenario& scenario, const std::string& table = "contact");

/// The law of `[contact]`. Where the file gives a restitution, the damping is identified for an
/// impact of this mass [kg] at this speed [m/s]. `elastic` stands for contact.stiffness and
/// contact.exponent where these follow from something else. Assumes that check_contact found
/// nothing.
LawChoice contact_law(const Scenario& scenario, double mass, double speed,
                      const std::optional<PowerLaw>& elastic = {},
                      const std::string& table = "contact");
/// The same as one of the compliant laws; Newton's is a mistake of the kind and throws logic_error.
AnyLaw compliant_law(const LawChoice& law);

/// {"name", every field of the law}.
Json law_json(const LawChoice& law);

/// Keys that do not go together, or are missing, for the law that was chosen. The stiffness may
/// follow from something else than contact.stiffness: the kind sees to that.
enum class StiffnessFrom { contact_table, elsewhere };
void check_contact(const Scenario& scenario, Problems& problems,
                   StiffnessFrom from = StiffnessFrom::contact_table,
                   const std::string& table = "contact");
/// What the kind says against contact.law by run.method (Kind::refusal).
void check_method(const Scenario& scenario,
                  const std::function<std::string(std::string_view, std::string_view)>& refusal,
                  Problems& problems);

}  // namespace carom
