// What ContactMarch does with modes that vibrate; their flight is in contact_flight.cpp.

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss.hpp>

#include <carom/contacts/contact_march.hpp>
#include <carom/core/error.hpp>

#include "parts.hpp"
#include "wide.hpp"

namespace carom {

using namespace detail;

namespace {

/// sum_q values_q table_q, of the response and of its rate.
CAROM_WIDE void contract(const ResponseTable& table, const ResponseTable::Points& response,
                         const ResponseTable::Points& rate, double h, double* to_place,
                         double* to_rate) {
  std::fill(to_place, to_place + S * S, 0.0);
  std::fill(to_rate, to_rate + S * S, 0.0);
  for (int q = 0; q < M; ++q) {
    const double* kernel = table.kernel[q].front().data();
    const double x = h * response[q], v = h * rate[q];
    for (int i = 0; i < S * S; ++i) {
      to_place[i] += x * kernel[i];
      to_rate[i] += v * kernel[i];
    }
  }
}

/// values_k -= sum_j f_j matrix_jk.
CAROM_WIDE void subtract(const double* matrix, const Collocation::Nodes& f,
                         Collocation::Nodes& values) {
  for (int j = 0; j < S; ++j) {
    for (int k = 0; k < S; ++k) values[k] -= f[j] * matrix[j * S + k];
  }
}

/// sum_j f_j kernel_jk for each point.
CAROM_WIDE void pushes_of(const ResponseTable& table, const Collocation::Nodes& f,
                          std::array<Collocation::Nodes, M>& pushes) {
  for (int q = 0; q < M; ++q) {
    const double* kernel = table.kernel[q].front().data();
    double sum[S] = {};
    for (int j = 0; j < S; ++j) {
      for (int k = 0; k < S; ++k) sum[k] += f[j] * kernel[j * S + k];
    }
    std::copy(sum, sum + S, pushes[q].begin());
  }
}

}  // namespace

void ContactMarch::apply_with_modes() {
  Unknown& u = unknowns_.front();
  u.x = vibration_.free_x;
  u.v = vibration_.free_v;
  subtract(vibration_.place.front().data(), u.f, u.x);
  subtract(vibration_.rate.front().data(), u.f, u.v);
}

/// Takes the modes that vibrate out of the system; what is left of it and of `start` is rigid.
void ContactMarch::separate_modes(MotionState& start) {
  std::vector<Eigen::Index> rigid, vibrating;
  for (Eigen::Index j = 0; j < system_.body.mode_count(); ++j) {
    const Mode& mode = system_.body.modes[static_cast<std::size_t>(j)];
    (mode.frequency != 0 || mode.damping != 0 ? vibrating : rigid).push_back(j);
  }
  if (vibrating.empty()) return;
  if (system_.contacts() != 1) {
    throw InvalidInput("contacts = " + std::to_string(system_.contacts()) +
                       ": must be 1 where modes vibrate");
  }
  if (system_.observed.rows() > 1) {
    throw InvalidInput("observed = " + std::to_string(system_.observed.rows()) +
                       " points: must be at most 1 where modes vibrate");
  }
  for (const Eigen::VectorXd* force : {&system_.force, &system_.force_in_contact}) {
    if (force->size() > 0 && !(*force)(vibrating).isZero(0)) {
      throw InvalidInput("force: must be 0 on modes that vibrate");
    }
  }
  ModalBody modes;
  modes.shapes.setZero(2, static_cast<Eigen::Index>(vibrating.size()));
  modes.shapes.row(0) = system_.body.shapes(0, vibrating);
  if (system_.observed.rows() > 0) modes.shapes.row(1) = system_.observed(0, vibrating);
  std::vector<Mode> left;
  for (const Eigen::Index j : vibrating) {
    modes.modes.push_back(system_.body.modes[static_cast<std::size_t>(j)]);
  }
  for (const Eigen::Index j : rigid) {
    left.push_back(system_.body.modes[static_cast<std::size_t>(j)]);
  }
  resonator_.emplace(modes, 0, 1, 1 / settings_.rate);
  resonator_->set_state({start.q(vibrating), start.v(vibrating)});
  const auto keep = [&](auto& values) { values = values(rigid).eval(); };
  keep(start.q);
  keep(start.v);
  keep(system_.force);
  if (system_.force_in_contact.size() > 0) keep(system_.force_in_contact);
  system_.body.shapes = system_.body.shapes(Eigen::all, rigid).eval();
  if (system_.observed.rows() > 0) system_.observed = system_.observed(Eigen::all, rigid).eval();
  system_.body.modes = left;
  // Tables are made here and not in a step.
  const int grade = std::visit([](const auto& law) { return law.grade(); }, contacts_.front().law);
  for (const ClockKind kind : {ClockKind::plain, ClockKind::onset, ClockKind::release}) {
    static_cast<void>(ResponseTable::of(Collocation::of(kind, grade)));
  }
}

ModalState ContactMarch::vibration() const {
  return resonator_ ? resonator_->state(inside_) : ModalState{};
}

/// The free motion of the contact over a step, and the matrices of what forces on it do.
void ContactMarch::prepare_modes(double h, const Collocation& table) {
  const ResponseTable& responses = ResponseTable::of(table);
  Vibration& step = vibration_;
  resonator_->prepare(h);
  if (step.clock != &table || step.h != h) {
    for (int q = 0; q < M; ++q) {
      step.response[q] =
          rigid_mobility_ * h * ResponseTable::fractions()[q] + resonator_->response()[q];
      step.response_rate[q] = rigid_mobility_ + resonator_->response_rate()[q];
    }
    contract(responses, step.response, step.response_rate, h, step.place.front().data(),
             step.rate.front().data());
    step.clock = &table;
    step.h = h;
  }
  ResponseTable::Points moved, velocity;
  resonator_->free_motion(moved, velocity);
  const double r_rigid = end_.r[0] + end_.modes.hit_velocity, a = pushed_x_[0];
  for (int k = 0; k < S; ++k) {
    const double t = h * table.time[k];
    step.free_x[k] = t * (r_rigid + 0.5 * t * a);
    step.free_v[k] = r_rigid + t * a;
  }
  for (int q = 0; q < M; ++q) {
    for (int k = 0; k < S; ++k) {
      step.free_x[k] -= responses.at_node[q][k] * moved[q];
      step.free_v[k] -= responses.at_node[q][k] * velocity[q];
    }
  }
  for (double& x : step.free_x) x += end_.x[0];
  step.free_x1 = end_.x[0] + (h * (r_rigid + 0.5 * h * a) - moved[M - 1]);
  step.free_r1 = r_rigid + h * a - velocity[M - 1];
}

/// The modes at the end of the solved step, and what they have lost in it.
void ContactMarch::finish_modes(double h, const Collocation& table) {
  const ResponseTable& responses = ResponseTable::of(table);
  Nodes f = unknowns_.front().f;
  for (double& force : f) force *= h;
  ResponseTable::Points moments{};
  std::array<Nodes, M> pushes;
  pushes_of(responses, f, pushes);
  for (int q = 0; q < M; ++q) {
    for (int j = 0; j < S; ++j) moments[q] += responses.end[q][j] * f[j];
  }
  resonator_->prepare(h);
  vibration_.moved_x = vibration_.moved_r = 0;
  vibration_.after = resonator_->try_step(moments);
  vibration_.after.loss = resonator_->step_loss(table, pushes, h);
}

/// As `close`, with the energy of body and modes itself.
bool ContactMarch::close_with_modes(double h, const Collocation& table, bool landed) {
  finish_modes(h, table);
  Unknown& u = unknowns_.front();
  const ContactState& state = states_.front();
  const double loss = contact_loss(h, table) + vibration_.after.loss;
  const double w = delassus_(0, 0);
  double change = vibration_.after.energy - end_.modes.energy;
  double size = std::max(vibration_.after.energy, end_.modes.energy);
  for (Eigen::Index j = 0; j < end_.v.size(); ++j) {
    const double mass = system_.body.modes[static_cast<std::size_t>(j)].mass;
    const double faster = h * pushed_[j] + u.impulse * images_(j, 0);
    const double moved = h * end_.v[j] + 0.5 * h * h * pushed_[j] + u.travel * images_(j, 0);
    change += mass * (faster * (end_.v[j] + 0.5 * faster) - pushed_[j] * moved);
    size += 0.5 * mass * square(end_.v[j]);
  }
  const double stored = state.potential(contacts_[0], end_.x[0]);
  size += std::abs(stored);
  const auto potential = [&](double x) { return state.potential(contacts_[0], x); };
  double excess = change + (potential(u.x1) - stored) + loss;
  const auto book = [&](double rest) {
    loss_ += loss - rest;
    booked_ += std::abs(rest);
    return true;
  };
  if (std::abs(excess) <= 0.5 * loss) return book(excess);
  if (std::abs(excess) <= 8 * rounding * size) {
    loss_ += loss;
    return true;
  }
  if (!(std::abs(excess) <= 1e-4 * size)) return false;
  // Along the gradient of the energy in contact space; body and modes are displaced as a force at
  // the contact would do it.
  const double push =
      -pushed_x_[0] - vibration_.after.pull + w * state.force(contacts_[0], u.x1, u.r1).conserved;
  const double move = landed ? 0.0 : square(period_[0]) * push;
  const auto moved = [&](double lambda) {
    const double dx = lambda * move, dr = lambda * u.r1;
    return change + loss + dr * (u.r1 + 0.5 * dr) / w -
           dx * (pushed_x_[0] + vibration_.after.pull) / w +
           0.5 * dx * dx * resonator_->stiffening() / (w * w) + (potential(u.x1 + dx) - stored);
  };
  const double unmoved = excess;
  double lambda = 0, other = 1e-7, at_other = moved(other);
  for (int k = 0; k < 12 && std::abs(excess) > 2 * rounding * size && at_other != excess; ++k) {
    const double next = lambda - excess * (lambda - other) / (excess - at_other);
    other = lambda;
    at_other = excess;
    lambda = next;
    excess = moved(lambda);
  }
  if (!(std::abs(lambda) < 1e-2) || !(std::abs(excess) <= 1e-13 * size)) {
    // A body at rest has no way that would change the energy: rounding is left, in a step of any
    // length.
    return std::abs(unmoved) <= 1e-13 * size && book(unmoved);
  }
  loss_ += loss;
  vibration_.moved_x = lambda * move;
  vibration_.moved_r = lambda * u.r1;
  return true;
}

void ContactMarch::accept_with_modes(double h) {
  Unknown& u = unknowns_.front();
  const double w = delassus_(0, 0), dx = vibration_.moved_x, dr = vibration_.moved_r;
  resonator_->accept();
  end_.modes = vibration_.after;
  end_.q += h * end_.v + (0.5 * h * h) * pushed_ + (u.travel - dx / w) * images_.col(0);
  end_.v += h * pushed_ + (u.impulse - dr / w) * images_.col(0);
  end_.impulse[0] += u.impulse;
  if (dx != 0 || dr != 0) {
    resonator_->push(-dx / w, -dr / w);
    end_.modes = resonator_->sums();
  }
  end_.x[0] = u.x1 + dx;
  end_.r[0] = u.r1 + dr;
  const double next = piece_.t + h, sample = std::round(next * settings_.rate) / settings_.rate;
  end_.t = std::abs(next - sample) <= 8 * rounding * next ? sample : next;
  bend_ = -1;
}

/// The modes at the time t of a step in contact, and the contact by them.
void ContactMarch::read_modes(double t, Moment& out) {
  const Collocation& table = Collocation::of(piece_.clock, piece_.power);
  const double h = piece_.h, end = table.sigma_at(t / h);
  ResponseTable::Points moments{};
  using Gauss = boost::math::quadrature::gauss<double, 20>;
  for (int i = 0; i < 20; ++i) {
    const auto n = static_cast<std::size_t>(i / 2);
    const double sigma = 0.5 * end * (1 + (i % 2 == 0 ? 1 : -1) * Gauss::abscissa()[n]);
    const Nodes basis = table.basis_at(sigma);
    double force = 0;  // f g' at sigma
    for (int j = 0; j < S; ++j) force += basis[j] * unknowns_.front().f[j] * table.slope[j];
    const double since = std::clamp(1 - h * table.time_at(sigma) / t, 0.0, 1.0);
    const ResponseTable::Points weights = ResponseTable::weights_at(since);
    const double share = 0.5 * end * Gauss::weights()[n] * h * force;
    for (int q = 0; q < M; ++q) moments[q] += share * weights[q];
  }
  out.modes = resonator_->read(t, moments);
  inside_ = true;
  out.x[0] = -(system_.offsets[0] + system_.body.shapes.row(0).dot(out.q) + out.modes.hit);
  out.r[0] = -(system_.body.shapes.row(0).dot(out.v) + out.modes.hit_velocity);
}

}  // namespace carom
