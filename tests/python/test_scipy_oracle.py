"""SciPy's DOP853 with events as an oracle that shares no code and no formula with carom."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom


def integrate(law, mass, speed, force=0.0, until=None):
    """Times, states and the release of m v' = -f(x, v) + f_e by DOP853, in scaled units."""
    n = law.exponent
    omega = (law.stiffness * speed ** (n - 1) / mass) ** (1 / (n + 1))
    length = speed / omega

    def rhs(_, y):
        x, v = y[0] * length, y[1] * speed
        return [y[1], (force - law.force(x, v) if x > 0 else force) / (mass * speed * omega)]

    def separation(t, y):
        if t < 1e-6:
            return 1.0
        if law.name == "hertz-damper":
            # zero force, with the sign kept beyond it
            x, v = y[0] * length, y[1] * speed
            return (law.stiffness * max(x, 0) ** n + law.damping * v) / (mass * speed * omega)
        return y[0]

    separation.terminal, separation.direction = True, -1
    turning = lambda t, y: y[1]  # noqa: E731
    turning.direction = -1
    solution = solve_ivp(
        rhs,
        (0, until or 400),
        [0.0, 1.0],
        method="DOP853",
        rtol=3e-13,
        atol=1e-15,
        events=[separation, turning],
        dense_output=True,
    )
    return solution, omega, length


CASES = [
    (carom.HuntCrossley(1e9, 1.5, mu=0.5), 0.01, 1.0, 0.0),
    (carom.HuntCrossley(1e7, 1.3, mu=0.01), 0.01, 0.5, 0.0),
    (carom.HuntCrossley(3e5, 2.5, mu=2.0), 0.2, 3.0, 0.0),
    (carom.HuntCrossley(1e3, 1.5, mu=0.5), 0.01, 0.5, 0.0981),
    (carom.HertzDamper(1e8, 1.5, damping=200.0), 1.0, 2.0, 0.0),
    (carom.HertzDamper(1e4, 1.2, damping=5.0), 0.1, 1.0, 0.0),
    (carom.HertzDamper(1e6, 2.0, damping=3.0), 0.05, 0.7, 0.0),
    (carom.PowerLaw(1e6, 1.7), 0.3, 1.2, 0.0),
]


@pytest.mark.parametrize("law, mass, speed, force", CASES, ids=lambda v: getattr(v, "name", ""))
def test_impact_agrees_with_dop853(law, mass, speed, force):
    solution, omega, length = integrate(law, mass, speed, force)
    hit = carom.impact(law, mass=mass, speed=speed, force=force)
    # DOP853 at rtol 3e-13 accumulates a few 1e-12; the events are located to 1e-12 of a period.
    assert hit.contact_time == pytest.approx(solution.t_events[0][0] / omega, rel=1e-10)
    assert hit.rebound_speed == pytest.approx(-solution.y_events[0][0][1] * speed, rel=1e-10)
    assert hit.max_compression == pytest.approx(solution.y_events[1][0][0] * length, rel=1e-10)
    assert hit.max_compression_time == pytest.approx(solution.t_events[1][0] / omega, rel=1e-9)

    # from just after touch: a damper's force jumps there
    times = np.linspace(0.001, 0.999, 57) * hit.contact_time
    x, v, f = hit.at(times)
    reference = solution.sol(times * omega)
    # dense output of DOP853 is of order 7: looser than the steps themselves
    assert np.allclose(x, reference[0] * length, rtol=0, atol=1e-8 * hit.max_compression)
    assert np.allclose(v, reference[1] * speed, rtol=0, atol=1e-8 * speed)
    assert np.allclose(f, law.force(x, v), rtol=1e-9, atol=1e-9 * hit.max_force)
    assert_largest_force(hit, law, solution, omega, length, speed)


def assert_largest_force(hit, law, solution, omega, length, speed):
    """The largest of a hundred points in each of DOP853's steps: near enough, a top is flat."""
    steps = np.maximum(solution.t, 1e-9)
    times = np.interp(np.arange(0, steps.size - 1, 0.01), np.arange(steps.size), steps)
    x, v = solution.sol(times) * [[length], [speed]]
    force = law.force(np.maximum(x, 0), v)
    top = np.argmax(force)
    assert hit.max_force == pytest.approx(force[top], rel=1e-6)
    assert hit.max_force_time == pytest.approx(times[top] / omega, rel=1e-2, abs=2e-9 / omega)


HELD = [
    (carom.HuntCrossley(1e3, 1.5, mu=0.5), 0.01, 0.01, 200.0),  # creeps in: never turns
    (carom.HuntCrossley(1e3, 2.5, mu=20.0), 0.1, 0.5, 30.0),  # creeps in
    (carom.HertzDamper(1.0, 1.5, damping=8.0), 1.0, 1.0, 20.0),  # creeps in, largest on the way
    (carom.HertzDamper(1.0, 1.0, damping=8.0), 1.0, 1.0, 2.0),  # creeps in, largest at touch
    (carom.HuntCrossley(1e5, 1.5, mu=5.0), 0.01, 0.1, 2.0),  # swings before it settles
    (carom.HertzDamper(1e3, 1.5, damping=1.0), 0.1, 0.1, 5.0),  # swings
]


@pytest.mark.parametrize("law, mass, speed, force", HELD)
def test_largest_force_of_a_body_held_down(law, mass, speed, force):
    solution, omega, length = integrate(law, mass, speed, force, until=5)
    hit = carom.impact(law, mass=mass, speed=speed, force=force)
    assert not hit.releases
    assert_largest_force(hit, law, solution, omega, length, speed)


def test_body_held_down_settles_at_the_equilibrium():
    law = carom.HuntCrossley(1e4, 1.5, mu=2.0)
    hit = carom.impact(law, mass=0.1, speed=0.01, force=5.0)
    assert not hit.releases and np.isnan(hit.rebound_speed)
    assert hit.equilibrium_compression == pytest.approx((5.0 / 1e4) ** (1 / 1.5), rel=1e-14)
    # No release in 50 periods of the oscillator either.
    solution, _, _ = integrate(law, 0.1, 0.01, 5.0, until=300)
    assert solution.status == 0 and len(solution.t_events[0]) == 0
