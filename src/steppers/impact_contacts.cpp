#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/impact_contacts.hpp>

namespace carom {

void validate(const NonsmoothSettings& settings) {
  require_positive("step", settings.step);
  require_positive("tolerance", settings.tolerance);
  require_within("max_iterations", settings.max_iterations, 1, 100000);
}

std::vector<double> restitutions(const std::vector<NewtonRestitution>& laws, int contacts) {
  if (laws.size() != 1 && laws.size() != static_cast<std::size_t>(contacts)) {
    throw InvalidInput("laws has " + std::to_string(laws.size()) + " entries: must be 1 or " +
                       std::to_string(contacts) + ", the number of contacts");
  }
  std::vector<double> result;
  for (int i = 0; i < contacts; ++i) {
    const NewtonRestitution& law = laws[laws.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    validate(law);
    result.push_back(law.restitution);
  }
  return result;
}

const MotionState& validated(const MotionState& state, int coordinates) {
  if (state.q.size() != coordinates || state.v.size() != coordinates) {
    throw InvalidInput("state has " + std::to_string(state.q.size()) + " coordinates and " +
                       std::to_string(state.v.size()) + " velocities: must be " +
                       std::to_string(coordinates) + " each");
  }
  for (Eigen::Index i = 0; i < state.q.size(); ++i) {
    require_finite("q[" + std::to_string(i) + "]", state.q[i]);
    require_finite("v[" + std::to_string(i) + "]", state.v[i]);
  }
  return state;
}

ImpactContacts::ImpactContacts(int contacts, int coordinates, const LcpSettings& settings,
                               bool frictional)
    : row_(Eigen::VectorXd::Zero(coordinates)),
      column_(row_),
      c_(Eigen::VectorXd::Zero(contacts)),
      p_(c_),
      frictional_(frictional),
      solver_(contacts, settings) {
  const int rows = frictional ? 2 * contacts : contacts;
  gradients_.setZero(rows, coordinates);
  images_.setZero(coordinates, rows);
  delassus_.setZero(rows, rows);
  packed_.setZero(contacts, contacts);
  if (!frictional) return;
  normals_.setZero(contacts, coordinates);
  tangents_.resize(contacts, coordinates);
}

void ImpactContacts::find_delassus() noexcept { delassus_.noalias() = gradients_ * images_; }

LcpResult ImpactContacts::solve(const std::vector<char>& considered, const Eigen::VectorXd& c,
                                Eigen::VectorXd& p) noexcept {
  const Eigen::Index n = c.size();
  Eigen::Index k = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (considered[static_cast<std::size_t>(i)] == 0) continue;
    Eigen::Index l = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (considered[static_cast<std::size_t>(j)] != 0) packed_(k, l++) = delassus_(i, j);
    }
    c_[k] = c[i];
    p_[k++] = p[i];
  }
  const LcpResult result = solver_.solve(packed_.topLeftCorner(k, k), c_.head(k), p_.head(k));
  k = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    p[i] = considered[static_cast<std::size_t>(i)] != 0 ? p_[k++] : 0.0;
  }
  return result;
}

}  // namespace carom
