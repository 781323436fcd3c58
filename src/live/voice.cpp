#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <carom/core/error.hpp>
#include <carom/core/flush_denormals.hpp>
#include <carom/live/voice.hpp>

#include "lanes.hpp"

namespace carom {
namespace {

constexpr double obstacle_speed = 400;   ///< of the spring a moved obstacle follows [rad/s]
constexpr double fade_seconds = 0.004;   ///< of a step in what is heard
constexpr double let_go_seconds = 2e-4;  ///< of a pluck: a nail, not a cut

std::size_t whole_lanes(Eigen::Index count) {
  return (static_cast<std::size_t>(count) + 3) / 4 * 4;
}

/// The body at rest, stepped at the voice's own rate.
ModalProblem problem_of(const PlayedBody& body, const VoiceSettings& settings) {
  require_positive("rate", settings.rate);
  if (settings.oversampling < 1) {
    throw InvalidInput("oversampling = " + std::to_string(settings.oversampling) +
                       ": must be at least 1");
  }
  ModalProblem problem = body.problem;
  problem.rate = settings.rate * settings.oversampling;
  problem.compliant = CompliantScheme::discrete_gradient;
  const Eigen::Index modes = problem.body.mode_count();
  problem.start = {Eigen::VectorXd::Zero(modes), Eigen::VectorXd::Zero(modes)};
  validate(problem);
  if (body.ears.rows() < 1 || body.ears.cols() != modes)
    throw InvalidInput("ears: at least one row with a shape of each mode is needed");
  if (body.hammer >= static_cast<int>(problem.heights.size()))
    throw InvalidInput("hammer = " + std::to_string(body.hammer) + ": there is no such contact");
  if (!(body.string_length >= 0)) throw InvalidInput("string_length: must be at least 0");
  return problem;
}

}  // namespace

Voice::Voice(const PlayedBody& body, const VoiceSettings& settings)
    : settings_(settings),
      dt_(1 / (settings.rate * settings.oversampling)),
      length_(body.string_length),
      hammer_(body.hammer),
      modes_(body.problem.body.modes),
      space_(problem_of(body, settings)),
      compliance_(space_.compliance()),
      ids_(body.problem.heights.size()),
      impulse_(ids_.size(), 0.0) {
  const Eigen::Index modes = body.problem.body.mode_count();
  const std::size_t size = whole_lanes(modes), count = ids_.size();
  for (Row* row : {&q_, &w_, &next_, &decay_, &stiffness_, &admittance_, &inertia_, &elasticity_,
                   &loss_, &row_, &pull_})
    row->assign(size, 0.0);
  std::iota(ids_.begin(), ids_.end(), 0);
  const ShapeMatrix shapes = signed_shapes(body.problem);
  const Eigen::VectorXd heights = signed_heights(body.problem);
  const auto padded = [&](const auto& values) {
    Row row(size, 0.0);
    std::copy(values.begin(), values.end(), row.begin());
    return row;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const bool below = !body.problem.sides.empty() && body.problem.sides[i] == Side::below;
    contacts_.push_back({.shapes = padded(shapes.row(at)),
                         .height = heights[at],
                         .before = heights[at],
                         .target = heights[at],
                         .rate = 0,
                         .sign = below ? -1.0 : 1.0});
  }
  for (Eigen::Index i = 0; i < body.ears.rows(); ++i)
    ears_.push_back({.shapes = padded(body.ears.row(i)), .offset = 0, .last = 0});
  for (auto* list : {&before_, &now_, &free_}) list->assign(count, 0.0);
  renew_coefficients();
  reset();
}

void Voice::renew_coefficients() noexcept {
  const std::size_t last = modes_.size() - 1;
  for (std::size_t j = 0; j < modes_.size(); ++j) {
    Mode mode = modes_[j];
    if (hammer_ < 0 || j != last) mode.damping += damping_;
    const ModeStep step = mode_step(mode, dt_, ImpulseScaling::scaled);
    decay_[j] = step.decay;
    stiffness_[j] = step.stiffness;
    admittance_[j] = step.admittance;
    inertia_[j] = step.inertia;
    elasticity_[j] = step.elasticity;
    loss_[j] = step.loss;
  }
  renew_compliance();
}

void Voice::renew_compliance() noexcept {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    std::fill(row_.begin(), row_.end(), 0.0);
    live::push(row_.data(), 1.0, admittance_.data(), contacts_[i].shapes.data(), row_.size());
    for (std::size_t k = 0; k <= i; ++k) {
      const double value = live::dot(row_.data(), contacts_[k].shapes.data(), row_.size());
      compliance_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = value;
      compliance_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = value;
    }
  }
  space_.replace_compliance(compliance_);
}

/// w of the next step without impulses.
void Voice::predict() noexcept {
  for (std::size_t j = 0; j < q_.size(); ++j) next_[j] = decay_[j] * w_[j] - stiffness_[j] * q_[j];
}

/// The gaps from the amplitudes: what steps carry along is the same but for rounding.
void Voice::renew_gaps() noexcept {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Obstacle& one = contacts_[i];
    const double u = live::dot(one.shapes.data(), q_.data(), q_.size());
    now_[i] = u - one.height;
    before_[i] = u - live::dot(one.shapes.data(), w_.data(), w_.size()) - one.before;
  }
}

/// After a change from outside: everything that follows from the state, and what it has cost.
void Voice::settle(double stored_before) noexcept {
  renew_gaps();
  predict();
  space_.renew_store(before_, now_);
  injected_ += stored() - stored_before;
}

void Voice::reset() noexcept {
  for (Row* row : {&q_, &w_, &next_}) std::fill(row->begin(), row->end(), 0.0);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Obstacle& one = contacts_[i];
    one.before = one.height;
    one.rate = 0;
    space_.forget(static_cast<int>(i));
    impulse_[i] = 0;
  }
  // Away from the body, so that nothing touches before the first strike.
  const std::size_t last = modes_.size() - 1;
  if (hammer_ >= 0)
    q_[last] = contacts_[static_cast<std::size_t>(hammer_)].shapes[last] > 0 ? 1.0 : -1.0;
  renew_gaps();
  space_.renew_store(before_, now_);
  predict();
  pulling_ = false;
  force_ = 0;
  lost_ = -space_.energy().dissipated;
  gained_ = space_.energy().gained;
  injected_ = stored();
  for (Ear& ear : ears_) ear.offset = ear.last;
}

void Voice::process(std::span<const std::span<double>> outs) noexcept {
  const FlushDenormals flush;
  renew_gaps();
  const double fade = 1 - 1 / (fade_seconds * settings_.rate);
  for (std::size_t sample = 0; sample < outs.front().size(); ++sample) {
    for (int k = 0; k < settings_.oversampling; ++k) step();
    for (std::size_t e = 0; e < ears_.size() && e < outs.size(); ++e) {
      Ear& ear = ears_[e];
      ear.offset *= fade;
      ear.last = heard(ear) + ear.offset;
      outs[e][sample] += ear.last;
    }
  }
}

double Voice::heard(const Ear& ear) const noexcept {
  const double* what = settings_.velocity ? w_.data() : q_.data();
  return live::dot(ear.shapes.data(), what, q_.size()) / (settings_.velocity ? dt_ : 1.0);
}

void Voice::step() noexcept {
  const std::size_t size = q_.size(), count = contacts_.size();
  if (pulling_) pull();
  move_obstacles();
  for (std::size_t i = 0; i < count; ++i) {
    const Obstacle& one = contacts_[i];
    free_[i] = now_[i] + live::dot(one.shapes.data(), next_.data(), size) -
               (one.height + one.rate * dt_ - one.height);
  }
  const bool touched = count > 0 && space_.step(ids_, before_, now_, free_, impulse_);
  if (touched) {
    ++contact_steps_;
    for (std::size_t i = 0; i < count; ++i) {
      if (impulse_[i] == 0) continue;
      live::push(next_.data(), impulse_[i], admittance_.data(), contacts_[i].shapes.data(), size);
    }
  }
  if (pulling_) {
    injected_ +=
        force_ *
        (live::dot(pull_.data(), next_.data(), size) + live::dot(pull_.data(), w_.data(), size)) /
        2;
  }
  for (std::size_t i = 0; i < count; ++i) {
    Obstacle& one = contacts_[i];
    const double height = one.height + one.rate * dt_;
    if (touched && impulse_[i] != 0) injected_ += impulse_[i] * (height - one.before) / (2 * dt_);
    one.before = one.height;
    one.height = height;
    before_[i] = now_[i];
    now_[i] = free_[i];
    for (std::size_t k = 0; touched && k < count; ++k) {
      now_[i] +=
          compliance_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) * impulse_[k];
    }
  }
  lost_ += live::advance({.q = q_.data(),
                          .w = w_.data(),
                          .next = next_.data(),
                          .decay = decay_.data(),
                          .stiffness = stiffness_.data(),
                          .loss = loss_.data()},
                         size);
  ++steps_;
}

/// A force that grows as a raised cosine and lets go within a fraction of a millisecond.
void Voice::pull() noexcept {
  const auto let_go = static_cast<long long>(std::ceil(let_go_seconds / dt_));
  const long long step = ++pull_step_;
  if (step >= pull_length_ + let_go) {
    pulling_ = false;
    force_ = 0;
    return;
  }
  const double phase =
      step <= pull_length_
          ? static_cast<double>(step) / static_cast<double>(pull_length_)
          : 1 + static_cast<double>(step - pull_length_) / static_cast<double>(let_go);
  force_ = pull_force_ * (1 - std::cos(std::numbers::pi * phase)) / 2;
  live::push(next_.data(), force_ * dt_, admittance_.data(), pull_.data(), q_.size());
}

/// h'' = s^2 (target - h) - 2 s h': smooth, without overshoot.
void Voice::move_obstacles() noexcept {
  for (Obstacle& one : contacts_) {
    const double way = one.target - one.height;
    if (way == 0 && one.rate == 0) continue;
    one.rate += dt_ * obstacle_speed * (obstacle_speed * way - 2 * one.rate);
    if (std::abs(way) < 1e-12) one.rate = way / dt_;  // there, to a hundredth of an atom
  }
}

void Voice::shapes_at(double place, std::span<double> row) const noexcept {
  std::fill(row.begin(), row.end(), 0.0);
  if (!(length_ > 0)) return;
  // sin((j + 1) x) = 2 cos(x) sin(j x) - sin((j - 1) x)
  const double x = std::numbers::pi * std::clamp(place, 0.0, 1.0), twice = 2 * std::cos(x);
  const std::size_t count = modes_.size() - (hammer_ >= 0 ? 1 : 0);
  double last = 0, now = std::sqrt(2 / length_) * std::sin(x);
  for (std::size_t j = 0; j < count && j < row.size(); ++j) {
    row[j] = now;
    const double next = twice * now - last;
    last = now;
    now = next;
  }
}

void Voice::pluck(double place, double height, double seconds) noexcept {
  shapes_at(place, row_);
  pluck({row_.data(), row_.size()}, height, seconds);
}

void Voice::pluck(std::span<const double> row, double height, double seconds) noexcept {
  const std::size_t count = std::min(row.size(), modes_.size());
  std::fill(pull_.begin(), pull_.end(), 0.0);
  std::copy_n(row.begin(), count, pull_.begin());
  // A constant force moves the place by f sum phi^2/(m omega^2).
  double give = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (elasticity_[j] > 0) give += pull_[j] * pull_[j] / elasticity_[j];
  }
  if (!(give > 0)) return;
  pull_force_ = height / give;
  pull_length_ = std::max(1LL, static_cast<long long>(seconds / dt_));
  pull_step_ = 0;
  pulling_ = true;
}

void Voice::strike(double speed, double place) noexcept {
  if (hammer_ < 0) return;
  shapes_at(place, row_);
  for (double& value : row_) value = -value;  // it comes from above
  row_[modes_.size() - 1] = 1.0;
  std::copy(row_.begin(), row_.end(), contacts_[static_cast<std::size_t>(hammer_)].shapes.begin());
  renew_compliance();
  send_hammer(speed);
}

void Voice::strike(double speed) noexcept {
  if (hammer_ >= 0) send_hammer(speed);
}

void Voice::send_hammer(double speed) noexcept {
  const double stored_before = stored();
  Obstacle& one = contacts_[static_cast<std::size_t>(hammer_)];
  const std::size_t last = modes_.size() - 1;
  q_[last] = 0;
  const double u = live::dot(one.shapes.data(), q_.data(), q_.size()) - one.height;
  // Half a step away, in whichever direction the body is.
  const double side = one.shapes[last] > 0 ? 1.0 : -1.0;
  w_[last] = -side * speed * dt_;
  q_[last] = side * (0.5 * speed * dt_ - u);
  space_.forget(hammer_);
  settle(stored_before);
}

void Voice::add(std::span<const double> position, std::span<const double> velocity) noexcept {
  const double stored_before = stored();
  for (std::size_t j = 0; j < modes_.size() && j < position.size(); ++j) q_[j] += position[j];
  for (std::size_t j = 0; j < modes_.size() && j < velocity.size(); ++j) w_[j] += dt_ * velocity[j];
  settle(stored_before);
}

void Voice::damp(double sigma) noexcept {
  const double stored_before = stored();
  damping_ = std::max(0.0, sigma);
  renew_coefficients();
  settle(stored_before);
}

void Voice::glide(std::span<const Mode> modes) noexcept {
  const double stored_before = stored();
  const std::size_t count = std::min(modes.size(), modes_.size() - (hammer_ >= 0 ? 1 : 0));
  std::copy_n(modes.begin(), count, modes_.begin());
  renew_coefficients();
  settle(stored_before);
}

void Voice::move_obstacle(int contact, double height) noexcept {
  if (contact < 0 || contact >= contact_count()) return;
  Obstacle& one = contacts_[static_cast<std::size_t>(contact)];
  one.target = one.sign * height;
}

void Voice::move_obstacle(int contact, double height, double place_on_string) noexcept {
  if (contact < 0 || contact >= contact_count() || contact == hammer_) return;
  Obstacle& one = contacts_[static_cast<std::size_t>(contact)];
  shapes_at(place_on_string, row_);
  for (double& value : row_) value *= one.sign;
  place(one, row_);
  one.target = one.sign * height;
}

/// Another place: the gaps of the last two steps are kept, as if the obstacle were as high there as
/// they say, so that nothing changes in this moment; from there its height goes to its target.
void Voice::place(Obstacle& one, std::span<const double> row) noexcept {
  const auto index = static_cast<std::size_t>(&one - contacts_.data());
  std::copy(row.begin(), row.end(), one.shapes.begin());
  const double u = live::dot(one.shapes.data(), q_.data(), q_.size());
  one.height = u - now_[index];
  one.before = u - live::dot(one.shapes.data(), w_.data(), w_.size()) - before_[index];
  one.rate = 0;
  renew_compliance();
}

void Voice::listen(int ear, double place_on_string) noexcept {
  if (ear < 0 || ear >= ear_count() || !(length_ > 0)) return;
  Ear& one = ears_[static_cast<std::size_t>(ear)];
  const double heard_before = heard(one);
  shapes_at(place_on_string, row_);
  std::copy(row_.begin(), row_.end(), one.shapes.begin());
  one.offset += heard_before - heard(one);
}

double Voice::stored() const noexcept {
  double sum = space_.energy().stored;
  for (std::size_t j = 0; j < modes_.size(); ++j) {
    sum += (inertia_[j] * w_[j] * w_[j] + elasticity_[j] * q_[j] * (q_[j] - w_[j])) / 2;
  }
  return sum;
}

VoiceEnergy Voice::energy() const noexcept {
  const ContactEnergy& contact = space_.energy();
  VoiceEnergy now{.stored = stored(),
                  .injected = injected_,
                  .dissipated = lost_ + contact.dissipated,
                  .gained = contact.gained - gained_,
                  .residual = 0};
  now.residual = now.stored + now.dissipated - now.injected - now.gained;
  return now;
}

void Voice::shape(std::span<const double> rows, std::span<double> out) const noexcept {
  const std::size_t count = modes_.size();
  for (std::size_t i = 0; i < out.size() && (i + 1) * count <= rows.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) sum += rows[i * count + j] * q_[j];
    out[i] = sum;
  }
}

double Voice::height(int contact) const noexcept {
  const Obstacle& one = contacts_[static_cast<std::size_t>(contact)];
  return one.sign * one.height;
}

double Voice::hammer_height() const noexcept { return hammer_ < 0 ? 0.0 : q_[modes_.size() - 1]; }

}  // namespace carom
