#include <cmath>

#include <fmt/format.h>

#include <carom/laws/conversions.hpp>
#include <carom/output/json.hpp>

namespace carom {

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const AnyLaw& law, const Collision& collision) {
  return std::visit(
      [&]<class Law>(const Law& chosen) {
        Json json{{"name", law_name(law)},
                  {"stiffness", chosen.stiffness},
                  {"exponent", chosen.exponent}};
        if constexpr (std::is_same_v<Law, HuntCrossley>) {
          json["lambda"] = chosen.lambda();
          json["mu"] = chosen.mu;
          json["epsilon"] = chosen.mu * collision.speed;
        } else if constexpr (std::is_same_v<Law, HertzDamper>) {
          json["damping"] = chosen.damping;
          json["release"] =
              chosen.release == Release::zero_force ? "zero-force" : "zero-compression";
        }
        json["omega_i"] =
            impact_frequency(chosen.stiffness, chosen.exponent, collision.mass, collision.speed);
        return json;
      },
      law);
}

std::string describe(const AnyLaw& law, const Collision& collision) {
  return std::visit(
      [&]<class Law>(const Law& chosen) {
        std::string text = fmt::format("k = {:.6g} N/m^{:.6g}, n = {:.6g}", chosen.stiffness,
                                       chosen.exponent, chosen.exponent);
        if constexpr (std::is_same_v<Law, HuntCrossley>) {
          text += fmt::format(", mu = {:.6g} s/m, lambda = {:.6g} N s/m^{:.6g}, epsilon = {:.6g}",
                              chosen.mu, chosen.lambda(), chosen.exponent + 1,
                              chosen.mu * collision.speed);
        } else if constexpr (std::is_same_v<Law, HertzDamper>) {
          text += fmt::format(", c = {:.6g} N s/m", chosen.damping);
        }
        return text;
      },
      law);
}

Json to_json(const Impact& impact) {
  Json json{{"rebound_speed", json_number(impact.rebound_speed)},
            {"restitution", json_number(impact.restitution)},
            {"max_compression", json_number(impact.max_compression)},
            {"max_compression_time", json_number(impact.max_compression_time)},
            {"max_force", json_number(impact.max_force)},
            {"max_force_time", json_number(impact.max_force_time)},
            {"contact_time", json_number(impact.contact_time)},
            {"energy_in", json_number(impact.energy_in)},
            {"energy_lost", json_number(impact.energy_lost)},
            {"separation_compression", json_number(impact.separation_compression)},
            {"releases", impact.releases}};
  if (!impact.releases)
    json["equilibrium_compression"] = json_number(impact.equilibrium_compression);
  return json;
}

}  // namespace carom
