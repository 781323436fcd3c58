#include <array>
#include <cmath>
#include <muParser.h>
#include <mutex>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <carom/core/error.hpp>
#include <carom/laws/force_formula.hpp>

namespace carom {
namespace {

constexpr std::size_t longest_expression = 4000, max_idle = 8;

std::string quoted(std::string_view what, const std::string& expression) {
  return std::string(what) + " = \"" + expression.substr(0, 80) +
         (expression.size() > 80 ? "...\"" : "\"");
}

/// muParser would take `x = 3` for an assignment and `1, 2` for two results.
void refuse_assignments(std::string_view what, const std::string& expression) {
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '=') continue;
    const char before = i > 0 ? expression[i - 1] : ' ';
    const char after = i + 1 < expression.size() ? expression[i + 1] : ' ';
    const bool comparison =
        after == '=' || before == '=' || before == '<' || before == '>' || before == '!';
    if (!comparison) throw InvalidInput(quoted(what, expression) + ": an expression has no '='");
  }
}

}  // namespace

struct ForceFormula::Compiled {
  /// What copies of a law have compiled and need no more: to read an expression takes as long as
  /// some hundred evaluations of it, and a law is copied for every impact.
  struct Idle {
    std::mutex mutex;
    std::vector<std::unique_ptr<Compiled>> list;
  };
  std::shared_ptr<Idle> idle;  ///< of all copies; none while it waits there
  mu::Parser force, potential;
  double x = 0, v = 0;
  bool has_potential = false;
  bool checked = false;  ///< by check()
  int grade = 4;         ///< any powers
  /// The last integrals: a march asks for the same few compressions again and again.
  struct Integral {
    double x = 0, energy = 0;
  };
  std::array<Integral, 4> integrals;
  std::size_t oldest = 0;

  std::string expression, potential_expression;  ///< what was read
  NamedNumbers parameters;

  bool is_of(const ForceFormula& law) const {
    return expression == law.expression && potential_expression == law.potential_expression &&
           parameters == law.parameters;
  }

  explicit Compiled(const ForceFormula& law)
      : has_potential(!law.potential_expression.empty()),
        expression(law.expression),
        potential_expression(law.potential_expression),
        parameters(law.parameters) {
    read(force, "force", law.expression, law.parameters, true);
    if (has_potential)
      read(potential, "potential", law.potential_expression, law.parameters, false);
  }

  void read(mu::Parser& parser, std::string_view what, const std::string& expression,
            const NamedNumbers& parameters, bool with_rate) {
    if (expression.size() > longest_expression)
      throw InvalidInput(std::string(what) + ": longer than 4000 characters");
    refuse_assignments(what, expression);
    try {
      parser.DefineVar("x", &x);
      if (with_rate) parser.DefineVar("v", &v);
      for (const auto& [name, number] : parameters) {
        if (name == "x" || name == "v")
          throw InvalidInput("parameters." + name + ": x and v are compression and rate");
        require_finite("parameters." + name, number);
        parser.DefineConst(name, number);
      }
      parser.SetExpr(expression);
      x = v = 1e-3;
      static_cast<void>(parser.Eval());
      if (parser.GetNumResults() != 1)
        throw InvalidInput(quoted(what, expression) + ": must be one expression");
    } catch (const mu::Parser::exception_type& error) {
      std::string reason = error.GetMsg();
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      std::string names = with_rate ? "x, v" : "x";
      for (const auto& [name, number] : parameters) names += ", " + name;
      throw InvalidInput(quoted(what, expression) + ": " + reason + " It may name " + names);
    }
  }

  double evaluate(const mu::Parser& parser, double at_x, double at_v) noexcept {
    x = at_x;
    v = at_v;
    try {
      return parser.Eval();
    } catch (const mu::Parser::exception_type&) {
      return std::nan("");
    }
  }
};

ForceFormula::ForceFormula() = default;
ForceFormula::ForceFormula(ForceFormula&&) noexcept = default;
ForceFormula& ForceFormula::operator=(ForceFormula&& other) noexcept {
  std::swap(compiled_, other.compiled_);
  expression = std::move(other.expression);
  potential_expression = std::move(other.potential_expression);
  parameters = std::move(other.parameters);
  return *this;
}
ForceFormula::~ForceFormula() {
  if (!compiled_) return;
  const std::shared_ptr<Compiled::Idle> idle = std::move(compiled_->idle);
  const std::lock_guard lock(idle->mutex);
  if (idle->list.size() < idle->list.capacity()) idle->list.push_back(std::move(compiled_));
}

ForceFormula::ForceFormula(std::string force, NamedNumbers numbers, std::string potential)
    : expression(std::move(force)),
      potential_expression(std::move(potential)),
      parameters(std::move(numbers)) {
  prepare();
  check();
}

ForceFormula::ForceFormula(const ForceFormula& other)
    : expression(other.expression),
      potential_expression(other.potential_expression),
      parameters(other.parameters) {
  if (!other.compiled_) return;
  const std::shared_ptr<Compiled::Idle>& idle = other.compiled_->idle;
  {
    const std::lock_guard lock(idle->mutex);
    if (!idle->list.empty() && idle->list.back()->is_of(*this)) {
      compiled_ = std::move(idle->list.back());
      idle->list.pop_back();
    }
  }
  if (!compiled_) prepare();
  compiled_->checked = other.compiled_->checked;
  compiled_->idle = idle;
}

ForceFormula& ForceFormula::operator=(const ForceFormula& other) {
  return *this = ForceFormula(other);
}

void ForceFormula::prepare() {
  compiled_ = std::make_unique<Compiled>(*this);
  compiled_->idle = std::make_shared<Compiled::Idle>();
  compiled_->idle->list.reserve(max_idle);
  if (begins_by_halves(0) && begins_by_halves(1) && begins_by_halves(-1)) compiled_->grade = 2;
}

/// Whether the force at rest, or what the rate adds to it, is x^(k/2) with a whole k near x = 0.
bool ForceFormula::begins_by_halves(double rate) const noexcept {
  for (const double x : {1e-9, 1e-7}) {
    const auto part = [&](double at) { return value(at, rate) - (rate != 0 ? value(at, 0) : 0.0); };
    const double small = part(x), large = part(4 * x);
    if (small == 0 && large == 0) continue;
    const double power = std::log2(large / small);  // twice the exponent
    if (!(std::abs(power - std::round(power)) < 1e-9)) return false;
  }
  return true;
}

int ForceFormula::grade() const noexcept { return compiled_->grade; }

double ForceFormula::value(double x, double v) const noexcept {
  return x > 0 ? compiled_->evaluate(compiled_->force, x, v) : 0.0;
}

double ForceFormula::potential(double x, const ContactMemory&) const noexcept {
  if (!(x > 0)) return 0.0;
  if (compiled_->has_potential) return compiled_->evaluate(compiled_->potential, x, 0);
  for (const Compiled::Integral& known : compiled_->integrals) {
    if (known.x == x) return known.energy;
  }
  // x = x t^4 makes the powers that forces begin with smooth; 15 nodes are enough for most of
  // them, a kink takes more.
  const auto integrand = [&](double t) {
    const double t2 = t * t;
    return 4 * x * t2 * t * value(x * t2 * t2, 0);
  };
  // What the last bit of x changes is the rounding of the force: asked for more digits, the
  // quadrature would halve all its intervals.
  const double force = value(x, 0), next = value(std::nextafter(x, 2 * x), 0);
  const double rounding = std::clamp(8 * std::abs(next / force - 1), 1e-13, 1e-9);
  const double energy = boost::math::quadrature::gauss_kronrod<double, 15>::integrate(
      integrand, 0.0, 1.0, 15, rounding > 0 ? rounding : 1e-13);
  compiled_->integrals[compiled_->oldest] = {x, energy};
  compiled_->oldest = (compiled_->oldest + 1) % compiled_->integrals.size();
  return energy;
}

void ForceFormula::check() const {
  if (compiled_->checked) return;
  const auto refuse = [&](const std::string& why) {
    throw InvalidInput(quoted("force", expression) + ": " + why);
  };
  const auto at = [](double x, double v) {
    return " at x = " + number_text(x) + " m, v = " + number_text(v) + " m/s";
  };
  // Contacts are between a nanometre and a decimetre deep.
  for (double x = 1e-9; x < 0.2; x *= std::pow(10, 0.25)) {
    const double conserved = value(x, 0), stored = potential(x, {});
    if (!std::isfinite(conserved) || !std::isfinite(stored)) refuse("is not finite" + at(x, 0));
    if (conserved < 0) refuse("pulls" + at(x, 0));
    if (compiled_->has_potential) {
      // A central difference, whose own error is below 1e-8.
      const double h = 1e-4 * x, slope = (potential(x + h, {}) - potential(x - h, {})) / (2 * h);
      if (std::abs(slope - conserved) > 1e-6 * (conserved + std::abs(stored) / x))
        throw InvalidInput(quoted("potential", potential_expression) +
                           ": its slope is not the force" + at(x, 0));
    }
    for (const double speed : {1e-3, 1e-2, 0.1, 1.0, 10.0}) {
      for (const double v : {speed, -speed}) {
        const double f = value(x, v);
        if (!std::isfinite(f)) refuse("is not finite" + at(x, v));
        if ((f - conserved) * v < -1e-12 * std::abs(conserved) * speed)
          refuse("the part that depends on v drives the motion instead of damping it" + at(x, v));
      }
    }
  }
  if (!(potential(0.1, {}) > 0)) refuse("does not push");
  compiled_->checked = true;
}

}  // namespace carom
