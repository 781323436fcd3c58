#pragma once

#include <optional>

#include <carom/identify/formula.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// The law with the one field that a restitution can stand for (a damping, an unloading stiffness)
/// such that an impact of this mass at this speed, without external force, has exactly the
/// restitution e, 0 < e <= 1. Where a closed form or a published approximation is known it is used;
/// otherwise a bracketed root on the exact impact. Throws InvalidInput where no such value exists,
/// and for a formula that was never published for the law.
AnyLaw with_restitution(const AnyLaw& law, double e, const Collision& collision,
                        Formula formula = Formula::exact);

/// The law of the values that people give; a `restitution` among them becomes what it stands for.
LawChoice law_of_values(std::string_view name, FieldValues values, const Collision& collision,
                        std::string_view prefix = "", Formula formula = Formula::exact);

/// The law with the numbers that `carom new` writes, and this restitution where it has a loss to
/// set; nothing for laws of curves and texts.
std::optional<AnyLaw> example_law(const LawInfo& info, double restitution,
                                  const Collision& collision);

}  // namespace carom
