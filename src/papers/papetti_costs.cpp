#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "operation_count.hpp"
#include "papetti2011.hpp"
#include "papetti_methods.hpp"

namespace carom::papetti {
namespace {

/// Case 2 in mid-contact, in counting numbers.
struct Bench {
  Tally tally;
  static constexpr double step_size = 1 / audio_rate;
  Variable h{tally, step_size}, m{tally, case_2.mass}, k{tally, case_2.law.stiffness},
      alpha{tally, case_2.law.exponent}, mu{tally, case_2.law.mu}, v_lim{tally, -1 / case_2.law.mu},
      v_in{tally, case_2.speed};
  Variable x{tally, start.x}, v{tally, start.v}, f{tally, start.f};
  static inline const ContactPoint start{3e-5, 0.6, case_2.law.force(3e-5, 0.6)};

  /// A literal in an expression counts as read.
  Term literal(double value) { return ++tally.read, Term{&tally, value}; }
  Term zero() { return {&tally, 0.0}; }

  /// Eq. (1), k x^alpha (1 - v/v_lim); it pushes the mass back and is negated where it is used.
  template <class X, class V>
  Term force(const X& at, const V& rate) {
    if (!is_positive(at)) return zero();
    return k * power(at, alpha) * (literal(1) - rate / v_lim);
  }
  /// What the force adds to the velocity in half a step.
  Term kick() { return half(h) * -f / m; }
};

Tally count_verlet(ContactPoint& result) {
  Bench b;
  const Variable kick = b.kick();
  b.x = b.x + b.h * (b.v + kick);
  const Variable v_half = b.v + kick;
  b.f = b.force(b.x, v_half);
  b.v = v_half + b.kick();
  result = {b.x.value(), b.v.value(), 0.0};
  return b.tally;
}

/// (25) in the same words: the mean of v and the predicted velocity is v + kick.
Tally count_heun(ContactPoint& result) {
  Bench b;
  const Variable kick = b.kick();
  const Variable predicted = b.v + twice(kick);
  b.x = b.x + b.h * (b.v + kick);
  b.f = b.force(b.x, predicted);
  b.v = b.v + kick + b.kick();
  result = {b.x.value(), b.v.value(), 0.0};
  return b.tally;
}

Tally count_rk4(ContactPoint& result) {
  Bench b;
  const auto sixth = [&](const Variable& a1, const Variable& a2, const Variable& a3,
                         const Variable& a4) {
    return (a1 + twice(a2 + a3) + a4) * b.literal(1. / 6);
  };
  const Variable l1 = b.h * b.v, f1 = b.force(b.x, b.v), k1 = b.h * -f1 / b.m;
  const Variable x2 = b.x + half(l1), v2 = b.v + half(k1);
  const Variable l2 = b.h * v2, f2 = b.force(x2, v2), k2 = b.h * -f2 / b.m;
  const Variable x3 = b.x + half(l2), v3 = b.v + half(k2);
  const Variable l3 = b.h * v3, f3 = b.force(x3, v3), k3 = b.h * -f3 / b.m;
  const Variable x4 = b.x + l3, v4 = b.v + k3;
  const Variable l4 = b.h * v4, f4 = b.force(x4, v4), k4 = b.h * -f4 / b.m;
  b.x = b.x + sixth(l1, l2, l3, l4);
  b.v = b.v + sixth(k1, k2, k3, k4);
  result = {b.x.value(), b.v.value(), 0.0};
  return b.tally;
}

struct ImplicitTallies {
  Tally sample, iteration;
};

/// Eq. (23) by the K-method: a sample begins with what is known, A (x, v) + K f, and Newton's
/// method finds the force that belongs to it. The coding is inferred from the counts: the matrix A
/// of (23) in full, K of each sample anew; in an iteration (1) and its slope as they stand, and the
/// motion left as the last iteration has it. The counter of a loop is in a register; an absolute
/// value is a comparison.
ImplicitTallies count_am1(ContactPoint& result) {
  Bench b;
  const double inverse_mass = 1 / case_2.mass;
  const Variable a11(b.tally, 1), a21(b.tally, 0), a22(b.tally, 1),
      half_inverse_mass(b.tally, 0.5 * inverse_mass), half_h(b.tally, 0.5 * Bench::step_size);
  const Variable lambda(b.tally, case_2.law.lambda()), alpha_1(b.tally, case_2.law.exponent - 1),
      tolerance(b.tally, 1e-14 * Bench::start.f);
  b.f = Term{&b.tally, -Bench::start.f};  // on the mass
  b.tally = {};

  const Variable to_v = b.h * half_inverse_mass, to_x = half_h * to_v;
  const Variable x0 = a11 * b.x + b.h * b.v + to_x * b.f;
  const Variable v0 = a21 * b.x + a22 * b.v + to_v * b.f;
  Variable change = b.zero();
  const Tally sample = std::exchange(b.tally, {});

  Tally iteration;
  for (int i = 0; i < 100; ++i) {
    b.tally = {};
    b.x = x0 + to_x * b.f;
    b.v = v0 + to_v * b.f;
    if (is_positive(b.x)) {
      const Variable x_1 = power(b.x, alpha_1), x_alpha = x_1 * b.x, rub = lambda * x_alpha;
      const Variable error = b.k * x_alpha + rub * b.v + b.f;
      const Variable stiff = b.alpha * x_1 * (b.k + lambda * b.v);
      const Variable slope = to_x * stiff + to_v * rub + b.literal(1);
      change = error / slope;
      b.f = b.f - change;
    }
    count_comparison(b.tally);  // i < 100
    const bool done = is_below(magnitude(change), tolerance);
    iteration = b.tally;
    if (done) break;
  }
  result = {b.x.value(), b.v.value(), 0.0};
  return {sample, iteration};
}

/// Eq. (3); a value is read once and kept.
Tally count_hybrid() {
  Bench b;
  if (is_positive(b.x)) {
    const Term m = b.m, alpha = b.alpha, k = b.k, mu = b.mu, v = b.v, v_in = b.v_in;
    const Term one{&b.tally, 1};
    const Term ratio = (one + mu * v) / (one + mu * v_in);
    const Term bracket = mu * (v_in - v) + logarithm(ratio);
    b.x = power(m * (alpha + one) / (k * mu * mu) * bracket, one / (alpha + one));
  }
  return b.tally;
}

/// Eqs. (7), (8), applied when the threshold allows it.
Tally count_exit() {
  Bench b;
  const auto number = [&](double value) { return Term{&b.tally, value}; };
  const Variable u = b.mu * b.v_in;
  const Term kept = u;
  if (is_below(kept, number(0.798392))) {
    const Term polynomial =
        number(1) + kept * (number(1) + kept * (number(2) / number(3) +
                                                kept * (number(2) / number(9) +
                                                        kept * (number(14) / number(135)))));
    b.v = (polynomial * exponential(twice(Term{&b.tally, -kept.value})) - number(1)) / b.mu;
  }
  return b.tally;
}

/// One step of Newton's method on eq. (6), mu v - ln(1 + mu v) = c.
Tally count_zero() {
  Bench b;
  const Variable c(b.tally, 0.1);
  const Term v = b.v, mu = b.mu, one{&b.tally, 1};
  const Term z = mu * v, factor = one + z;
  b.v = v - (z - logarithm(factor) - c) * factor / (mu * z);
  return b.tally;
}

void set_column(Reproduction& paper, const std::string& item, const std::string& column,
                const Tally& tally) {
  const auto set = [&](const char* row, int count) { paper.set(item, column + " " + row, count); };
  set("write", tally.write);
  set("read", tally.read);
  set("+/-", tally.add);
  set("x", tally.multiply);
  set("div", tally.divide);
  set("bit-shift", tally.shift);
  set("exp", tally.exp);
  set("log", tally.log);
  set("compare", tally.compare);
  set("total", tally.arithmetic());
  set("total with write/read", tally.total());
}

/// Newton's method on eq. (6), from the number next to the limit speed -1/mu, which no rebound
/// reaches. The function is convex, so that it climbs from there; it has arrived when it no longer
/// does.
int newton_iterations(double u) {
  const double target = u - std::log1p(u);
  double factor = std::numeric_limits<double>::epsilon();  // 1 + mu v
  for (int count = 1; count < 100; ++count) {
    const double z = factor - 1, next = factor - (z - std::log(factor) - target) * factor / z;
    if (!(next > factor)) return count;
    factor = next;
  }
  return 100;
}

/// CPU nanoseconds per sample, the smallest of several runs. In contact: the same impact over and
/// over, oversampled so that nearly all samples are inside; in flight: away from the wall.
double nanoseconds(Method method, bool in_contact, int samples) {
  const double h = in_contact ? 1 / (100 * audio_rate) : 1 / audio_rate;
  double best = INFINITY, sink = 0;
  for (int repetition = 0; repetition < 7; ++repetition) {
    const std::clock_t begin = std::clock();
    ContactPoint state{in_contact ? 0.0 : -1.0, in_contact ? case_2.speed : -1.0, 0.0};
    for (int n = 0; n < samples; ++n) {
      state = step(case_2, method, state, h);
      if (in_contact && !(state.x > 0)) state = {0.0, case_2.speed, 0.0};
    }
    sink += state.x;
    best = std::min(best, double(std::clock() - begin) / CLOCKS_PER_SEC / samples);
  }
  return std::isnan(sink) ? sink : 1e9 * best;
}

void measure(Reproduction& paper) {
  constexpr int samples = 100'000;
  for (const Method method : methods) {
    const std::string name(method_names[std::size_t(method)]);
    paper.set("Cost", name + " in contact", nanoseconds(method, true, samples));
    paper.set("Cost", name + " in flight", nanoseconds(method, false, samples));
  }
}

/// The reasons of the nine cells that differ, tested on the counts.
void check_counts(Reproduction& paper, const ImplicitTallies& am1) {
  const auto printed = [&](const char* table, const char* cell) {
    return paper.printed(table, cell);
  };
  const auto a = [&](const char* cell) { return int(printed("Table IV(a)", cell)); };
  paper.check("count",
              am1.sample.write + 1 == a("AM1 write") && am1.sample.add - 1 == a("AM1 +/-") &&
                  am1.iteration.read - 1 == a("AM1 per iteration read"),
              fmt::format("{} writes, {} additions, {} reads where {}, {}, {} are printed",
                          am1.sample.write, am1.sample.add, am1.iteration.read, a("AM1 write"),
                          a("AM1 +/-"), a("AM1 per iteration read")));
  const Tally hybrid = count_hybrid();
  const int others = hybrid.arithmetic() - hybrid.exp;
  paper.check("power", hybrid.exp == 1 && others == int(printed("Table IV(b)", "hybrid total")),
              fmt::format("without its one exp ours has {} operations, as printed", others));
  int sum = 0;
  for (const char* row :
       {"write", "read", "+/-", "x", "div", "bit-shift", "exp", "log", "compare"}) {
    sum += int(printed("Table IV(b)", fmt::format("zero of (6), per iteration {}", row).c_str()));
  }
  paper.check("sum", sum == 13, fmt::format("the printed column adds up to {}", sum));
}

}  // namespace

void reproduce_costs(Reproduction& paper) {
  ContactPoint verlet, heun, rk4, trapezoid;
  set_column(paper, "Table IV(a)", "Verlet", count_verlet(verlet));
  set_column(paper, "Table IV(a)", "Heun", count_heun(heun));
  set_column(paper, "Table IV(a)", "RK4", count_rk4(rk4));
  const ImplicitTallies am1 = count_am1(trapezoid);
  set_column(paper, "Table IV(a)", "AM1", am1.sample);
  set_column(paper, "Table IV(a)", "AM1 per iteration", am1.iteration);
  set_column(paper, "Table IV(b)", "hybrid", count_hybrid());
  set_column(paper, "Table IV(b)", "v~_out", count_exit());
  set_column(paper, "Table IV(b)", "zero of (6), per iteration", count_zero());
  check_counts(paper, am1);
  for (const double u : {1e-6, 0.005, 0.5, 5.0}) {
    paper.set("Table IV(b)", fmt::format("iterations on (6), mu v_in = {}", u),
              newton_iterations(u));
  }

  double apart = 0;
  for (const auto& [method, counted] :
       {std::pair{Method::verlet, verlet}, std::pair{Method::heun, heun},
        std::pair{Method::rk4, rk4}, std::pair{Method::am1, trapezoid}}) {
    const ContactPoint run = step(case_2, method, Bench::start, Bench::step_size);
    apart = std::max({apart, std::abs(counted.x / run.x - 1), std::abs(counted.v / run.v - 1)});
  }
  paper.set("Table IV(a)", "counted step against the one that made the tables, relative", apart);
  measure(paper);
}

}  // namespace carom::papetti
