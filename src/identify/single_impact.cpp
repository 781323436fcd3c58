#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/laws/conversions.hpp>

#include "root.hpp"

namespace carom {
namespace {

constexpr double lowest_exponent = 1, highest_exponent = 20;

/// How far numbers that say the same twice may differ.
constexpr double agreement = 1e-9;

/// The dimensionless impact that a law family has at given damping and exponent.
struct ImpactShape {
  double time;
  double compression;
  double force;
};

/// What sets the size of the impact. Each is a power of omega_i once the shape is known.
enum class Size { stiffness, contact_time, max_compression, max_force };

struct Given {
  Size size;
  const char* name;
  double value;
};

[[noreturn]] void refuse_missing(const std::string& what, const char* law) {
  throw InvalidInput(std::string("cannot identify ") + law + ": missing " + what);
}

void require_if_given(const char* name, const std::optional<double>& value) {
  if (value) require_positive(name, *value);
}

void validate(const Measurement& m) {
  require_if_given("mass", m.mass);
  require_if_given("speed", m.speed);
  if (m.restitution) {
    require_positive("restitution", *m.restitution);
    require_within("restitution", *m.restitution, 0, 1);
  }
  require_if_given("contact_time", m.contact_time);
  require_if_given("max_force", m.max_force);
  require_if_given("max_compression", m.max_compression);
  require_if_given("stiffness", m.stiffness);
  if (m.exponent) require_within("exponent", *m.exponent, lowest_exponent, highest_exponent);
  if (m.mu) require_not_negative("mu", *m.mu);
  if (m.lambda) require_not_negative("lambda", *m.lambda);
}

std::vector<Given> sizes_of(const Measurement& m) {
  std::vector<Given> sizes;
  if (m.stiffness) sizes.push_back({Size::stiffness, "stiffness", *m.stiffness});
  if (m.contact_time) sizes.push_back({Size::contact_time, "contact_time", *m.contact_time});
  if (m.max_compression)
    sizes.push_back({Size::max_compression, "max_compression", *m.max_compression});
  if (m.max_force) sizes.push_back({Size::max_force, "max_force", *m.max_force});
  return sizes;
}

double omega_from(const Given& given, const ImpactShape& shape, double n, double mass,
                  double speed) {
  switch (given.size) {
    case Size::stiffness:
      return impact_frequency(given.value, n, mass, speed);
    case Size::contact_time:
      return shape.time / given.value;
    case Size::max_compression:
      return speed * shape.compression / given.value;
    case Size::max_force:
      return given.value / (mass * speed * shape.force);
  }
  return 0;
}

/// (1): lambda follows from the damping and the stiffness; it depends on neither mass nor exponent.
bool asks_for_lambda_only(const Measurement& m) {
  const bool stiffness_alone = m.stiffness && !m.contact_time && !m.max_compression && !m.max_force;
  return stiffness_alone && !(m.exponent && m.mass);
}

/// (8): Kelvin-Voigt does not depend on the speed.
bool asks_for_kelvin_voigt(const Measurement& m) {
  return m.exponent == 1.0 && m.contact_time && !m.stiffness && !m.max_compression && !m.max_force;
}

/// What exponent and size lack, in words; empty if nothing.
std::string missing_size(const Measurement& m) {
  const std::string any = "contact_time, max_compression, max_force, stiffness";
  const std::size_t sizes = sizes_of(m).size();
  if (m.exponent) return sizes == 0 ? "one of " + any : "";
  if (sizes == 0) return "exponent and one of " + any + " (or two of these)";
  return sizes == 1 ? "exponent, or one more of " + any : "";
}

/// Adds what find_size() lacks.
void add_missing_for_size(const Measurement& m, std::vector<std::string>& missing) {
  if (!m.speed) missing.emplace_back("speed");
  if (const std::string size = missing_size(m); !size.empty()) missing.push_back(size);
  if (!m.mass && (m.stiffness || m.max_force || m.exponent)) missing.emplace_back("mass");
}

/// Says everything that is missing at once.
void refuse_ill_posed(const std::vector<std::string>& missing, const char* law) {
  std::string list;
  for (const std::string& item : missing) list += (list.empty() ? "" : "; ") + item;
  if (!missing.empty()) refuse_missing(list, law);
}

/// The exponent at which two sizes ask for the same omega_i.
double solve_exponent(const Given& a, const Given& b,
                      const std::function<ImpactShape(double)>& shape, double mass, double speed) {
  const auto disagreement = [&](double n) {
    const ImpactShape s = shape(n);
    return std::log(omega_from(a, s, n, mass, speed) / omega_from(b, s, n, mass, speed));
  };
  // Without a stiffness the ratio of two sizes is monotone in n (checked for eps 0..1e3): one
  // bracket. With one it need not be: look through the range.
  std::vector<double> grid{lowest_exponent, highest_exponent};
  if (a.size == Size::stiffness) {
    grid.clear();
    for (int i = 0; i <= 76; ++i) grid.push_back(lowest_exponent + 0.25 * i);
  }
  std::vector<double> roots;
  for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
    const auto root = detail::bracketed_root(disagreement, grid[i], grid[i + 1], 1e-11);
    if (root && (roots.empty() || std::abs(*root - roots.back()) > 1e-6)) roots.push_back(*root);
  }
  if (roots.empty()) {
    throw InvalidInput(std::string("contradictory: no exponent from 1 to 20 gives both ") + a.name +
                       " = " + number_text(a.value) + " and " + b.name + " = " +
                       number_text(b.value) + " with this restitution, mass and speed");
  }
  if (roots.size() > 1) {
    std::string found;
    for (const double n : roots) found += (found.empty() ? "" : ", ") + number_text(n);
    throw InvalidInput(std::string("ambiguous: ") + a.name + " and " + b.name +
                       " fit several exponents (" + found + "); give the exponent");
  }
  return roots.front();
}

struct Found {
  double exponent;
  double omega;
};

/// What both laws share: from the shape to exponent, omega_i and stiffness.
Found find_size(const Measurement& m, const std::function<ImpactShape(double)>& shape,
                Identified& out) {
  const std::vector<Given> sizes = sizes_of(m);
  const std::size_t needed = m.exponent ? 1 : 2;
  const double mass = m.mass.value_or(1), speed = *m.speed;
  const double n =
      m.exponent ? *m.exponent : solve_exponent(sizes[0], sizes[1], shape, mass, speed);
  out.exponent = n;
  // From the stiffness omega_i follows without the motion.
  const ImpactShape s = sizes.size() == 1 && m.stiffness ? ImpactShape{} : shape(n);
  const double omega = omega_from(sizes[0], s, n, mass, speed);
  require_positive("impact frequency that results", omega);
  out.omega = omega;
  for (std::size_t i = needed; i < sizes.size(); ++i) {
    const double other = omega_from(sizes[i], s, n, mass, speed);
    if (!(std::abs(other / omega - 1) <= agreement)) {
      throw InvalidInput(std::string("contradictory: ") + sizes[i].name + " = " +
                         number_text(sizes[i].value) + " does not fit " + sizes[0].name + " = " +
                         number_text(sizes[0].value) + " (they ask for frequencies in the ratio " +
                         number_text(other / omega) + "); leave one out");
    }
  }
  if (m.stiffness) {
    out.stiffness = m.stiffness;
  } else if (m.mass) {
    out.stiffness = stiffness_of_impact_frequency(omega, n, mass, speed);
  }
  const char* damping = m.mu ? "mu, " : m.lambda ? "lambda, " : "restitution, ";
  out.problem = std::string(damping) + (m.exponent ? "exponent, " : "") + sizes[0].name +
                (needed == 2 ? std::string(", ") + sizes[1].name : "");
  return {n, omega};
}

void check_with(const Impact& hit, Identified& out) {
  out.check.restitution = hit.restitution;
  out.check.contact_time = hit.contact_time;
  out.check.max_force = hit.max_force;
  out.check.max_compression = hit.max_compression;
}

double hunt_crossley_epsilon(const Measurement& m, double speed, Formula formula) {
  const int sources =
      int{m.restitution.has_value()} + int{m.mu.has_value()} + int{m.lambda.has_value()};
  if (sources > 1) {
    throw InvalidInput("contradictory: give only one of restitution, mu, lambda");
  }
  if (m.restitution) return epsilon_by(formula, *m.restitution);
  if (sources > 0 && formula != Formula::exact) {
    throw InvalidInput("formula '" + std::string(formula_name(formula)) + "' needs a restitution");
  }
  if (m.mu) return epsilon_of_mu(*m.mu, speed);
  return epsilon_of_mu(mu_of_lambda(m.lambda.value(), m.stiffness.value()), speed);
}

Identified kelvin_voigt(double mass, double contact_time, Release release, double c) {
  Identified out;
  out.problem = "Kelvin-Voigt: restitution, contact_time";
  const DimensionlessRebound r = kelvin_voigt_rebound(c / 2, release);
  const double omega = r.contact_time / contact_time;
  out.exponent = 1;
  out.omega = omega;
  out.stiffness = mass * omega * omega;
  out.damping = c * mass * omega;
  out.epsilon = c;
  out.check.restitution = r.restitution;
  out.check.contact_time = r.contact_time / omega;
  return out;
}

}  // namespace

Identified identify_hunt_crossley(const Measurement& m, Formula formula,
                                  TabulatedImpact* tabulated) {
  validate(m);
  Identified out;
  out.formula = formula;
  out.mass = m.mass;
  out.speed = m.speed;
  std::vector<std::string> missing;
  if (!m.restitution && !m.mu && !m.lambda) {
    missing.emplace_back("restitution (or mu, or lambda with stiffness)");
  } else if (m.lambda && !m.stiffness) {
    missing.emplace_back("stiffness (lambda was given)");
  }
  const bool lambda_only = asks_for_lambda_only(m);
  if (!lambda_only) {
    add_missing_for_size(m, missing);
  } else if (!m.speed) {
    missing.emplace_back("speed");
  }
  refuse_ill_posed(missing, "hunt-crossley");
  const double speed = *m.speed;
  const double epsilon = hunt_crossley_epsilon(m, speed, formula);
  const double mu = mu_of_epsilon(epsilon, speed);
  out.epsilon = epsilon;
  out.mu = mu;
  if (lambda_only) {
    out.stiffness = m.stiffness;
    out.exponent = m.exponent;
    out.problem = "restitution, stiffness";
  } else {
    const auto impact_at = [&](double n) {
      return tabulated != nullptr && n == tabulated->exponent() ? (*tabulated)(epsilon)
                                                                : dimensionless_impact(epsilon, n);
    };
    const auto shape = [&](double n) {
      const DimensionlessImpact d = impact_at(n);
      const double time =
          formula == Formula::ramaswamy ? ramaswamy_contact_time(epsilon, n) : d.contact_time;
      return ImpactShape{time, d.max_compression, d.max_force};
    };
    const Found found = find_size(m, shape, out);
    if (!m.mass) {
      const DimensionlessImpact d = impact_at(found.exponent);
      out.check.contact_time = d.contact_time / found.omega;
      out.check.max_compression = d.max_compression * speed / found.omega;
    }
  }
  out.check.restitution = restitution_of_epsilon(epsilon);
  if (out.stiffness) out.lambda = lambda_of_mu(mu, *out.stiffness);
  if (out.stiffness && out.exponent && m.mass) {
    const HuntCrossley law = out.hunt_crossley();
    const Collision collision{.mass = *m.mass, .speed = speed};
    const bool in_table = tabulated != nullptr && law.exponent == tabulated->exponent();
    check_with(in_table ? impact(law, collision, *tabulated) : impact(law, collision), out);
  }
  return out;
}

Identified identify_hertz_damper(const Measurement& m, Formula formula, Release release) {
  constexpr const char* law = "hertz-damper";
  validate(m);
  if (m.mu || m.lambda) {
    throw InvalidInput(std::string(m.mu ? "mu" : "lambda") + " belongs to the law hunt-crossley");
  }
  if (formula != Formula::exact && formula != Formula::poursina) {
    throw InvalidInput("formula '" + std::string(formula_name(formula)) +
                       "' is for the law hunt-crossley; hertz-damper has exact and poursina");
  }
  if (formula == Formula::poursina && release != Release::zero_force) {
    throw InvalidInput("formula 'poursina' is for release at zero force");
  }
  std::vector<std::string> missing;
  if (!m.restitution) missing.emplace_back("restitution");
  const bool is_kelvin_voigt = asks_for_kelvin_voigt(m);
  if (!is_kelvin_voigt) {
    add_missing_for_size(m, missing);
  } else if (!m.mass) {
    missing.emplace_back("mass");
  }
  refuse_ill_posed(missing, law);
  const double e = *m.restitution;
  const auto damping = [&](double n) {
    return formula == Formula::poursina ? poursina_damping(e, n)
                                        : damping_of_restitution(e, n, release);
  };
  Identified out;
  if (is_kelvin_voigt) {
    out = kelvin_voigt(*m.mass, *m.contact_time, release, damping(1));
  } else {
    // Each damping costs several exact motions: keep the last.
    double last_exponent = 0, last_damping = 0;
    const auto damping_at = [&](double n) {
      if (n != last_exponent) {
        last_damping = damping(n);
        last_exponent = n;
      }
      return last_damping;
    };
    const auto shape = [&](double n) {
      const Impact hit = impact(HertzDamper{1, n, damping_at(n), release}, {.mass = 1, .speed = 1});
      return ImpactShape{hit.contact_time, hit.max_compression, hit.max_force};
    };
    const Found found = find_size(m, shape, out);
    out.epsilon = damping_at(found.exponent);
    if (m.mass) out.damping = out.epsilon * *m.mass * found.omega;
    if (!m.mass) {
      const DimensionlessRebound r = hertz_damper_rebound(out.epsilon, found.exponent, release);
      out.check.restitution = r.restitution;
      out.check.contact_time = r.contact_time / found.omega;
    }
  }
  out.formula = formula;
  out.release = release;
  out.mass = m.mass;
  out.speed = m.speed;
  if (out.stiffness && m.mass && m.speed) {
    check_with(impact(out.hertz_damper(), {.mass = *m.mass, .speed = *m.speed}), out);
  }
  return out;
}

HuntCrossley Identified::hunt_crossley() const {
  if (!stiffness) refuse_missing("stiffness (give the mass)", "hunt-crossley");
  if (!exponent) refuse_missing("exponent", "hunt-crossley");
  if (!mu) refuse_missing("mu (give the speed)", "hunt-crossley");
  return {.stiffness = *stiffness, .exponent = *exponent, .mu = *mu};
}

HertzDamper Identified::hertz_damper() const {
  if (!stiffness || !damping)
    refuse_missing("stiffness and damping (give the mass)", "hertz-damper");
  if (!exponent) refuse_missing("exponent", "hertz-damper");
  return {.stiffness = *stiffness, .exponent = *exponent, .damping = *damping, .release = release};
}

}  // namespace carom
