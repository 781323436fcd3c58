#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/materials.hpp>

namespace carom {
namespace {

TEST(Materials, AreWithinWhatSolidsCanBeAndNameTheirSources) {
  std::set<std::string_view> names;
  for (const NamedMaterial& material : materials()) {
    EXPECT_TRUE(names.insert(material.name).second) << material.name;
    EXPECT_GT(material.young, 1e5) << material.name;
    EXPECT_LT(material.young, 1.3e12) << material.name;  // diamond
    EXPECT_GT(material.density, 20) << material.name;
    EXPECT_LT(material.density, 23000) << material.name;  // osmium
    EXPECT_GE(material.poisson, 0) << material.name;
    EXPECT_LT(material.poisson, 0.5) << material.name;
    EXPECT_GT(material.loss_factor, 1e-6) << material.name;
    EXPECT_LT(material.loss_factor, 1) << material.name;
    EXPECT_GT(material.source.size(), 8u) << material.name;
  }
  for (const char* name : {"steel", "brass", "aluminium", "glass", "rubber", "felt", "ceramic"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// Hertz: k = 4/3 sqrt(R*)/((1 - nu1^2)/E1 + (1 - nu2^2)/E2), written out.
TEST(Materials, AndRadiiGiveHertzContact) {
  const NamedMaterial &a = find_material("steel"), &b = find_material("glass");
  const double modulus =
      1 / ((1 - a.poisson * a.poisson) / a.young + (1 - b.poisson * b.poisson) / b.young);
  const std::vector<std::string> pair{"steel", "glass"}, one{"glass"};
  const std::vector<double> flat{0.01}, two{0.01, 0.03};
  const PowerLaw on_plane = hertz_contact(flat, pair), on_sphere = hertz_contact(two, pair);
  EXPECT_EQ(on_plane.exponent, 1.5);
  EXPECT_NEAR(on_plane.stiffness / (4.0 / 3 * modulus * std::sqrt(0.01)), 1, 1e-14);
  EXPECT_NEAR(on_sphere.stiffness / (4.0 / 3 * modulus * std::sqrt(0.0075)), 1, 1e-14);
  EXPECT_NEAR(contact_radius(two), 0.0075, 1e-16);
  EXPECT_NEAR(hertz_contact(flat, one).stiffness,
              2.0 / 3 * b.young / (1 - b.poisson * b.poisson) * 0.1, 1e-4);
}

TEST(Materials, ThatAreUnknownAreRefusedWithTheNearest) {
  try {
    static_cast<void>(find_material("stel"));
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'steel'"), std::string::npos);
  }
  const std::vector<std::string> steel{"steel"};
  EXPECT_THROW(hertz_contact(std::vector<double>{}, steel), InvalidInput);
  EXPECT_THROW(hertz_contact(std::vector{0.01, -0.005}, steel), InvalidInput);
  EXPECT_THROW(hertz_contact(std::vector{0.01}, std::vector<std::string>{}), InvalidInput);
}

}  // namespace
}  // namespace carom
