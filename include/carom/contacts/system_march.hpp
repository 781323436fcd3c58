#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/QR>

#include <carom/contacts/collocation.hpp>
#include <carom/contacts/contact.hpp>
#include <carom/contacts/gap_rows.hpp>
#include <carom/contacts/pace.hpp>
#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/impact/impact.hpp>
#include <carom/nonsmooth/impact_problem.hpp>
#include <carom/systems/any_system.hpp>

namespace carom {

/// How a SystemMarch takes a step.
enum class SystemScheme {
  collocation,  ///< Gauss collocation with steps of the motion's own size
  rk4,          ///< one step a sample, cut at events: the classical methods
  heun,
  verlet,
  trapezoid,
};

struct SystemMarchSettings {
  SystemScheme scheme = SystemScheme::collocation;
  double rate = 44100.0;      ///< samples per second [Hz], > 0
  double tolerance = 1e-12;   ///< of the velocities in one step of collocation; at most 1e-10
  bool closes_energy = true;  ///< passive; of collocation only
  double end = std::numeric_limits<double>::infinity();  ///< no step goes beyond [s]
  /// The law of the next impact, chosen when it begins: published damping formulas depend on the
  /// closing speed and the effective mass. Empty: the contacts' own.
  std::function<LawChoice(int contact, const Collision&)> law_of_impact = {};
  ImpactLaw impact_law = ImpactLaw::newton;  ///< where contacts without duration meet
  std::vector<double> friction = {};         ///< Coulomb's, of each contact; empty: none
  /// Of the tangential spring of each compliant contact with friction [N/m]; empty or 0: 0.82 (2 (1
  /// - nu)/(2 - nu) at nu = 0.3) of the mean normal stiffness of the impact, 2 V(L)/L^2 at its
  /// length.
  std::vector<double> tangential_stiffness = {};
};

/// An impact of a system that has ended.
struct SystemImpact {
  int contact = 0;
  ImpactRecord record = {};     ///< speeds along the normal
  double effective_mass = 0.0;  ///< 1/(G M^-1 G^T) at first touch [kg]
  double impulse = 0.0;         ///< [N s]
  MotionState before, after;    ///< at first touch and at release
  void archive(Archive& state) {
    state(contact, record, effective_mass, impulse, before.q, before.v, after.q, after.v);
  }
};

enum class MarchStatus {
  going,
  at_rest,            ///< nothing moves any more and no force will move it
  sustained_contact,  ///< Newton's law with friction and a body that stays on: not stepped
  not_converged,      ///< a step could not be made as small as the tolerance asks for
  not_finite,         ///< steps of fixed length were too long for the motion
};

/// Contacts of any system with gaps, each with a law of its own (Newton's included: an impact that
/// takes no time), stepped by collocation of the accelerations or by a classical method. The state
/// machine is ContactState's; steps end on events, samples are read in between.
///
/// Collocation takes the accelerations at ten Gauss nodes for unknowns,
///   q = q0 + t v0 + h^2 place a,  v = v0 + h rate a,  M(q) a = f(t, q, v) + sum G_i^T F_i,
/// by fixed-point sweeps, in which the contact forces are corrected by Newton's method in contact
/// space where they are too stiff for it. Passive closes the energy of each step as ContactMarch
/// does: E1 = E0 - D + work, D >= 0 what contacts and the system's own dampers take.
///
/// Friction of a compliant contact is a tangential spring s that follows the sliding speed u, s' =
/// u, while k_t |s| <= mu F_n, and slips, k_t |s| = mu F_n, beyond. It stores k_t s^2/2; what the
/// slip u - s' takes, k_t s (u - s'), is never negative. Both are phases that end on events.
class SystemMarch {
 public:
  SystemMarch(AnySystem system, std::vector<LawChoice> laws, Surface surface,
              const MotionState& start, const SystemMarchSettings& settings);

  /// To the next sample, or a bounded number of internal steps towards it: then sampled() is false.
  void step();
  bool sampled() const noexcept { return sampled_; }

  double time() const noexcept { return now_.t; }
  const Ledger& ledger() const noexcept { return ledger_; }  ///< to the end of the last step
  /// The ledger at the present sample, which lies within the last step: what has been injected by
  /// the polynomial of the step, what has been dissipated by the balance.
  Ledger ledger_now() const;
  const Eigen::VectorXd& position() const noexcept { return now_.q; }
  const Eigen::VectorXd& velocity() const noexcept { return now_.v; }
  double compression(int contact) const;  ///< now [m], > 0 in contact
  double force(int contact) const;        ///< now [N]
  double impulse(int contact) const noexcept { return impulse_now_[index(contact)]; }  ///< [N s]
  double impulse() const noexcept;  ///< of all contacts so far [N s]
  double kinetic_energy() const;    ///< now [J]
  double stored_energy() const;     ///< now, kinetic and all others [J]
  Phase phase(int contact) const noexcept { return contacts_[index(contact)].state.phase(); }
  /// The impacts that ended since the last sample, in order.
  std::span<const SystemImpact> finished() const noexcept { return finished_; }
  MarchStatus status() const noexcept { return status_; }
  bool passive() const noexcept {
    return settings_.scheme == SystemScheme::collocation && settings_.closes_energy;
  }
  long long steps() const noexcept { return steps_; }
  /// Closes the ledger at the present sample.
  void finish();
  void archive(Archive& state);

 private:
  static constexpr int S = Collocation::nodes;

  /// The tangential spring of a compliant contact.
  struct Friction {
    double coefficient = 0.0, given = 0.0;  ///< mu; k_t that was asked for [N/m]
    double stiffness = 0.0;                 ///< k_t of the contact under way [N/m]; 0: none
    int slides = 0;                         ///< towards this side; 0: it sticks
    void archive(Archive& a) {
      a(stiffness, slides);
      a.require(stiffness >= 0 && slides >= -1 && slides <= 1);
    }
  };
  /// One contact with all that changes.
  struct Touch {
    LawChoice law;
    Contact contact;  ///< the compliant law in force
    ContactState state;
    double side = 1.0;                  ///< of a two-sided gap
    double length = 0.0, period = 0.0;  ///< scales of the contact under way
    double reach = 0.0;  ///< speed of the coordinates that stopping it takes, over its own
    Collision collision{1.0, 0.0};  ///< at the last touch
    double restitution = 0.0;       ///< of the last impact without duration
    bool decays = true;             ///< it was struck more slowly than the last time
    bool ghost = false;      ///< inside where it cannot touch: apart until it is outside again
    bool asleep = false;     ///< moves and is compressed by no more than errors: no force
    std::int64_t steps = 0;  ///< that it has pressed in since it was struck
    std::array<double, 2> piece = {};  ///< compressions between which its force is smooth now [m]
    Friction friction;
    SystemImpact impact;
    void archive(Archive& a) {
      a(state, side, length, period, reach, collision, restitution, decays, ghost, asleep, steps,
        friction, impact);
      a.require(steps >= 0);
    }
  };
  static bool is_newton(const Touch& touch) noexcept {
    return std::holds_alternative<NewtonRestitution>(touch.law);
  }
  struct Moment {
    double t = 0.0;
    Eigen::VectorXd q, v;
    std::vector<double> spring = {};  ///< of each contact where they have friction [m]
    void archive(Archive& state) { state(t, q, v, spring); }
  };
  /// What the equations of motion say at one instant.
  struct Point {
    Eigen::VectorXd q, v, a;
    std::vector<double> x, r, f, lost, target;  ///< per contact; target: the law's own force
    std::vector<double> moved;                  ///< dx/dt by the gap's own motion
    std::vector<double> slip, carried, spring;  ///< u, its part by moving obstacles, s
    double dissipation = 0.0, power = 0.0;
  };
  /// The present sample, read when it is asked for.
  struct Reading {
    bool known = false;
    Point point;
    double kinetic = 0.0, stored = 0.0;
  };
  struct Event {
    int contact = -1, guard = 0;
  };
  struct Leaving {
    int contact = -1;
    double after = std::numeric_limits<double>::infinity();  ///< [s]
  };
  /// Contacts without duration that are held closed, and how they resist: W = G M^-1 G^T.
  struct Held {
    std::vector<int> contacts;
    Eigen::MatrixXd images;  ///< M^-1 G^T
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    void read(const SystemMarch& march);
    Eigen::VectorXd multipliers(const Eigen::VectorXd& rates) const;
  };
  struct Group {
    std::vector<int> moving, seen, near;  ///< coordinates, these and what they face; contacts
  };
  /// Who takes part in a step: bodies between contacts that press. The others move by themselves,
  /// at a constant acceleration, until a contact of theirs closes; they cost nothing, so that a
  /// wave along a chain costs the same wherever it is. Of systems that are no SystemOfParts
  /// everything takes part.
  struct Parts : Group {
    bool local = false;
    std::vector<char> idle;                     ///< of each coordinate
    std::vector<double> wakes;                  ///< when a contact between idle ones closes [s]
    double until = 0.0, energy = 0.0;           ///< the first of these; of the idle ones [J]
    std::vector<std::vector<int>> contacts_of;  ///< of each coordinate
    Eigen::VectorXd steady;                     ///< accelerations without contacts
    std::vector<char> scratch;
    void archive(Archive& state) { state(idle, wakes, energy); }
  };
  /// The step that was tried last from the same beginning; h = 0: none.
  struct Tried {
    double h = 0.0;
    ClockKind clock = ClockKind::plain;
    int power = 1;
    bool stiff = false;  ///< contact forces had to be corrected by Newton's method
  };
  struct Work {
    double dissipated = 0.0, injected = 0.0;
  };

  static constexpr int turned = 1;  ///< guard of a ghost: it turns round before it is outside
  /// Guards after the contact's own: of friction, and of the piece of the law the step began in.
  static constexpr int rubbing = 2, smooth = 3, guard_count = 4;
  using Guards = std::array<double, guard_count>;
  static std::size_t index(int contact) noexcept { return static_cast<std::size_t>(contact); }
  const Collocation& table() const { return Collocation::of(clock_, power_); }

  void internal_step();
  void arrange_all();
  void arrange();
  void read_energy();
  void settle(double h);
  bool wake(double until);
  bool widen();
  double left_alone_until(int contact) const;
  double slight_speed(const Touch& touch) const;
  double slight_depth(const Touch& touch) const;
  bool slight(int contact, const Point& point, double share) const;
  bool pressed(int contact) const noexcept {
    const Touch& touch = contacts_[index(contact)];
    return touch.state.touching() && !touch.asleep;
  }
  void conclude(int contact);
  std::array<Point*, S + 3> points() noexcept;
  void guess(double h);
  void move_nodes(double h, const Group& group);
  void evaluate(double t, Point& point) { evaluate(t, point, parts_, nullptr); }
  void evaluate(double t, Point& point, const Group& group, const std::vector<double>* forces);
  void compressions(double t, Point& point) const { compressions(t, point, parts_); }
  void compressions(double t, Point& point, const Group& group) const;
  void compressions(std::span<const int> contacts, Point& point) const;
  void choose_pieces();
  Leaving first_to_leave() const;
  bool trial(double h);
  bool collocate(double h);
  bool sweep(double h);
  void choose_changing(double little);
  bool one_step(double h);
  double correct_forces(double h);
  template <class F>
  void mobilities(const std::vector<int>& active, Eigen::Index b, const F& enter);
  double step_error(double h) const;
  bool follows_gaps(double h);
  Event first_event(double h, double& when, Event except);
  double rounded(std::size_t contact, int guard, const Point& point) const;
  double instant(double h) const;
  bool land_first(Event& event, double& h);
  double gap_rounding() const noexcept { return gap_rounding_; }
  void read_gap_rounding();
  bool land(Event event, double& h);
  Work work_of(double h);
  bool close(double h, Work& work, bool landed);
  void accept(double h, const Work& work);
  void pass_events();
  void press_neighbours();
  double no_speed() const;
  bool just_touches(int contact) const;
  void pass(int contact, int guard);
  void note_touch(int contact, double speed, double mass);
  void strike(int contact);
  std::vector<int> struck_with(int contact) const;
  double landing_error() const;
  Eigen::VectorXd held_rates(const Eigen::VectorXd& v) const;
  Eigen::VectorXd gap_curvatures(double t, const Point& point) const;
  void hold(double t, Point& point);
  void keep_closed(double t, Point& point);
  void choose_held();
  std::vector<int> held_among(const std::vector<int>& contacts) const;
  bool waits(int contact) const;
  void let_go(int contact);
  double held_force(std::size_t contact) const;
  /// At the beginning of a step (-1), its nodes, or its end (S).
  Guards guards(std::size_t contact, int at, double h) const;
  void state_at(double t, Moment& out);
  double stored(const Moment& moment) const;
  void note_extremes(double h);
  void slips(double t, Point& point) const;
  static double spring(const Touch& touch, double stuck, double normal) noexcept;
  void rub(Point& point, Eigen::VectorXd& force) const;
  void stretch_springs(double h);
  void stretch_to_end(double h);
  double spring_energy(std::size_t contact, double stuck, double x, double r) const;
  double rubbing_guard(std::size_t contact, int at, double h) const;
  void begin_rubbing(int contact);
  void pass_rubbing(int contact);
  void hold_springs();
  void slip_springs();
  double longest_rubbing_step();
  bool touching() const noexcept;
  double mobility(int contact);
  double contact_energy(std::size_t i) const;
  double energy_beside() const;
  void check_rest();
  double first_step() const;
  const Reading& reading() const;

  AnySystem system_;
  mutable AnyDynamics dynamics_;
  SystemMarchSettings settings_;
  std::vector<Touch> contacts_;
  std::array<Point, S> nodes_;
  Point begin_point_, end_point_;
  mutable Point scratch_;
  Moment begin_, end_, now_;
  ClockKind clock_ = ClockKind::plain;
  int power_ = 1;
  double next_h_ = 0.0, flight_h_ = 0.0, longest_h_ = 0.0;
  mutable Eigen::VectorXd gaps_, rates_;         ///< scratch
  std::array<Eigen::VectorXd, 2> reach_, turn_;  ///< scratch: of the gaps, at both ends of a step
  Eigen::VectorXd force_, solved_, before_, changes_;
  mutable GapRows rows_, shifted_;  ///< at the last place that was looked at, and beside it
  bool rubs_ = false;               ///< a compliant contact has friction
  mutable SparseRows tangents_;
  mutable Eigen::VectorXd slip_rates_;
  Parts parts_;
  Group changing_;  ///< those of them that take part in the next sweep
  Tried tried_;
  double gap_rounding_ = 0.0;  ///< of gaps, which are differences of coordinates [m]
  Held held_;
  std::vector<std::vector<double>> used_;  ///< contact forces at the nodes in stiff sweeps
  Event event_;
  std::vector<SystemImpact> finished_, due_;
  Ledger ledger_, ledger_before_;
  std::array<double, S> power_in_ = {};  ///< injected, at the nodes of the last step [W]
  std::vector<double> impulse_begin_, impulse_end_, impulse_now_;  ///< of each contact so far
  double highest_ = 0.0, loss_ = 0.0, struck_work_ = 0.0;
  double fastest_ = 0.0;  ///< largest v^2 so far
  int onset_power_ = 0;
  bool sampled_ = true;
  MarchStatus status_ = MarchStatus::going;
  mutable Reading reading_;
  std::int64_t sample_ = 0;
  long long steps_ = 0;
  Pace pace_;
};

}  // namespace carom
