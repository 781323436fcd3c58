#include <algorithm>
#include <cmath>
#include <limits>
#include <math.h>  // Boost 1.74 calls isnan without its namespace
#include <string>

#include <boost/math/interpolators/pchip.hpp>

#include <carom/core/error.hpp>
#include <carom/laws/force_table.hpp>

namespace carom {
namespace detail {

/// A C1 cubic through points, monotone between them, and its integral from the first one.
class MonotoneCubic {
 public:
  MonotoneCubic(const std::vector<double>& x, const std::vector<double>& y)
      : x_(x), y_(y), slope_(x.size()) {
    const std::size_t last = x.size() - 1;
    auto xs = x, ys = y;
    const boost::math::interpolators::pchip<std::vector<double>> curve(std::move(xs),
                                                                       std::move(ys));
    for (std::size_t i = 1; i <= last; ++i) slope_[i] = curve.prime(x[i]);
    // A parabola in the first interval: x F'/F goes from 1 to its value at the second point,
    // without a hump in between, as for the powers that contacts begin with.
    const double chord = (y[1] - y[0]) / (x[1] - x[0]);
    slope_[0] = std::max(0.0, 2 * chord - slope_[1]);
    pieces_.resize(last);
    double area = 0;
    for (std::size_t i = 0; i < last; ++i) {
      // Hermite's cubic in powers of t = (x - x_i)/h.
      const double h = x[i + 1] - x[i], rise = y[i + 1] - y[i], a = h * slope_[i],
                   b = h * slope_[i + 1];
      pieces_[i] = {x[i], h, 1 / h, area, {y[i], a, 3 * rise - 2 * a - b, a + b - 2 * rise}};
      area += pieces_[i].area(1);
    }
    area_ = area;
  }

  const std::vector<double>& places() const noexcept { return x_; }

  double operator()(double x) const noexcept {
    if (x >= x_.back()) return y_.back() + slope_.back() * (x - x_.back());
    if (!(x > x_.front())) return y_.front();
    const Piece& piece = at(x);
    const double t = piece.t(x);
    const auto& c = piece.c;
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
  }
  double slope(double x) const noexcept {
    if (x >= x_.back()) return slope_.back();
    const Piece& piece = at(std::max(x, x_.front()));
    const double t = piece.t(std::max(x, x_.front()));
    const auto& c = piece.c;
    return (c[1] + t * (2 * c[2] + t * 3 * c[3])) * piece.per_width;
  }
  double area(double x) const noexcept {
    if (!(x > x_.front())) return 0.0;
    if (x >= x_.back()) {
      const double beyond = x - x_.back();
      return area_ + beyond * (y_.back() + 0.5 * slope_.back() * beyond);
    }
    const Piece& piece = at(x);
    return piece.before + piece.area(piece.t(x));
  }

 private:
  struct Piece {
    double from, width, per_width, before;  ///< where it begins; the area up to there
    std::array<double, 4> c;
    double t(double x) const noexcept { return (x - from) * per_width; }
    double area(double t) const noexcept {
      return width * t * (c[0] + t * (c[1] / 2 + t * (c[2] / 3 + t * c[3] / 4)));
    }
  };
  const Piece& at(double x) const noexcept {
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    return pieces_[static_cast<std::size_t>(after - x_.begin()) - 1];
  }

  std::vector<double> x_, y_, slope_;
  std::vector<Piece> pieces_;
  double area_ = 0;
};

}  // namespace detail

namespace {

[[noreturn]] void refuse_table(const std::string& why) { throw InvalidInput("table: " + why); }

const std::vector<double>& column(const Columns& columns, const char* name) {
  const auto found = columns.find(name);
  if (found == columns.end()) refuse_table("column '" + std::string(name) + "' is missing");
  return found->second;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

void check_loop(const Columns& columns) {
  constexpr std::array<std::string_view, 3> known{"compression", "loading", "unloading"};
  for (const auto& [name, values] : columns) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse_table(unknown_name_message("column", name, known));
  }
  const std::vector<double>&x = column(columns, "compression"), &f = column(columns, "loading");
  if (x.size() < 4 || f.size() != x.size())
    refuse_table("needs columns of at least 4 numbers each");
  if (x[0] != 0 || f[0] != 0) refuse_table("must begin with compression 0 and loading 0");
  for (std::size_t i = 1; i < x.size(); ++i) {
    const std::string row = " in row " + std::to_string(i + 1);
    if (!(x[i] > x[i - 1] && std::isfinite(x[i]))) refuse_table("compression does not grow" + row);
    if (!(f[i] >= f[i - 1] && std::isfinite(f[i])) || !(f[i] > 0))
      refuse_table("loading falls or is not greater than 0" + row);
  }
  const auto found = columns.find("unloading");
  if (found == columns.end()) return;
  const std::vector<double>& u = found->second;
  if (u.size() != x.size()) refuse_table("the columns have different lengths");
  for (std::size_t i = 0; i < u.size(); ++i) {
    const std::string row = " in row " + std::to_string(i + 1);
    if (!(u[i] >= 0 && u[i] <= f[i])) refuse_table("unloading is not between 0 and loading" + row);
    if (i > 0 && u[i] < u[i - 1]) refuse_table("unloading falls" + row);
  }
  if (u.back() < (1 - 1e-6) * f.back())
    refuse_table("unloading must meet loading in the last row, where the body turns round");
}

}  // namespace

struct ForceLoop::Data {
  explicit Data(const Columns& given)
      : columns(given),
        loading(column(given, "compression"), column(given, "loading")),
        unloading(scaled(column(given, "compression"), 1 / column(given, "compression").back()),
                  scaled(column(given, given.contains("unloading") ? "unloading" : "loading"),
                         1 / column(given, "loading").back())) {
    reach = column(given, "compression").back();
    lossless = !given.contains("unloading");
    if (lossless) return;
    const std::vector<double>&x = column(given, "compression"), &u = column(given, "unloading");
    for (std::size_t i = 0; i < x.size() && u[i] == 0; ++i) end = x[i] / reach;
    area_below_end = unloading.area(end);
  }

  Columns columns;
  detail::MonotoneCubic loading, unloading;
  double reach, end = 0, area_below_end = 0;
  bool lossless;
};

ForceLoop::ForceLoop(const Columns& columns) {
  check_loop(columns);
  data_ = std::make_shared<const Data>(columns);
}

Columns ForceLoop::columns() const { return data_ ? data_->columns : Columns{}; }

bool ForceLoop::operator==(const ForceLoop& other) const {
  return data_ == other.data_ || columns() == other.columns();
}

bool ForceLoop::is_lossless() const noexcept { return data_->lossless; }
double ForceLoop::reach() const noexcept { return data_->reach; }
double ForceLoop::loading(double x) const noexcept { return data_->loading(x); }
double ForceLoop::loading_slope(double x) const noexcept { return data_->loading.slope(x); }
double ForceLoop::loading_work(double x) const noexcept { return data_->loading.area(x); }
double ForceLoop::shape(double s) const noexcept {
  return s > data_->end ? data_->unloading(s) : 0.0;
}
double ForceLoop::shape_area(double s) const noexcept {
  return s > data_->end ? data_->unloading.area(s) - data_->area_below_end : 0.0;
}
double ForceLoop::next_row(double x, int way) const noexcept {
  constexpr double none = std::numeric_limits<double>::infinity();
  const std::vector<double>& rows = data_->loading.places();
  if (way > 0) {
    const auto above = std::upper_bound(rows.begin(), rows.end(), x);
    if (above == rows.end()) return none;
    return *above;
  }
  const auto from = std::lower_bound(rows.begin(), rows.end(), x);
  return from == rows.begin() ? -none : *(from - 1);
}
double ForceLoop::shape_end() const noexcept { return data_->end; }

void ForceTable::check() const {
  if (loop.is_lossless()) return;
  const Columns columns = loop.columns();
  const std::vector<double>& x = columns.find("compression")->second;
  // Ten places in each interval: the cubics have no finer structure.
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    for (int part = 1; part <= 10; ++part) {
      const double at = x[i] + (x[i + 1] - x[i]) * part / 10;
      const Force f = force(at, 0, {});
      if (f.lost < -1e-9 * f.total())
        refuse_table("unloading from compression " + number_text(at) +
                     ", scaled from the measured one, would return more than loading put in");
    }
  }
}

}  // namespace carom
