#include "condition.hpp"

#include <cctype>
#include <charconv>
#include <limits>

#include <carom/core/error.hpp>

namespace carom {
/// What a part of a condition comes to.
struct ConditionValue {
  enum class Type { number, text, truth } type;
  double number = 0;
  std::string text = {};
  bool truth = false;
};

namespace {

using Value = ConditionValue;

Value of_number(double number) { return {Value::Type::number, number}; }
Value of_truth(bool truth) { return {.type = Value::Type::truth, .truth = truth}; }

Value of_json(const Json& value) {
  if (value.is_null()) return of_number(std::numeric_limits<double>::quiet_NaN());
  if (value.is_boolean()) return of_truth(value.get<bool>());
  if (value.is_number()) return of_number(value.get<double>());
  if (value.is_string()) return {.type = Value::Type::text, .text = value.get<std::string>()};
  throw InvalidInput("a condition cannot refer to the list " + json_text(value));
}

double number_in(const Value& value) {
  if (value.type == Value::Type::number) return value.number;
  throw InvalidInput("a condition needs a number where it has " +
                     (value.type == Value::Type::text ? "the text '" + value.text + "'"
                                                      : std::string("true or false")));
}

bool truth_in(const Value& value) {
  if (value.type == Value::Type::truth) return value.truth;
  throw InvalidInput("a condition needs a comparison where it has a plain value");
}

bool compare(const Value& a, const std::string& op, const Value& b) {
  if (a.type != b.type) throw InvalidInput("a condition compares a number with a text or truth");
  if (a.type == Value::Type::number) {
    if (op == "<") return a.number < b.number;
    if (op == "<=") return a.number <= b.number;
    if (op == ">") return a.number > b.number;
    if (op == ">=") return a.number >= b.number;
    return (a.number == b.number) == (op == "==");
  }
  if (op != "==" && op != "!=") throw InvalidInput("a condition orders texts with '" + op + "'");
  return (a.text == b.text && a.truth == b.truth) == (op == "==");
}

}  // namespace

struct Condition::Part {
  enum class Type { constant, key, operation, comparison, both, either, negation };
  Type type = Type::constant;
  ConditionValue constant = {ConditionValue::Type::truth};
  std::size_t key = 0;
  std::vector<std::string> operators = {};  ///< between the parts
  std::vector<Part> parts = {};

  Value value(std::span<const Json> values) const {
    switch (type) {
      case Type::constant:
        return constant;
      case Type::key:
        return of_json(values[key]);
      case Type::operation: {
        double result = number_in(parts[0].value(values));
        for (std::size_t i = 0; i < operators.size(); ++i) {
          const double next = number_in(parts[i + 1].value(values));
          switch (operators[i][0]) {
            case '+':
              result += next;
              break;
            case '-':
              result -= next;
              break;
            case '*':
              result *= next;
              break;
            default:
              result /= next;
          }
        }
        return of_number(result);
      }
      case Type::comparison: {
        Value left = parts[0].value(values);
        for (std::size_t i = 0; i < operators.size(); ++i) {
          Value right = parts[i + 1].value(values);
          if (!compare(left, operators[i], right)) return of_truth(false);
          left = std::move(right);
        }
        return of_truth(true);
      }
      case Type::both:
        for (const Part& part : parts) {
          if (!truth_in(part.value(values))) return of_truth(false);
        }
        return of_truth(true);
      case Type::either:
        for (const Part& part : parts) {
          if (truth_in(part.value(values))) return of_truth(true);
        }
        return of_truth(false);
      case Type::negation:
        return of_truth(!truth_in(parts[0].value(values)));
    }
    return constant;
  }
};

namespace {

using Part = Condition::Part;

/// Recursive descent, one function for each level of precedence.
class Reader {
 public:
  Reader(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  Part whole() {
    Part part = either();
    skip_space();
    if (at_ < text_.size()) refuse("'" + std::string(text_.substr(at_, 20)) + "' is not expected");
    return part;
  }

 private:
  /// Bounds the recursion; nobody writes fifty parentheses by hand.
  static constexpr int deepest = 50;

  Part either() {
    return chain(Part::Type::either, "or", [this] { return both(); });
  }
  Part both() {
    return chain(Part::Type::both, "and", [this] { return negation(); });
  }

  template <class Next>
  Part chain(Part::Type type, std::string_view word, Next next) {
    std::vector<Part> parts{};
    do parts.push_back(next());
    while (take_word(word));
    if (parts.size() == 1) return std::move(parts.front());
    return {.type = type, .parts = std::move(parts)};
  }

  Part negation() {
    if (!take_word("not")) return comparison();
    const Deeper deeper(*this);
    Part part{.type = Part::Type::negation};
    part.parts.push_back(negation());
    return part;
  }

  Part comparison() {
    return operators(Part::Type::comparison, {"<=", ">=", "==", "!=", "<", ">"},
                     [this] { return sum(); });
  }
  Part sum() {
    return operators(Part::Type::operation, {"+", "-"}, [this] { return product(); });
  }
  Part product() {
    return operators(Part::Type::operation, {"*", "/"}, [this] { return primary(); });
  }

  template <class Next>
  Part operators(Part::Type type, std::initializer_list<std::string_view> known, Next next) {
    Part part{.type = type};
    part.parts.push_back(next());
    while (true) {
      skip_space();
      bool found = false;
      for (const std::string_view op : known) {
        if (!text_.substr(at_).starts_with(op)) continue;
        at_ += op.size();
        part.operators.emplace_back(op);
        part.parts.push_back(next());
        found = true;
        break;
      }
      if (!found) break;
    }
    if (part.operators.empty()) return Part(std::move(part.parts.front()));
    return part;
  }

  Part primary() {
    const Deeper deeper(*this);
    skip_space();
    if (at_ >= text_.size()) refuse("it ends where a value is needed");
    const char letter = text_[at_];
    if (letter == '(') {
      ++at_;
      Part part = either();
      skip_space();
      if (at_ >= text_.size() || text_[at_] != ')') refuse("')' is missing");
      ++at_;
      return part;
    }
    if (letter == '-') {
      ++at_;
      Part difference, zero;
      zero.constant = of_number(0);
      difference.type = Part::Type::operation;
      difference.operators.emplace_back("-");
      difference.parts.push_back(std::move(zero));
      difference.parts.push_back(primary());
      return difference;
    }
    if (letter == '\'' || letter == '"') return quoted(letter);
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == '.') return number();
    if (is_letter(letter)) return key();
    refuse("'" + std::string(1, letter) + "' is not expected");
  }

  Part quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) refuse("the closing quote is missing");
    const std::string content(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return {.constant = {.type = Value::Type::text, .text = content}};
  }

  Part number() {
    double value = 0;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (result.ec != std::errc{}) refuse("a number cannot be read");
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return {.constant = of_number(value)};
  }

  Part key() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.' ||
                                  std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)) {
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "true" || name == "false") return {.constant = of_truth(name == "true")};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return {.type = Part::Type::key, .key = i};
    }
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    refuse(unknown_name_message("key", name, known));
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t after = at_ + word.size();
    if (after < text_.size() && (is_letter(text_[after]) || text_[after] == '.')) return false;
    at_ = after;
    return true;
  }

  static bool is_letter(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  [[noreturn]] void refuse(const std::string& message) const {
    throw InvalidInput("condition '" + std::string(text_.substr(0, 120)) + "', letter " +
                       std::to_string(at_ + 1) + ": " + message);
  }

  struct Deeper {
    explicit Deeper(Reader& reader) : owner(reader) {
      if (++owner.depth_ > deepest) owner.refuse("nested too deeply");
    }
    ~Deeper() { --owner.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Reader& owner;
  };

  std::string_view text_;
  std::span<const std::string> names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Condition::Condition(std::string_view text, std::span<const std::string> names)
    : root_(std::make_unique<const Part>(Reader(text, names).whole())) {}
Condition::~Condition() = default;
Condition::Condition(Condition&&) noexcept = default;

bool Condition::holds(std::span<const Json> values) const { return truth_in(root_->value(values)); }

}  // namespace carom
