#include "assembly_march.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <carom/contacts/system_march.hpp>
#include <carom/steppers/impact_reader.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/paoli_schatzman.hpp>

#include "assembly_view.hpp"
#include "refusals.hpp"

namespace carom {
namespace {

/// Compliant laws, and Newton's beside them, by steps of the motion's own size or classical ones.
class SmoothAssembly final : public AssemblyMarch {
 public:
  SmoothAssembly(const AnySystem& system, std::vector<LawChoice> laws, const MotionState& start,
                 const SystemMarchSettings& settings, Surface surface)
      : march_(system, std::move(laws), surface, start, settings) {}

  void step() override {
    if (march_.sampled()) finished_.clear();
    march_.step();
    if (!march_.sampled()) return;
    for (const SystemImpact& impact : march_.finished())
      finished_.push_back({impact.contact, impact.record});
  }
  bool sampled() const noexcept override { return march_.sampled(); }
  double time() const noexcept override { return march_.time(); }
  const Ledger& ledger() const noexcept override { return march_.ledger(); }
  Ledger ledger_now() const override { return march_.ledger_now(); }
  const Eigen::VectorXd& position() const noexcept override { return march_.position(); }
  const Eigen::VectorXd& velocity() const noexcept override { return march_.velocity(); }
  double force(int contact) const override { return march_.force(contact); }
  double kinetic_energy() const override { return march_.kinetic_energy(); }
  double stored_energy() const override { return march_.stored_energy(); }
  std::span<const AssemblyImpact> finished() const noexcept override { return finished_; }
  bool passive() const noexcept override { return march_.passive(); }
  bool at_rest() const noexcept override { return march_.status() == MarchStatus::at_rest; }
  std::string failure() const override {
    switch (march_.status()) {
      case MarchStatus::going:
      case MarchStatus::at_rest:
        return {};
      case MarchStatus::sustained_contact:
        return "a contact without duration stays closed and rubs, which moreau-jean follows";
      case MarchStatus::not_converged:
        return "not converged: the tolerance asks for steps below rounding";
      case MarchStatus::not_finite:
        return "not converged: the motion blew up, run.rate is too low for the contacts";
    }
    throw std::logic_error("a status without a text");
  }
  void finish() override { march_.finish(); }
  void archive(Archive& state) override { state(march_, finished_); }

 private:
  SystemMarch march_;
  std::vector<AssemblyImpact> finished_;
};

/// Impacts without duration by a nonsmooth stepper of fixed steps.
template <class Stepper>
class NonsmoothAssembly final : public AssemblyMarch {
 public:
  template <class Settings>
  NonsmoothAssembly(const AnySystem& system, const std::vector<NewtonRestitution>& laws,
                    const MotionState& start, const Settings& settings, double step, double end)
      : system_(system),
        stepper_(system_, laws, start, settings),
        impacts_(system_, start),
        step_(step) {
    stepper_.end_at(end);
    impacts_.read(stepper_, step_);
  }

  void step() override {
    finished_.clear();
    stepper_.step();
    impacts_.read(stepper_, step_);
    for (const SystemImpact& impact : impacts_.finished())
      finished_.push_back({impact.contact, impact.record});
  }
  bool sampled() const noexcept override { return true; }
  double time() const noexcept override { return stepper_.time(); }
  const Ledger& ledger() const noexcept override { return stepper_.ledger(); }
  Ledger ledger_now() const override { return stepper_.ledger(); }
  const Eigen::VectorXd& position() const noexcept override { return stepper_.position(); }
  const Eigen::VectorXd& velocity() const noexcept override { return stepper_.velocity(); }
  double force(int contact) const override { return stepper_.impulses()[contact] / step_; }
  double kinetic_energy() const override { return stepper_.kinetic_energy(); }
  double stored_energy() const override { return stepper_.energy(); }
  std::span<const AssemblyImpact> finished() const noexcept override { return finished_; }
  bool passive() const noexcept override { return false; }
  bool at_rest() const noexcept override { return false; }
  std::string failure() const override {
    const StepReport& report = stepper_.report();
    const auto text = [&](const char* what) {
      return fmt::format("not converged: {} at {:.6g} s; run.rate is too low", what, report.time);
    };
    switch (report.status) {
      case StepStatus::ok:
        return {};
      case StepStatus::not_converged:
        return text("the implicit step did not reach its tolerance");
      case StepStatus::contact_not_solved:
        return text("the complementarity problem of a step was not solved");
      case StepStatus::mass_not_definite:
        return text("the mass matrix was not positive definite");
      case StepStatus::not_finite:
        return text("the motion blew up");
      case StepStatus::energy_gained:
        return fmt::format(
            "not converged: contacts hit at once gained {:.2g} of the energy by {:.6g} s, which "
            "moreau-jean does not",
            report.residual, report.time);
    }
    throw std::logic_error("a status without a text");
  }
  void finish() override {}
  void archive(Archive& state) override { state(stepper_, impacts_, finished_); }

 private:
  AnySystem system_;
  Stepper stepper_;
  ImpactReader<AnySystem> impacts_;
  double step_;
  std::vector<AssemblyImpact> finished_;
};

ImpactLaw impact_law(const Scenario& scenario) {
  const std::string& name = scenario.text("run.impact_law");
  for (const auto& [known, law] : {std::pair{"newton", ImpactLaw::newton},
                                   {"poisson", ImpactLaw::poisson},
                                   {"sequential", ImpactLaw::sequential}}) {
    if (name == known) return law;
  }
  throw std::logic_error("no impact law '" + name + "'");
}

/// Friction of each gap; empty where nothing rubs.
std::vector<double> rubbing(const AssemblyView& view) {
  std::vector<double> friction = view.friction();
  if (std::none_of(friction.begin(), friction.end(), [](double mu) { return mu > 0; }))
    friction.clear();
  return friction;
}

}  // namespace

std::unique_ptr<AssemblyMarch> make_assembly_march(const Scenario& scenario,
                                                   const AssemblyView& view) {
  const std::string& method = scenario.text("run.method");
  const double rate = scenario.number("run.rate"), duration = scenario.number("run.duration");
  const int count = view.gaps();
  const auto contact = [&](int gap) { return static_cast<std::size_t>(view.contact_of(gap)); };
  if (method == "moreau-jean" || method == "paoli-schatzman") {
    std::vector<NewtonRestitution> laws;
    for (int i = 0; i < count; ++i)
      laws.push_back(std::get<NewtonRestitution>(assembly_law(scenario, contact(i), {1.0, 1.0})));
    const NonsmoothSettings common{.step = 1 / rate};
    if (method == "moreau-jean") {
      MoreauJeanSettings settings{.common = common};
      settings.impact_law = impact_law(scenario);
      settings.friction = rubbing(view);
      return std::make_unique<NonsmoothAssembly<MoreauJean<AnySystem>>>(
          view.system(), laws, view.start(), settings, 1 / rate, duration);
    }
    return std::make_unique<NonsmoothAssembly<PaoliSchatzman<AnySystem>>>(
        view.system(), laws, view.start(), common, 1 / rate, duration);
  }
  const auto scheme = classical_scheme(method);
  SystemMarchSettings settings{.scheme = scheme.value_or(SystemScheme::collocation),
                               .rate = rate,
                               .tolerance = scenario.number("run.tolerance"),
                               .closes_energy = method == "passive",
                               .end = duration,
                               .law_of_impact = {},
                               .impact_law = impact_law(scenario),
                               .friction = rubbing(view),
                               .tangential_stiffness = view.tangential_stiffness()};
  std::vector<LawChoice> laws;
  bool depends = false;
  for (int i = 0; i < count; ++i) {
    laws.push_back(assembly_law(scenario, contact(i), {1.0, 1.0}));
    depends = depends || law_depends_on_impact(scenario, contact(i));
  }
  if (depends) {
    settings.law_of_impact = [&scenario, &view, laws](int gap, const Collision& collision) {
      const auto i = static_cast<std::size_t>(view.contact_of(gap));
      return law_depends_on_impact(scenario, i) ? assembly_law(scenario, i, collision)
                                                : laws[static_cast<std::size_t>(gap)];
    };
  }
  const Surface surface = scenario.text("run.surface") == "keeps-indentation"
                              ? Surface::keeps_indentation
                              : Surface::recovers;
  return std::make_unique<SmoothAssembly>(view.system(), std::move(laws), view.start(), settings,
                                          surface);
}

}  // namespace carom
