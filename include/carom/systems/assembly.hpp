#pragma once

#include <array>
#include <string>
#include <vector>

#include <carom/systems/modal_body.hpp>
#include <carom/systems/motion.hpp>

namespace carom {

/// A place or a direction in the plane; on a line only x counts.
using Vector2 = std::array<double, 2>;

/// What a body of an assembly is.
enum class BodyType {
  mass,    ///< a point with a mass; in the plane a disc that does not turn
  fixed,   ///< does not move
  driven,  ///< moves as it is told
  modal,   ///< a structure that vibrates about its place; on a line
  disc,    ///< rigid bodies of the plane
  box,
  rod,
};

/// The outline of a body in the plane. A wall is the half plane below its surface, y <= 0 before it
/// is moved and turned.
enum class Outline { disc, box, rod, wall };

struct AssemblyBody {
  std::string name = {};
  BodyType type = BodyType::mass;
  double mass = 1.0;     ///< [kg], > 0, of what is neither fixed nor driven nor modal
  double inertia = 0.0;  ///< about the centre [kg m^2]; 0: that of a homogeneous body
  Vector2 position = {}, velocity = {};  ///< of the centre [m], [m/s]
  double angle = 0.0, spin = 0.0;        ///< [rad], [rad/s]
  Vector2 force = {};                    ///< constant [N]
  Motion varying_force = {};             ///< [N], along `direction`
  Motion motion = {};                    ///< [m] of a driven body about its position, likewise
  Vector2 direction = {0.0, 1.0};        ///< of these two in the plane
  Outline outline = Outline::wall;       ///< of a fixed or driven body in the plane
  double radius = 0.0;                   ///< of a disc; half the thickness of a rod [m]
  double width = 0.0, height = 0.0;      ///< of a box [m]
  double length = 0.0;                   ///< of a rod [m]
  ModalBody modal = {};                  ///< its points are those of the contacts and links
  ModalState modal_start = {};           ///< empty: at rest
};

/// A spring with a damper. On a line its elongation is x_second - x_first - length.
struct AssemblyLink {
  int first = 0, second = 0;              ///< bodies; -1: ground
  double stiffness = 0.0;                 ///< [N/m]
  double damping = 0.0;                   ///< [N s/m]
  double cubic = 0.0;                     ///< [N/m^3]
  double length = 0.0;                    ///< [m]
  Vector2 at_first = {}, at_second = {};  ///< in the frames of the bodies [m], plane only
  int point_first = 0, point_second = 0;  ///< of modal bodies
};

/// Two rigid bodies of the plane share a point about which they turn.
struct AssemblyHinge {
  int first = 0, second = 0;  ///< bodies; -1: ground
  Vector2 at = {};            ///< at the start [m]
  double stiffness = 0.0;     ///< [N m/rad] against turning from the start
  double damping = 0.0;       ///< [N m s/rad]
};

/// Where two bodies can touch. On a line gap = x_second - x_first - distance.
struct AssemblyContact {
  int first = 0, second = 0;  ///< bodies; -1: ground
  double distance = 0.0;      ///< [m]
  bool inside = false;        ///< the first, a disc, moves inside the second, a round hole
  int point_first = 0, point_second = 0;  ///< of modal bodies
};

/// Bodies, what connects them and where they touch: a system described by its parts.
struct Assembly {
  int dimension = 1;     ///< 1: along a line; 2: in the plane
  double gravity = 0.0;  ///< [m/s^2] towards negative x on a line, negative y in the plane
  std::vector<AssemblyBody> bodies = {};
  std::vector<AssemblyLink> links = {};
  std::vector<AssemblyHinge> hinges = {};
  std::vector<AssemblyContact> contacts = {};
};

/// When the motions that are given cease to be smooth [s]: at the points of a curve and at the end
/// of a sweep. A step of high order ends there.
class Breaks {
 public:
  explicit Breaks(const Assembly& parts);
  /// The next one, of forces and of drives that links hang on; `touching`: of the other drives too.
  double after(double t, bool touching) const noexcept;

 private:
  std::vector<double> of_forces_, of_obstacles_;  ///< ascending
};

inline bool moves_freely(const AssemblyBody& body) noexcept {
  return body.type != BodyType::fixed && body.type != BodyType::driven;
}

}  // namespace carom
