#include "paoli2007.hpp"

#include <atomic>
#include <cmath>
#include <numbers>
#include <thread>

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

std::vector<BarDropResult> drop_all(const std::vector<BarDrop>& drops) {
  std::vector<BarDropResult> results(drops.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < drops.size(); i = next++) results[i] = drop_bar(drops[i]);
  };
  std::vector<std::jthread> helpers;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < cores; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // waits for all of them
  return results;
}

}  // namespace paoli2007

void reproduce_paoli2007(Reproduction& paper) {
  paoli2007::reproduce_tables(paper);
  paoli2007::reproduce_contacts(paper);
  paoli2007::reproduce_restitution(paper);
  paoli2007::reproduce_excitation(paper);
}

}  // namespace carom
