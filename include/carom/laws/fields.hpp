#pragma once

#include <array>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace carom {

/// What a law is called and where it comes from.
struct LawText {
  std::string_view name;        ///< as people write it: "hunt-crossley"
  std::string_view class_name;  ///< in C++ and Python: "HuntCrossley"
  std::string_view summary;     ///< one line, no full stop
  std::string_view formula;     ///< "f = k x^n (1 + mu v)"
  std::string_view citation;
};

using Columns = std::map<std::string, std::vector<double>, std::less<>>;  ///< of a table of numbers
using NamedNumbers = std::map<std::string, double, std::less<>>;

/// What can be given for a parameter of a law.
enum class FieldType { number, fixed, choice, text, columns, named_numbers };

/// One parameter of a law as the outside sees it. Laws declare their parameters once, in `fields`;
/// validation, command-line flags, scenario keys, JSON, Python classes and the reference page are
/// loops over them.
struct FieldInfo {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  FieldType type = FieldType::number;
  std::string_view name = {};  ///< as people write it
  std::string_view symbol = {};
  std::string_view unit = {};
  std::string_view help = {};  ///< one phrase, no full stop
  bool is_required = true;
  double example = std::numeric_limits<double>::quiet_NaN();  ///< to start from; NaN: none
  double fallback = 0;  ///< of a number that is not required; the value of a fixed one
  double lowest = -infinity, highest = infinity;
  bool lowest_excluded = false;
  std::string_view lowest_is = {};                 ///< the field that bounds this one from below
  std::span<const std::string_view> choices = {};  ///< the first is the default
  bool by_restitution = false;                     ///< a restitution may be given in its place
  // The same number under another name: other = field * (field named other_over).
  std::string_view other_name = {}, other_unit = {}, other_help = {}, other_over = {};
  std::string_view flag = {};  ///< on the command line, where `name` means something else there
};

/// Fields know the member they describe; Self is the law.
template <class Law>
struct NumberField : FieldInfo {
  double Law::*member;
  double Law::*lowest_member = nullptr;
  double Law::*other_factor = nullptr;

  constexpr NumberField(std::string_view name_, double Law::*member_, std::string_view symbol_,
                        std::string_view unit_, std::string_view help_)
      : member(member_) {
    name = name_;
    symbol = symbol_;
    unit = unit_;
    help = help_;
  }
  constexpr NumberField positive() const {
    NumberField f = *this;
    f.lowest = 0;
    f.lowest_excluded = true;
    return f;
  }
  constexpr NumberField within(double low, double high) const {
    NumberField f = *this;
    f.lowest = low;
    f.highest = high;
    return f;
  }
  constexpr NumberField not_negative() const { return within(0, infinity); }
  /// At least as large as another field.
  constexpr NumberField at_least(std::string_view other, double Law::*other_member) const {
    NumberField f = *this;
    f.lowest_is = other;
    f.lowest_member = other_member;
    return f;
  }
  constexpr NumberField or_else(double value) const {
    NumberField f = *this;
    f.is_required = false;
    f.fallback = value;
    return f;
  }
  constexpr NumberField starts_with(double value) const {
    NumberField f = *this;
    f.example = value;
    return f;
  }
  constexpr NumberField or_restitution() const {
    NumberField f = *this;
    f.by_restitution = true;
    return f;
  }
  /// May also be given as `other` = field * factor.
  constexpr NumberField or_as(std::string_view other, std::string_view other_unit_,
                              std::string_view other_help_, std::string_view over,
                              double Law::*factor) const {
    NumberField f = *this;
    f.other_name = other;
    f.other_unit = other_unit_;
    f.other_help = other_help_;
    f.other_over = over;
    f.other_factor = factor;
    return f;
  }
};

/// A parameter of the family that this law has no choice about, such as the exponent of a linear
/// spring: it may be given, with this value.
struct FixedField : FieldInfo {
  constexpr FixedField(std::string_view name_, std::string_view symbol_, double value) {
    type = FieldType::fixed;
    name = name_;
    symbol = symbol_;
    is_required = false;
    fallback = lowest = highest = value;
    help = "fixed";
  }
};

/// One of a few names, stored as an enumeration in their order.
template <class Law, class Choice>
struct ChoiceField : FieldInfo {
  Choice Law::*member;

  constexpr ChoiceField(std::string_view name_, Choice Law::*member_,
                        std::span<const std::string_view> names, std::string_view help_)
      : member(member_) {
    type = FieldType::choice;
    name = name_;
    help = help_;
    is_required = false;
    choices = names;
  }
};

template <class Law>
NumberField(std::string_view, double Law::*, std::string_view, std::string_view, std::string_view)
    -> NumberField<Law>;

/// A parameter that is no plain number: text, columns or named numbers, by the type of the member.
template <class Law, class Value>
struct ValueField : FieldInfo {
  Value Law::*member;

  constexpr ValueField(FieldType type_, std::string_view name_, Value Law::*member_,
                       std::string_view help_)
      : member(member_) {
    type = type_;
    name = name_;
    help = help_;
  }
  constexpr ValueField or_none() const {
    ValueField f = *this;
    f.is_required = false;
    return f;
  }
  constexpr ValueField with_flag(std::string_view flag_) const {
    ValueField f = *this;
    f.flag = flag_;
    return f;
  }
};

// The parameters that many laws have.

/// k [N/m^n]
template <class Law>
constexpr NumberField<Law> stiffness_field(double Law::*member, std::string_view unit = "N/m^n") {
  return NumberField<Law>("stiffness", member, "k", unit, "k in the formula of the law")
      .positive()
      .starts_with(1e9);
}

/// Exponents above 20 make a wall with a soft foot that no measurement resolves, and x^(n+1)
/// underflows for every realistic compression.
inline constexpr double largest_exponent = 20.0;

template <class Law>
constexpr NumberField<Law> exponent_field(double Law::*member) {
  return NumberField<Law>("exponent", member, "n", "", "n; 1.5 is Hertz contact of smooth bodies")
      .within(1, largest_exponent)
      .or_else(1.5)
      .starts_with(1.5);
}

/// A damper whose force over velocity is damping times something; 0 unless given.
template <class Law>
constexpr NumberField<Law> damping_field(double Law::*member, std::string_view unit,
                                         std::string_view help) {
  return NumberField<Law>("damping", member, "c", unit, help)
      .not_negative()
      .or_else(0)
      .or_restitution();
}

template <class Law, class Use>
constexpr void for_each_field(Use&& use) {
  std::apply([&](const auto&... field) { (use(field), ...); }, Law::fields);
}

/// Throws InvalidInput unless the number is in the range of its field. `lowest` where another field
/// is the bound; `spelled` as the user knows the field.
void require_allowed(const FieldInfo& field, double value, double lowest, std::string_view spelled);

/// Throws InvalidInput unless the parameters are in their allowed range and fit each other.
template <class Law>
requires requires { Law::fields; }
void validate(const Law& law) {
  for_each_field<Law>([&]<class Field>(const Field& field) {
    if constexpr (std::is_same_v<Field, NumberField<Law>>) {
      const double lowest = field.lowest_member ? law.*field.lowest_member : field.lowest;
      require_allowed(field, law.*field.member, lowest, field.name);
    }
  });
  if constexpr (requires { law.check(); }) law.check();
}

}  // namespace carom
