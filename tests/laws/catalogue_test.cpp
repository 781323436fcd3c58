#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

/// Every number inside its range, different for each field.
FieldValues some_values(const LawInfo& law) {
  FieldValues values;
  double number = 1.25;
  for (const FieldInfo* field : law.fields) {
    if (field->type == FieldType::number) values[std::string(field->name)] = number += 0.125;
    if (field->type == FieldType::choice)
      values[std::string(field->name)] = std::string(field->choices.back());
  }
  if (values.contains("restitution")) values["restitution"] = 0.5;
  return values;
}

bool plain(const LawInfo& law) {
  for (const FieldInfo* field : law.fields) {
    if (field->type != FieldType::number && field->type != FieldType::choice &&
        field->type != FieldType::fixed)
      return false;
  }
  return true;
}

TEST(Catalogue, EveryLawIsWhatItsValuesSay) {
  for (const LawInfo& law : law_catalogue()) {
    if (!law.compliant || !plain(law)) continue;
    SCOPED_TRACE(law.text.name);
    const FieldValues values = some_values(law);
    const AnyLaw made = make_law(law.text.name, values);
    EXPECT_EQ(law_name(made), law.text.name);
    EXPECT_EQ(&law_info(made), &law);
    FieldValues back = values_of(made);
    EXPECT_EQ(make_law(law.text.name, back), made);
    for (const auto& [name, value] : values) EXPECT_EQ(back.at(name), value) << name;
  }
}

TEST(Catalogue, EveryLawSaysWhatItIs) {
  std::set<std::string_view> names;
  for (const LawInfo& law : law_catalogue()) {
    SCOPED_TRACE(law.text.name);
    EXPECT_TRUE(names.insert(law.text.name).second);
    EXPECT_FALSE(law.text.summary.empty() || law.text.formula.empty() ||
                 law.text.citation.empty() || law.text.class_name.empty());
    for (const FieldInfo* field : law.fields) EXPECT_FALSE(field->help.empty()) << field->name;
  }
}

TEST(Catalogue, EveryNumberIsRefusedOutsideItsRangeWithItsName) {
  const double nan = std::nan(""), inf = FieldInfo::infinity;
  for (const LawInfo& law : law_catalogue()) {
    if (!law.compliant || !plain(law)) continue;
    for (const FieldInfo* field : law.fields) {
      if (field->type != FieldType::number) continue;
      SCOPED_TRACE(std::string(law.text.name) + " " + std::string(field->name));
      for (const double bad : {nan, inf, -inf, field->lowest - 1}) {
        if (std::isinf(bad) && field->lowest == bad) continue;
        FieldValues values = some_values(law);
        values[std::string(field->name)] = bad;
        const std::string text =
            message_of([&] { static_cast<void>(make_law(law.text.name, values)); });
        EXPECT_NE(text.find(std::string(field->name) + " = "), std::string::npos) << bad << text;
        AnyLaw changed = make_law(law.text.name, some_values(law));
        set_number(changed, field->name, bad);
        EXPECT_THROW(validate(changed), InvalidInput) << bad;
      }
    }
  }
}

TEST(Catalogue, RefusesWhatALawDoesNotTakeAndWhatIsGivenTwice) {
  const auto refused = [](const char* name, const FieldValues& values) {
    return message_of([&] { static_cast<void>(make_law(name, values, "--")); });
  };
  EXPECT_EQ(refused("hertz-damper", {{"stiffness", 1.0}, {"mu", 1.0}}),
            "--mu has no meaning for law 'hertz-damper'; it takes --stiffness, --exponent, "
            "--damping, --release, --restitution");
  EXPECT_EQ(refused("hunt-crossley", {{"stiffness", 1.0}, {"mu", 1.0}, {"lambda", 1.0}}),
            "--mu and --lambda: each fixes mu; give only one of them");
  EXPECT_EQ(refused("hunt-crossley", {{"mu", 1.0}}), "law 'hunt-crossley' needs --stiffness");
  EXPECT_EQ(refused("kelvin-voigt", {{"stiffness", 1.0}, {"exponent", 2.0}}),
            "--exponent = 2: must be 1 for this law");
  EXPECT_EQ(refused("hunt-crosley", {}).substr(0, 68),
            "law 'hunt-crosley' is unknown; did you mean 'hunt-crossley'? known: ");
  EXPECT_NE(refused("newton", {{"restitution", 0.5}}).find("no contact force"), std::string::npos);
  EXPECT_NE(refused("hertz-damper", {{"stiffness", 1.0}, {"release", "never"}}).find("zero-force"),
            std::string::npos);
}

TEST(Catalogue, TheOtherNameOfANumberIsConverted) {
  const AnyLaw law = make_law("hunt-crossley", {{"stiffness", 4e8}, {"lambda", 2e8}});
  EXPECT_EQ(law, AnyLaw(HuntCrossley{4e8, 1.5, 0.5}));
}

TEST(Catalogue, KelvinVoigtIsHertzDamperWithExponentOne) {
  const KelvinVoigt linear{3e4, 2.0};
  const HertzDamper general{3e4, 1.0, 2.0};
  for (const double x : {1e-6, 1e-3}) {
    for (const double v : {-2.0, 0.5}) {
      EXPECT_EQ(linear.force(x, v, {}).conserved, general.force(x, v, {}).conserved);
      EXPECT_EQ(linear.force(x, v, {}).lost, general.force(x, v, {}).lost);
      EXPECT_EQ(linear.potential(x, {}), general.potential(x, {}));
    }
  }
  EXPECT_TRUE(linear.releases_by_force());
}

}  // namespace
}  // namespace carom
