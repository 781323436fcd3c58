"""Assemblies against what is known of them: friction by SciPy, thresholds in closed form."""

import json
import math

import numpy as np
import pytest

import carom

solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp


class RubbingDisc:
    """One impact of a disc on the ground with Hertz's force and a tangential spring, phase by phase.

    y = (height above the undeformed ground, its rate, slip speed, elongation of the spring).
    """

    def __init__(self, mass, stiffness, tangential, friction, mu):
        self.m, self.k, self.kt, self.f, self.mu = mass, stiffness, tangential, friction, mu

    def normal(self, y):
        x = max(0.0, -y[0])
        return self.k * x**1.5 * (1 - self.mu * y[1])

    def normal_rate(self, y, a):
        x = max(0.0, -y[0])
        return self.k * (-1.5 * x**0.5 * y[1] * (1 - self.mu * y[1]) - self.mu * x**1.5 * a)

    def spring(self, y, phase):
        return y[3] if phase == 0 else phase * self.f * self.normal(y) / self.kt

    def motion(self, phase):
        def rates(_, y):
            a = self.normal(y) / self.m
            # A disc: the place of contact has the mobility 3/m along the ground.
            return [y[1], a, -3 / self.m * self.kt * self.spring(y, phase), y[2] if phase == 0 else 0.0]

        return rates

    def ends(self, phase):
        def rubbing(_, y):
            if phase == 0:
                return self.f * self.normal(y) - self.kt * abs(y[3])
            growth = self.f * self.normal_rate(y, self.normal(y) / self.m) / self.kt
            return phase * y[2] - growth

        def leaves(_, y):
            return -y[0]

        for event in (rubbing, leaves):
            event.terminal, event.direction = True, -1
        return [rubbing, leaves]

    def impact(self, down, along):
        """(normal speed, slip speed) at the end of the contact."""
        # From x = v t, where the neglected terms are below 1e-13, on.
        start = 1e-9
        phase = 1 if along > 0 else -1
        t, y = start, np.array([-down * start, -down, along, 0.0])
        for _ in range(20):
            part = solve_ivp(self.motion(phase), (t, t + 1.0), y, "DOP853", rtol=1e-13, atol=1e-18,
                             events=self.ends(phase))
            t, y = part.t[-1], part.y[:, -1].copy()
            if part.t_events[1].size:
                return y[1], y[2]
            y[3] = self.spring(y, phase)
            phase = 0 if phase != 0 else int(math.copysign(1, y[3]))
        raise AssertionError("the contact does not end")


@pytest.mark.parametrize("along", [0.05, 0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("method", ["passive", "event-driven"])
def test_an_oblique_compliant_impact_agrees_with_scipy(along, method):
    mass, radius, k, kt, friction, mu, down = 0.1, 0.03, 1e8, 6e5, 0.3, 0.2, 1.0
    disc = carom.Assembly(dimension=2)
    disc.body("disc", "disc", mass=mass, radius=radius, position=[0.0, radius],
              velocity=[along, -down])
    disc.contact("disc", "ground", law=carom.HuntCrossley(k, 1.5, mu=mu), friction=friction,
                 tangential_stiffness=kt)
    run = disc.run(duration=2e-3, rate=1e5, method=method)
    up, slip = RubbingDisc(mass, k, kt, friction, mu).impact(down, along)
    assert run["disc.vy"][-1] == pytest.approx(up, rel=1e-8)
    # The ground sees the slip vx + R spin: a tangential impulse J changes it by 3 J/m, vx by J/m.
    assert run["disc.vx"][-1] == pytest.approx(along + (slip - along) / 3, abs=1e-8)
    assert run["disc.vx"][-1] + radius * run["disc.spin"][-1] == pytest.approx(slip, abs=3e-8)
    if method == "passive":
        assert abs(run.energy["residual"]) <= 1e-12 * run.energy["initial"]


def test_a_spring_of_friction_is_refused_where_nothing_follows_it():
    disc = carom.Assembly(dimension=2)
    disc.body("disc", "disc", mass=0.1, radius=0.03, position=[0.0, 0.05])
    disc.contact("disc", "ground", law=carom.PowerLaw(1e5), friction=0.3)
    with pytest.raises(ValueError, match="a classical step does not"):
        disc.run(duration=0.01, method="rk4")
    hard = carom.Assembly(dimension=2)
    hard.body("disc", "disc", mass=0.1, radius=0.03, position=[0.0, 0.05])
    hard.contact("disc", "ground", "newton", restitution=0.5, friction=0.3,
                 tangential_stiffness=1e5)
    with pytest.raises(ValueError, match="takes no time has no spring"):
        hard.run(duration=0.01)


def section(gamma, e, frequency=25.0, periods=400, last=40):
    """Heights of a ball on a vibrating table, once a period, after the transient."""
    gravity, omega = 9.81, 2 * np.pi * frequency
    amplitude = gamma * gravity / omega**2
    # One flight a period: Gamma cos(phi) = pi (1 - e)/(1 + e) at the impact.
    phi = math.acos(math.pi * (1 - e) / (1 + e) / gamma)
    ball = carom.Assembly(gravity=gravity)
    ball.body("table", "driven", amplitude=amplitude, frequency=frequency, phase=phi)
    ball.body("ball", mass=0.02, position=amplitude * math.sin(phi),
              velocity=0.5 * gravity / frequency * 1.001)
    ball.contact("table", "ball", "newton", distance=0.0, restitution=e)
    run = ball.run(duration=periods / frequency, rate=frequency * 4, method="event-driven")
    return run["ball.x"][2::4][-last:]


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_the_first_period_doubling_is_where_theory_has_it(e):
    """Gamma^2 = (pi (1 - e)/(1 + e))^2 + (2 (1 + e^2)/(1 + e)^2)^2: Luo and Han 1996, exact."""
    threshold = math.hypot(math.pi * (1 - e) / (1 + e), 2 * (1 + e**2) / (1 + e) ** 2)
    below, above = section(0.99 * threshold, e), section(1.01 * threshold, e)
    size = np.ptp(section(1.05 * threshold, e))
    assert np.ptp(below) < 1e-3 * size  # one value a period
    assert np.ptp(above[::2]) < 0.2 * abs(above[0] - above[1])  # two in turn
    assert abs(above[0] - above[1]) > 0.1 * size


def test_a_stable_orbit_draws_near_at_its_rate(carom_cli, tmp_path):
    """Half-way to the doubling the multipliers of an orbit of one period are +-i e: the distance of
    two runs shrinks by e in each period."""
    e, frequency, gravity = 0.5, 25.0, 9.81
    gamma = math.hypot(math.pi * (1 - e) / (1 + e), (1 + e**2) / (1 + e) ** 2)
    phi = math.acos(math.pi * (1 - e) / (1 + e) / gamma)
    amplitude = gamma * gravity / (2 * np.pi * frequency) ** 2
    ball = carom.Assembly(gravity=gravity)
    ball.body("table", "driven", amplitude=amplitude, frequency=frequency, phase=phi)
    ball.body("ball", mass=0.02, position=amplitude * math.sin(phi),
              velocity=0.5 * gravity / frequency)
    ball.contact("table", "ball", "newton", distance=0.0, restitution=e)
    (tmp_path / "ball.toml").write_text(ball.to_toml(duration=24 / frequency, rate=5000.0))
    done = carom_cli("divergence", tmp_path / "ball.toml", "--key", "body.2.velocity", "--change",
                     1e-5, "--json", "--out", tmp_path / "d.svg")
    assert json.loads(done.stdout)["rate"] == pytest.approx(frequency * math.log(e), rel=0.05)


@pytest.mark.parametrize("method", ["passive", "event-driven"])
def test_a_box_that_lies_on_the_floor_and_rubs_is_not_slid_without_friction(method):
    """No impact closes its contact: it begins closed. Only moreau-jean follows what stays closed and rubs."""
    table = carom.Assembly(dimension=2, gravity=9.81)
    table.body("box", "box", mass=1.0, width=0.1, height=0.1, position=[0.0, 0.05], velocity=[1.0, 0.0])
    table.contact("box", "ground", law="newton", restitution=0.0, friction=0.2)
    stopped = table.run(duration=0.1, method=method)
    assert "stays closed and rubs" in stopped.summary["status"]
    slid = table.run(duration=0.1, method="moreau-jean")
    assert slid.summary["status"] == "done"
    assert slid["box.vx"][-1] == pytest.approx(1 - 0.2 * 9.81 * 0.1, rel=1e-3)
