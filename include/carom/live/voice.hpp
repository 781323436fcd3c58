#pragma once

#include <array>
#include <span>
#include <vector>

#include <carom/steppers/contact_space.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// A body that is played: what a Voice is built from.
struct PlayedBody {
  ModalProblem problem = {};  ///< at rest; `rate` and `compliant` are chosen by the voice
  ShapeMatrix ears = {};      ///< one row for each output
  /// > 0: a string of this length, whose shapes at any place are known, sqrt(2/L) sin(j pi x/L).
  /// 0: places cannot be chosen, except by a row of shapes.
  double string_length = 0.0;
  int hammer = -1;  ///< contact of the hammer, whose mass is the last mode; -1: there is none
};

struct VoiceSettings {
  double rate = 44100.0;  ///< samples of sound per second [Hz], > 0
  int oversampling = 4;   ///< steps per sample, >= 1
  bool velocity = true;   ///< what the ears give: velocity [m/s], or displacement [m]
};

/// The account of a voice [J]: stored + dissipated = injected + gained + residual.
struct VoiceEnergy {
  double stored = 0.0;      ///< in modes, hammer and contacts, now
  double injected = 0.0;    ///< by plucks, strikes, moved obstacles and changed parameters, so far
  double dissipated = 0.0;  ///< in modes and contacts, so far
  double gained = 0.0;      ///< by contacts of restitution < 1, see ContactSpace
  double residual = 0.0;    ///< what is left unexplained: rounding
};

/// A modal body in front of obstacles that is played while it sounds. The scheme is that of
/// ModalPlain, every mode and contact in every step, so the work of a block is the same whatever
/// happens, and everything may change between two blocks.
///
/// Every call but the constructor is noexcept, does not allocate, lock or wait, and takes a bounded
/// time. A change of energy that a call makes is booked as injected; how it comes to be:
/// - A moved obstacle: gaps are kept, the height h runs after its target like a critically damped
///   spring, and in each step p (dh+ + dh)/(2 dt) is booked, the work of the impulse p on it. The
///   contact law sees gap rates alone, so nothing else is added.
/// - New frequencies, dampings or amplitudes: the stored energy before and after.
/// - A pluck or a push: the work of its force, f (w+ + w)/2 at its place.
class Voice {
 public:
  /// Allocates. Throws InvalidInput.
  Voice(const PlayedBody& body, const VoiceSettings& settings);

  /// Adds the next samples to `outs`, one for each ear; all of the same length.
  void process(std::span<const std::span<double>> outs) noexcept;

  /// Shapes at a place of a string, 0..1 of its length, of every mode; zero for the hammer.
  void shapes_at(double place, std::span<double> row) const noexcept;

  /// Pulls at a place until it has moved by about `height` [m] in `seconds`, then lets go. On a
  /// body without places `row` is the only choice.
  void pluck(double place, double height, double seconds = 0.004) noexcept;
  void pluck(std::span<const double> row, double height, double seconds) noexcept;
  /// Sends the hammer against the body [m/s, > 0]; a hammer still in contact is taken away first.
  void strike(double speed) noexcept;
  void strike(double speed, double place) noexcept;  ///< of a string, 0..1
  /// Adds to the body's motion: amplitudes and velocities of all modes.
  void add(std::span<const double> position, std::span<const double> velocity) noexcept;
  /// More damping for all modes [1/s], >= 0; 0: none again.
  void damp(double sigma) noexcept;
  /// Other frequencies, dampings and masses, as many as before (without the hammer's).
  void glide(std::span<const Mode> modes) noexcept;
  /// Where an obstacle shall be: its height [m], and its place on a string, 0..1.
  void move_obstacle(int contact, double height) noexcept;
  void move_obstacle(int contact, double height, double place) noexcept;
  /// What an ear hears from now on: a place of a string, 0..1. The step in the sound is faded.
  void listen(int ear, double place) noexcept;
  /// At rest, nothing touches, the account begins anew. The step in the sound is faded.
  void reset() noexcept;

  VoiceEnergy energy() const noexcept;
  double stored() const noexcept;
  bool silent(double below) const noexcept { return !pulling_ && stored() < below; }
  /// Displacements [m] at points given by rows of shapes, one after another.
  void shape(std::span<const double> rows, std::span<double> out) const noexcept;
  std::span<const double> amplitudes() const noexcept { return {q_.data(), modes_.size()}; }

  int mode_count() const noexcept { return static_cast<int>(modes_.size()); }
  int contact_count() const noexcept { return static_cast<int>(contacts_.size()); }
  int ear_count() const noexcept { return static_cast<int>(ears_.size()); }
  double height(int contact) const noexcept;  ///< of an obstacle now [m]
  double hammer_height() const noexcept;      ///< of the hammer [m]; 0: there is none
  long long steps() const noexcept { return steps_; }
  long long contact_steps() const noexcept { return contact_steps_; }
  const ContactSpace& space() const noexcept { return space_; }

 private:
  static constexpr std::size_t lanes = 4;
  using Row = std::vector<double>;  ///< padded with zeros to whole lanes

  struct Obstacle {
    Row shapes;                     ///< with the sign of its side, as the heights below
    double height = 0, before = 0;  ///< now and a step ago [m]
    double target = 0, rate = 0;    ///< where it goes, and how fast it moves [m/s]
    double sign = 1;
  };
  struct Ear {
    Row shapes;
    double offset = 0, last = 0;  ///< fades a step in what is heard
  };

  void step() noexcept;
  void pull() noexcept;
  void move_obstacles() noexcept;
  void renew_coefficients() noexcept;
  void renew_compliance() noexcept;
  void renew_gaps() noexcept;
  void predict() noexcept;
  void settle(double stored_before) noexcept;
  double heard(const Ear& ear) const noexcept;
  void place(Obstacle& obstacle, std::span<const double> row) noexcept;
  void send_hammer(double speed) noexcept;

  VoiceSettings settings_;
  double dt_, length_;
  int hammer_;
  std::vector<Mode> modes_;
  double damping_ = 0;  ///< added to that of the modes
  Row q_, w_, next_;    ///< q, q - q^-, and that of the next step without impulses
  Row decay_, stiffness_, admittance_, inertia_, elasticity_, loss_;
  std::vector<Obstacle> contacts_;
  std::vector<Ear> ears_;
  ContactSpace space_;
  Eigen::MatrixXd compliance_;
  std::vector<int> ids_;
  std::vector<double> before_, now_, free_, impulse_;
  Row row_;  ///< scratch

  // The force of a pluck.
  Row pull_;
  double pull_force_ = 0, force_ = 0;  ///< its greatest, and that of the present step [N]
  long long pull_step_ = 0, pull_length_ = 0;
  bool pulling_ = false;

  double injected_ = 0, lost_ = 0;  ///< lost_: by the modes
  double gained_ = 0;               ///< by the contacts before the last reset
  long long steps_ = 0, contact_steps_ = 0;
};

}  // namespace carom
