#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <carom/contacts/contact.hpp>
#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/scenario/scenario.hpp>
#include <carom/systems/any_system.hpp>

#include "assembly_file.hpp"

namespace carom {

class AssemblyView;

/// An impact of an assembly that has ended.
struct AssemblyImpact {
  int contact = 0;  ///< a gap of the system; AssemblyView::contact_of() says of which contact
  ImpactRecord record = {};
  void archive(Archive& state) { state(contact, record); }
};

/// An assembly under way by the method of its scenario: one stepper for all of them.
class AssemblyMarch {
 public:
  virtual ~AssemblyMarch() = default;
  virtual void step() = 0;
  virtual bool sampled() const noexcept = 0;
  virtual double time() const noexcept = 0;
  virtual const Ledger& ledger() const noexcept = 0;  ///< to the end of the last step
  virtual Ledger ledger_now() const = 0;              ///< at the last sample
  virtual const Eigen::VectorXd& position() const noexcept = 0;
  virtual const Eigen::VectorXd& velocity() const noexcept = 0;
  virtual double force(int contact) const = 0;  ///< along the normal, now or over the last step [N]
  virtual double kinetic_energy() const = 0;    ///< [J]
  virtual double stored_energy() const = 0;     ///< [J]
  /// The impacts that ended since the last sample.
  virtual std::span<const AssemblyImpact> finished() const noexcept = 0;
  virtual bool passive() const noexcept = 0;
  virtual bool at_rest() const noexcept = 0;
  virtual std::string failure() const = 0;  ///< what went wrong; empty: nothing
  virtual void finish() = 0;                ///< the ledger is that of the last sample
  virtual void archive(Archive& state) = 0;
};

std::unique_ptr<AssemblyMarch> make_assembly_march(const Scenario& scenario,
                                                   const AssemblyView& view);

}  // namespace carom
