#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace carom {

/// How damping is computed from a restitution. Everything but `exact` is a published approximation,
/// kept by name so that people can see what it costs.
enum class Formula {
  exact,                ///< the exact inverse
  hunt_crossley,        ///< eps = 3/2 (1 - e), poursina2020 eq. (13)
  lankarani_nikravesh,  ///< eps = 3/4 (1 - e^2), eq. (14)
  flores,               ///< eps = 8/5 (1 - e)/e, eq. (16)
  hu_guo,               ///< eps = 3/2 (1 - e)/e, eq. (15)
  gonthier,             ///< eps = (1 - e^2)/e, the approximate root d = 1 - e^2 of eq. (19)
  ramaswamy,            ///< ramaswamy eq. (17); the contact time of eq. (23)
  poursina,             ///< Hertz spring with linear damper: poursina2020 eq. (49)
};

inline constexpr std::array all_formulas{
    Formula::exact,  Formula::hunt_crossley, Formula::lankarani_nikravesh, Formula::flores,
    Formula::hu_guo, Formula::gonthier,      Formula::ramaswamy,           Formula::poursina};

/// The names people write: exact, hunt-crossley, lankarani-nikravesh, flores, hu-guo, gonthier,
/// ramaswamy, poursina.
std::span<const std::string_view> formula_names() noexcept;
std::string_view formula_name(Formula formula) noexcept;
Formula formula_of(std::string_view name);  ///< InvalidInput for an unknown name, with a suggestion

/// eps = mu v_in for 0 < e <= 1 by a Hunt-Crossley formula (not poursina).
double epsilon_by(Formula formula, double restitution);

/// p(c_r) = alpha (exp(-beta c_r) - exp(-beta)), ramaswamy eq. (14) with the constants below (17).
double ramaswamy_curvature(double restitution);

/// Dimensionless contact time omega_i t, ramaswamy eq. (23); fitted for eps 0..10 and n 1..5.
double ramaswamy_contact_time(double epsilon, double exponent);

/// omega_i, ramaswamy eq. (24), and K, eq. (25) read with the incidence speed in place of delta_0.
double ramaswamy_impact_frequency(double epsilon, double exponent, double contact_time);
double ramaswamy_stiffness(double epsilon, double exponent, double contact_time, double mass,
                           double speed);

/// alpha and beta of poursina2020 eqs. (46), (47), fitted for n 1..2.
struct PoursinaConstants {
  double alpha;
  double beta;
};
PoursinaConstants poursina_constants(double exponent);

/// Dimensionless damping alpha (e^beta - 1), poursina2020 eq. (45); times (k v^(n-1) m^n)^(1/(n+1))
/// it is c of eq. (49).
double poursina_damping(double restitution, double exponent);
/// The slack variable lambda of poursina2020 eq. (48).
double poursina_slack(double restitution, double exponent);
/// Compression at separation (51) [m] for a damping c [N s/m].
double poursina_separation(double restitution, double damping, double stiffness, double exponent,
                           double speed);
/// c of eq. (52): n = 3/2 with its own rounded constants [N s/m].
double poursina_damping_three_halves(double restitution, double stiffness, double mass,
                                     double speed);

/// One row of the table of what each formula costs: the restitution asked for, and the one its
/// damping really gives, in the order of all_formulas.
struct FormulaCost {
  double asked;
  std::array<double, all_formulas.size()> delivered;
};
/// The exponent matters for poursina only.
std::vector<FormulaCost> formula_costs(std::span<const double> asked, double exponent = 1.5);

}  // namespace carom
