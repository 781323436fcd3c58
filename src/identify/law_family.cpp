#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/identify/law_family.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/laws/units.hpp>

namespace carom {
namespace {

// exp(p) between these: beyond, a number is zero or infinite for every practical purpose.
constexpr double smallest_log = -80, largest_log = 80;

double number(const AnyLaw& law, std::string_view field) {
  return std::get<double>(values_of(law).find(field)->second);
}

/// A complete set of values: what is given, else an example.
FieldValues completed(const LawInfo& info, const FieldValues& given) {
  if (!is_of_numbers(info)) {
    throw InvalidInput("law '" + std::string(info.text.name) +
                       "' is not made of numbers that could be fitted");
  }
  FieldValues values;
  for (const FieldInfo* field : info.fields) {
    const auto found = given.find(field->name);
    if (found != given.end()) {
      values[std::string(field->name)] = found->second;
    } else if (field->type == FieldType::number && std::isfinite(field->example)) {
      values[std::string(field->name)] = field->example;
    }
  }
  return values;
}

}  // namespace

LawFamily::LawFamily(std::string_view law, const FieldValues& given)
    : info_(&law_info(law)), base_(lossless_law(law, completed(*info_, given))) {
  for (const FieldInfo* field : info_->fields) {
    const auto found = given.find(field->name);
    if (found == given.end()) {
      if (field->type == FieldType::number) free_.push_back(field);
    } else if (const auto* value = std::get_if<double>(&found->second)) {
      require_allowed(*field, *value, field->lowest, field->name);
    }
  }
}

bool LawFamily::has(std::string_view name) const {
  return std::any_of(free_.begin(), free_.end(),
                     [&](const auto* one) { return one->name == name; });
}

AnyLaw LawFamily::law(const Eigen::VectorXd& p) const {
  AnyLaw law = base_;
  for (int i = 0; i < size(); ++i) {
    const FieldInfo& one = field(i);
    const double above = std::exp(std::clamp(p[i], smallest_log, largest_log));
    double value = above;
    if (!one.lowest_is.empty()) {
      value = number(law, one.lowest_is) * (1 + above);
    } else if (std::isfinite(one.lowest)) {
      value = std::min(one.lowest + above, one.highest);
    }
    set_number(law, one.name, value);
  }
  return law;
}

Eigen::VectorXd LawFamily::parameters(const AnyLaw& law) const {
  Eigen::VectorXd p(size());
  for (int i = 0; i < size(); ++i) {
    const FieldInfo& one = field(i);
    const double value = number(law, one.name);
    double above = value;
    if (!one.lowest_is.empty()) {
      above = value / number(law, one.lowest_is) - 1;
    } else if (std::isfinite(one.lowest)) {
      above = value - one.lowest;
    }
    p[i] = std::clamp(std::log(above), smallest_log, largest_log);
  }
  return p;
}

std::optional<AnyLaw> LawFamily::start(double exponent, double restitution) const {
  AnyLaw law = base_;
  for (const FieldInfo* field : info_->fields) {
    if (field->type != FieldType::number) continue;
    const bool open = has(field->name);
    if (field->name == "stiffness") {
      set_number(law, field->name, 1);
    } else if (open && field->name == "exponent") {
      set_number(law, field->name, exponent);
    } else if (open && !field->unit.empty() && !field->by_restitution) {
      // In units of the impact; what is no length is kept small beside the elastic force.
      set_number(law, field->name, field->unit == "m" ? 0.3 : 1e-3);
    }
  }
  const FieldInfo* loss = info_->by_restitution();
  try {
    if (loss != nullptr && !loss->lowest_is.empty()) set_number(law, loss->name, 1);
    if (loss == nullptr || !has(loss->name)) return law;
    return with_restitution(law, std::clamp(restitution, 0.02, 0.995), {.mass = 1, .speed = 1});
  } catch (const InvalidInput&) {
    return {};
  }
}

}  // namespace carom
