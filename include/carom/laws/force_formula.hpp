#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// One's own law: an expression in the compression x [m], its rate v [m/s] and named parameters.
///   force = "k*x^1.5*(1 + mu*v)",  k = 1e9, mu = 0.5
/// Operators + - * / ^, comparisons and (a ? b : c), the usual functions (sqrt, exp, ln, abs, sign,
/// min, max, sin, ...), _pi and _e.  [muParser]
///
/// What depends on x alone, F(x, 0), is stored: V is its integral, or the expression `potential`.
/// The rest, F(x, v) - F(x, 0), is lost. The contact does not pull: where F < 0 in rebound the
/// force is zero, and the contact lasts to x = 0. These are two branches; memory.unloading is true
/// where the force is zero.
///
/// Refused are expressions that cannot be read, and laws that on a grid of compressions and rates
/// are not finite, do not push, have a damper that drives, or a potential that is not the
/// integral.
struct ForceFormula {
  std::string expression;            ///< F(x, v) [N]
  std::string potential_expression;  ///< V(x) [J]; may be empty
  NamedNumbers parameters;

  static constexpr LawText text{"formula", "ForceFormula", "your own expression",
                                "f = F(x, v), any", "expressions as muParser reads them"};
  static constexpr std::tuple fields{
      ValueField(FieldType::text, "force", &ForceFormula::expression,
                 "the force in N as an expression in x, v and the parameters")
          .with_flag("--expression"),
      ValueField(FieldType::text, "potential", &ForceFormula::potential_expression,
                 "stored energy in J as an expression in x; without it the integral of the force")
          .or_none(),
      ValueField(FieldType::named_numbers, "parameters", &ForceFormula::parameters,
                 "the numbers that the expressions name")
          .with_flag("--parameter")
          .or_none()};

  ForceFormula();
  /// Throws InvalidInput where the law is refused.
  ForceFormula(std::string force, NamedNumbers numbers, std::string potential = {});
  ForceFormula(const ForceFormula& other);
  ForceFormula(ForceFormula&&) noexcept;
  ForceFormula& operator=(const ForceFormula& other);
  ForceFormula& operator=(ForceFormula&&) noexcept;
  ~ForceFormula();

  bool operator==(const ForceFormula& other) const {
    return expression == other.expression && parameters == other.parameters &&
           potential_expression == other.potential_expression;
  }

  /// Reads the expressions. Needed after they were changed.
  void prepare();
  void check() const;

  // While bodies touch.
  Force force(double x, double v, const ContactMemory& m) const noexcept {
    const double conserved = value(x, 0);
    if (m.unloading) return {conserved, -conserved};
    return {conserved, std::max(-conserved, value(x, v) - conserved)};
  }
  double total(double x, double v, const ContactMemory& m) const noexcept {
    return m.unloading ? 0.0 : std::max(0.0, value(x, v));
  }
  double potential(double x, const ContactMemory&) const noexcept;
  int grade() const noexcept;

  double switching(double x, double v, const ContactMemory& m) const noexcept {
    if (!m.unloading && !(v < 0)) return 1.0;
    // The force over that at rest: it does not vanish with x.
    constexpr double least = 1e-12;
    const double rest = value(std::max(x, least), 0),
                 push = rest > 0 ? value(std::max(x, least), v) / rest : 1.0;
    return m.unloading ? -push : push;
  }
  ContactMemory flip(double /*x*/, const ContactMemory& m) const noexcept {
    return {.unloading = !m.unloading};
  }

 private:
  double value(double x, double v) const noexcept;  ///< F, 0 for x <= 0
  bool begins_by_halves(double rate) const noexcept;

  struct Compiled;
  std::unique_ptr<Compiled> compiled_;  // with its own variables: each copy has its own
};
static_assert(BranchingLaw<ForceFormula>);

}  // namespace carom
