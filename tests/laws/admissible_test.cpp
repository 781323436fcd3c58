#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/laws/catalogue.hpp>

// What every compliant law promises (laws/law.hpp), for random parameters of every law that is
// given by numbers; laws of curves and formulas have tests of their own.

namespace carom {
namespace {

class Random {
 public:
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double power_of_ten(double low, double high) { return std::pow(10, between(low, high)); }

 private:
  std::mt19937_64 engine_{7};
};

/// Somewhere in the range of the field, over the decades where people use it.
double random_number(const FieldInfo& field, const FieldValues& before, Random& random) {
  if (!field.lowest_is.empty())
    return std::get<double>(before.find(field.lowest_is)->second) * random.between(1, 5);
  if (field.name == "stiffness") return random.power_of_ten(3, 10);
  if (field.unit == "m") return random.power_of_ten(-4, -1);
  if (std::isfinite(field.highest)) return random.between(field.lowest, 3);
  return random.power_of_ten(-2, 2);
}

/// use(law) for a few hundred laws of every kind.
template <class Use>
void for_random_laws(Use use) {
  Random random;
  for (const LawInfo& info : law_catalogue()) {
    bool plain = info.compliant;
    for (const FieldInfo* field : info.fields)
      plain = plain && field->type != FieldType::text && field->type != FieldType::columns;
    if (!plain) continue;
    for (int i = 0; i < 200; ++i) {
      FieldValues values;
      for (const FieldInfo* field : info.fields) {
        if (field->type == FieldType::number)
          values[std::string(field->name)] = random_number(*field, values, random);
      }
      const AnyLaw law = make_law(info.text.name, values);
      std::string shown(info.text.name);
      for (const auto& [name, value] : values)
        shown += " " + name + "=" + std::to_string(std::get<double>(value));
      SCOPED_TRACE(shown);
      std::visit([&](const auto& chosen) { use(chosen, random); }, law);
    }
  }
}

/// Where an impact of this law goes, deep and shallow.
template <class Law>
double some_compression(const Law& law, Random& random) {
  return length_of_energy(law, random.power_of_ten(-4, 0)) * random.power_of_ten(-2, 0);
}

/// On every branch that the law has at this depth.
template <class Law, class Use>
void for_branches(const Law& law, double x, Use use) {
  const ContactMemory loading;
  use(loading);
  if constexpr (BranchingLaw<Law>) use(law.flip(1.2 * x, loading));
}

TEST(EveryLaw, ConservedForceIsTheSlopeOfThePotential) {
  for_random_laws([]<class Law>(const Law& law, Random& random) {
    const double x = some_compression(law, random), v = random.between(-1, 1);
    for_branches(law, x, [&](const ContactMemory& m) {
      // Central difference: error h^2 V'''/6 and rounding eps V/h, both below 1e-8 of the force
      // scale V(x)/x at h = 1e-5 x. On a kinked unloading line only above what is left.
      const double h = 1e-5 * x;
      if (x - h <= edge(law, m)) return;
      const double slope = (law.potential(x + h, m) - law.potential(x - h, m)) / (2 * h);
      const double scale = std::abs(slope) + std::abs(law.potential(x, m)) / x;
      EXPECT_NEAR(slope, law.force(x, v, m).conserved, 2e-8 * scale) << x;
    });
  });
}

TEST(EveryLaw, WhatIsLostIsNeverGained) {
  for_random_laws([]<class Law>(const Law& law, Random& random) {
    for (int i = 0; i < 20; ++i) {
      const double x = some_compression(law, random), v = random.between(-3, 3);
      const ContactMemory loading;
      // A branch holds for the rates at which its switching function is positive.
      for_branches(law, x, [&](const ContactMemory& m) {
        if constexpr (BranchingLaw<Law>) {
          if (!(law.switching(x, v, m) > 0)) return;
        }
        EXPECT_GE(law.force(x, v, m).lost * v, 0) << x << " " << v << " " << m.unloading;
      });
    }
  });
}

TEST(EveryLaw, TouchingAndLettingGoLoseEnergy) {
  for_random_laws([]<class Law>(const Law& law, Random& random) {
    const double x = some_compression(law, random);
    EXPECT_LE(law.potential(onset(law, {}), {}), 0);
    for_branches(law, x, [&](const ContactMemory& m) {
      // Rounding of x - x0 on the unloading line of a dent.
      EXPECT_GE(law.potential(edge(law, m), m), -1e-30);
    });
  });
}

TEST(EveryLaw, ContactDoesNotPullUnlessTheLawIsAdhesive) {
  for_random_laws([]<class Law>(const Law& law, Random& random) {
    if (edge(law, {}) < 0) return;
    const double x = some_compression(law, random), v = random.between(-3, 3);
    if (releases_by_force(law)) return;  // the state machine ends the contact there
    EXPECT_GE(law.force(x, v, {}).total(), 0);
  });
}

}  // namespace
}  // namespace carom
