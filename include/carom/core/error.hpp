#pragma once

#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace carom {

/// Input from outside that cannot be used. The message says what was wrong, the value and what is
/// allowed, in one line. The command line exits with 2, Python raises ValueError.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A number as people write it: the shortest text that reads back to the same double.
std::string number_text(double value);

/// The require_* family checks one value at the border. Every test is written so that NaN fails.
void require_finite(std::string_view name, double value);
void require_positive(std::string_view name, double value);      ///< finite and > 0
void require_not_negative(std::string_view name, double value);  ///< finite and >= 0
void require_within(std::string_view name, double value, double lowest, double highest);

/// The known name closest to `name` by edit distance, or an empty string if none is close.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

/// `what 'name' is unknown; did you mean '...'? known: a, b, c`: the text of every such error.
std::string unknown_name_message(std::string_view what, std::string_view name,
                                 std::span<const std::string_view> known);

}  // namespace carom
