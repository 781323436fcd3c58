#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/systems/plane_assembly.hpp>

namespace carom {

static_assert(SystemWithGaps<PlaneAssembly>);

namespace {

Eigen::Vector2d turned(const Eigen::Vector2d& d, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * d.x() - s * d.y(), s * d.x() + c * d.y()};
}
/// A quarter turn counter-clockwise: d(R d)/d angle.
Eigen::Vector2d across(const Eigen::Vector2d& d) { return {-d.y(), d.x()}; }

Eigen::Vector2d vector(const Vector2& v) { return {v[0], v[1]}; }

/// Of a homogeneous body about its centre [kg m^2]; a rod with rounded ends counts as thin.
double homogeneous_inertia(const AssemblyBody& body) {
  const double m = body.mass;
  switch (body.outline) {
    case Outline::disc:
      return 0.5 * m * body.radius * body.radius;
    case Outline::box:
      return m * (body.width * body.width + body.height * body.height) / 12;
    case Outline::rod:
      return m * body.length * body.length / 12;
    case Outline::wall:
      break;
  }
  throw InvalidInput("body '" + body.name + "': a wall does not move");
}

}  // namespace

PlaneAssembly::PlaneAssembly(Assembly assembly) : parts_(std::move(assembly)), breaks_(parts_) {
  for (const AssemblyBody& body : parts_.bodies) {
    Kinematics k;
    const auto curve = [](const Motion& motion) {
      return std::make_shared<const MotionCurve>(motion);
    };
    if (body.type == BodyType::modal)
      throw InvalidInput("body '" + body.name + "': structures vibrate on a line");
    if (moves_freely(body)) {
      require_positive("mass", body.mass);
      k.mass = body.mass;
      if (body.type != BodyType::mass)
        k.inertia = body.inertia > 0 ? body.inertia : homogeneous_inertia(body);
      if (body.type != BodyType::mass && !(k.inertia > 0))
        throw InvalidInput("body '" + body.name + "': its inertia must be > 0");
      if (body.varying_force != Motion{}) k.force = curve(body.varying_force);
      has_forces_ = has_forces_ || k.force != nullptr;
    } else {
      k.fixed = vector(body.position);
      k.fixed_angle = body.angle;
      if (body.type == BodyType::driven) k.drive = curve(body.motion);
      has_drives_ = has_drives_ || k.drive != nullptr;
    }
    bodies_.push_back(std::move(k));
  }
  build_trees();
  build_contacts();
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(coordinates_);
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    const Eigen::Vector2d apart = link_end(link.second, link.at_second, 0.0, start_.q) -
                                  link_end(link.first, link.at_first, 0.0, start_.q);
    link_lengths_.push_back(link.length >= 0 ? link.length : apart.norm());
  }
  for (const AssemblyHinge& hinge : parts_.hinges)
    hinge_angles_.push_back(pose(hinge.second, 0.0, start_.q, none).angle -
                            pose(hinge.first, 0.0, start_.q, none).angle);
}

const AssemblyBody& PlaneAssembly::part(int body) const {
  return body < 0 ? ground_ : parts_.bodies[static_cast<std::size_t>(body)];
}

/// Coordinates of all bodies: trees of hinges grow from what is fixed, then from the first body of
/// each group that is not.
void PlaneAssembly::build_trees() {
  const std::size_t count = parts_.bodies.size();
  std::vector<char> placed(count, 0);
  std::vector<char> used(parts_.hinges.size(), 0);
  std::vector<double> q, v;
  const auto coordinate = [&](double at, double rate) {
    q.push_back(at);
    v.push_back(rate);
    return static_cast<int>(q.size()) - 1;
  };
  const auto is_placed = [&](int body) {
    return body < 0 || placed[static_cast<std::size_t>(body)];
  };
  for (std::size_t b = 0; b < count; ++b) placed[b] = moves_freely(parts_.bodies[b]) ? 0 : 1;

  const auto grow = [&] {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t h = 0; h < parts_.hinges.size(); ++h) {
        const AssemblyHinge& hinge = parts_.hinges[h];
        const bool first = is_placed(hinge.first), second = is_placed(hinge.second);
        if (used[h] || (!first && !second)) continue;
        used[h] = 1;
        if (first && second)
          throw InvalidInput("hinge " + std::to_string(h + 1) + " between '" +
                             part(hinge.first).name + "' and '" + part(hinge.second).name +
                             "' closes a loop: hinges must form trees");
        const int parent = first ? hinge.first : hinge.second;
        const int child = first ? hinge.second : hinge.first;
        const auto c = static_cast<std::size_t>(child);
        const AssemblyBody& body = parts_.bodies[c];
        Kinematics& k = bodies_[c];
        const Kinematics& p =
            parent < 0 ? ground_kinematics_ : bodies_[static_cast<std::size_t>(parent)];
        const AssemblyBody& holder = part(parent);
        k.base = p.base;
        k.fixed = p.fixed;
        k.arms = p.arms;
        if (p.angle >= 0) {
          k.arms.push_back(
              {p.angle, turned(vector(hinge.at) - vector(holder.position), -holder.angle)});
        } else {
          k.fixed = vector(hinge.at);
        }
        k.angle = coordinate(body.angle, body.spin);
        k.arms.push_back({k.angle, turned(vector(body.position) - vector(hinge.at), -body.angle)});
        placed[c] = 1;
        more = true;
      }
    }
  };
  grow();
  for (std::size_t b = 0; b < count; ++b) {
    if (placed[b]) continue;
    const AssemblyBody& body = parts_.bodies[b];
    Kinematics& k = bodies_[b];
    k.base = coordinate(body.position[0], body.velocity[0]);
    coordinate(body.position[1], body.velocity[1]);
    if (body.type != BodyType::mass) k.angle = coordinate(body.angle, body.spin);
    placed[b] = 1;
    grow();
  }
  coordinates_ = static_cast<int>(q.size());
  start_.q = Eigen::Map<const Eigen::VectorXd>(q.data(), coordinates_);
  start_.v = Eigen::Map<const Eigen::VectorXd>(v.data(), coordinates_);
}

void PlaneAssembly::build_contacts() {
  for (std::size_t c = 0; c < parts_.contacts.size(); ++c) {
    const AssemblyContact& contact = parts_.contacts[c];
    const AssemblyBody &first = part(contact.first), &second = part(contact.second);
    const auto add = [&](int body, int other) {
      for (const Feature& feature : features(part(body), part(body).outline)) {
        points_.push_back({.contact = static_cast<int>(c),
                           .body = body,
                           .feature = feature,
                           .other = other,
                           .outline = part(other).outline,
                           .hole = contact.inside});
      }
    };
    if (contact.inside) {
      if (first.outline != Outline::disc || second.outline != Outline::disc)
        throw InvalidInput("contact between '" + first.name + "' and '" + second.name +
                           "': inside needs two discs");
      add(contact.first, contact.second);
      continue;
    }
    // A disc has but its centre, which faces any outline; corners and ends face each other's.
    const bool first_round = first.outline == Outline::disc;
    const bool second_round = second.outline == Outline::disc;
    if (first.outline == Outline::wall && second.outline == Outline::wall)
      throw InvalidInput("contact between '" + first.name + "' and '" + second.name +
                         "': two walls do not touch");
    if (!second_round) add(contact.first, contact.second);
    if (second_round || !first_round) add(contact.second, contact.first);
  }
}

double PlaneAssembly::angle_of(const Kinematics& k, const Eigen::VectorXd& q) const {
  return k.angle >= 0 ? q[k.angle] : k.fixed_angle;
}

Eigen::Vector2d PlaneAssembly::drive_rate(int body, double t) const {
  if (body < 0) return Eigen::Vector2d::Zero();
  const Kinematics& k = bodies_[static_cast<std::size_t>(body)];
  if (k.drive == nullptr) return Eigen::Vector2d::Zero();
  return k.drive->at(t).rate * vector(part(body).direction);
}

Eigen::Vector2d PlaneAssembly::place_of(const Kinematics& k, double t,
                                        const Eigen::VectorXd& q) const {
  Eigen::Vector2d place = k.base >= 0 ? Eigen::Vector2d(q[k.base], q[k.base + 1]) : k.fixed;
  for (const Arm& arm : k.arms) place += turned(arm.d, q[arm.angle]);
  if (k.drive != nullptr) {
    const auto body = static_cast<std::size_t>(&k - bodies_.data());
    place += k.drive->at(t).value * vector(parts_.bodies[body].direction);
  }
  return place;
}

Eigen::Vector2d PlaneAssembly::velocity_of(const Kinematics& k, double t, const Eigen::VectorXd& q,
                                           const Eigen::VectorXd& v) const {
  Eigen::Vector2d velocity = k.base >= 0 ? Eigen::Vector2d(v[k.base], v[k.base + 1])
                                         : Eigen::Vector2d(Eigen::Vector2d::Zero());
  for (const Arm& arm : k.arms) velocity += v[arm.angle] * across(turned(arm.d, q[arm.angle]));
  if (k.drive != nullptr) velocity += drive_rate(static_cast<int>(&k - bodies_.data()), t);
  return velocity;
}

PlaneAssembly::Pose PlaneAssembly::pose(int body, double t, const Eigen::VectorXd& q,
                                        const Eigen::VectorXd& v) const {
  if (body < 0) return {};
  const Kinematics& k = bodies_[static_cast<std::size_t>(body)];
  return {place_of(k, t, q), velocity_of(k, t, q, v), angle_of(k, q),
          k.angle >= 0 ? v[k.angle] : 0.0};
}

template <class Add>
void PlaneAssembly::add_row(int body, const Eigen::VectorXd& q, const Eigen::Vector2d& place,
                            const Eigen::Vector2d& direction, double sign, const Add& add) const {
  if (body < 0) return;
  const Kinematics& k = bodies_[static_cast<std::size_t>(body)];
  if (k.base >= 0) {
    add(k.base, sign * direction.x());
    add(k.base + 1, sign * direction.y());
  }
  // A point that turns with its own body is at the end of one more arm.
  for (const Arm& arm : k.arms)
    add(arm.angle, sign * direction.dot(across(turned(arm.d, q[arm.angle]))));
  if (k.angle >= 0) {
    const Eigen::Vector2d from_centre = place - place_of(k, 0.0, q);
    add(k.angle, sign * direction.dot(across(from_centre)));
  }
}

void PlaneAssembly::mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const {
  M.setZero();
  std::vector<std::pair<int, Eigen::Vector2d>> columns;
  for (const Kinematics& k : bodies_) {
    if (k.mass == 0) continue;
    columns.clear();
    if (k.base >= 0) {
      columns.emplace_back(k.base, Eigen::Vector2d(1, 0));
      columns.emplace_back(k.base + 1, Eigen::Vector2d(0, 1));
    }
    for (const Arm& arm : k.arms)
      columns.emplace_back(arm.angle, across(turned(arm.d, q[arm.angle])));
    for (const auto& [i, a] : columns) {
      for (const auto& [j, b] : columns) M(i, j) += k.mass * a.dot(b);
    }
    if (k.angle >= 0) M(k.angle, k.angle) += k.inertia;
  }
}

void PlaneAssembly::push(int body, const Eigen::VectorXd& q, const Eigen::Vector2d& place,
                         const Eigen::Vector2d& force, Eigen::VectorXd& f) const {
  add_row(body, q, place, force, 1.0, [&](int i, double value) { f[i] += value; });
}

Eigen::Vector2d PlaneAssembly::link_end(int body, const Vector2& at, double t,
                                        const Eigen::VectorXd& q) const {
  if (body < 0) return vector(at);
  const Kinematics& k = bodies_[static_cast<std::size_t>(body)];
  return place_of(k, t, q) + turned(vector(at), angle_of(k, q));
}

PlaneAssembly::LinkNow PlaneAssembly::link_now(std::size_t i, double t, const Eigen::VectorXd& q,
                                               const Eigen::VectorXd& v) const {
  const AssemblyLink& link = parts_.links[i];
  LinkNow now;
  now.first = link_end(link.first, link.at_first, t, q);
  now.second = link_end(link.second, link.at_second, t, q);
  const Eigen::Vector2d apart = now.second - now.first;
  const double length = apart.norm();
  now.direction = length > 0 ? Eigen::Vector2d(apart / length) : Eigen::Vector2d(0.0, 1.0);
  now.elongation = length - link_lengths_[i];
  const auto along = [&](int body, const Eigen::Vector2d& place) {
    double u = now.direction.dot(drive_rate(body, t));
    add_row(body, q, place, now.direction, 1.0, [&](int j, double value) { u += value * v[j]; });
    return u;
  };
  now.rate = along(link.second, now.second) - along(link.first, now.first);
  return now;
}

void PlaneAssembly::force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          Eigen::VectorXd& f) const {
  f.setZero();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Kinematics& k = bodies_[b];
    if (k.mass == 0) continue;
    const AssemblyBody& body = parts_.bodies[b];
    Eigen::Vector2d total = vector(body.force) - Eigen::Vector2d(0, k.mass * parts_.gravity);
    if (k.force != nullptr) total += k.force->at(t).value * vector(body.direction);
    // M v' = J^T (F - m J' v): each arm that turns pulls its end inwards.
    for (const Arm& arm : k.arms)
      total += k.mass * v[arm.angle] * v[arm.angle] * turned(arm.d, q[arm.angle]);
    if (k.base >= 0) f.segment<2>(k.base) += total;
    for (const Arm& arm : k.arms) f[arm.angle] += total.dot(across(turned(arm.d, q[arm.angle])));
  }
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    const LinkNow now = link_now(i, t, q, v);
    const double x = now.elongation;
    const Eigen::Vector2d pull =
        (x * (link.stiffness + link.cubic * x * x) + link.damping * now.rate) * now.direction;
    push(link.first, q, now.first, pull, f);
    push(link.second, q, now.second, -pull, f);
  }
  for (std::size_t i = 0; i < parts_.hinges.size(); ++i) {
    const AssemblyHinge& hinge = parts_.hinges[i];
    const Pose first = pose(hinge.first, t, q, v), second = pose(hinge.second, t, q, v);
    const double torque = hinge.stiffness * (second.angle - first.angle - hinge_angles_[i]) +
                          hinge.damping * (second.spin - first.spin);
    const auto turn = [&](int body, double by) {
      if (body >= 0 && bodies_[static_cast<std::size_t>(body)].angle >= 0)
        f[bodies_[static_cast<std::size_t>(body)].angle] += by;
    };
    turn(hinge.first, torque);
    turn(hinge.second, -torque);
  }
}

double PlaneAssembly::potential_energy(const Eigen::VectorXd& q) const {
  double energy = 0.0;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Kinematics& k = bodies_[b];
    if (k.mass == 0) continue;
    const Eigen::Vector2d place = place_of(k, 0.0, q);
    energy += k.mass * parts_.gravity * place.y() - vector(parts_.bodies[b].force).dot(place);
  }
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(coordinates_);
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    if (part(link.first).type == BodyType::driven || part(link.second).type == BodyType::driven)
      continue;  // belongs to the drive, as in LineAssembly
    const double square = std::pow(link_now(i, 0.0, q, still).elongation, 2);
    energy += square * (0.5 * link.stiffness + 0.25 * link.cubic * square);
  }
  for (std::size_t i = 0; i < parts_.hinges.size(); ++i) {
    const AssemblyHinge& hinge = parts_.hinges[i];
    const double turn = pose(hinge.second, 0.0, q, still).angle -
                        pose(hinge.first, 0.0, q, still).angle - hinge_angles_[i];
    energy += 0.5 * hinge.stiffness * turn * turn;
  }
  return energy;
}

double PlaneAssembly::dissipation(double t, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v) const {
  double power = 0.0;
  for (std::size_t i = 0; i < parts_.links.size(); ++i) {
    if (parts_.links[i].damping > 0)
      power += parts_.links[i].damping * std::pow(link_now(i, t, q, v).rate, 2);
  }
  for (const AssemblyHinge& hinge : parts_.hinges) {
    if (hinge.damping > 0)
      power += hinge.damping *
               std::pow(pose(hinge.second, t, q, v).spin - pose(hinge.first, t, q, v).spin, 2);
  }
  return power;
}

double PlaneAssembly::power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  double power = 0.0;
  for (std::size_t b = 0; has_forces_ && b < bodies_.size(); ++b) {
    const Kinematics& k = bodies_[b];
    if (k.force == nullptr) continue;
    power += k.force->at(t).value * vector(parts_.bodies[b].direction).dot(velocity_of(k, t, q, v));
  }
  for (std::size_t i = 0; has_drives_ && i < parts_.links.size(); ++i) {
    const AssemblyLink& link = parts_.links[i];
    const bool at_first = part(link.first).type == BodyType::driven,
               at_second = part(link.second).type == BodyType::driven;
    if (at_first == at_second) continue;
    const LinkNow now = link_now(i, t, q, v);
    const double x = now.elongation, pull = x * (link.stiffness + link.cubic * x * x);
    const double drive = now.direction.dot(drive_rate(at_first ? link.first : link.second, t));
    // Of the free end: v2 = rate + v1, v1 = v2 - rate.
    power += at_first ? -pull * (now.rate + drive) - link.damping * now.rate * drive
                      : pull * (drive - now.rate) + link.damping * now.rate * drive;
  }
  return power;
}

PlaneAssembly::Touching PlaneAssembly::touching(const ContactPoint& point, double t,
                                                const Eigen::VectorXd& q) const {
  const auto kinematics = [&](int body) -> const Kinematics& {
    return body < 0 ? ground_kinematics_ : bodies_[static_cast<std::size_t>(body)];
  };
  const Kinematics &mine = kinematics(point.body), &theirs = kinematics(point.other);
  Touching now;
  now.centre = place_of(mine, t, q) + turned(point.feature.place, angle_of(mine, q));
  const double angle = angle_of(theirs, q);
  const Eigen::Vector2d local = turned(now.centre - place_of(theirs, t, q), -angle);
  const AssemblyBody& other = part(point.other);
  const Nearest near =
      point.hole ? nearest_in_hole(other, local) : nearest(other, point.outline, local);
  now.gap = near.distance - point.feature.radius;
  now.normal = turned(near.normal, angle);
  now.place = now.centre - point.feature.radius * now.normal;
  return now;
}

void PlaneAssembly::gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
  for (std::size_t i = 0; i < points_.size(); ++i)
    g[static_cast<Eigen::Index>(i)] = touching(points_[i], t, q).gap;
}

void PlaneAssembly::gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
  SparseRows rows(contacts(), coordinates());
  gap_gradients(t, q, rows);
  G = rows;
}

void PlaneAssembly::gap_gradients(double t, const Eigen::VectorXd& q, SparseRows& G) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ContactPoint& point = points_[i];
    const Touching now = touching(point, t, q);
    const auto add = [&](int j, double value) {
      entries.emplace_back(static_cast<int>(i), j, value);
    };
    // The distance grows as the centre of the feature moves along the normal in the other's frame.
    add_row(point.body, q, now.centre, now.normal, 1.0, add);
    add_row(point.other, q, now.centre, now.normal, -1.0, add);
  }
  G.setFromTriplets(entries.begin(), entries.end());
}

void PlaneAssembly::gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ContactPoint& point = points_[i];
    r[static_cast<Eigen::Index>(i)] =
        touching(point, t, q).normal.dot(drive_rate(point.body, t) - drive_rate(point.other, t));
  }
}

/// A gap turns as fast as bodies pass what is round, and as they, their arms and their drives turn.
void PlaneAssembly::gap_paces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              Eigen::VectorXd& reach, Eigen::VectorXd& turn) const {
  constexpr double sharp = 0.05;  // of the size of a body: how much of a corner may be missed
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ContactPoint& point = points_[i];
    const AssemblyBody& other = part(point.other);
    const Pose mine = pose(point.body, t, q, v), theirs = pose(point.other, t, q, v);
    const Touching now = touching(point, t, q);
    const Eigen::Vector2d relative = mine.velocity - theirs.velocity;
    const double lever = std::hypot(point.feature.place[0], point.feature.place[1]);
    bool guided = false;
    double speed = 0.0, rate = 0.0;
    for (const int body : {point.body, point.other}) {
      if (body < 0) continue;
      const Kinematics& k = bodies_[static_cast<std::size_t>(body)];
      for (const Arm& arm : k.arms) rate += std::abs(v[arm.angle]);
      guided = guided || !k.arms.empty();
      if (k.drive == nullptr) continue;
      speed += k.drive->pace().speed;
      rate += k.drive->pace().turn;
    }
    const bool flat = point.outline == Outline::wall;
    speed += flat && !guided ? std::abs(now.normal.dot(relative)) : relative.norm();
    if (lever > 0) {
      speed += std::abs(mine.spin) * lever;
      rate += std::abs(mine.spin);
    }
    if (point.outline == Outline::box || point.outline == Outline::rod) {
      speed += std::abs(theirs.spin) * (now.centre - theirs.place).norm();
      rate += std::abs(theirs.spin);
    }
    if (!flat) {
      double radius =
          point.hole ? other.radius - point.feature.radius : other.radius + point.feature.radius;
      if (!(radius > 0)) {
        radius = sharp * (point.outline == Outline::box ? std::min(other.width, other.height)
                                                        : other.length + other.radius);
      }
      rate += speed / radius;
    }
    reach[static_cast<Eigen::Index>(i)] = speed;
    turn[static_cast<Eigen::Index>(i)] = rate;
  }
}

void PlaneAssembly::tangents(double t, const Eigen::VectorXd& q, SparseRows& T) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ContactPoint& point = points_[i];
    const Touching now = touching(point, t, q);
    const Eigen::Vector2d tangent = across(now.normal);
    const auto add = [&](int j, double value) {
      entries.emplace_back(static_cast<int>(i), j, value);
    };
    add_row(point.body, q, now.place, tangent, 1.0, add);
    add_row(point.other, q, now.place, tangent, -1.0, add);
  }
  T.setFromTriplets(entries.begin(), entries.end());
}

void PlaneAssembly::slip_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ContactPoint& point = points_[i];
    r[static_cast<Eigen::Index>(i)] =
        across(touching(point, t, q).normal)
            .dot(drive_rate(point.body, t) - drive_rate(point.other, t));
  }
}

double PlaneAssembly::kinetic_energy(int body, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& v) const {
  if (body < 0) return 0.0;
  const Kinematics& k = bodies_[static_cast<std::size_t>(body)];
  if (k.mass == 0) return 0.0;
  const Pose now = pose(body, 0.0, q, v);
  return 0.5 * (k.mass * now.velocity.squaredNorm() + k.inertia * now.spin * now.spin);
}

}  // namespace carom
