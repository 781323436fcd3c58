#include "plate_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <boost/math/special_functions/legendre.hpp>

#include <carom/core/error.hpp>

namespace carom {

GaussRule gauss_rule(int points) {
  GaussRule rule;
  const auto add = [&](double x) {
    const double slope = boost::math::legendre_p_prime(points, x);
    rule.nodes.push_back(x);
    rule.weights.push_back(2 / ((1 - x * x) * slope * slope));
  };
  for (const double x : boost::math::legendre_p_zeros<double>(points)) {
    add(x);
    if (x > 0) add(-x);
  }
  return rule;
}

namespace {

/// phi_n(t) = (1 - t^2)^e p_n(t), orthonormal on [-1, 1]: e = 0 leaves an edge free (Legendre), e =
/// 2 clamps it (p_n is Jacobi's polynomial of the weight (1 - t^2)^4). Values and two derivatives.
struct Polynomials {
  Eigen::ArrayXd value, first, second;

  Polynomials(int count, bool clamped, double t) : value(count), first(count), second(count) {
    const double a = clamped ? 4 : 0;
    // t p_n = b_{n+1} p_{n+1} + b_n p_{n-1}
    const auto b = [a](double n) {
      return std::sqrt(n * (n + 2 * a) / ((2 * n + 2 * a + 1) * (2 * n + 2 * a - 1)));
    };
    value[0] = 1 / std::sqrt(clamped ? 256.0 / 315 : 2.0);  // the integral of the weight
    first[0] = second[0] = 0;
    for (int n = 0; n + 1 < count; ++n) {
      const double below = n > 0 ? b(n) : 0.0, above = b(n + 1);
      const int before = std::max(n - 1, 0);
      value[n + 1] = (t * value[n] - below * value[before]) / above;
      first[n + 1] = (t * first[n] + value[n] - below * first[before]) / above;
      second[n + 1] = (t * second[n] + 2 * first[n] - below * second[before]) / above;
    }
    if (!clamped) return;
    const double w = (1 - t * t) * (1 - t * t), w1 = -4 * t * (1 - t * t), w2 = 12 * t * t - 4;
    second = w * second + 2 * w1 * first + w2 * value;
    first = w * first + w1 * value;
    value *= w;
  }
};

/// Integrals of products of the functions and their derivatives over [-1, 1].
struct Products {
  Eigen::MatrixXd first, second, mixed;  ///< phi' phi', phi'' phi'', phi'' phi

  Products(int count, bool clamped)
      : first(Eigen::MatrixXd::Zero(count, count)), second(first), mixed(first) {
    const GaussRule rule = gauss_rule(count + 5);
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const Polynomials phi(count, clamped, rule.nodes[i]);
      first += rule.weights[i] * phi.first.matrix() * phi.first.matrix().transpose();
      second += rule.weights[i] * phi.second.matrix() * phi.second.matrix().transpose();
      mixed += rule.weights[i] * phi.second.matrix() * phi.value.matrix().transpose();
    }
  }
};

struct RitzMode {
  double square;         ///< omega^2 rho h/D [1/m^4]
  int odd_x, odd_y;      ///< symmetry: functions 2 i + odd_x and 2 j + odd_y
  Eigen::MatrixXd part;  ///< of each pair of functions; the sum of squares is 1
};

/// Half waves along both sides among the lowest modes: those of a supported plate, and a few more.
std::pair<int, int> half_waves(const RectangularPlate& plate) {
  const double a = plate.width, b = plate.height;
  std::vector<std::tuple<double, int, int>> waves;
  for (int m = 1; m <= plate.modes; ++m) {
    for (int n = 1; m * n <= plate.modes; ++n)
      waves.emplace_back(m * m / (a * a) + n * n / (b * b), m, n);
  }
  std::sort(waves.begin(), waves.end());
  std::pair most{1, 1};
  for (int i = 0; i < plate.modes; ++i) {
    const auto& [square, m, n] = waves[static_cast<std::size_t>(i)];
    most = {std::max(most.first, m), std::max(most.second, n)};
  }
  return {most.first + 2, most.second + 2};
}

/// The modes of one symmetry. The strain energy of w = sum c_ij phi_i phi_j is
/// D/2 integral of w_xx^2 + w_yy^2 + 2 nu w_xx w_yy + 2 (1 - nu) w_xy^2.
void add_modes(const RectangularPlate& plate, const Products& x, const Products& y, int odd_x,
               int odd_y, std::vector<RitzMode>& all) {
  const double nu = plate.poisson;
  const double p = 4 / (plate.width * plate.width), r = 4 / (plate.height * plate.height);
  const auto rows = (x.first.rows() - odd_x + 1) / 2, columns = (y.first.rows() - odd_y + 1) / 2;
  Eigen::MatrixXd K(rows * columns, rows * columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index k = 0; k < rows; ++k) {
      const Eigen::Index a = 2 * i + odd_x, b = 2 * k + odd_x;
      for (Eigen::Index j = 0; j < columns; ++j) {
        for (Eigen::Index l = 0; l < columns; ++l) {
          const Eigen::Index c = 2 * j + odd_y, d = 2 * l + odd_y;
          double sum = p * r *
                       (nu * (x.mixed(a, b) * y.mixed(d, c) + x.mixed(b, a) * y.mixed(c, d)) +
                        2 * (1 - nu) * x.first(a, b) * y.first(c, d));
          if (j == l) sum += p * p * x.second(a, b);
          if (i == k) sum += r * r * y.second(c, d);
          K(i * columns + j, k * columns + l) = sum;
        }
      }
    }
  }
  // K grows with the eighth power of the degree, so that rounding in its largest entries would
  // drown the lowest modes. Functions scaled to the same energy and 1/omega^2 as the eigenvalue
  // keep them to the last digits. The shift makes what moves as a whole positive as well.
  const double shift = 16 * std::pow(std::min(p, r), 2);
  K.diagonal().array() += shift;
  const Eigen::VectorXd scale = K.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd energy = scale.asDiagonal() * K * scale.asDiagonal();
  const Eigen::MatrixXd mass = scale.cwiseAbs2().asDiagonal();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solved(mass, energy);
  // A free plate moves and turns as a whole; the functions of both oddities can do neither.
  const bool rigid = plate.edge == PlateEdge::free && !(odd_x == 1 && odd_y == 1);
  for (Eigen::Index n = rigid ? 1 : 0; n < std::min<Eigen::Index>(K.rows(), plate.modes + 1); ++n) {
    const Eigen::Index from_above = K.rows() - 1 - n;
    const double inverse = solved.eigenvalues()[from_above];
    const Eigen::VectorXd shares =
        scale.cwiseProduct(solved.eigenvectors().col(from_above)) / std::sqrt(inverse);
    RitzMode mode{1 / inverse - shift, odd_x, odd_y, Eigen::MatrixXd(rows, columns)};
    for (Eigen::Index i = 0; i < rows; ++i)
      mode.part.row(i) = shares.segment(i * columns, columns).transpose();
    all.push_back(std::move(mode));
  }
}

}  // namespace

ModalBody plate_by_polynomials(const RectangularPlate& plate, std::span<const Place> places) {
  require_within("modes of a free or clamped plate", plate.modes, 1, 400);
  require_within("poisson", plate.poisson, 0, 0.5);
  require_within("width / height", plate.width / plate.height, 0.02, 50);
  const bool clamped = plate.edge == PlateEdge::clamped;
  // Polynomials resolve a half wave with pi/2 of them; the rest is the margin in which they
  // converge.
  const auto [m, n] = half_waves(plate);
  const auto functions = [](int waves) {
    return static_cast<int>(std::ceil(std::numbers::pi / 2 * waves)) + 8;
  };
  const int count_x = functions(m), count_y = functions(n);
  const Products x(count_x, clamped), y(count_y, clamped);
  std::vector<RitzMode> all;
  for (const int odd_x : {0, 1}) {
    for (const int odd_y : {0, 1}) add_modes(plate, x, y, odd_x, odd_y, all);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RitzMode& a, const RitzMode& b) { return a.square < b.square; });
  all.resize(static_cast<std::size_t>(plate.modes));
  ModalBody body;
  body.shapes.resize(static_cast<Eigen::Index>(places.size()), plate.modes);
  // The functions are orthonormal on [-1, 1]^2, of area 4: times 2 the mean square of a shape is 1.
  for (const RitzMode& mode : all) {
    body.modes.push_back(
        lossy_mode(std::sqrt(mode.square * plate.bending_stiffness / plate.area_density),
                   plate.area_density * plate.width * plate.height, plate.loss));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    require_within("x", places[i].x, 0, plate.width);
    require_within("y", places[i].y, 0, plate.height);
    const Polynomials at_x(count_x, clamped, 2 * places[i].x / plate.width - 1);
    const Polynomials at_y(count_y, clamped, 2 * places[i].y / plate.height - 1);
    for (std::size_t j = 0; j < all.size(); ++j) {
      double sum = 0;
      for (Eigen::Index k = 0; k < all[j].part.rows(); ++k) {
        for (Eigen::Index l = 0; l < all[j].part.cols(); ++l)
          sum += all[j].part(k, l) * at_x.value[2 * k + all[j].odd_x] *
                 at_y.value[2 * l + all[j].odd_y];
      }
      body.shapes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = 2 * sum;
    }
  }
  return body;
}

}  // namespace carom
