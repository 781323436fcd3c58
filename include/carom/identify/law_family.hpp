#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// All laws of one name that share the numbers that are given; the others are free. A fit sees them
/// as a vector p without bounds: value = lowest + exp(p), so that numbers of any size are of order
/// one and a loss may vanish without becoming negative.
class LawFamily {
 public:
  /// Values that the law has no field for are left out. Throws InvalidInput for values that are not
  /// allowed, and for laws that are not made of numbers.
  LawFamily(std::string_view law, const FieldValues& given);

  std::string_view name() const noexcept { return info_->text.name; }
  int size() const noexcept { return static_cast<int>(free_.size()); }
  const FieldInfo& field(int i) const { return *free_[static_cast<std::size_t>(i)]; }
  bool has(std::string_view field) const;  ///< among the free ones

  AnyLaw law(const Eigen::VectorXd& p) const;
  Eigen::VectorXd parameters(const AnyLaw& law) const;

  /// A law to begin a search with, in units of the impact: mass, speed and stiffness 1. With about
  /// this restitution where the law has a loss to set; nothing where it cannot be had.
  std::optional<AnyLaw> start(double exponent, double restitution) const;

 private:
  const LawInfo* info_;
  AnyLaw base_;
  std::vector<const FieldInfo*> free_;
};

}  // namespace carom
