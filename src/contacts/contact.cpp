#include <algorithm>
#include <limits>

#include <carom/contacts/contact.hpp>

namespace carom {
namespace {

template <class F>
auto with(const Contact& contact, F&& f) noexcept {
  return std::visit(std::forward<F>(f), contact.law);
}

}  // namespace

double ContactState::onset(const Contact& contact) const noexcept {
  return dent_ + with(contact, [&](const auto& law) { return carom::onset(law, memory_); });
}

double ContactState::edge(const Contact& contact) const noexcept {
  return dent_ + with(contact, [&](const auto& law) { return carom::edge(law, memory_); });
}

Force ContactState::force(const Contact& contact, double x, double v) const noexcept {
  return with(contact, [&](const auto& law) { return law.force(x - dent_, v, memory_); });
}

ContactState::Load ContactState::load(const Contact& contact, double x, double v) const noexcept {
  return with(contact, [&](const auto& law) {
    return Load{law.force(x - dent_, v, memory_).total(), law.potential(x - dent_, memory_)};
  });
}

bool ContactState::in_plastic_dent(const Contact& contact) const noexcept {
  return phase_ == Phase::recovering &&
         !with(contact, [](const auto& law) { return releases_by_force(law); });
}

double ContactState::stored(const Contact& contact, double x) const noexcept {
  if (in_plastic_dent(contact)) return 0.0;
  return with(contact, [&](const auto& law) { return law.potential(x - dent_, memory_); });
}

double ContactState::next_break(const Contact& contact, double x, int way) const noexcept {
  return with(contact, [&]<class Law>(const Law& law) {
    if constexpr (PiecewiseLaw<Law>) return dent_ + law.next_break(x - dent_, way, memory_);
    return std::copysign(std::numeric_limits<double>::infinity(), way);
  });
}

bool ContactState::ends_at_edge(const Contact& contact) const noexcept {
  return touching() && !with(contact, [](const auto& law) { return releases_by_force(law); });
}

ContactState::Guards ContactState::guards(const Contact& contact, double x,
                                          double v) const noexcept {
  switch (phase_) {
    case Phase::apart:
      return {onset(contact) - x, holds};
    case Phase::recovering:
      return {x - dent_, in_plastic_dent(contact) ? edge(contact) - x : -v};
    case Phase::resting:
      return {holds, holds};
    case Phase::touching:
      break;
  }
  return with(contact, [&](const auto& law) { return guards(law, x, v); });
}

void ContactState::touch() noexcept {
  phase_ = Phase::touching;
  memory_ = {};
}

double ContactState::pass(const Contact& contact, int which, double x, double) noexcept {
  const double stored = potential(contact, x);
  switch (phase_) {
    case Phase::apart:
      touch();
      return -potential(contact, x);
    case Phase::recovering:
      if (which == 0) {
        phase_ = Phase::apart;
        memory_ = {};
        return stored;
      }
      phase_ = Phase::touching;
      return stored - potential(contact, x);
    case Phase::resting:
      return 0.0;
    case Phase::touching:
      break;
  }
  if (which == 1) {
    with(contact, [&]<class Law>(const Law& law) {
      if constexpr (BranchingLaw<Law>) memory_ = law.flip(x - dent_, memory_);
    });
    return stored - potential(contact, x);
  }
  if (ends_at_edge(contact)) {
    const double undeformed =
        dent_ + with(contact, [](const auto& law) { return carom::onset(law, ContactMemory{}); });
    if (contact.surface == Surface::recovers && edge(contact) > undeformed) {
      phase_ = Phase::recovering;
      return stored;
    }
    if (contact.surface == Surface::keeps_indentation) dent_ = std::max(dent_, x);
    phase_ = Phase::apart;
    memory_ = {};
    return stored;
  }
  if (contact.surface == Surface::keeps_indentation) {
    dent_ = x;
    phase_ = Phase::apart;
    memory_ = {};
    return stored;
  }
  phase_ = Phase::recovering;
  return 0.0;
}

int grade_of(const Contact& contact) noexcept {
  return with(contact, [](const auto& law) { return law.grade(); });
}

double summit_beyond(double onset, const GapMotion& a, const GapMotion& b, double h) noexcept {
  if (!(a.v > 0) || !(b.v < 0) || a.x >= onset || b.x >= onset) return 0.0;
  // x' = v0 + 2 p s + 3 q s^2 over s = t/h, in units of h.
  const double rise = b.x - a.x, p = 3 * rise - h * (2 * a.v + b.v), q = h * (a.v + b.v) - 2 * rise;
  const double root = std::sqrt(std::max(0.0, p * p - 3 * q * h * a.v));
  const double s = h * a.v / (-p + root);
  if (!(s > 0 && s < 1)) return 0.0;
  return a.x + s * (h * a.v + s * (p + s * q)) > onset ? s * h : 0.0;
}

Crossing next_crossing(const ContactState& state, const Contact& contact, double x0, double v0,
                       double a) noexcept {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (state.phase() == Phase::apart) {
    const double rise = state.onset(contact) - x0, square = v0 * v0 + 2 * a * rise;
    if (square < 0) return {never, 0};
    // In the form that does not cancel.
    if (v0 > 0) return {2 * std::max(0.0, rise) / (v0 + std::sqrt(square)), 0};
    return {a > 0 ? (-v0 + std::sqrt(square)) / a : never, 0};
  }
  if (state.phase() != Phase::recovering) return {never, 0};
  // Out through the undeformed surface, or it turns round before.
  const double fall = x0 - state.dent(), square = v0 * v0 - 2 * a * fall;
  const bool plastic = state.in_plastic_dent(contact);
  if (v0 < 0 && square >= 0) return {2 * fall / (-v0 + std::sqrt(square)), 0};
  if (v0 < 0 && !plastic) return {a > 0 ? -v0 / a : never, 1};
  if (!plastic) return {0.0, 1};
  // Back to the edge it left at, or, drawn away before, out after all.
  const double rise = state.edge(contact) - x0, up = v0 * v0 + 2 * a * rise;
  if (up >= 0 && v0 > 0) return {2 * std::max(0.0, rise) / (v0 + std::sqrt(up)), 1};
  if (a > 0) return {(-v0 + std::sqrt(std::max(0.0, up))) / a, 1};
  return {a < 0 ? (-v0 - std::sqrt(square)) / a : never, 0};
}

}  // namespace carom
