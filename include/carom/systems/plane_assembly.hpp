#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include <carom/systems/assembly.hpp>
#include <carom/systems/outline.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

/// An assembly in the plane as a system with gaps. Bodies that are joined by hinges form trees; the
/// coordinates of a tree are the place of its first body, unless that is held by the ground, and
/// the angle of each: hinges hold exactly. A body's centre is then
///   x = base + sum_k R(angle_k) d_k,
/// and its velocity, Jacobian and Coriolis terms follow from the same sum.
///
/// A contact between two outlines is one gap for each feature (corner, end, centre) of one body
/// against the outline of the other; contact_of() says which contact a gap belongs to. The gap is
/// the signed distance: its gradient is the normal, exactly, at any compression.
class PlaneAssembly {
 public:
  explicit PlaneAssembly(Assembly assembly);

  const Assembly& parts() const noexcept { return parts_; }
  MotionState start() const { return start_; }

  int coordinates() const { return coordinates_; }
  int contacts() const { return static_cast<int>(points_.size()); }
  int contact_of(int gap) const { return points_[static_cast<std::size_t>(gap)].contact; }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, SparseRows& G) const;
  bool has_gap_rates() const { return has_drives_; }
  void gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const;
  bool has_gap_paces() const { return true; }
  void gap_paces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                 Eigen::VectorXd& reach, Eigen::VectorXd& turn) const;
  double dissipation(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  double power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  double next_break(double t, bool touching) const noexcept { return breaks_.after(t, touching); }

  /// Velocity of the first body along the tangent relative to the second, at the touching point:
  /// the rows T of u = T v + slip_rates.
  void tangents(double t, const Eigen::VectorXd& q, SparseRows& T) const;
  void slip_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const;

  /// The centre of a body, its angle, and how fast they change.
  struct Pose {
    Eigen::Vector2d place = Eigen::Vector2d::Zero(), velocity = Eigen::Vector2d::Zero();
    double angle = 0.0, spin = 0.0;
  };
  Pose pose(int body, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  double kinetic_energy(int body, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

 private:
  struct Arm {
    int angle;          ///< coordinate
    Eigen::Vector2d d;  ///< in the frame that turns with it [m]
  };
  /// How a body depends on the coordinates.
  struct Kinematics {
    int base = -1;  ///< coordinate of x; y is the next. -1: `fixed`
    Eigen::Vector2d fixed = Eigen::Vector2d::Zero();
    std::vector<Arm> arms = {};
    int angle = -1;  ///< coordinate; -1: `fixed_angle`
    double fixed_angle = 0.0;
    std::shared_ptr<const MotionCurve> drive = {}, force = {};
    double mass = 0.0, inertia = 0.0;
  };
  struct ContactPoint {
    int contact = 0;
    int body = -1;  ///< with the feature; -1: ground
    Feature feature = {};
    int other = -1;  ///< with the outline
    Outline outline = Outline::wall;
    bool hole = false;
  };
  /// Where a contact point is, in the world.
  struct Touching {
    double gap = 0.0;
    Eigen::Vector2d normal = Eigen::Vector2d::Zero(), centre = Eigen::Vector2d::Zero(),
                    place = Eigen::Vector2d::Zero();
  };

  const AssemblyBody& part(int body) const;
  Eigen::Vector2d place_of(const Kinematics& k, double t, const Eigen::VectorXd& q) const;
  double angle_of(const Kinematics& k, const Eigen::VectorXd& q) const;
  Eigen::Vector2d velocity_of(const Kinematics& k, double t, const Eigen::VectorXd& q,
                              const Eigen::VectorXd& v) const;
  Eigen::Vector2d drive_rate(int body, double t) const;
  /// Adds direction . (velocity of a world point of a body) as a row over the coordinates.
  template <class Add>
  void add_row(int body, const Eigen::VectorXd& q, const Eigen::Vector2d& place,
               const Eigen::Vector2d& direction, double sign, const Add& add) const;
  Touching touching(const ContactPoint& point, double t, const Eigen::VectorXd& q) const;
  Eigen::Vector2d link_end(int body, const Vector2& at, double t, const Eigen::VectorXd& q) const;
  struct LinkNow {
    Eigen::Vector2d first, second, direction;
    double elongation = 0.0, rate = 0.0;
  };
  LinkNow link_now(std::size_t link, double t, const Eigen::VectorXd& q,
                   const Eigen::VectorXd& v) const;
  void push(int body, const Eigen::VectorXd& q, const Eigen::Vector2d& place,
            const Eigen::Vector2d& force, Eigen::VectorXd& f) const;
  void build_trees();
  void build_contacts();

  Assembly parts_;
  Breaks breaks_;
  AssemblyBody ground_{.name = "ground", .type = BodyType::fixed};
  Kinematics ground_kinematics_;
  std::vector<Kinematics> bodies_;
  std::vector<ContactPoint> points_;
  std::vector<double> link_lengths_;
  std::vector<double> hinge_angles_;  ///< of second against first at the start
  MotionState start_;
  int coordinates_ = 0;
  bool has_drives_ = false, has_forces_ = false;
};

}  // namespace carom
