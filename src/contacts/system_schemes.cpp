// The classical methods: one step a sample, cut at events.

#include <cmath>
#include <utility>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

bool SystemMarch::one_step(double h) {
  Point& p = scratch_;
  Point& out = end_point_;
  const Eigen::VectorXd &q0 = begin_.q, &v0 = begin_.v, &a0 = begin_point_.a;
  switch (settings_.scheme) {
    case SystemScheme::collocation:
      return false;
    case SystemScheme::rk4: {
      Eigen::VectorXd q = q0 + h / 6 * v0, v = v0 + h / 6 * a0;
      Eigen::VectorXd slope_q = v0, slope_v = a0;
      for (const auto& [share, weight] :
           {std::pair{0.5, 1.0 / 3}, {0.5, 1.0 / 3}, {1.0, 1.0 / 6}}) {
        p.q = q0 + share * h * slope_q;
        p.v = v0 + share * h * slope_v;
        slope_q = p.v;
        evaluate(begin_.t + share * h, p);
        slope_v = p.a;
        q += weight * h * slope_q;
        v += weight * h * slope_v;
      }
      out.q = q;
      out.v = v;
      return true;
    }
    case SystemScheme::heun:
      p.q = q0 + h * v0;
      p.v = v0 + h * a0;
      evaluate(begin_.t + h, p);
      out.q = q0 + 0.5 * h * (v0 + p.v);
      out.v = v0 + 0.5 * h * (a0 + p.a);
      return true;
    case SystemScheme::verlet:
      p.q = q0 + h * (v0 + 0.5 * h * a0);
      p.v = v0 + h * a0;
      evaluate(begin_.t + h, p);
      out.q = p.q;
      out.v = v0 + 0.5 * h * (a0 + p.a);
      return true;
    case SystemScheme::trapezoid: {
      p.q = q0 + h * v0;
      p.v = v0 + h * a0;
      double last = 1e300;
      for (int i = 0; i < 100; ++i) {
        evaluate(begin_.t + h, p);
        const Eigen::VectorXd v = v0 + 0.5 * h * (a0 + p.a);
        const double change = (v - p.v).lpNorm<Eigen::Infinity>();
        p.v = v;
        p.q = q0 + 0.5 * h * (v0 + v);
        if (change <= 1e-15 * v.lpNorm<Eigen::Infinity>() ||
            (i > 3 && change >= last && change < 1e-12))
          break;
        if (i > 20 && change > last) return false;
        last = change;
      }
      out.q = p.q;
      out.v = p.v;
      return true;
    }
  }
  return false;
}

}  // namespace carom
