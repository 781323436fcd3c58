#include <algorithm>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_voice.hpp>

namespace carom {
namespace {

ModalVoice::Settings checked(const ModalVoice::Settings& settings) {
  if (settings.oversampling < 1) {
    throw InvalidInput("oversampling = " + std::to_string(settings.oversampling) +
                       ": must be at least 1");
  }
  if (settings.largest_block < 1) {
    throw InvalidInput("largest_block = " + std::to_string(settings.largest_block) +
                       ": must be at least 1");
  }
  return settings;
}

}  // namespace

// No audits: a replay would come as one long pause.
ModalVoice::ModalVoice(const ModalProblem& problem, const ShapeMatrix& point,
                       const Settings& settings)
    : settings_(checked(settings)),
      march_(problem, {.audit_cost = 0}),
      recorder_(problem, point, settings.oversampling) {
  const auto steps = static_cast<std::size_t>(settings.largest_block * settings.oversampling);
  march_.reserve_impulses(steps * std::max<std::size_t>(problem.heights.size(), 1));
  samples_.reserve(static_cast<std::size_t>(settings.largest_block));
}

void ModalVoice::process(std::span<double> out) noexcept {
  const auto count = std::min(out.size(), static_cast<std::size_t>(settings_.largest_block));
  march_.clear_impulses();
  march_.advance(static_cast<long long>(count) * settings_.oversampling);
  samples_.clear();
  recorder_.record(march_.steps(), march_.impulses(), samples_);
  std::copy_n(samples_.begin(), std::min(count, samples_.size()), out.begin());
}

}  // namespace carom
