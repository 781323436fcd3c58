#include <vector>

#include <carom/contacts/contact_march.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/heun.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/symplectic.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>
#include <carom/steppers/wall_march.hpp>

#include "one_step_wall.hpp"

namespace carom {
namespace {

/// Passive and event-driven: the contact march of a system of one body.
class ContactMarchWall final : public WallMarch {
 public:
  explicit ContactMarchWall(const WallMarchSettings& s)
      : WallMarch(s.method == ContactMethod::passive),
        mass_(s.mass),
        march_(
            wall_system(s.mass, s.force_in_flight, s.force_in_contact), {Contact{s.law, s.surface}},
            {Eigen::VectorXd::Constant(1, -s.position), Eigen::VectorXd::Constant(1, -s.velocity)},
            {.rate = s.rate,
             .tolerance = s.tolerance,
             .closes_energy = s.method == ContactMethod::passive,
             .exact_peaks = true}) {
    read();
  }

  void step() override {
    do {
      march_.step();
    } while (!march_.sampled() && march_.converged());
    read();
  }
  const Ledger& ledger() const noexcept override { return march_.ledger(); }
  void finish() override { march_.finish(); }
  const ImpactRecord* record() const noexcept override { return &march_.record(0); }
  double max_compression_time() const noexcept override { return march_.peak(0).compression_time; }
  double max_force_time() const noexcept override { return march_.peak(0).force_time; }
  bool held() const noexcept override { return march_.at_rest() || march_.held(0); }
  double dent() const noexcept override { return march_.state(0).dent(); }
  void archive(Archive& state) override {
    state(march_);
    read();
  }

 private:
  void read() {
    records_.clear();
    for (const FinishedImpact& ended : march_.finished()) records_.push_back(ended.impact);
    finished_ = records_;
    const double x = march_.compression(0), v = march_.rate(0);
    const Phase phase = march_.phase(0);
    const ContactState::Load load =
        phase == Phase::apart ? ContactState::Load{0.0, 0.0} : march_.load(0);
    now_ = {march_.time(),
            x,
            v,
            std::max(0.0, x - march_.state(0).dent()),
            load.force,
            0.5 * mass_ * v * v + load.potential,
            phase == Phase::touching,
            march_.converged()};
  }

  double mass_;
  ContactMarch march_;
  std::vector<ImpactRecord> records_;
};

}  // namespace

std::unique_ptr<WallMarch> make_wall_march(const WallMarchSettings& settings) {
  using detail::OneStepWall;
  require_accepts(settings.method, settings.law);
  switch (settings.method) {
    case ContactMethod::rk4:
      return std::make_unique<OneStepWall<Rk4>>(settings);
    case ContactMethod::heun:
      return std::make_unique<OneStepWall<Heun>>(settings);
    case ContactMethod::heun_textbook:
      return std::make_unique<OneStepWall<HeunTextbook>>(settings);
    case ContactMethod::verlet:
      return std::make_unique<OneStepWall<Verlet>>(settings);
    case ContactMethod::verlet_textbook:
      return std::make_unique<OneStepWall<VerletTextbook>>(settings);
    case ContactMethod::trapezoid:
      return std::make_unique<OneStepWall<Trapezoid>>(settings);
    case ContactMethod::symplectic:
      return std::make_unique<OneStepWall<Symplectic>>(settings);
    case ContactMethod::discrete_gradient:
      return std::make_unique<OneStepWall<DiscreteGradient>>(settings);
    case ContactMethod::passive:
    case ContactMethod::event_driven:
      return std::make_unique<ContactMarchWall>(settings);
  }
  throw std::logic_error("a contact method without a march");
}

}  // namespace carom
