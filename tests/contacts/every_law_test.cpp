#include <array>
#include <cmath>
#include <random>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <gtest/gtest.h>

#include <carom/impact/any_law.hpp>

namespace carom {
namespace {

// Reference for laws without a closed form: Dormand and Prince's method of order 5 in long double,
// errors of 1e-16 a step, on X' = V, V' = -f(X, V) from X = 0, V = 1, in units of the impact. It
// shares nothing with collocation, neither laws nor clocks nor the search for events.
using Real = long double;
using Pair = std::array<Real, 2>;
namespace odeint = boost::numeric::odeint;

class Reference {
 public:
  /// The speed of rebound; `by_force`: released where the force falls to zero.
  template <class Law>
  static Real rebound(const Law& f, bool by_force) {
    const auto motion = [&](const Pair& s, Pair& slope, Real) { slope = {s[1], -f(s[0], s[1])}; };
    const auto released = [&](const Pair& s) { return !(s[0] > 0) || !(f(s[0], s[1]) > 0); };
    constexpr Real longest = 0.05L;
    Reference now;
    while (now.state_[1] > 0) now.advance(motion, longest);
    if (by_force) {
      Reference before = now;
      while (!released(now.state_)) {
        before = now;
        now.advance(motion, longest);
      }
      Real low = 0, high = now.t_ - before.t_;
      for (int i = 0; i < 64; ++i) {
        const Real middle = 0.5L * (low + high);
        now = before;
        now.go(motion, middle);
        (released(now.state_) ? high : low) = middle;
      }
      return -now.state_[1];
    }
    // To x = 0 with x for the variable, in steps that never reach it.
    const auto back = [&](const Pair& s, Pair& slope, Real) { slope = {-1, f(s[0], s[1]) / s[1]}; };
    while (now.state_[1] > -1e-3L && now.state_[0] > 0) now.advance(motion, longest);
    now.h_ = 0.01L * now.state_[0];
    while (now.state_[0] > 1e-22L) now.advance(back, 0.5L * now.state_[0]);
    return -now.state_[1];
  }

 private:
  template <class System>
  void advance(const System& system, Real longest) {
    auto stepper = odeint::make_controlled(1e-16L, 1e-16L,
                                           odeint::runge_kutta_dopri5<Pair, Real, Pair, Real>());
    h_ = std::min(h_, longest);
    while (stepper.try_step(system, state_, t_, h_) == odeint::fail) {
    }
  }
  template <class System>
  void go(const System& system, Real length) {
    const Real end = t_ + length;
    while (t_ < end) advance(system, end - t_);
  }

  Pair state_{0, 1};
  Real t_ = 0, h_ = 1e-20L;
};

/// An impact over the range of `carom impact`, with its scales.
struct Draw {
  explicit Draw(std::mt19937_64& random) : random_(random) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double log_uniform(double low, double high) { return std::pow(10, uniform(low, high)); }

  std::mt19937_64& random_;
  Collision collision{log_uniform(-4, 2), log_uniform(-2, 1.5)};
  double k = log_uniform(3, 11), n = uniform(0, 1) < 0.3 ? 1.5 : uniform(1, 4);
  double zeta = log_uniform(-3, 0.5);
  double energy = 0.5 * collision.mass * collision.speed * collision.speed;
  double length = std::pow((n + 1) * energy / k, 1 / (n + 1));
  /// c of c x^p v with the share zeta of the momentum.
  double damping(double p) const {
    return zeta * collision.mass * collision.speed / std::pow(length, p + 1);
  }
};

constexpr int draws = 300;
// What `carom impact` promises.
constexpr double promised = 1e-12;

TEST(EveryLaw, DampersOfAnyPowerAreThoseOfAnotherIntegrator) {
  std::mt19937_64 random(20);
  for (int i = 0; i < draws; ++i) {
    Draw draw(random);
    const double n = draw.n, near = draw.uniform(0, 1) < 0.3 ? n : draw.uniform(0, 4);
    const double p = std::max(0.0, near + draw.uniform(-0.1, 0.1));
    for (const auto& [law, power] :
         {std::pair<AnyLaw, double>{PowerDamper{draw.k, n, draw.damping(p), p}, p},
          {Tsuji{draw.k, n, draw.damping((n - 1) / 2)}, (n - 1) / 2},
          {KuwabaraKono{draw.k, n, draw.damping(n - 1)}, n - 1}}) {
      const Impact ours = collocated_impact(law, draw.collision);
      const auto force = [&, power = power](Real x, Real v) -> Real {
        if (!(x > 0)) return 0;
        const Real f =
            0.5L * (n + 1) * std::pow(x, Real(n)) + draw.zeta * std::pow(x, Real(power)) * v;
        return power < n ? f : std::max(Real(0), f);
      };
      const Real expected = Reference::rebound(force, power < n);
      EXPECT_NEAR(ours.restitution / static_cast<double>(expected), 1, promised)
          << law_name(law) << " n " << n << " p " << power << " zeta " << draw.zeta;
    }
  }
}

TEST(EveryLaw, ImpactFunctionsAreThoseOfAnotherIntegrator) {
  std::mt19937_64 random(21);
  for (int i = 0; i < draws; ++i) {
    Draw draw(random);
    const double depth = draw.log_uniform(-2, 0.5);
    const ImpactFunction law{draw.k, draw.n, draw.damping(0), depth * draw.length};
    const Impact ours = collocated_impact(law, draw.collision);
    const auto force = [&](Real x, Real v) -> Real {
      if (!(x > 0)) return 0;
      const Real s = std::min(x / depth, Real(1));
      return std::max(Real(0), 0.5L * (draw.n + 1) * std::pow(x, Real(draw.n)) +
                                   draw.zeta * s * s * (3 - 2 * s) * v);
    };
    const Real expected = Reference::rebound(force, false);
    EXPECT_NEAR(ours.restitution / static_cast<double>(expected), 1, promised)
        << "n " << draw.n << " zeta " << draw.zeta << " depth " << depth;
    EXPECT_EQ(ours.separation_compression, 0.0);
  }
}

TEST(EveryLaw, OthersAreTheirClosedForms) {
  std::mt19937_64 random(22);
  for (int i = 0; i < draws; ++i) {
    Draw draw(random);
    const auto expect = [&](const AnyLaw& law, double restitution, double tolerance) {
      const Impact ours = collocated_impact(law, draw.collision);
      EXPECT_NEAR(ours.restitution / restitution, 1, tolerance)
          << law_name(law) << " n " << draw.n << " zeta " << draw.zeta;
    };
    const double k = draw.k, n = draw.n, mu = draw.zeta / draw.collision.speed;
    expect(PowerLaw{k, n}, 1, promised);
    const HuntCrossley hunt{k, n, mu};
    const double e = impact(hunt, draw.collision).restitution;
    expect(hunt, e, promised);
    expect(ForceFormula("k*x^n*(1+mu*v)", {{"k", k}, {"n", n}, {"mu", mu}}), e, promised);
    const HertzDamper hertz{k, n, draw.damping(0)};
    expect(hertz, impact(hertz, draw.collision).restitution, promised);
    const KelvinVoigt voigt{k, 0.5 * draw.zeta * std::sqrt(k * draw.collision.mass)};
    expect(voigt, impact(voigt, draw.collision).restitution, promised);
    const double ratio = draw.uniform(1, 10);
    expect(WaltonBraun{k, ratio * k}, std::sqrt(1 / ratio), promised);
    const JKR jkr{k, draw.log_uniform(-3, 0), draw.log_uniform(-3, 0)};
    const double kept = 1 + (jkr.potential(0, {}) - jkr.potential(jkr.edge({}), {})) / draw.energy;
    // Near the speed at which it sticks the little that is left is a difference.
    if (kept > 0) expect(jkr, std::sqrt(kept), promised / std::min(1.0, kept));
    EXPECT_TRUE(kept > 0 || !collocated_impact(jkr, draw.collision).releases);
  }
}

/// Rows of a curve that begins like x^1.5 and is steeper at every row than the one before, with
/// unloading as a random share of it.
Columns random_loop(Draw& draw, bool lossless) {
  const int rows = 4 + static_cast<int>(draw.uniform(0, 20));
  Columns loop;
  double x = 0, f = 0, slope = 1, share = draw.uniform(0.3, 0.6);
  for (int i = 0; i < rows; ++i) {
    loop["compression"].push_back(x);
    loop["loading"].push_back(f);
    if (!lossless) loop["unloading"].push_back(f * (share + (1 - share) * i / (rows - 1)));
    const double step = draw.uniform(0.5, 1.5) * 1e-5;
    slope += draw.uniform(0.2, 1);
    f += 1e5 * slope * step;
    x += step;
  }
  return loop;
}

TEST(EveryLaw, TablesAreIntegralsOverTheirRows) {
  std::mt19937_64 random(23);
  for (int i = 0; i < draws; ++i) {
    Draw draw(random);
    const ForceTable law{ForceLoop(random_loop(draw, i % 3 == 0))};
    const double mass = draw.collision.mass, deepest = law.reach() * draw.uniform(0.1, 0.99);
    const double energy = law.loop.loading_work(deepest), speed = std::sqrt(2 * energy / mass);
    const ContactMemory back{.deepest = deepest, .unloading = !law.loop.is_lossless()};
    const double kept = law.potential(deepest, back);
    // The time ds/v from row to row, s = deepest - x, by quadrature in u: s = u^2 has no
    // singularity where the body turns round. Kinetic energy is the work from there on, so that
    // nothing cancels; three points are exact for a cubic.
    const auto duration = [&](const ContactMemory& m) {
      double time = 0, from = 0, kinetic = 0;
      while (deepest - from > law.edge(m)) {
        const double row = law.next_break((deepest - from) * (1 - 1e-14), -1, m);
        const double to = deepest - std::max(law.edge(m), row);
        const auto work = [&](double s) {
          return boost::math::quadrature::gauss<double, 3>::integrate(
              [&](double at) { return law.force(deepest - at, 0, m).total(); }, from, s);
        };
        const auto slowness = [&](double u) {
          return 2 * u / std::sqrt(2 * (kinetic + work(u * u)) / mass);
        };
        time += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
            slowness, std::sqrt(from), std::sqrt(to), 0);
        kinetic += work(to);
        from = to;
      }
      return time;
    };
    const double time = duration({}) + duration(back);
    const Impact ours = collocated_impact(law, {mass, speed});
    EXPECT_NEAR(ours.restitution / std::sqrt(kept / energy), 1, promised) << i;
    EXPECT_NEAR(ours.contact_time / time, 1, promised) << i;
    EXPECT_NEAR(ours.max_compression / deepest, 1, promised) << i;
  }
}

}  // namespace
}  // namespace carom
