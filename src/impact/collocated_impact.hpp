#pragma once

#include <vector>

#include <carom/contacts/contact_march.hpp>
#include <carom/impact/impact.hpp>

namespace carom::detail {

/// One impact under any law, step by step of its own size, kept whole.
class CollocatedImpact {
 public:
  enum class Keep { summary, history };
  CollocatedImpact(AnyLaw law, const Collision& collision, Keep keep);

  const Impact& summary() const noexcept { return summary_; }
  const std::vector<ContactPiece>& pieces() const noexcept { return pieces_; }
  ImpactState at(double time) const;  ///< from first touch to release [s]

 private:
  AnyLaw law_;  ///< of a history
  Collision collision_;
  Impact summary_{};
  std::vector<ContactPiece> pieces_;
};

}  // namespace carom::detail
