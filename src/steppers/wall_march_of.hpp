#pragma once

#include <memory>
#include <type_traits>

#include <carom/steppers/any_wall_march.hpp>
#include <carom/steppers/with_method.hpp>

namespace carom::detail {

template <ContactLaw Law, class Method>
class WallMarchOf final : public AnyWallMarch {
 public:
  WallMarchOf(const Law& law, const WallMarchSettings& s)
      : AnyWallMarch(Method::traits.passive && s.correct == Correct::none),
        march_({law, s.mass, s.force_in_contact, s.force_in_flight, s.surface}, s.rate, s.position,
               s.velocity, s.events,
               TrajectoryCorrection<Law>(s.correct, s.exit, s.exit_threshold_percent)) {
    read();
  }

  const Sample& step() noexcept override {
    march_.step();
    read();
    return now_;
  }
  void archive(Archive& state) override {
    state(march_);
    read();
  }
  const Ledger& ledger() const noexcept override { return march_.ledger(); }
  const ContactExtremes* extremes() const noexcept override {
    if constexpr (requires { march_.method().extremes(); }) {
      return &march_.method().extremes();
    } else {
      return nullptr;
    }
  }

 private:
  void read() noexcept {
    finished_ = march_.finished();
    now_ = {march_.time(),          march_.position(), march_.velocity(),   march_.compression(),
            march_.contact_force(), march_.stored(),   march_.in_contact(), march_.converged()};
  }

  WallMarch<Law, Method, TrajectoryCorrection<Law>> march_;
};

/// Every method for one law.
template <ContactLaw Law>
std::unique_ptr<AnyWallMarch> by_method(const Law& law, const WallMarchSettings& settings) {
  return with_method<Law>(
      settings.method,
      [&]<class Method>(std::type_identity<Method>) -> std::unique_ptr<AnyWallMarch> {
        return std::make_unique<WallMarchOf<Law, Method>>(law, settings);
      });
}

// Each in a source of its own: together they would be the longest compilation of the library.
std::unique_ptr<AnyWallMarch> wall_march_of(const PowerLaw& law, const WallMarchSettings& settings);
std::unique_ptr<AnyWallMarch> wall_march_of(const HuntCrossley& law,
                                            const WallMarchSettings& settings);
std::unique_ptr<AnyWallMarch> wall_march_of(const HertzDamper& law,
                                            const WallMarchSettings& settings);

}  // namespace carom::detail
