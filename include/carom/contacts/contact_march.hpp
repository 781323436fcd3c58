#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include <carom/contacts/collocation.hpp>
#include <carom/contacts/contact.hpp>
#include <carom/contacts/linear_system.hpp>
#include <carom/contacts/pace.hpp>
#include <carom/contacts/resonator.hpp>
#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

struct ContactMarchSettings {
  double rate = 44100.0;     ///< samples per second [Hz], > 0
  double tolerance = 1e-10;  ///< of the velocities in one step, relative to the energy that is left
  bool closes_energy = true;  ///< passive; false: event-driven
  bool exact_peaks = false;   ///< largest compression and force as accurate as the rebound
  bool cautious = false;      ///< keeps to the tolerance where the force is singular, too
  double end = std::numeric_limits<double>::infinity();  ///< no step goes beyond [s]
};

/// An impact that has ended, and where.
struct FinishedImpact {
  int contact;
  ImpactRecord impact;
};

/// The motion of one contact during one internal step.
struct ContactPiece {
  double t = 0.0, h = 0.0;  ///< when it begins, how long it is [s]
  ClockKind clock = ClockKind::plain;
  int power = 1;
  double x = 0.0, v = 0.0, acceleration = 0.0;  ///< at its beginning; by the constant force
  double mobility = 0.0;                        ///< W [1/kg]
  Collocation::Nodes f = {};                    ///< at the nodes [N]
  ContactMemory memory = {};

  struct Point {
    double x, v;
  };
  Point at(double time) const noexcept;
};

/// Compliant contacts of a linear system by collocation in contact space. The only unknowns of a
/// step are the contact forces at its Gauss nodes (collocation.hpp); body and modes follow exactly.
/// With W = G M^-1 G^T,
///   x = x_free - h^2 W place f,   v = v_free - h W rate f,   f = F(x, v).
/// Steps have the contact's own size and end on its events, not on samples: samples are read from
/// the polynomials in between, so that the result does not depend on rate or phase.
///
/// Passive: D = sum h weight (F - dV/dx) v >= 0 is what the dampers took, term by term. The balance
/// e = E1 - (E0 - D + work) of a step is booked to D where |e| <= D/2, so that D stays positive,
/// and removed from the state along the energy's own gradient otherwise. E1 = E0 - D + work with D
/// >= 0 is the proof that no step gains energy.
///
/// Modes that vibrate (of one contact) move exactly. In contact W t becomes the response of the
/// contact to an impulse on it, and the matrices integrals of that (response_table.hpp); in flight
/// they go by whole samples where the bodies cannot meet within one: positions and velocities at
/// both its ends and a bound of their acceleration say so. No contact is passed over because it
/// begins and ends between two samples.
///
/// Rest: a body without the energy to leave settles and is held; infinitely many bounces (gravity
/// suspended in contact) end when an impact has less than 1e-16 of the energy there was.
class ContactMarch {
 public:
  ContactMarch(LinearSystem system, std::vector<Contact> contacts, MotionState start,
               const ContactMarchSettings& settings);

  /// To the next sample, or a bounded number of internal steps towards it: then sampled() is false
  /// and time() is still that of the last sample.
  void step();
  bool sampled() const noexcept { return sampled_; }

  /// A force [N] on one of the modes that do not vibrate, counted among those alone, in place of
  /// the constant one: until the next sample, on which the internal steps then end. Call it before
  /// every sample from the first one on.
  void set_force(Eigen::Index mode, double force);

  double time() const noexcept { return now_.t; }
  const Ledger& ledger() const noexcept { return ledger_; }
  const Eigen::VectorXd& position() const noexcept { return now_.q; }
  const Eigen::VectorXd& velocity() const noexcept { return now_.v; }
  double compression(int contact) const noexcept { return now_.x[index(contact)]; }
  double rate(int contact) const noexcept { return now_.r[index(contact)]; }
  double force(int contact) const noexcept;  ///< [N], now
  double elastic_energy() const noexcept;    ///< of all contacts, now [J]
  /// Force and elastic energy of one contact now.
  ContactState::Load load(int contact) const noexcept;
  double kinetic_energy() const noexcept;  ///< now [J]
  Phase phase(int contact) const noexcept { return states_[index(contact)].phase(); }
  double mean_force(int contact) const noexcept;    ///< over the last sample [N]
  double displacement(int point) const noexcept;    ///< of an observed point, now [m]
  double point_velocity(int point) const noexcept;  ///< [m/s]
  double vibration_energy() const noexcept { return now_.modes.energy; }  ///< now [J]
  /// The modes that vibrate, now; position() and velocity() are those of the others.
  ModalState vibration() const;
  /// The contacts that ended since the last sample, in order.
  std::span<const FinishedImpact> finished() const noexcept { return finished_; }
  /// Nothing moves any more and no force will move it.
  bool at_rest() const noexcept { return at_rest_; }
  /// A contact of which the bodies have too little energy to part ever again.
  bool held(int contact) const noexcept { return held_[index(contact)] != 0; }
  bool converged() const noexcept { return converged_; }
  long long steps() const noexcept { return steps_; }  ///< internal ones so far
  /// sum |booked - quadrature| of the losses so far [J]: what closing has hidden in them.
  double booked() const noexcept { return booked_; }
  /// Closes the ledger at the present sample: the internal step that has gone beyond it is taken
  /// again up to there.
  void finish();
  void archive(Archive& state);

  // For one impact taken by itself: internal steps, and what they leave.
  void internal_step();
  double internal_time() const noexcept { return end_.t; }
  const ContactState& state(int contact) const noexcept { return states_[index(contact)]; }
  double end_compression(int contact) const noexcept { return end_.x[index(contact)]; }
  double end_rate(int contact) const noexcept { return end_.r[index(contact)]; }
  /// The last internal step was led to the end of the first contact.
  bool leaves() const noexcept { return event_.contact == 0 && event_.guard == 0; }
  const ImpactRecord& record(int contact) const noexcept { return records_[index(contact)]; }
  struct Peak {
    double compression_time = 0.0, force_time = 0.0;  ///< after first touch [s]
  };
  const Peak& peak(int contact) const noexcept { return peaks_[index(contact)]; }
  /// The last internal step as polynomials; for a system with one contact that touches.
  ContactPiece piece() const noexcept;

 private:
  using Nodes = Collocation::Nodes;
  using Motion = GapMotion;

  struct Moment {
    double t = 0.0;
    Eigen::VectorXd q, v;
    std::vector<double> x, r;     ///< compressions and their rates
    std::vector<double> impulse;  ///< of each contact so far [N s]
    Resonator::Sums modes;
    void archive(Archive& state) { state(t, q, v, x, r, impulse, modes); }
  };
  /// One internal step, kept for the samples in it.
  struct Piece {
    double t = 0.0, h = 0.0;
    ClockKind clock = ClockKind::plain;
    int power = 1;
    bool in_contact = false;  ///< which of the constant forces acts
    void archive(Archive& state) { state(t, h, clock, power, in_contact); }
  };
  /// The end of a phase to which an internal step was led, or the end of a smooth piece of a law.
  struct Event {
    static constexpr int law_break = 2;  ///< in place of a guard: nothing ends but the piece
    int contact = -1, guard = 0;
    double place = 0.0;  ///< of a break [m]
  };
  /// The unknowns of one contact in a step.
  struct Unknown {
    Nodes f, x, v, lost;
    double x1 = 0, r1 = 0, impulse = 0,
           travel = 0;  ///< at the end; h sum weight f, h^2 sum place f
  };

  /// Of one contact in a step: h^2 int g' int psi and h int psi in powers of u = 2 sigma - 1, with
  /// zeros up to a multiple of four.
  struct Polynomials {
    std::array<double, 16> travel;
    std::array<double, 12> impulse;
  };
  static_assert(Collocation::nodes + Collocation::max_power + 1 <= 16);
  static_assert(Collocation::nodes + 1 <= 12);

  /// Of a step of a system with modes: the free motion of its contact, what a force there does to
  /// it, and what becomes of the modes.
  struct Vibration {
    const Collocation* clock = nullptr;  ///< of the matrices below, and the length they are for
    double h = 0.0;
    std::array<Nodes, Collocation::nodes> place, rate;  ///< [node of f][node]: [m/N], [m/(N s)]
    ResponseTable::Points response, response_rate;      ///< of the contact to a unit impulse
    Nodes free_x, free_v;
    double free_x1 = 0, free_r1 = 0;
    Resonator::Sums after;            ///< of the modes at the end, with their loss
    double moved_x = 0, moved_r = 0;  ///< of the contact, to close the energy
  };

  static std::size_t index(int contact) noexcept { return static_cast<std::size_t>(contact); }

  void separate_modes(MotionState& start);
  void count_sample() noexcept {
    ++sample_;
    target_ = static_cast<double>(sample_ + 1) / settings_.rate;
    sampled_ = true;
  }
  void expand();
  void pass_events();
  void pass(int contact, int guard);
  void press_neighbours();
  void end_on_event();
  void book_recovery();
  bool at_edge(int contact, double x) const;
  void find_active();
  void fly(double longest);
  void fly_with_modes();
  bool fly_sample(double until);
  bool meets(const ResponseTable::Points& moved, const ResponseTable::Points& velocity, double& h);
  void contact_step(double longest);
  double to_sample(double h) const;
  bool solve(double h, const Collocation& table);
  void apply_with_modes();
  void prepare_modes(double h, const Collocation& table);
  bool solve_newton(double h, const Collocation& table);
  void start_forces();
  void note_losses(std::size_t unknown);
  double apply(double h, const Collocation& table, bool evaluate);
  double step_error(double h, const Collocation& table) const;
  Event first_event(double h, const Collocation& table, double& when, Event except) const;
  Event first_break(double h, const Collocation& table, double& when) const;
  bool land_on_break(Event& event, double& h, const Collocation& table);
  bool break_before_edge(int contact) const;
  bool land_first(Event& event, double& h, const Collocation*& table);
  bool land(Event event, double& h, const Collocation*& table);
  bool land_on(int contact, double place, int way, double& h, const Collocation& table);
  bool land_between(Event event, double& h, const Collocation& table);
  Motion motion_at(int contact, int k, double h, const Collocation& table) const;
  double guard_at_end(Event event, double h, const Collocation& table) const;
  bool close(double h, const Collocation& table, bool landed);
  void finish_modes(double h, const Collocation& table);
  bool close_with_modes(double h, const Collocation& table, bool landed);
  void accept_with_modes(double h);
  double contact_loss(double h, const Collocation& table) const;
  void accept(double h, const Collocation& table);
  void note_extremes(double h, const Collocation& table);
  void state_at(double t, Moment& out);
  void step_on();
  static void fly(double place, double rate, double push, double t, double& to,
                  double& to_rate) noexcept {
    to = place + t * (rate + 0.5 * t * push);
    to_rate = rate + t * push;
  }
  /// What the constant forces make of the lone body at a time within the last internal step.
  void read_lone_flight(double time, Moment& out) const noexcept {
    const double t = at_rest_ ? 0.0 : time - piece_.t;
    const bool pressed = piece_.in_contact;
    out.t = time;
    fly(begin_.q[0], begin_.v[0], (pressed ? pushed_ : flight_)[0], t, out.q[0], out.v[0]);
    fly(begin_.x[0], begin_.r[0], (pressed ? pushed_x_ : flight_x_)[0], t, out.x[0], out.r[0]);
    out.impulse[0] = begin_.impulse[0];
  }
  void read_modes(double t, Moment& out);
  double contact_energy(const std::vector<double>& x, const std::vector<double>& r) const;
  void settle(double lost);
  void check_rest();
  double stored() const;

  LinearSystem system_;
  std::vector<Contact> contacts_;
  ContactMarchSettings settings_;
  Eigen::MatrixXd delassus_;                 ///< W of all contacts [1/kg]
  Eigen::MatrixXd images_;                   ///< M^-1 G^T: modes x contacts
  Eigen::VectorXd flight_, pushed_;          ///< accelerations of the modes by the constant forces
  std::vector<double> flight_x_, pushed_x_;  ///< and of the compressions
  std::vector<ContactState> states_;
  std::vector<ImpactRecord> records_;
  std::vector<Peak> peaks_;
  std::vector<double> length_, period_;  ///< of each contact: L and L/v at its touch
  std::vector<char> held_;
  std::vector<int> active_;         ///< the contacts that touch
  std::vector<int> pressed_;        ///< scratch
  Eigen::MatrixXd active_inverse_;  ///< W^-1 of those
  std::vector<Unknown> unknowns_, kept_;
  std::optional<Resonator> resonator_;
  bool lone_ = false;  ///< one body that does not vibrate, with one contact
  Vibration vibration_;
  double rigid_mobility_ = 0.0;  ///< W without the modes that vibrate
  double bend_ = -1.0;  ///< bound of the acceleration of the modes in flight [m/s^2]; < 0: unknown
  // Scratch, so that steps do not allocate.
  struct Closing {
    std::vector<double> x0, r0, x1, r1, x, r, move;
  } closing_;
  struct Shift {
    std::vector<double> dx, dr;
  } shift_;
  struct Newton {
    Eigen::MatrixXd jacobian;
    Eigen::VectorXd residual, slope_x, slope_v;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  } newton_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Piece piece_;
  Moment begin_, end_, now_;
  std::vector<double> last_impulse_;  ///< at the sample before this one
  std::vector<FinishedImpact> finished_, due_;
  const Collocation* solved_ = nullptr;  ///< unknowns_ are the solution of a try with this table
  double solved_h_ = 0.0;                ///< and this length
  Event event_;
  Ledger ledger_, ledger_before_;  ///< at the end and the beginning of the last internal step
  double next_h_ = 0.0, booked_ = 0.0, highest_ = 0.0, loss_ = 0.0;
  int onset_power_ = 0;  ///< > 0: a contact has just begun
  bool sampled_ = true, at_rest_ = false, converged_ = true, inside_ = false;
  std::int64_t sample_ = 0;
  double target_ = 0.0;  ///< the next sample [s]: known beforehand, nothing waits for the division
  std::vector<Polynomials> polynomials_;
  long long expanded_ = -1;                      ///< the internal step they are of
  const Collocation* expanded_clock_ = nullptr;  ///< and its clock
  long long steps_ = 0;
  Pace pace_;
};

}  // namespace carom
