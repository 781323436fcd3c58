#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carom/scenario/schema.hpp>

namespace carom {

/// A condition on the values of keys: `contact.restitution < 0.5 and not (bar.angle == 90)`.
/// Comparisons may be chained (`0 < x <= 1`), `+ - * /`, `and or not`, parentheses, numbers,
/// texts in quotes, `true` and `false`.
class Condition {
 public:
  /// `names` are the keys it may speak of. Throws InvalidInput naming the place in the text.
  Condition(std::string_view text, std::span<const std::string> names);
  ~Condition();
  Condition(Condition&&) noexcept;

  /// Does it hold? `values` in the order of `names`. Throws InvalidInput when a number is asked of
  /// a text or the other way round.
  bool holds(std::span<const Json> values) const;

  struct Part;

 private:
  std::unique_ptr<const Part> root_;
};

}  // namespace carom
