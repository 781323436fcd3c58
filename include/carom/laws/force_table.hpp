#pragma once

#include <algorithm>
#include <memory>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// A measured loop of force over compression: columns `compression` [m] and `loading` [N], from
/// (0, 0) upwards, and where they differ `unloading` [N], which meets loading in the last row.
/// Between the rows C1 monotone cubics [FritschCarlson1980], so that there is no force that was not
/// measured; their integrals are exact. An immutable value; copies share it.
class ForceLoop {
 public:
  ForceLoop() = default;
  /// Throws InvalidInput where the columns are no such loop.
  explicit ForceLoop(const Columns& columns);
  Columns columns() const;

  bool operator==(const ForceLoop& other) const;

  bool is_lossless() const noexcept;              ///< there is no unloading column
  double reach() const noexcept;                  ///< the last compression [m]
  double loading(double x) const noexcept;        ///< [N]; beyond the last row along the last slope
  double loading_slope(double x) const noexcept;  ///< [N/m]
  double loading_work(double x) const noexcept;   ///< integral from 0 [J]
  /// Unloading over its first value, from s = x/deepest = 1 down to 0, and its integral from 0.
  double shape(double s) const noexcept;
  double shape_area(double s) const noexcept;
  double shape_end() const noexcept;  ///< the s at which the unloading force reaches zero
  /// The compression of the next row above (way > 0) or below x; infinite where there is none.
  double next_row(double x, int way) const noexcept;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// The force of a measured loop. Loading follows the table. Unloading from another depth than the
/// last row is taken to be similar: f = F(deepest) phi(x/deepest), phi the measured unloading curve
/// over its first value; it ends where that reaches zero. Loaded again, the contact goes back up
/// the same curve and on along the table.
///
/// While loading the contact stores what unloading will return, V = F(x) x Phi(1), and loses the
/// rest of the work; a loop of which that rest is negative anywhere returns more than was put in
/// and is refused. Beyond the last row the force goes on along its last slope; an exact impact that
/// goes there is refused.
struct ForceTable {
  ForceLoop loop;

  static constexpr LawText text{"table", "ForceTable", "a measured loop of force over compression",
                                "f = F(x) from a file",
                                "cubics: Fritsch and Carlson, SIAM J. Numer. Anal. 17 (1980) 238"};
  static constexpr std::tuple fields{
      ValueField(FieldType::columns, "file", &ForceTable::loop,
                 "CSV with columns compression [m], loading [N] and, where it differs, unloading")};

  bool operator==(const ForceTable&) const = default;

  /// Throws InvalidInput where unloading would return more than loading has put in.
  void check() const;
  double reach() const noexcept { return loop.reach(); }

  // While bodies touch.
  Force force(double x, double /*v*/, const ContactMemory& m) const noexcept {
    if (m.unloading) return {loop.loading(m.deepest) * loop.shape(x / m.deepest), 0.0};
    const double total = loop.loading(x);
    if (loop.is_lossless()) return {total, 0.0};
    const double stored = loop.shape_area(1) * (total + x * loop.loading_slope(x));
    return {stored, total - stored};
  }
  double potential(double x, const ContactMemory& m) const noexcept {
    if (m.unloading) return loop.loading(m.deepest) * m.deepest * loop.shape_area(x / m.deepest);
    if (loop.is_lossless()) return loop.loading_work(x);
    return x > 0 ? loop.loading(x) * x * loop.shape_area(1) : 0.0;
  }
  int grade() const noexcept { return 2; }
  double edge(const ContactMemory& m) const noexcept {
    return m.unloading ? m.deepest * loop.shape_end() : 0.0;
  }

  /// The second derivative of the cubics jumps at the rows.
  double next_break(double x, int way, const ContactMemory& m) const noexcept {
    const double scale = m.unloading ? m.deepest / loop.reach() : 1.0;
    return scale * loop.next_row(x / scale, way);
  }

  // A lossless table has one branch: there is nothing to tell loading from unloading.
  double switching(double x, double v, const ContactMemory& m) const noexcept {
    if (loop.is_lossless()) return loop.reach();
    if (!m.unloading) return v;
    return v > 0 ? m.deepest - x : m.deepest;
  }
  ContactMemory flip(double x, const ContactMemory& m) const noexcept {
    return m.unloading ? ContactMemory{} : ContactMemory{.deepest = x, .unloading = true};
  }
};
static_assert(BranchingLaw<ForceTable> && PiecewiseLaw<ForceTable>);

}  // namespace carom
