#include <pybind11/stl.h>

#include <carom/identify/law_of_restitution.hpp>
#include <carom/scenario/law_values.hpp>
#include <carom/systems/materials.hpp>

#include "module.hpp"

namespace carom::python {
namespace {

const char* type_name(FieldType type) {
  switch (type) {
    case FieldType::number:
      return "number";
    case FieldType::fixed:
      return "fixed";
    case FieldType::choice:
      return "choice";
    case FieldType::text:
      return "text";
    case FieldType::columns:
      return "columns";
    case FieldType::named_numbers:
      return "named_numbers";
  }
  return "";
}

py::dict to_dict(const FieldInfo& field) {
  py::dict d;
  d["name"] = field.name;
  d["type"] = type_name(field.type);
  d["symbol"] = field.symbol;
  d["unit"] = field.unit;
  d["help"] = field.help;
  d["required"] = field.is_required;
  d["fallback"] = field.fallback;
  d["choices"] = std::vector<std::string_view>(field.choices.begin(), field.choices.end());
  d["by_restitution"] = field.by_restitution;
  d["other_name"] = field.other_name;
  d["other_over"] = field.other_over;
  d["other_unit"] = field.other_unit;
  d["other_help"] = field.other_help;
  return d;
}

py::list laws() {
  py::list all;
  for (const LawInfo& law : law_catalogue()) {
    py::dict d;
    d["name"] = law.text.name;
    d["class_name"] = law.text.class_name;
    d["summary"] = law.text.summary;
    d["formula"] = law.text.formula;
    d["citation"] = law.text.citation;
    d["compliant"] = law.compliant;
    py::list fields;
    for (const FieldInfo* field : law.fields) fields.append(to_dict(*field));
    d["fields"] = fields;
    all.append(d);
  }
  return all;
}

FieldValue to_value(const FieldInfo* field, const py::handle& value) {
  if (py::isinstance<py::dict>(value)) {
    if (field != nullptr && field->type == FieldType::columns) return value.cast<Columns>();
    return value.cast<NamedNumbers>();
  }
  if (py::isinstance<py::str>(value)) {
    const auto text = value.cast<std::string>();
    if (field != nullptr && field->type == FieldType::columns) return read_columns(text);
    return text;
  }
  return value.cast<double>();
}

/// What a contact shows: nothing apart, no pull where the law lets go instead. Under load.
template <class Law>
double shown_force(const Law& law, double x, double v) {
  const ContactMemory loading;
  if (!(x > std::min(0.0, edge(law, loading)))) return 0.0;
  const double force = law.force(x, v, loading).total();
  return releases_by_force(law) ? std::max(0.0, force) : force;
}

/// use(law, x, v) for arrays of the same length.
template <class Use>
Array for_each_state(const std::string& name, const py::dict& values, const Array& x,
                     const Array& v, Use use) {
  const LawArray laws(name, values);
  Array out(x.size());
  double* result = out.mutable_data();
  const double *px = x.data(), *pv = v.data();
  for_each_unlocked(x.size(), [&](py::ssize_t i) {
    result[i] = std::visit([&](const auto& law) { return use(law, px[i], pv[i]); }, laws.at(i));
  });
  return out;
}

py::dict named_materials() {
  py::dict all;
  for (const NamedMaterial& m : materials()) {
    py::dict one;
    one["young"] = m.young;
    one["density"] = m.density;
    one["poisson"] = m.poisson;
    one["loss_factor"] = m.loss_factor;
    one["summary"] = m.summary;
    one["source"] = m.source;
    all[py::str(std::string(m.name))] = one;
  }
  return all;
}

}  // namespace

LawArray::LawArray(const std::string& name, const py::dict& values) {
  const LawInfo& info = law_info(name);
  FieldValues first;
  for (const auto& [key, value] : values) {
    const auto field_name = key.cast<std::string>();
    const FieldInfo* field = info.find(field_name);
    if (py::isinstance<py::array>(value)) {
      Array numbers = Array::ensure(value);
      if (numbers.size() == 0) throw InvalidInput(field_name + ": the array is empty");
      first[field_name] = numbers.data()[0];
      if (numbers.size() > 1) arrays_.emplace_back(field_name, std::move(numbers));
    } else {
      first[field_name] = to_value(field, value);
    }
  }
  first_ = make_law(name, first);
}

AnyLaw LawArray::at(py::ssize_t i) const {
  if (arrays_.empty()) return first_;
  AnyLaw law = first_;
  for (const auto& [name, numbers] : arrays_) set_number(law, name, numbers.data()[i]);
  validate(law);
  return law;
}

AnyLaw law_of(const py::tuple& law) {
  return LawArray(law[0].cast<std::string>(), law[1].cast<py::dict>()).at(0);
}

void bind_laws(py::module_& module) {
  module.def("materials", &named_materials);
  module.def("hertz", [](const std::vector<double>& radii, const std::vector<std::string>& names) {
    const PowerLaw law = hertz_contact(radii, names);
    return py::make_tuple(law.stiffness, law.exponent);
  });
  module.def("laws", &laws);
  module.def("check_law", [](const std::string& name, const py::dict& values) {
    const LawInfo& info = law_info(name);
    FieldValues given;
    for (const auto& [key, value] : values) {
      const auto field = key.cast<std::string>();
      given[field] = to_value(info.find(field), value);
    }
    static_cast<void>(make_law_choice(name, given));
  });
  /// The number that a restitution stands for, at one impact.
  module.def("of_restitution", [](const std::string& name, const py::dict& values, double e,
                                  double mass, double speed) {
    const LawInfo& info = law_info(name);
    FieldValues given{{"restitution", e}};
    for (const auto& [key, value] : values) {
      const auto field = key.cast<std::string>();
      given[field] = to_value(info.find(field), value);
    }
    const LawChoice law = law_of_values(name, given, {mass, speed});
    return std::get<double>(
        values_of(std::get<AnyLaw>(law)).find(info.by_restitution()->name)->second);
  });
  module.def("force",
             [](const std::string& name, const py::dict& values, const Array& x, const Array& v) {
               return for_each_state(name, values, x, v, [](const auto& law, double xi, double vi) {
                 return shown_force(law, xi, vi);
               });
             });
  module.def("elastic_force", [](const std::string& name, const py::dict& values, const Array& x) {
    return for_each_state(name, values, x, x, [](const auto& law, double xi, double) {
      return xi > 0 ? law.force(xi, 0.0, ContactMemory{}).conserved : 0.0;
    });
  });
  module.def("potential", [](const std::string& name, const py::dict& values, const Array& x) {
    return for_each_state(name, values, x, x, [](const auto& law, double xi, double) {
      return xi > 0 ? law.potential(xi, ContactMemory{}) : 0.0;
    });
  });
}

}  // namespace carom::python
