// Units of laws ("N s/m^(n+1)") are expressions that muParser evaluates; a page does not have it, and
// units take no more than this: names, numbers, + - * / ^ and parentheses.
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace mu {

class Parser {
 public:
  void SetExpr(const std::string& expression) { text_ = expression; }
  void DefineConst(const std::string& name, double value) { names_[name] = value; }
  double Eval() {
    at_ = text_.c_str();
    const double value = sum();
    if (*at_ != '\0') throw std::logic_error("unit '" + text_ + "' cannot be read");
    return value;
  }

 private:
  bool takes(char letter) {
    if (*at_ != letter) return false;
    ++at_;
    return true;
  }
  double sum() {
    double value = product();
    while (true) {
      if (takes('+')) {
        value += product();
      } else if (takes('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }
  double product() {
    double value = power();
    while (true) {
      if (takes('*')) {
        value *= power();
      } else if (takes('/')) {
        value /= power();
      } else {
        return value;
      }
    }
  }
  double power() {
    const double base = atom();
    return takes('^') ? std::pow(base, power()) : base;
  }
  double atom() {
    if (takes('(')) {
      const double value = sum();
      if (!takes(')')) throw std::logic_error("unit '" + text_ + "' cannot be read");
      return value;
    }
    if ((*at_ >= '0' && *at_ <= '9') || *at_ == '.') {
      char* end = nullptr;
      const double value = std::strtod(at_, &end);
      at_ = end;
      return value;
    }
    std::string name;
    while ((*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z') || *at_ == '_')
      name += *at_++;
    const auto found = names_.find(name);
    if (found == names_.end()) throw std::logic_error("unit '" + text_ + "' names '" + name + "'");
    return found->second;
  }

  std::string text_;
  const char* at_ = nullptr;
  std::map<std::string, double> names_;
};

}  // namespace mu
