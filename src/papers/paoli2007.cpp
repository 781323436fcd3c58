#include "paoli2007.hpp"

#include <cmath>
#include <numbers>

#include "on_all_cores.hpp"
#include "registry.hpp"

namespace carom {
namespace paoli2007 {

BarDrop paper_bar(BarModel model, BarMethod method, double restitution, double angle) {
  BarDrop drop;
  drop.model = model;
  drop.method = method;
  drop.law = NewtonRestitution{restitution};
  drop.start.angle = angle * std::numbers::pi / 180;
  return drop;
}

BarDrop landing_bar(BarModel model, BarMethod method, double restitution, double angle) {
  BarDrop drop = paper_bar(model, method, restitution, angle);
  constexpr double before = 1e-4;  // [s]
  const double g = drop.bar.gravity, fall = drop.start.height - drop.bar.radius;
  const double impact = std::sqrt(drop.start.speed * drop.start.speed + 2 * g * fall);
  drop.start.speed = impact - g * before;
  drop.start.height = drop.bar.radius + drop.start.speed * before + 0.5 * g * before * before;
  return drop;
}

std::vector<BarDropResult> drop_all(const Reproduction& paper, double from, double to,
                                    const std::vector<BarDrop>& drops) {
  std::vector<BarDropResult> results(drops.size());
  on_all_cores(paper, from, to, drops.size(),
               [&](std::size_t i) { results[i] = drop_bar(drops[i]); });
  return results;
}

}  // namespace paoli2007

void reproduce_paoli2007(Reproduction& paper) {
  paoli2007::reproduce_tables(paper);
  paoli2007::reproduce_contacts(paper);
  paoli2007::reproduce_vertical_bar(paper);
  paoli2007::reproduce_influence_of_restitution(paper);
  paoli2007::reproduce_restitution(paper);
  paoli2007::reproduce_excitation(paper);
}

}  // namespace carom
