#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include <carom/systems/dense_dynamics.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

class AnyDynamics;

/// Any system with gaps behind virtual calls, so that a method is compiled once for all of them.
/// Holds a copy of the system; copies of it share that one. Every optional member is there: rates,
/// dissipation and power that the system leaves out are zero, a contact can touch and has one side.
class AnySystem {
 public:
  using Dynamics = AnyDynamics;

  template <SystemWithGaps S>
  requires(!std::same_as<S, AnySystem>) explicit AnySystem(S system)
      : system_(std::make_shared<const Model<S>>(std::move(system))) {}

  int coordinates() const { return system_->coordinates(); }
  int contacts() const { return system_->contacts(); }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const {
    system_->mass_matrix(q, M);
  }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    system_->force(t, q, v, f);
  }
  double potential_energy(const Eigen::VectorXd& q) const { return system_->potential_energy(q); }
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    system_->gaps(t, q, g);
  }
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
    system_->gap_gradients(t, q, G);
  }
  void gap_gradients(double t, const Eigen::VectorXd& q, SparseRows& G) const {
    system_->gap_gradients(t, q, G);
  }
  /// Whether the system knows its gradients by their nonzero entries.
  bool has_sparse_gradients() const { return system_->has_sparse_gradients(); }
  bool has_tangents() const { return system_->has_tangents(); }
  /// Empty rows and zero rates where the system has none.
  void tangents(double t, const Eigen::VectorXd& q, SparseRows& T) const {
    system_->tangents(t, q, T);
  }
  void slip_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
    system_->slip_rates(t, q, r);
  }
  bool has_gap_rates() const { return system_->has_gap_rates(); }
  void gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
    system_->gap_rates(t, q, r);
  }
  bool has_gap_paces() const { return system_->has_gap_paces(); }
  void gap_paces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                 Eigen::VectorXd& reach, Eigen::VectorXd& turn) const {
    system_->gap_paces(t, q, v, reach, turn);
  }
  double dissipation(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    return system_->dissipation(t, q, v);
  }
  double power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    return system_->power(t, q, v);
  }
  /// Infinity where the system has none.
  double next_break(double t, bool touching) const { return system_->next_break(t, touching); }
  bool can_touch(int contact, const Eigen::VectorXd& q) const {
    return system_->can_touch(contact, q);
  }
  bool two_sided(int contact) const { return system_->two_sided(contact); }
  /// Whether it is a SystemOfParts; the members that go with it are for these only.
  bool has_parts() const { return system_->has_parts(); }
  bool steady(int coordinate) const { return system_->steady(coordinate); }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             std::span<const int> coordinates, Eigen::VectorXd& f) const {
    system_->force(t, q, v, coordinates, f);
  }
  void divide_by_mass(std::span<const int> coordinates, Eigen::VectorXd& f) const {
    system_->divide_by_mass(coordinates, f);
  }
  double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                std::span<const int> coordinates) const {
    return system_->energy(q, v, coordinates);
  }
  void gaps(double t, const Eigen::VectorXd& q, std::span<const int> contacts,
            Eigen::VectorXd& g) const {
    system_->gaps(t, q, contacts, g);
  }
  bool has_stiffness() const { return system_->has_stiffness(); }
  /// Zero where the system has none.
  void stiffness(const Eigen::VectorXd& q, Eigen::MatrixXd& K) const { system_->stiffness(q, K); }

 private:
  friend class AnyDynamics;

  /// DenseDynamics' members behind virtual calls.
  struct DynamicsInterface {
    virtual ~DynamicsInterface() = default;
    virtual void set_position(const Eigen::VectorXd& q) = 0;
    virtual bool factor(double shift) = 0;
    virtual void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                          Eigen::VectorXd& r) = 0;
    virtual void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) = 0;
    virtual double kinetic_energy(const Eigen::VectorXd& v) = 0;
    virtual double potential_energy() const = 0;
  };
  template <class D>
  struct DynamicsModel final : DynamicsInterface {
    template <class S>
    explicit DynamicsModel(const S& system) : dynamics(system) {}
    void set_position(const Eigen::VectorXd& q) override { dynamics.set_position(q); }
    bool factor(double shift) override { return dynamics.factor(shift); }
    void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                  Eigen::VectorXd& r) override {
      dynamics.residual(t, v, a, r);
    }
    void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) override { dynamics.solve(r, x); }
    double kinetic_energy(const Eigen::VectorXd& v) override { return dynamics.kinetic_energy(v); }
    double potential_energy() const override { return dynamics.potential_energy(); }
    D dynamics;
  };

  struct Interface {
    virtual ~Interface() = default;
    virtual int coordinates() const = 0;
    virtual int contacts() const = 0;
    virtual void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const = 0;
    virtual void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       Eigen::VectorXd& f) const = 0;
    virtual double potential_energy(const Eigen::VectorXd& q) const = 0;
    virtual void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const = 0;
    virtual void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const = 0;
    virtual void gap_gradients(double t, const Eigen::VectorXd& q, SparseRows& G) const = 0;
    virtual bool has_sparse_gradients() const = 0;
    virtual bool has_tangents() const = 0;
    virtual void tangents(double t, const Eigen::VectorXd& q, SparseRows& T) const = 0;
    virtual void slip_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const = 0;
    virtual bool has_gap_rates() const = 0;
    virtual void gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const = 0;
    virtual bool has_gap_paces() const = 0;
    virtual void gap_paces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                           Eigen::VectorXd& reach, Eigen::VectorXd& turn) const = 0;
    virtual double dissipation(double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v) const = 0;
    virtual double power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
    virtual double next_break(double t, bool touching) const = 0;
    virtual bool can_touch(int contact, const Eigen::VectorXd& q) const = 0;
    virtual bool two_sided(int contact) const = 0;
    virtual bool has_parts() const = 0;
    virtual bool steady(int coordinate) const = 0;
    virtual void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       std::span<const int> coordinates, Eigen::VectorXd& f) const = 0;
    virtual void divide_by_mass(std::span<const int> coordinates, Eigen::VectorXd& f) const = 0;
    virtual double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          std::span<const int> coordinates) const = 0;
    virtual void gaps(double t, const Eigen::VectorXd& q, std::span<const int> contacts,
                      Eigen::VectorXd& g) const = 0;
    virtual bool has_stiffness() const = 0;
    virtual void stiffness(const Eigen::VectorXd& q, Eigen::MatrixXd& K) const = 0;
    virtual std::unique_ptr<DynamicsInterface> dynamics() const = 0;
  };
  template <class S>
  struct Model final : Interface {
    explicit Model(S s) : system(std::move(s)) {}
    int coordinates() const override { return system.coordinates(); }
    int contacts() const override { return system.contacts(); }
    void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const override {
      system.mass_matrix(q, M);
    }
    void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               Eigen::VectorXd& f) const override {
      system.force(t, q, v, f);
    }
    double potential_energy(const Eigen::VectorXd& q) const override {
      return system.potential_energy(q);
    }
    void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const override {
      system.gaps(t, q, g);
    }
    void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const override {
      system.gap_gradients(t, q, G);
    }
    void gap_gradients(double t, const Eigen::VectorXd& q, SparseRows& G) const override {
      sparse_gap_gradients(system, t, q, G);
    }
    bool has_sparse_gradients() const override { return carom::has_sparse_gradients(system); }
    bool has_tangents() const override { return carom::has_tangents(system); }
    void tangents(double t, const Eigen::VectorXd& q, SparseRows& T) const override {
      if constexpr (requires { system.tangents(t, q, T); }) {
        system.tangents(t, q, T);
      } else {
        T.setZero();
      }
    }
    void slip_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const override {
      if constexpr (requires { system.slip_rates(t, q, r); }) {
        system.slip_rates(t, q, r);
      } else {
        r.setZero();
      }
    }
    bool has_gap_rates() const override { return carom::has_gap_rates(system); }
    void gap_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const override {
      carom::gap_rates(system, t, q, r);
    }
    bool has_gap_paces() const override {
      if constexpr (requires { system.has_gap_paces(); }) return system.has_gap_paces();
      return false;
    }
    void gap_paces(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   Eigen::VectorXd& reach, Eigen::VectorXd& turn) const override {
      if constexpr (requires { system.gap_paces(t, q, v, reach, turn); })
        system.gap_paces(t, q, v, reach, turn);
    }
    double dissipation(double t, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& v) const override {
      return carom::dissipation(system, t, q, v);
    }
    double power(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const override {
      return carom::power(system, t, q, v);
    }
    double next_break(double t, bool touching) const override {
      return carom::next_break(system, t, touching);
    }
    bool can_touch(int contact, const Eigen::VectorXd& q) const override {
      return carom::can_touch(system, contact, q);
    }
    bool two_sided(int contact) const override { return carom::two_sided(system, contact); }
    bool has_parts() const override { return SystemOfParts<S>; }
    bool steady(int coordinate) const override {
      if constexpr (SystemOfParts<S>) return system.steady(coordinate);
      return false;
    }
    void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               std::span<const int> coordinates, Eigen::VectorXd& f) const override {
      if constexpr (SystemOfParts<S>) system.force(t, q, v, coordinates, f);
    }
    void divide_by_mass(std::span<const int> coordinates, Eigen::VectorXd& f) const override {
      if constexpr (SystemOfParts<S>) system.divide_by_mass(coordinates, f);
    }
    double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                  std::span<const int> coordinates) const override {
      if constexpr (SystemOfParts<S>) return system.energy(q, v, coordinates);
      return 0.0;
    }
    void gaps(double t, const Eigen::VectorXd& q, std::span<const int> contacts,
              Eigen::VectorXd& g) const override {
      if constexpr (SystemOfParts<S>) system.gaps(t, q, contacts, g);
    }
    bool has_stiffness() const override { return carom::has_stiffness(system); }
    void stiffness(const Eigen::VectorXd& q, Eigen::MatrixXd& K) const override {
      if constexpr (requires { system.stiffness(q, K); }) {
        system.stiffness(q, K);
      } else {
        K.setZero();
      }
    }
    std::unique_ptr<DynamicsInterface> dynamics() const override {
      return std::make_unique<DynamicsModel<DynamicsOf<S>>>(system);
    }
    S system;
  };

  std::shared_ptr<const Interface> system_;
};

/// The fastest dynamics of the system that an AnySystem holds.
class AnyDynamics {
 public:
  explicit AnyDynamics(const AnySystem& system)
      : system_(system), dynamics_(system.system_->dynamics()) {}

  void set_position(const Eigen::VectorXd& q) { dynamics_->set_position(q); }
  [[nodiscard]] bool factor(double shift = 0.0) { return dynamics_->factor(shift); }
  void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& r) {
    dynamics_->residual(t, v, a, r);
  }
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) { dynamics_->solve(r, x); }
  double kinetic_energy(const Eigen::VectorXd& v) { return dynamics_->kinetic_energy(v); }
  double potential_energy() const { return dynamics_->potential_energy(); }

 private:
  AnySystem system_;  // what dynamics_ refers to
  std::unique_ptr<AnySystem::DynamicsInterface> dynamics_;
};

}  // namespace carom
