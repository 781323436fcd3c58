#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/number.hpp>
#include <carom/live/tables.hpp>

namespace carom {
namespace {

constexpr double format = 20260;  ///< the first number: tells tables from anything else
constexpr double most = 1e7;      ///< of anything that is counted

/// One walk over the tables for both directions, so that they cannot differ.
class Writer {
 public:
  void operator()(double value) { all.push_back(value); }
  void operator()(int value) { all.push_back(value); }
  void operator()(bool value) { all.push_back(value ? 1 : 0); }
  std::size_t count(std::size_t value) {
    all.push_back(static_cast<double>(value));
    return value;
  }
  std::vector<double> all;
};

class Reader {
 public:
  explicit Reader(std::span<const double> numbers) : numbers_(numbers) {}
  void operator()(double& value) { value = next(); }
  void operator()(int& value) { value = static_cast<int>(whole(-most)); }
  void operator()(bool& value) { value = next() != 0; }
  std::size_t count(std::size_t) { return static_cast<std::size_t>(whole(0)); }
  bool exhausted() const { return at_ == numbers_.size(); }

 private:
  double next() {
    if (at_ == numbers_.size()) throw InvalidInput("the tables of an instrument end too early");
    return numbers_[at_++];
  }
  double whole(double lowest) {
    const double value = next();
    if (!(value >= lowest && value <= most) || value != std::floor(value))
      throw InvalidInput("the tables of an instrument are damaged");
    return value;
  }
  std::span<const double> numbers_;
  std::size_t at_ = 0;
};

/// "hunt-crossley stiffness=1e+07 exponent=1.5", or "newton restitution=0.5".
std::string text_of(const ModalContactLaw& law) {
  if (const auto* newton = std::get_if<NewtonRestitution>(&law))
    return "newton restitution=" + number_text(newton->restitution);
  const AnyLaw& any = std::get<AnyLaw>(law);
  std::string text(law_name(any));
  for (const auto& [name, value] : values_of(any)) {
    if (law_info(any).find(name)->type == FieldType::fixed) continue;
    const auto* number = std::get_if<double>(&value);
    const auto* word = std::get_if<std::string>(&value);
    if (number == nullptr && (word == nullptr || text.starts_with("formula")))
      throw InvalidInput("law '" + std::string(law_name(any)) + "' cannot be played live");
    text += " " + name + "=" + (number != nullptr ? number_text(*number) : *word);
  }
  return text;
}

ModalContactLaw law_of(const std::string& text) {
  FieldValues values;
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string name = text.substr(0, end);
  for (std::size_t at = end; at < text.size();) {
    const std::size_t next = std::min(text.find(' ', at + 1), text.size());
    const std::string part = text.substr(at + 1, next - at - 1);
    const std::size_t equals = part.find('=');
    if (equals == part.npos) throw InvalidInput("the tables of an instrument are damaged");
    const std::string word = part.substr(equals + 1);
    const auto number = parse_number(word);
    values[part.substr(0, equals)] = number ? FieldValue(*number) : FieldValue(word);
    at = next;
  }
  if (name == "newton") {
    NewtonRestitution newton;
    if (const auto* e = std::get_if<double>(&values["restitution"])) newton.restitution = *e;
    return newton;
  }
  return make_law(name, values);
}

template <class Walk>
void walk_modes(Walk& walk, auto& modes) {
  const std::size_t count = walk.count(modes.size());
  if constexpr (std::is_same_v<Walk, Reader>) modes.resize(count);
  for (auto& mode : modes) {
    walk(mode.frequency);
    walk(mode.damping);
    walk(mode.mass);
  }
}

template <class Walk>
void walk_shapes(Walk& walk, auto& shapes) {
  const auto rows = static_cast<Eigen::Index>(walk.count(static_cast<std::size_t>(shapes.rows())));
  const auto columns =
      static_cast<Eigen::Index>(walk.count(static_cast<std::size_t>(shapes.cols())));
  if constexpr (std::is_same_v<Walk, Reader>) {
    if (static_cast<double>(rows) * static_cast<double>(columns) > most)
      throw InvalidInput("the tables of an instrument are damaged");
    shapes.resize(rows, columns);
  }
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) walk(shapes(i, j));
  }
}

template <class Walk>
void walk_tables(Walk& walk, auto& tables) {
  auto& problem = tables.body.problem;
  walk_modes(walk, problem.body.modes);
  walk_shapes(walk, problem.body.shapes);
  const std::size_t contacts = walk.count(problem.heights.size());
  constexpr bool reading = std::is_same_v<Walk, Reader>;
  if constexpr (reading) {
    problem.heights.resize(contacts);
    problem.sides.resize(contacts);
    problem.laws.resize(contacts);
  }
  for (std::size_t i = 0; i < contacts; ++i) {
    walk(problem.heights[i]);
    bool below = !reading && !problem.sides.empty() && problem.sides[i] == Side::below;
    walk(below);
    if constexpr (reading) problem.sides[i] = below ? Side::below : Side::above;
    std::string text;
    if constexpr (!reading) text = text_of(law_at(problem, i));
    text.resize(walk.count(text.size()));
    for (char& letter : text) {
      int code = letter;
      walk(code);
      letter = static_cast<char>(code);
    }
    if constexpr (reading) problem.laws[i] = law_of(text);
  }
  walk_shapes(walk, tables.body.ears);
  walk(tables.body.string_length);
  walk(tables.body.hammer);
  const std::size_t notes = walk.count(tables.notes.size());
  if constexpr (reading) tables.notes.resize(notes);
  for (auto& note : tables.notes) walk_modes(walk, note);
  walk(tables.lowest);
  walk(tables.pitch);
  const std::size_t places = walk.count(tables.places.size());
  if constexpr (reading) tables.places.resize(places);
  for (auto& place : tables.places) walk(place);
  walk(tables.obstacle);
  walk(tables.finger);
  walk(tables.pluck_height);
  walk(tables.strike_speed);
  walk(tables.strike_place);
  walk(tables.pluck_place);
}

}  // namespace

std::vector<double> numbers_of(const InstrumentTables& tables) {
  Writer writer;
  writer(format);
  walk_tables(writer, tables);
  return std::move(writer.all);
}

InstrumentTables tables_of(std::span<const double> numbers) {
  Reader reader(numbers);
  double first = 0;
  if (!numbers.empty()) reader(first);
  if (first != format) throw InvalidInput("these are not the tables of an instrument");
  InstrumentTables tables;
  walk_tables(reader, tables);
  if (!reader.exhausted())
    throw InvalidInput("the tables of an instrument have something left over");
  return tables;
}

}  // namespace carom
