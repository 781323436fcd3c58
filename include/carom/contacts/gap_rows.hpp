#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <carom/systems/any_system.hpp>

namespace carom {

/// The gradients G of all gaps at one place, by their nonzero entries where the system knows them.
class GapRows {
 public:
  explicit GapRows(const AnySystem& system) : sparse_(system.has_sparse_gradients()) {
    if (sparse_) {
      rows_.resize(system.contacts(), system.coordinates());
    } else {
      dense_.setZero(system.contacts(), system.coordinates());
    }
  }

  void read(const AnySystem& system, double t, const Eigen::VectorXd& q) {
    if (sparse_) {
      system.gap_gradients(t, q, rows_);
    } else {
      system.gap_gradients(t, q, dense_);
    }
  }

  /// G_i v.
  double rate(Eigen::Index contact, const Eigen::VectorXd& v) const {
    if (!sparse_) return dense_.row(contact).dot(v);
    double sum = 0.0;
    for (SparseRows::InnerIterator entry(rows_, contact); entry; ++entry)
      sum += entry.value() * v[entry.col()];
    return sum;
  }

  /// f(coordinate, entry) for every nonzero entry of a row, where they are known.
  template <class F>
  void each(Eigen::Index contact, F&& f) const {
    for (SparseRows::InnerIterator entry(rows_, contact); entry; ++entry)
      f(static_cast<int>(entry.col()), entry.value());
  }

  /// f += G_i^T force.
  void push(Eigen::Index contact, double force, Eigen::VectorXd& f) const {
    if (!sparse_) {
      f += force * dense_.row(contact).transpose();
      return;
    }
    for (SparseRows::InnerIterator entry(rows_, contact); entry; ++entry)
      f[entry.col()] += force * entry.value();
  }

 private:
  bool sparse_;
  SparseRows rows_;
  Eigen::MatrixXd dense_;
};

}  // namespace carom
