// muParser, which reads expressions, is not part of the page.
#include <carom/core/error.hpp>
#include <carom/laws/force_formula.hpp>

namespace carom {

struct ForceFormula::Compiled {};

ForceFormula::ForceFormula() = default;
ForceFormula::ForceFormula(std::string, NamedNumbers, std::string) { prepare(); }
ForceFormula::ForceFormula(const ForceFormula& other)
    : expression(other.expression),
      potential_expression(other.potential_expression),
      parameters(other.parameters) {}
ForceFormula::ForceFormula(ForceFormula&&) noexcept = default;
ForceFormula& ForceFormula::operator=(const ForceFormula& other) {
  expression = other.expression;
  potential_expression = other.potential_expression;
  parameters = other.parameters;
  return *this;
}
ForceFormula& ForceFormula::operator=(ForceFormula&&) noexcept = default;
ForceFormula::~ForceFormula() = default;

void ForceFormula::prepare() {
  throw InvalidInput("law 'formula' does not run in the browser: the installed program has it");
}
void ForceFormula::check() const {
  throw InvalidInput("law 'formula' does not run in the browser: the installed program has it");
}
double ForceFormula::value(double, double) const noexcept { return 0; }
double ForceFormula::potential(double, const ContactMemory&) const noexcept { return 0; }

}  // namespace carom
