#include "quantities.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

struct Unit {
  std::string_view name;
  double factor;  ///< SI units in one of these
};

constexpr double pound = 0.45359237, inch = 0.0254, standard_gravity = 9.80665;

struct Dimension {
  std::vector<Unit> units;  ///< the SI unit first
};

const Dimension time_dimension{{{"s", 1},
                                {"sec", 1},
                                {"seconds", 1},
                                {"ms", 1e-3},
                                {"us", 1e-6},
                                {"µs", 1e-6},
                                {"μs", 1e-6},
                                {"ns", 1e-9},
                                {"min", 60}}};
const Dimension force_dimension{{{"N", 1},
                                 {"newton", 1},
                                 {"newtons", 1},
                                 {"kN", 1e3},
                                 {"MN", 1e6},
                                 {"mN", 1e-3},
                                 {"lbf", pound* standard_gravity},
                                 {"lb", pound* standard_gravity},
                                 {"kgf", standard_gravity},
                                 {"gf", 1e-3 * standard_gravity}}};
const Dimension acceleration_dimension{{{"m/s^2", 1},
                                        {"m/s²", 1},
                                        {"m/s2", 1},
                                        {"m/s/s", 1},
                                        {"ms^-2", 1},
                                        {"m s^-2", 1},
                                        {"m·s⁻²", 1},
                                        {"mm/s^2", 1e-3},
                                        {"cm/s^2", 1e-2},
                                        {"km/s^2", 1e3},
                                        {"ft/s^2", 12 * inch},
                                        {"g", standard_gravity},
                                        {"gn", standard_gravity},
                                        {"g0", standard_gravity},
                                        {"mg", 1e-3 * standard_gravity}}};
const Dimension length_dimension{{{"m", 1},
                                  {"mm", 1e-3},
                                  {"cm", 1e-2},
                                  {"um", 1e-6},
                                  {"µm", 1e-6},
                                  {"μm", 1e-6},
                                  {"in", inch},
                                  {"ft", 12 * inch}}};
const Dimension speed_dimension{{{"m/s", 1},
                                 {"ms^-1", 1},
                                 {"m s^-1", 1},
                                 {"mm/s", 1e-3},
                                 {"cm/s", 1e-2},
                                 {"km/h", 1 / 3.6},
                                 {"kph", 1 / 3.6},
                                 {"in/s", inch},
                                 {"ft/s", 12 * inch},
                                 {"mph", 0.44704}}};
const Dimension mass_dimension{
    {{"kg", 1}, {"g", 1e-3}, {"mg", 1e-6}, {"t", 1e3}, {"lb", pound}, {"oz", pound / 16}}};
const Dimension number_dimension{{{"1", 1}, {"%", 1e-2}}};

struct Quantity {
  std::string_view name;
  const Dimension* dimension;
  std::vector<std::string_view> other_names;
};

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all{
      {"time", &time_dimension, {"t", "zeit", "temps", "tiempo", "x_value", "timestamp"}},
      {"force", &force_dimension, {"f", "kraft", "contact_force", "normal_force", "load"}},
      {"acceleration",
       &acceleration_dimension,
       {"accel", "acc", "a", "beschleunigung", "acceleration_x", "acceleration_y", "acceleration_z",
        "linear_acceleration_x", "linear_acceleration_y", "linear_acceleration_z",
        "absolute_acceleration", "x_acceleration", "y_acceleration", "z_acceleration"}},
      {"height", &length_dimension, {"h", "y", "z", "position", "altitude", "x"}},
      {"speed",
       &speed_dimension,
       {"v", "v_in", "vin", "velocity", "impact_speed", "impact_velocity", "closing_speed",
        "speed_in"}},
      {"rebound_speed", &speed_dimension, {"v_out", "vout", "rebound_velocity", "speed_out"}},
      {"restitution",
       &number_dimension,
       {"e", "cor", "coefficient_of_restitution", "restitution_coefficient", "c_r"}},
      {"contact_time",
       &time_dimension,
       {"tau", "t_c", "duration", "contact_duration", "pulse_duration", "contact"}},
      {"max_force",
       &force_dimension,
       {"peak_force", "f_max", "fmax", "f_peak", "maximum_force", "largest_force"}},
      {"mass", &mass_dimension, {"m", "effective_mass"}},
      {"drop_height", &length_dimension, {"h_0", "h0", "fall_height"}},
      {"rebound_height", &length_dimension, {"h_1", "h1", "bounce_height"}},
      {"interval", &time_dimension, {"dt", "delta_t", "flight", "flight_time", "difference"}},
      {"event", &time_dimension, {"start", "stop", "bounce"}},
      {"speed_sd", &speed_dimension, {}},
      {"restitution_sd", &number_dimension, {}},
      {"contact_time_sd", &time_dimension, {}},
      {"max_force_sd", &force_dimension, {}}};
  return all;
}

const Quantity* quantity_called(std::string_view name) {
  for (const Quantity& one : quantities()) {
    if (one.name == name) return &one;
    if (std::find(one.other_names.begin(), one.other_names.end(), name) != one.other_names.end())
      return &one;
  }
  return nullptr;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// "Contact time" -> "contact_time", "Stop 2" -> "stop": letters and digits with _ between words.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : lower(text)) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter) key += c;
    if (!letter && !key.empty() && key.back() != '_') key += '_';
  }
  while (key.ends_with('_')) key.pop_back();
  return key;
}

/// The quantity of a key, also where a number or a word for the standard deviation follows.
std::string quantity_of(std::string key) {
  bool deviation = false;
  for (const std::string_view ending : {"_sd", "_std", "_sigma", "_stdev"}) {
    if (!key.ends_with(ending)) continue;
    key.resize(key.size() - ending.size());
    deviation = true;
  }
  const Quantity* found = quantity_called(key);
  if (found == nullptr) {
    static const std::regex numbered("(.+?)_?[0-9]+");
    std::smatch parts;
    if (std::regex_match(key, parts, numbered)) found = quantity_called(parts[1].str());
  }
  if (found == nullptr) return "";
  return std::string(found->name) + (deviation ? "_sd" : "");
}

const Dimension* dimension_of(std::string_view quantity) {
  const Quantity* found = quantity_called(quantity);
  return found == nullptr ? nullptr : found->dimension;
}

}  // namespace

Title title_of(std::string_view whole) {
  // Text from outside: what is longer is no title, and the expressions below are not for it.
  constexpr std::size_t longest = 120;
  Title title;
  std::string text(whole.substr(0, longest));
  static const std::regex run(R"(^\s*((?:run|latest|trial|set|data set)\s*[0-9]*)\s*[:|]\s*(.*)$)",
                              std::regex::icase);
  std::smatch parts;
  if (std::regex_match(text, parts, run)) {
    title.run = parts[1];
    text = parts[2].str();
  }
  // "Force (N)", "Force [N]", "Force in N", "Force / N", "force_N"
  static const std::regex bracket(R"(^(.*?)\s*[(\[]\s*([^()\[\]]*?)\s*[)\]]\s*$)");
  static const std::regex behind(R"(^(.*?)\s*(?:\s+in\s+|/|,|_)\s*([^\s]+)$)");
  std::string name = text;
  if (std::regex_match(text, parts, bracket)) {
    name = parts[1];
    title.unit = parts[2];
  } else if (std::regex_match(text, parts, behind) && quantity_of(key_of(text)).empty()) {
    const std::string quantity = quantity_of(key_of(parts[1].str()));
    if (!quantity.empty() && unit_factor(quantity, parts[2].str())) {
      name = parts[1];
      title.unit = parts[2];
    }
  }
  title.quantity = quantity_of(key_of(name));
  return title;
}

std::vector<std::string_view> quantity_names() {
  std::vector<std::string_view> names;
  for (const Quantity& one : quantities()) names.push_back(one.name);
  return names;
}

void require_quantity(std::string_view quantity) {
  const std::vector<std::string_view> names = quantity_names();
  if (std::find(names.begin(), names.end(), quantity) != names.end()) return;
  throw InvalidInput(unknown_name_message("quantity", quantity, names));
}

std::optional<double> unit_factor(std::string_view quantity, std::string_view unit) {
  const Dimension* dimension = dimension_of(quantity);
  if (dimension == nullptr) return {};
  // As it is written first: mN and MN differ.
  for (const Unit& one : dimension->units) {
    if (one.name == unit) return one.factor;
  }
  for (const Unit& one : dimension->units) {
    if (lower(one.name) == lower(unit)) return one.factor;
  }
  return {};
}

std::string_view si_unit(std::string_view quantity) {
  const Dimension* dimension = dimension_of(quantity);
  return dimension == nullptr ? "" : dimension->units.front().name;
}

std::string unit_list(std::string_view quantity) {
  std::vector<std::string_view> names;
  if (const Dimension* dimension = dimension_of(quantity)) {
    for (const Unit& one : dimension->units) names.push_back(one.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_unit(std::string_view text) {
  return std::any_of(quantities().begin(), quantities().end(),
                     [&](const Quantity& one) { return unit_factor(one.name, text).has_value(); });
}

}  // namespace carom
