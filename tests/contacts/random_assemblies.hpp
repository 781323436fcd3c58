#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include <carom/laws/catalogue.hpp>
#include <carom/nonsmooth/impact_problem.hpp>
#include <carom/systems/line_assembly.hpp>
#include <carom/systems/plane_assembly.hpp>

namespace carom {

/// Assemblies that nobody has thought of, from a fixed seed.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double share) { return uniform(0, 1) < share; }

  LawChoice law() {
    const double k = std::pow(10, uniform(4, 8));
    switch (whole(0, 9)) {
      case 0:
        return AnyLaw(PowerLaw{k, uniform(1, 2.5)});
      case 1:
        return AnyLaw(HuntCrossley{k, 1.5, uniform(0, 1)});
      case 2:
        return AnyLaw(KelvinVoigt{k, uniform(0, 0.5) * std::sqrt(k)});
      case 3:
        return AnyLaw(Tsuji{k, 1.5, uniform(0, 0.5) * std::sqrt(k)});
      case 4:
        return AnyLaw(HertzDamper{k, 1.5, uniform(0, 50)});
      case 5:
        return AnyLaw(KuwabaraKono{k, 1.5, uniform(0, 1e-3) * k});
      case 6:
        return AnyLaw(ImpactFunction{k, 1.5, uniform(0, 50), 1e-4});
      case 7:
        return AnyLaw(WaltonBraun{k, uniform(1, 4) * k});
      case 8:
        return AnyLaw(PowerDamper{k, 1.5, uniform(0, 1e-3) * k, uniform(0.5, 1.5)});
      default:
        return NewtonRestitution{chance(0.2) ? 0.0 : uniform(0, 1)};
    }
  }

  /// Those that law() does not draw: they pull, come from a table or a formula, or act on bodies
  /// that let go at x = 0.
  LawChoice another_law() {
    const double k = std::pow(10, uniform(4, 7));
    switch (whole(0, 4)) {
      case 0:
        return AnyLaw(JKR{k, uniform(1e-3, 1e-2), std::pow(10, uniform(-2, 0))});
      case 1:
        return AnyLaw(HertzDamper{k, 1.5, uniform(0, 50), Release::zero_compression});
      case 2:
        return AnyLaw(ForceFormula("k*x^n*(1 + a*tanh(v))",
                                   {{"k", k}, {"n", uniform(1, 2)}, {"a", uniform(0, 1)}}));
      default: {
        Columns rows;
        const bool loses = chance(0.5);
        const double depth = std::pow(10, uniform(-4, -2)), n = uniform(1, 2);
        for (int i = 0; i <= 6; ++i) {
          const double s = i / 6.0, force = k * std::pow(s * depth, n);
          rows["compression"].push_back(s * depth);
          rows["loading"].push_back(force);
          if (loses) rows["unloading"].push_back(i < 2 ? 0.0 : force * s);
        }
        return AnyLaw(ForceTable{ForceLoop(rows)});
      }
    }
  }

  /// A table, a row of masses on it, links between some of them.
  Assembly line() {
    Assembly parts;
    parts.gravity = chance(0.5) ? 9.81 : 0.0;
    AssemblyBody table;
    table.type = chance(0.5) ? BodyType::driven : BodyType::fixed;
    table.motion = {.amplitude = uniform(0, 2e-3), .frequency = uniform(5, 80)};
    parts.bodies.push_back(table);
    double place = 0.003;
    for (int i = 1, count = whole(1, 5); i <= count; ++i) {
      AssemblyBody mass;
      mass.mass = std::pow(10, uniform(-2, 0));
      mass.position = {place += chance(0.2) ? 0.0 : uniform(0, 0.01), 0.0};
      mass.velocity = {uniform(-1, 1) - 0.2 * i, 0.0};
      parts.bodies.push_back(mass);
      AssemblyContact contact;
      contact.first = i - 1;
      contact.second = i;
      parts.contacts.push_back(contact);
      if (!chance(0.3)) continue;
      AssemblyLink link;
      link.first = whole(0, i - 1);
      link.second = i;
      link.stiffness = std::pow(10, uniform(1, 4));
      link.damping = chance(0.5) ? uniform(0, 2) : 0.0;
      link.cubic = chance(0.3) ? uniform(0, 1e6) : 0.0;
      link.length = uniform(0, 0.02);
      parts.links.push_back(link);
    }
    return parts;
  }

  /// Discs and boxes over the ground, which may touch each other.
  Assembly plane() {
    Assembly parts;
    parts.dimension = 2;
    parts.gravity = 9.81;
    for (int i = 0, count = whole(1, 2); i < count; ++i) {
      AssemblyBody body;
      const bool disc = i == 0 || chance(0.5);
      body.type = disc ? BodyType::disc : BodyType::box;
      body.outline = disc ? Outline::disc : Outline::box;
      body.mass = std::pow(10, uniform(-2, 0));
      body.radius = 0.02;
      body.width = uniform(0.02, 0.05);
      body.height = uniform(0.02, 0.05);
      body.position = {uniform(-0.005, 0.005), 0.04 + 0.08 * i};
      body.velocity = {uniform(-1, 1), uniform(-1.5, 0)};
      body.angle = uniform(-1, 1);
      body.spin = uniform(-20, 20);
      parts.bodies.push_back(body);
      parts.contacts.push_back({.first = i, .second = -1});
      if (i > 0) parts.contacts.push_back({.first = 0, .second = i});
    }
    return parts;
  }

  /// One or two rods that hang from a hinge between a wall and a disc, a weight on a spring below
  /// them, and a disc in a shaken hole; none of them overlap.
  Assembly mechanism() {
    for (;;) {
      Assembly parts = rods();
      const PlaneAssembly plane(parts);
      Eigen::VectorXd gaps(plane.contacts());
      plane.gaps(0.0, plane.start().q, gaps);
      if (gaps.minCoeff() >= 0) return parts;
    }
  }

  ImpactLaw impact_law() {
    return std::array{ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::sequential}[index(2)];
  }

 private:
  Assembly rods() {
    Assembly parts;
    parts.dimension = 2;
    parts.gravity = 9.81;
    const auto add = [&](AssemblyBody body) {
      parts.bodies.push_back(std::move(body));
      return static_cast<int>(parts.bodies.size()) - 1;
    };
    const auto spin = [&] { return uniform(-5, 5); };
    const int wall = add({.type = BodyType::fixed,
                          .position = {0.25, 0},
                          .angle = uniform(1.2, 1.9),
                          .outline = Outline::wall});
    const int post = add({.type = BodyType::fixed,
                          .position = {-0.25, 0.45},
                          .outline = Outline::disc,
                          .radius = 0.05});
    const auto rod = [&](const Vector2& top, double angle) {
      const double length = 0.2;
      return add({.type = BodyType::rod,
                  .mass = uniform(0.1, 1),
                  .position = {top[0] + 0.5 * length * std::sin(angle),
                               top[1] - 0.5 * length * std::cos(angle)},
                  .angle = angle - 0.5 * pi,
                  .spin = spin(),
                  .outline = Outline::rod,
                  .radius = 0.005,
                  .length = length});
    };
    const double angle = uniform(-0.5, 0.5);
    int last = rod({0, 0.6}, angle);
    parts.hinges.push_back({.first = -1, .second = last, .at = {0, 0.6}});
    parts.contacts.push_back({.first = last, .second = wall});
    parts.contacts.push_back({.first = last, .second = post});
    if (chance(0.5)) {
      const Vector2 knee{0.2 * std::sin(angle), 0.6 - 0.2 * std::cos(angle)};
      const int shin = rod(knee, angle + uniform(-0.3, 0.3));
      parts.hinges.push_back({.first = last,
                              .second = shin,
                              .at = knee,
                              .stiffness = chance(0.5) ? uniform(0, 20) : 0.0,
                              .damping = chance(0.5) ? uniform(0, 0.05) : 0.0});
      parts.contacts.push_back({.first = shin, .second = wall});
      parts.contacts.push_back({.first = shin, .second = post});
      last = shin;
    }
    const int weight = add({.type = BodyType::mass,
                            .mass = uniform(0.05, 0.3),
                            .position = {uniform(-0.05, 0.05), 0.05},
                            .velocity = {uniform(-1, 1), uniform(-1, 0)},
                            .outline = Outline::disc,
                            .radius = 0.02});
    parts.links.push_back({.first = last,
                           .second = weight,
                           .stiffness = std::pow(10, uniform(1, 3)),
                           .damping = chance(0.5) ? uniform(0, 2) : 0.0,
                           .cubic = chance(0.3) ? 1e4 : 0.0,
                           .length = uniform(0, 0.2)});
    parts.contacts.push_back({.first = weight, .second = -1});
    const int hole = add({.type = BodyType::driven,
                          .position = {1, 1},
                          .motion = {.amplitude = uniform(0, 2e-3), .frequency = uniform(5, 60)},
                          .direction = {std::cos(spin()), std::sin(spin())},
                          .outline = Outline::disc,
                          .radius = 0.05});
    const int pin = add({.type = BodyType::disc,
                         .mass = uniform(0.1, 1),
                         .position = {1, 1 + uniform(-0.008, 0.008)},
                         .velocity = {uniform(-0.5, 0.5), 0},
                         .spin = spin(),
                         .outline = Outline::disc,
                         .radius = 0.04});
    parts.contacts.push_back({.first = pin, .second = hole, .inside = true});
    return parts;
  }

  static constexpr double pi = std::numbers::pi;
  std::size_t index(int last) { return static_cast<std::size_t>(whole(0, last)); }
  std::mt19937_64 random_;
};

}  // namespace carom
