#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <carom/systems/assembly.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

/// An assembly along a line as a system with gaps: q = how far the masses have moved from where
/// they began, and amplitudes of the modes. (A gap of positions would be known to the rounding of
/// these, in a long row no better than the compressions behind a wave.) All matrices are diagonal
/// or have the few entries of one contact a row, so that the cost grows with the number of parts.
class LineAssembly {
 public:
  explicit LineAssembly(Assembly assembly);

  const Assembly& parts() const noexcept { return parts_; }
  MotionState start() const { return start_; }

  int coordinates() const { return static_cast<int>(masses_.size()); }
  int contacts() const { return static_cast<int>(parts_.contacts.size()); }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, SparseRows& G) const;
  bool has_gap_rates() const { return has_drives_; }
  void gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const;
  bool has_gap_paces() const { return has_drives_; }
  void gap_paces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                 Eigen::VectorXd& reach, Eigen::VectorXd& turn) const;
  double dissipation(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  double power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  double next_break(double t, bool touching) const noexcept { return breaks_.after(t, touching); }

  // As a SystemOfParts. Linked, driven and vibrating bodies are never steady, so that a link or a
  // mode is computed whenever it is asked for one of them.
  bool steady(int coordinate) const { return steady_[static_cast<std::size_t>(coordinate)]; }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             std::span<const int> coordinates, Eigen::VectorXd& f) const;
  void divide_by_mass(std::span<const int> coordinates, Eigen::VectorXd& f) const;
  double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                std::span<const int> coordinates) const;
  void gaps(double t, const Eigen::VectorXd& q, std::span<const int> contacts,
            Eigen::VectorXd& g) const;

  /// A point of a body, of modal ones the given one: where it is and how fast [m], [m/s].
  MotionPoint place(int body, int point, double t, const Eigen::VectorXd& q,
                    const Eigen::VectorXd& v) const;
  double kinetic_energy(int body, const Eigen::VectorXd& v) const;  ///< [J]

  class Dynamics;

 private:
  /// What one end of a link or contact is made of: a place that is known, and coordinates.
  struct End {
    double offset = 0.0;  ///< where it began [m]
    std::shared_ptr<const MotionCurve> drive = {};
    std::vector<int> at = {};        ///< coordinates
    std::vector<double> share = {};  ///< and how much of each
    double moved(double t, const Eigen::VectorXd& q) const noexcept;
    double velocity(double t, const Eigen::VectorXd& v) const noexcept;
    void push(double force, Eigen::VectorXd& f) const noexcept;
  };
  struct Pair {
    End first, second;
    double apart = 0.0;  ///< at the places where both began [m]
    double distance(double t, const Eigen::VectorXd& q) const noexcept {
      return apart + (second.moved(t, q) - first.moved(t, q));
    }
  };
  static Pair pair_of(End first, End second, double length);
  End end_of(int body, int point) const;
  void link_forces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   Eigen::VectorXd& f) const;
  double link_energy(const Eigen::VectorXd& q) const;
  double gap(std::size_t contact, double t, const Eigen::VectorXd& q) const noexcept;
  double elongation(std::size_t link, double t, const Eigen::VectorXd& q) const noexcept;

  Assembly parts_;
  Breaks breaks_;
  MotionState start_;
  Eigen::VectorXd masses_, constant_, stiffness_, damping_;  ///< of each coordinate
  double datum_ = 0.0;      ///< of the potential energy: that of all at x = 0 is zero [J]
  std::vector<int> first_;  ///< coordinate of each body; -1: none
  std::vector<std::shared_ptr<const MotionCurve>> drives_, forces_;  ///< of each body, or none
  std::vector<Pair> link_ends_, contact_ends_;
  std::vector<int> forced_;   ///< bodies with a force that varies
  std::vector<int> modes_;    ///< coordinates with a stiffness and a damping of their own
  std::vector<bool> steady_;  ///< of each coordinate
  bool has_drives_ = false;
};

/// M is diagonal, and so is the stiffness that implicit steps take into account: of each link the
/// bound of its share, 2 k, so that their iteration contracts.
class LineAssembly::Dynamics {
 public:
  explicit Dynamics(const LineAssembly& system) : system_(&system) {}
  void set_position(const Eigen::VectorXd& q) { q_ = q; }
  [[nodiscard]] bool factor(double shift = 0.0);
  void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& r) {
    system_->force(t, q_, v, r);
    r.array() -= system_->masses_.array() * a.array();
  }
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) { x = r.cwiseQuotient(factor_); }
  double kinetic_energy(const Eigen::VectorXd& v) {
    return 0.5 * (system_->masses_.array() * v.array().square()).sum();
  }
  double potential_energy() const { return system_->potential_energy(q_); }

 private:
  const LineAssembly* system_;
  Eigen::VectorXd q_, factor_;
};

}  // namespace carom
