#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/systems/line_assembly.hpp>

namespace carom {

static_assert(SystemOfParts<LineAssembly>);

double LineAssembly::End::moved(double t, const Eigen::VectorXd& q) const noexcept {
  double x = drive != nullptr ? drive->at(t).value : 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) x += share[i] * q[at[i]];
  return x;
}

double LineAssembly::End::velocity(double t, const Eigen::VectorXd& v) const noexcept {
  double u = drive != nullptr ? drive->at(t).rate : 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) u += share[i] * v[at[i]];
  return u;
}

void LineAssembly::End::push(double force, Eigen::VectorXd& f) const noexcept {
  for (std::size_t i = 0; i < at.size(); ++i) f[at[i]] += share[i] * force;
}

LineAssembly::LineAssembly(Assembly assembly) : parts_(std::move(assembly)), breaks_(parts_) {
  int n = 0;
  for (const AssemblyBody& body : parts_.bodies) {
    const int own = !moves_freely(body)            ? 0
                    : body.type == BodyType::modal ? static_cast<int>(body.modal.mode_count())
                                                   : 1;
    first_.push_back(own > 0 ? n : -1);
    n += own;
  }
  for (Eigen::VectorXd* x : {&masses_, &constant_, &stiffness_, &damping_, &start_.q, &start_.v})
    x->setZero(n);
  for (std::size_t b = 0; b < parts_.bodies.size(); ++b) {
    const AssemblyBody& body = parts_.bodies[b];
    const auto curve = [](bool wanted, const Motion& motion) {
      return wanted ? std::make_shared<const MotionCurve>(motion) : nullptr;
    };
    drives_.push_back(curve(body.type == BodyType::driven, body.motion));
    forces_.push_back(
        curve(body.type == BodyType::mass && body.varying_force != Motion{}, body.varying_force));
    has_drives_ = has_drives_ || drives_.back() != nullptr;
    if (forces_.back() != nullptr) forced_.push_back(static_cast<int>(b));
    const int i = first_[b];
    if (i < 0) continue;
    if (body.type == BodyType::modal) {
      validate(body.modal);
      for (Eigen::Index j = 0; j < body.modal.mode_count(); ++j) {
        const Mode& mode = body.modal.modes[static_cast<std::size_t>(j)];
        const double omega = 2 * std::numbers::pi * mode.frequency;
        modes_.push_back(i + static_cast<int>(j));
        masses_[i + j] = mode.mass;
        stiffness_[i + j] = mode.mass * omega * omega;
        damping_[i + j] = 2 * mode.mass * mode.damping;
      }
      if (body.modal_start.position.size() > 0) {
        start_.q.segment(i, body.modal.mode_count()) = body.modal_start.position;
        start_.v.segment(i, body.modal.mode_count()) = body.modal_start.velocity;
      }
      continue;
    }
    require_positive("mass", body.mass);
    masses_[i] = body.mass;
    constant_[i] = body.force[0] - body.mass * parts_.gravity;
    datum_ -= constant_[i] * body.position[0];
    start_.v[i] = body.velocity[0];
  }
  for (const AssemblyLink& link : parts_.links)
    link_ends_.push_back(pair_of(end_of(link.first, link.point_first),
                                 end_of(link.second, link.point_second), link.length));
  for (const AssemblyContact& contact : parts_.contacts)
    contact_ends_.push_back(pair_of(end_of(contact.first, contact.point_first),
                                    end_of(contact.second, contact.point_second),
                                    contact.distance));
  steady_.assign(static_cast<std::size_t>(n), true);
  const auto varies = [&](const End& end) {
    for (const int i : end.at) steady_[static_cast<std::size_t>(i)] = false;
  };
  for (const int i : modes_) steady_[static_cast<std::size_t>(i)] = false;
  for (const int b : forced_)
    steady_[static_cast<std::size_t>(first_[static_cast<std::size_t>(b)])] = false;
  for (const Pair& ends : link_ends_) {
    varies(ends.first);
    varies(ends.second);
  }
}

/// Where both touch but for the rounding of their places they touch.
LineAssembly::Pair LineAssembly::pair_of(End first, End second, double length) {
  const double apart = second.offset - first.offset - length;
  const double rounding = 4 * std::numeric_limits<double>::epsilon() *
                          std::max({std::abs(first.offset), std::abs(second.offset), length});
  return {std::move(first), std::move(second), std::abs(apart) <= rounding ? 0.0 : apart};
}

LineAssembly::End LineAssembly::end_of(int body, int point) const {
  if (body < 0) return {};
  const auto b = static_cast<std::size_t>(body);
  const AssemblyBody& part = parts_.bodies[b];
  End end;
  switch (part.type) {
    case BodyType::mass:
      end.offset = part.position[0];
      end.at = {first_[b]};
      end.share = {1.0};
      return end;
    case BodyType::fixed:
      end.offset = part.position[0];
      return end;
    case BodyType::driven:
      end.offset = part.position[0];
      end.drive = drives_[b];
      return end;
    case BodyType::modal:
      end.offset = part.position[0];
      for (int j = 0; j < part.modal.mode_count(); ++j) {
        end.at.push_back(first_[b] + j);
        end.share.push_back(part.modal.shapes(point, j));
      }
      return end;
    case BodyType::disc:
    case BodyType::box:
    case BodyType::rod:
      break;
  }
  throw InvalidInput("body '" + part.name + "': discs, boxes and rods need the plane");
}

void LineAssembly::mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
  M = masses_.asDiagonal();
}

double LineAssembly::elongation(std::size_t link, double t,
                                const Eigen::VectorXd& q) const noexcept {
  return link_ends_[link].distance(t, q);
}

void LineAssembly::force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         Eigen::VectorXd& f) const {
  f = constant_ - stiffness_.cwiseProduct(q) - damping_.cwiseProduct(v);
  link_forces(t, q, v, f);
}

void LineAssembly::force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         std::span<const int> coordinates, Eigen::VectorXd& f) const {
  for (const int i : coordinates) f[i] = constant_[i] - stiffness_[i] * q[i] - damping_[i] * v[i];
  link_forces(t, q, v, f);
}

/// Of links, and of the forces that vary.
void LineAssembly::link_forces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                               Eigen::VectorXd& f) const {
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    const Pair& ends = link_ends_[i];
    const double x = elongation(i, t, q);
    const double rate = ends.second.velocity(t, v) - ends.first.velocity(t, v);
    const double pull = x * (link.stiffness + link.cubic * x * x) + link.damping * rate;
    ends.first.push(pull, f);
    ends.second.push(-pull, f);
  }
  for (const int b : forced_) {
    const auto body = static_cast<std::size_t>(b);
    f[first_[body]] += forces_[body]->at(t).value;
  }
}

void LineAssembly::divide_by_mass(std::span<const int> coordinates, Eigen::VectorXd& f) const {
  for (const int i : coordinates) f[i] /= masses_[i];
}

/// A spring that hangs on a driven body belongs to the drive: its energy depends on time, and what
/// it does to the masses is counted in power().
double LineAssembly::link_energy(const Eigen::VectorXd& q) const {
  double energy = 0.0;
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    if (link_ends_[i].first.drive != nullptr || link_ends_[i].second.drive != nullptr) continue;
    const double square = std::pow(elongation(i, 0.0, q), 2);
    energy += square * (0.5 * link.stiffness + 0.25 * link.cubic * square);
  }
  return energy;
}

double LineAssembly::potential_energy(const Eigen::VectorXd& q) const {
  return datum_ + 0.5 * q.dot(stiffness_.cwiseProduct(q)) - constant_.dot(q) + link_energy(q);
}

/// Links count where any coordinate is that is not steady.
double LineAssembly::energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                            std::span<const int> coordinates) const {
  double energy = 0.0;
  bool varies = false;
  for (const int i : coordinates) {
    energy += 0.5 * (masses_[i] * v[i] * v[i] + stiffness_[i] * q[i] * q[i]) - constant_[i] * q[i];
    varies = varies || !steady(i);
  }
  return varies ? energy + link_energy(q) : energy;
}

double LineAssembly::dissipation(double t, const Eigen::VectorXd& /*q*/,
                                 const Eigen::VectorXd& v) const {
  double power = 0.0;
  for (const int i : modes_) power += damping_[i] * v[i] * v[i];
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    if (parts_.links[i].damping == 0) continue;
    const Pair& ends = link_ends_[i];
    const double rate = ends.second.velocity(t, v) - ends.first.velocity(t, v);
    power += parts_.links[i].damping * rate * rate;
  }
  return power;
}

double LineAssembly::power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double power = 0.0;
  for (const int b : forced_) {
    const auto body = static_cast<std::size_t>(b);
    power += forces_[body]->at(t).value * v[first_[body]];
  }
  for (std::size_t i = 0; has_drives_ && i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    const Pair& ends = link_ends_[i];
    const bool at_first = ends.first.drive != nullptr, at_second = ends.second.drive != nullptr;
    if (at_first == at_second) continue;  // none, or nothing that could take up the work
    const double x = elongation(i, t, q);
    const double v1 = ends.first.velocity(t, v), v2 = ends.second.velocity(t, v);
    const double pull = x * (link.stiffness + link.cubic * x * x);
    // The spring moves the free end; the damper takes c (v2 - v1)^2 and passes on the rest.
    power += at_first ? -pull * v2 - link.damping * (v2 - v1) * v1
                      : pull * v1 + link.damping * (v2 - v1) * v2;
  }
  return power;
}

double LineAssembly::gap(std::size_t contact, double t, const Eigen::VectorXd& q) const noexcept {
  return contact_ends_[contact].distance(t, q);
}

void LineAssembly::gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
  for (Eigen::Index i = 0; i < contacts(); ++i) g[i] = gap(static_cast<std::size_t>(i), t, q);
}

void LineAssembly::gaps(double t, const Eigen::VectorXd& q, std::span<const int> contacts,
                        Eigen::VectorXd& g) const {
  for (const int i : contacts) g[i] = gap(static_cast<std::size_t>(i), t, q);
}

void LineAssembly::gap_rates(double t, const Eigen::VectorXd& /*q*/, Eigen::VectorXd& r) const {
  for (std::size_t i = 0; i < contact_ends_.size(); ++i) {
    const Pair& ends = contact_ends_[i];
    r[static_cast<Eigen::Index>(i)] =
        (ends.second.drive != nullptr ? ends.second.drive->at(t).rate : 0.0) -
        (ends.first.drive != nullptr ? ends.first.drive->at(t).rate : 0.0);
  }
}

/// Gaps turn by what is driven only.
void LineAssembly::gap_paces(double t, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v,
                             Eigen::VectorXd& reach, Eigen::VectorXd& turn) const {
  for (std::size_t i = 0; i < contact_ends_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    reach[row] = turn[row] = 0.0;
    for (const End* end : {&contact_ends_[i].first, &contact_ends_[i].second}) {
      if (end->drive == nullptr) {
        reach[row] += std::abs(end->velocity(t, v));
        continue;
      }
      reach[row] += end->drive->pace().speed;
      turn[row] += end->drive->pace().turn;
    }
  }
}

void LineAssembly::gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
  SparseRows rows(contacts(), coordinates());
  gap_gradients(t, q, rows);
  G = rows;
}

void LineAssembly::gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, SparseRows& G) const {
  if (G.nonZeros() > 0) return;  // constant: once is enough
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < contact_ends_.size(); ++i) {
    const auto row = static_cast<int>(i);
    const auto add = [&](const End& end, double sign) {
      for (std::size_t j = 0; j < end.at.size(); ++j)
        entries.emplace_back(row, end.at[j], sign * end.share[j]);
    };
    add(contact_ends_[i].second, 1.0);
    add(contact_ends_[i].first, -1.0);
  }
  G.setFromTriplets(entries.begin(), entries.end());
}

MotionPoint LineAssembly::place(int body, int point, double t, const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v) const {
  const End end = end_of(body, point);
  return {end.offset + end.moved(t, q), end.velocity(t, v), 0.0};
}

double LineAssembly::kinetic_energy(int body, const Eigen::VectorXd& v) const {
  const auto b = static_cast<std::size_t>(body);
  const AssemblyBody& part = parts_.bodies[b];
  if (first_[b] < 0) return 0.0;
  const Eigen::Index own = part.type == BodyType::modal ? part.modal.mode_count() : 1;
  return 0.5 *
         (masses_.segment(first_[b], own).array() * v.segment(first_[b], own).array().square())
             .sum();
}

bool LineAssembly::Dynamics::factor(double shift) {
  factor_ = system_->masses_;
  if (shift == 0.0) return true;
  factor_ += shift * system_->stiffness_;
  for (std::size_t i = 0; i < system_->parts_.links.size(); ++i) {
    const AssemblyLink& link = system_->parts_.links[i];
    const double x = system_->elongation(i, 0.0, q_);
    const double slope = link.stiffness + 3 * link.cubic * x * x;
    for (const End* end : {&system_->link_ends_[i].first, &system_->link_ends_[i].second}) {
      for (std::size_t j = 0; j < end->at.size(); ++j)
        factor_[end->at[j]] += 2 * shift * slope * std::abs(end->share[j]);
    }
  }
  return true;
}

}  // namespace carom
