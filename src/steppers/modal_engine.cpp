#include <algorithm>
#include <cmath>

#include <carom/steppers/modal_engine.hpp>

namespace carom {
namespace {

std::variant<ModalMarch, ModalPlain> make_engine(const ModalProblem& problem,
                                                 ModalEngine::Kind kind) {
  if (kind == ModalEngine::Kind::plain) return ModalPlain(problem);
  return ModalMarch(problem);
}

}  // namespace

ModalEngine::ModalEngine(const ModalProblem& problem, Kind kind)
    : rate_(problem.rate), engine_(make_engine(problem, kind)) {
  for (const Mode& mode : problem.body.modes) {
    inertia_.push_back(mode_step(mode, 1 / problem.rate, problem.scaling).inertia);
  }
}

void ModalEngine::end_at(double time) noexcept { end_ = std::llround(time * rate_); }

void ModalEngine::step() {
  const long long count = std::min(stretch_, end_ - steps());
  if (auto* march = std::get_if<ModalMarch>(&engine_)) {
    march->clear_impulses();
    march->advance(count);
    return;
  }
  auto& plain = std::get<ModalPlain>(engine_);
  impulses_.clear();
  for (long long n = 0; n < count; ++n) {
    plain.step();
    if (!plain.touched()) continue;
    for (Eigen::Index c = 0; c < plain.impulses().size(); ++c) {
      const double p = plain.impulses()[c];
      if (p == 0) continue;
      impulses_.push_back({.step = plain.steps(), .contact = static_cast<int>(c), .impulse = p});
    }
  }
  impulse_count_ += static_cast<long long>(impulses_.size());
}

long long ModalEngine::steps() const noexcept {
  return std::visit([](const auto& engine) { return engine.steps(); }, engine_);
}

const Ledger& ModalEngine::ledger() const noexcept {
  return std::visit([](const auto& engine) -> const Ledger& { return engine.ledger(); }, engine_);
}

void ModalEngine::finish() {
  if (auto* march = std::get_if<ModalMarch>(&engine_)) march->close_ledger();
}

std::span<const ContactImpulse> ModalEngine::impulses() const noexcept {
  const auto* march = std::get_if<ModalMarch>(&engine_);
  return march != nullptr ? march->impulses() : std::span<const ContactImpulse>(impulses_);
}

Eigen::VectorXd ModalEngine::position() const {
  return std::visit([](const auto& engine) -> Eigen::VectorXd { return engine.position(); },
                    engine_);
}

double ModalEngine::kinetic_energy() const {
  const Eigen::VectorXd difference = std::visit(
      [](const auto& engine) -> Eigen::VectorXd { return engine.difference(); }, engine_);
  double sum = 0;
  for (Eigen::Index j = 0; j < difference.size(); ++j) {
    sum += inertia_[static_cast<std::size_t>(j)] * difference[j] * difference[j] / 2;
  }
  return sum;
}

ModalMarchStatistics ModalEngine::statistics() const {
  if (const auto* march = std::get_if<ModalMarch>(&engine_)) return march->statistics();
  const auto& plain = std::get<ModalPlain>(engine_);
  ModalMarchStatistics result;
  result.steps = result.audited = plain.steps();
  result.impulses = impulse_count_;
  result.unsolved = plain.contacts().unsolved();
  return result;
}

void ModalEngine::archive(Archive& state) {
  std::visit([&](auto& engine) { state(engine); }, engine_);
  if (fast()) return;
  state(impulses_, impulse_count_);
  for (const ContactImpulse& impulse : impulses_) state.require(impulse.contact >= 0);
}

}  // namespace carom
