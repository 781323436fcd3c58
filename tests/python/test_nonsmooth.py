"""The dropped bar and the complementarity solvers from Python."""

import itertools

import numpy as np
import pytest

import carom


def test_drop_bar_gives_what_the_scenario_gives(root, tmp_path):
    scenario = tmp_path / "bar.toml"
    scenario.write_text(
        'kind = "bar"\n[bar]\nangle = 75\nheight = 0.0065\naveraging = 5e-4\n'
        "[contact]\nrestitution = 0.25\n[output]\nevery = 50\n"
    )
    run = carom.run(scenario)
    drop = carom.drop_bar(75, 0.25, height=0.0065, averaging=5e-4, every=50)
    for name in ["apparent_restitution", "first_impact_time", "last_contact_time", "impact_speed", "impacts"]:
        assert getattr(drop, name) == run.results[name]
    assert drop.energy_after_first_impact == run.results["energy_after_first_impact"]
    assert np.array_equal(drop.time, run.time)
    assert np.array_equal(drop.gap, run["gap"])
    assert np.array_equal(drop.v[:, 1], run["velocity"])
    assert np.array_equal(drop.impulse, run["impulse"])
    assert [tuple(row) for row in drop.intervals] == [
        (i["begin"], i["end"], i["impulse"], i["impacts"]) for i in run.results["intervals"]
    ]
    assert drop.status == "ok"
    assert "impacts=" in repr(drop)


def test_energy_is_kept_by_the_event_driven_method():
    for model in ["spiral", "pairs"]:
        drop = carom.drop_bar(60, 1.0, model=model, method="event-driven", height=0.0065, duration=5e-4, every=1)
        assert drop.impacts > 10
        assert np.abs(drop.energy / drop.energy[0] - 1).max() < 1e-7
        assert len(drop.impact_times) == drop.impacts
        assert drop.audit["initial"] == drop.energy[0]


def test_outlines_have_the_length_of_the_bar():
    drop = carom.drop_bar(30, 0.5, height=0.0065, duration=4e-4)
    outlines = drop.outlines
    assert outlines.shape == (len(drop.time), 10, 2)
    lengths = np.linalg.norm(np.diff(outlines, axis=1), axis=2).sum(axis=1)
    assert lengths[0] == pytest.approx(0.2 - 0.00635, rel=1e-12)
    assert lengths == pytest.approx(0.2 - 0.00635, rel=1e-3)  # strains of an impact at 1 m/s
    assert np.array_equal(outlines[:, 0, 1], drop.q[:, 1])


def test_modes_tend_to_the_continuous_bar():
    frequencies, shapes, kinds = carom.bar_modes(segments=40, stiffness="limit")
    assert shapes.shape == (82, 82) and list(kinds[:3]) == ["rigid"] * 3
    length, radius = 0.2 - 0.00635 / 3, 0.00635  # the hemisphere by its volume
    sound = np.sqrt(2.1e11 / 7876.74)
    bending = 4.7300407**2 * sound * radius / 2 / length**2
    assert frequencies[kinds == "bending"][0] == pytest.approx(bending, rel=0.02)
    # The spring of the tip is softer than the others: half a percent at n = 40.
    assert frequencies[kinds == "axial"][0] == pytest.approx(np.pi * sound / length, rel=0.02)


def test_wrong_settings_are_said():
    with pytest.raises(ValueError, match="did you mean 'pairs'"):
        carom.drop_bar(80, model="pears")
    with pytest.raises(ValueError, match="starts in the floor"):
        carom.drop_bar(80, height=0.001)
    with pytest.raises(TypeError, match="angel"):
        carom.drop_bar(80, angel=3)


class Ball:
    """A point above a floor."""

    mass, gravity = 0.2, 9.81

    def mass_matrix(self, q):
        return [[self.mass]]

    def force(self, q, v):
        return [-self.mass * self.gravity]

    def potential_energy(self, q):
        return self.mass * self.gravity * q[0]

    def gaps(self, q):
        return q

    def gap_gradients(self, q):
        return [[1.0]]


@pytest.mark.parametrize("method", ["event-driven", "moreau-jean", "paoli-schatzman"])
def test_a_system_of_ones_own_bounces_as_it_should(method):
    height, e, step = 0.2, 0.5, 1e-3
    run = carom.simulate_contacts(Ball(), [height], [0.0], e, step=step, duration=0.55, method=method)
    first = np.sqrt(2 * height / 9.81)
    assert run.status == "ok"
    hits = run.time[run.impulses[:, 0] > 1e-9]
    tolerance = 1e-12 if method == "event-driven" else 2 * step
    assert hits[0] == pytest.approx(first, abs=tolerance)
    top = run.q[run.time > hits[0] + step].max()
    assert top == pytest.approx(e**2 * height, rel=1e-3 if method == "event-driven" else 0.05)
    assert run.audit["dissipated"] == pytest.approx(0.2 * 9.81 * height * (1 - e**6), rel=1e-3)  # three impacts
    speeds = np.sqrt(2 * 9.81 * height) * e ** np.arange(3)
    off = 1e-12 if method == "event-driven" else 2 * 9.81 * step  # what gravity gives in two steps
    assert run.impacts["speed_in"] == pytest.approx(speeds, abs=off)
    assert run.impacts["speed_out"] == pytest.approx(e * speeds, abs=off)
    assert run.q.shape == run.v.shape == run.impulses.shape == (len(run.time), 1)


@pytest.mark.parametrize("method", ["event-driven", "moreau-jean", "paoli-schatzman"])
def test_time_may_be_taken_or_left_out(method):
    class Timed(Ball):
        def force(self, t, q, v):
            return [-self.mass * self.gravity]

        def gaps(self, t, q):
            return q

        def gap_gradients(self, t, q):
            return [[1.0]]

    runs = [
        carom.simulate_contacts(system, [0.2], [0.0], 0.5, step=1e-3, duration=0.4, method=method)
        for system in (Ball(), Timed())
    ]
    assert np.array_equal(runs[0].q, runs[1].q)


@pytest.mark.parametrize("method", ["event-driven", "moreau-jean", "paoli-schatzman"])
def test_forces_may_depend_on_time(method):
    class Driven(Ball):
        def force(self, t, q, v):
            return [self.mass * np.cos(3.0 * t)]

    run = carom.simulate_contacts(Driven(), [1.0], [0.0], 0.5, step=1e-3, duration=0.4, method=method)
    # q = 1 + (1 - cos 3t)/9; second order: dt^2/12 of the fourth derivative and what it accumulates.
    assert run.q[:, 0] == pytest.approx(1 + (1 - np.cos(3 * run.time)) / 9, abs=1e-6)


@pytest.mark.parametrize("method", ["event-driven", "moreau-jean", "paoli-schatzman"])
def test_runs_end_at_their_duration(method):
    for duration, every in [(0.9, 1), (0.30037, 7), (0.0123, 1000)]:
        run = carom.simulate_contacts(
            Ball(), [0.2], [0.0], 0.5, step=1e-3, duration=duration, method=method, every=every
        )
        assert run.time[-1] == duration


@pytest.mark.parametrize("method", ["event-driven", "moreau-jean", "paoli-schatzman"])
def test_declared_dampers_drives_and_moving_obstacles_close_the_ledger(method):
    class Shaken:
        """A damped, driven oscillator over a table that moves."""

        def mass_matrix(self, q):
            return [[0.5]]

        def force(self, t, q, v):
            return -100.0 * q - 0.4 * v + 2.0 * np.cos(9.0 * t)

        def potential_energy(self, q):
            return 50.0 * q[0] ** 2

        def dissipation(self, t, q, v):
            return 0.4 * v[0] ** 2

        def power(self, t, q, v):
            return 2.0 * np.cos(9.0 * t) * v[0]

        def gaps(self, t, q):
            return q + 0.02 + 0.005 * np.sin(20 * t)

        def gap_rates(self, t, q):
            return [0.1 * np.cos(20 * t)]

        def gap_gradients(self, t, q):
            return [[1.0]]

    run = carom.simulate_contacts(Shaken(), [0.03], [0.0], 0.6, step=2e-4, duration=2.0, method=method)
    audit = run.audit
    assert run.status == "ok"
    assert audit["dissipated"] > 0.05 and abs(audit["injected"]) > 0.01
    assert audit["final"] == pytest.approx(audit["initial"] + audit["injected"] - audit["dissipated"], abs=1e-3)
    assert abs(audit["residual"]) < 1e-3 * audit["initial"] + 1e-4  # of 0.045 J, first order at impacts


class Rods:
    """Two rods that hang side by side and hit each other; geometry by vectors in the plane."""

    mass, length, offset = np.array([1.0, 0.6]), np.array([0.5, 0.35]), 0.1

    def ends(self, q):
        pivots = np.array([[0.0, 0.0], [self.offset, 0.0]])
        return pivots, pivots + self.length[:, None] * np.array([np.sin(q), -np.cos(q)]).T

    def mass_matrix(self, q):
        return np.diag(self.mass * self.length**2 / 3)

    def force(self, t, q, v):
        return -self.mass * 9.81 * self.length / 2 * np.sin(q)

    def potential_energy(self, q):
        return np.sum(self.mass * 9.81 * self.length / 2 * (1 - np.cos(q)))

    def gaps(self, t, q):
        pivots, tips = self.ends(q)
        normals = np.array([np.cos(q), np.sin(q)]).T
        return [np.dot(tips[i] - pivots[1 - i], normals[1 - i]) for i in range(2)]

    def gap_gradients(self, t, q):
        h = 1e-6
        return np.array([(np.array(self.gaps(t, q + d)) - self.gaps(t, q - d)) / (2 * h) for d in h * np.eye(2)]).T

    def can_touch(self, i, q):
        pivots, tips = self.ends(q)
        along = np.dot(tips[i] - pivots[1 - i], [np.sin(q[1 - i]), -np.cos(q[1 - i])])
        return 0 < along < self.length[1 - i]

    def two_sided(self, i):
        return True


def test_rods_hit_each_other_as_scipy_finds_it():
    integrate = pytest.importorskip("scipy.integrate")
    rods, e, until = Rods(), 0.7, 1.5
    inertia = np.diag(rods.mass_matrix(None))
    t, state, hits = 0.0, np.array([-1.0, 0.2, 0.0, 0.0]), []

    def event(tip):
        def gap(t, y):
            return rods.gaps(t, y[:2])[tip]

        gap.terminal = True
        return gap

    while t < until:
        found = integrate.solve_ivp(
            lambda t, y: np.concatenate([y[2:], rods.force(t, y[:2], y[2:]) / inertia]),
            (t, until), state, method="DOP853", rtol=1e-12, atol=1e-13, events=[event(0), event(1)],
        )
        t, state = found.t[-1], found.y[:, -1].copy()
        for tip in range(2):
            if len(found.t_events[tip]) and found.status == 1:
                normal = rods.gap_gradients(t, state[:2])[tip]
                if rods.can_touch(tip, state[:2]):
                    closing = normal @ state[2:]
                    state[2:] -= (1 + e) * closing / (normal @ (normal / inertia)) * normal / inertia
                    hits.append(t)
        state[:2] += 1e-12 * state[2:]  # off the event
    run = carom.simulate_contacts(
        rods, [-1.0, 0.2], [0.0, 0.0], e, step=1e-3, duration=until, method="event-driven"
    )
    ours = run.time[run.impulses.max(axis=1) > 0]
    assert len(hits) >= 2 and len(ours) == len(hits)
    # Second order: dt^2 times a few rad/s^2, growing from impact to impact.
    assert ours == pytest.approx(hits, abs=1e-5)
    assert run.q[-1] == pytest.approx(state[:2], abs=1e-4)


class TwoFeet:
    """A plate on two feet, height and angle; both may touch."""

    def mass_matrix(self, q):
        return np.diag([1.0, 0.1])

    def force(self, q, v):
        return np.array([-9.81, 0.0])

    def potential_energy(self, q):
        return 9.81 * q[0]

    def gaps(self, q):
        return np.array([q[0] + np.sin(q[1]), q[0] - np.sin(q[1])])

    def gap_gradients(self, q):
        return np.array([[1.0, np.cos(q[1])], [1.0, -np.cos(q[1])]])


def test_two_contacts_carry_the_weight_together():
    run = carom.simulate_contacts(
        TwoFeet(), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], step=1e-3, duration=0.05, method="event-driven"
    )
    assert np.abs(run.q).max() < 1e-12
    assert run.impulses[1:].sum(axis=1) == pytest.approx(9.81e-3, rel=1e-9)


@pytest.mark.parametrize("method", ["passive", "event-driven", "rk4"])
@pytest.mark.parametrize("law", [carom.HuntCrossley(1e7, 1.5, mu=0.3), carom.KelvinVoigt(1e6, 50.0)], ids=lambda law: law.name)
def test_a_compliant_contact_of_ones_own_system_is_the_exact_impact(law, method):
    class Weightless(Ball):
        gravity = 0.0

    run = carom.simulate_contacts(
        Weightless(), [0.01], [-1.0], law, step=2e-6 if method == "rk4" else 1e-3, duration=0.02, method=method
    )
    exact = carom.impact(law, mass=0.2, speed=1.0)
    assert run.status == "ok" and run.time[-1] == 0.02 and len(run.impacts) == 1
    hit = run.impacts[0]
    # rk4: a thousand steps in contact, and less than its order at the edge of a power of 1.5 or 1/4.
    tolerance = 1e-5 if method == "rk4" else 1e-9
    assert hit["time"] == pytest.approx(0.01, abs=1e-12)
    for name, value in [
        ("speed_in", 1.0),
        ("speed_out", exact.rebound_speed),
        ("contact_time", exact.contact_time),
        ("max_force", exact.max_force),
        ("max_compression", exact.max_compression),
        ("impulse", 0.2 * (1 + exact.rebound_speed)),
    ]:
        assert hit[name] == pytest.approx(value, rel=tolerance), name
    assert run.impulses.sum() == pytest.approx(hit["impulse"], rel=1e-9)
    assert run.audit["dissipated"] == pytest.approx(exact.energy_lost, rel=tolerance)
    assert abs(run.audit["residual"]) < (1e-12 if method == "passive" else tolerance) * 0.1


def test_a_ball_on_a_vibrating_table_is_what_scipy_finds():
    integrate = pytest.importorskip("scipy.integrate")
    k, mu, amplitude, omega = 1e5, 0.3, 0.002, 60.0

    class Table(Ball):
        def gaps(self, t, q):
            return q - amplitude * np.sin(omega * t)

        def gap_gradients(self, t, q):
            return [[1.0]]

        def gap_rates(self, t, q):
            return [-amplitude * omega * np.cos(omega * t)]

    def slope(t, y):
        x = amplitude * np.sin(omega * t) - y[0]
        rate = amplitude * omega * np.cos(omega * t) - y[1]
        return [y[1], -9.81 + (k * x**1.5 * max(0.0, 1 + mu * rate) / 0.2 if x > 0 else 0.0)]

    until = 0.5
    # Steps of 1e-5 s: x^1.5 has no third derivative where the contact begins.
    found = integrate.solve_ivp(slope, (0, until), [0.02, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, max_step=1e-5)
    run = carom.simulate_contacts(
        Table(), [0.02], [0.0], carom.HuntCrossley(k, 1.5, mu=mu), step=0.01, duration=until, method="passive"
    )
    assert len(run.impacts) >= 3
    assert run.q[-1, 0] == pytest.approx(found.y[0, -1], abs=1e-8)
    assert run.v[-1, 0] == pytest.approx(found.y[1, -1], abs=1e-7)
    audit = run.audit
    assert abs(audit["injected"]) > 1e-4 and abs(audit["residual"]) < 1e-12 * audit["initial"]


def test_laws_may_be_mixed_with_restitutions():
    class Row:
        """Three equal balls on a line."""

        def mass_matrix(self, q):
            return 0.1 * np.eye(3)

        def force(self, q, v):
            return np.zeros(3)

        def potential_energy(self, q):
            return 0.0

        def gaps(self, q):
            return np.diff(q)

        def gap_gradients(self, q):
            return [[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]]

    run = carom.simulate_contacts(
        Row(), [0.0, 0.1, 0.2], [1.0, 0.0, 0.0], [0.5, carom.PowerLaw(1e7)], step=0.01, duration=1.0
    )
    # Newton gives the second 3/4 and leaves 1/4, an elastic contact exchanges velocities.
    assert run.v[-1] == pytest.approx([1 / 16, 3 / 16, 3 / 4], abs=1e-11)
    assert list(run.impacts["contact"]) == [0, 1, 0]
    assert list(run.impacts["contact_time"] > 0) == [False, True, False]
    assert run.impulses.sum(axis=0) == pytest.approx([0.09375, 0.075], abs=1e-12)


def test_a_ball_comes_to_rest_on_its_law():
    run = carom.simulate_contacts(
        Ball(), [0.05], [0.0], carom.KelvinVoigt(1e6, 100.0), step=0.01, duration=3.0, method="passive"
    )
    assert run.status == "at rest" and run.time[-1] == 3.0
    assert run.forces[-1, 0] == pytest.approx(0.2 * 9.81, rel=1e-6)
    assert run.q[-1, 0] == pytest.approx(-0.2 * 9.81 / 1e6, rel=1e-6)


def test_methods_refuse_what_they_cannot_step():
    law = carom.HuntCrossley(1e7, 1.5, mu=0.3)
    for method in ["moreau-jean", "paoli-schatzman"]:
        with pytest.raises(ValueError, match=f"{method}.*impacts take no time.*hunt-crossley"):
            carom.simulate_contacts(Ball(), [0.1], [0.0], law, step=1e-3, duration=0.1, method=method)
    with pytest.raises(ValueError, match="theta"):
        carom.simulate_contacts(Ball(), [0.1], [0.0], law, step=1e-3, duration=0.1, theta=0.6)
    with pytest.raises(ValueError, match="flight"):
        carom.simulate_contacts(Ball(), [0.1], [0.0], law, step=1e-3, duration=0.1, method="event-driven", flight="newmark")
    with pytest.raises(ValueError, match="laws: one is needed for each of the 1 contacts"):
        carom.simulate_contacts(Ball(), [0.1], [0.0], [law, law], step=1e-3, duration=0.1)

    class Shaken(Ball):
        def gaps(self, t, q):
            return q - 0.01 * np.sin(t)

    with pytest.raises(ValueError, match="no gap_rates"):
        carom.simulate_contacts(Shaken(), [0.1], [0.0], law, step=1e-3, duration=0.1)


def test_mistakes_in_ones_own_system_are_said():
    class Short(Ball):
        def force(self, q, v):
            return [1.0, 2.0]

    class Broken(Ball):
        def gaps(self, q):
            if q[0] < 0.9:
                raise RuntimeError("lost my gap")
            return q

    with pytest.raises(ValueError, match=r"force\(\): must give 1 numbers"):
        carom.simulate_contacts(Short(), [1.0], [0.0], 0.5, step=1e-3, duration=0.1)
    with pytest.raises(RuntimeError, match="lost my gap"):
        carom.simulate_contacts(Broken(), [1.0], [-1.0], 0.5, step=1e-3, duration=0.5)
    with pytest.raises(ValueError, match=r"system: has no mass_matrix\(\)"):
        carom.simulate_contacts(object(), [1.0], [0.0], 0.5, step=1e-3, duration=0.1)
    with pytest.raises(ValueError, match="did you mean 'moreau-jean'"):
        carom.simulate_contacts(Ball(), [1.0], [0.0], 0.5, step=1e-3, duration=0.1, method="moreau-jeans")


def by_enumeration(M, q):
    """The solution by trying every set of contacts."""
    n = len(q)
    for active in itertools.product([False, True], repeat=n):
        a = np.array(active)
        z = np.zeros(n)
        if a.any():
            z[a] = np.linalg.solve(M[np.ix_(a, a)], -q[a])
        if z.min(initial=0) >= -1e-12 and (M @ z + q).min() >= -1e-12:
            return z
    return None


@pytest.mark.parametrize("method", ["automatic", "lemke", "newton", "gauss-seidel"])
def test_lcp_solvers_agree_with_enumeration(method):
    random = np.random.default_rng(4)
    for n in range(1, 7):
        for _ in range(10):
            A = random.normal(size=(n, n))
            M, q = A @ A.T + 0.1 * np.eye(n), random.normal(size=n)
            found = carom.solve_lcp(M, q, method=method)
            assert found.solved and found.residual < 1e-12
            assert found.z == pytest.approx(by_enumeration(M, q), abs=1e-9)
            assert np.minimum(found.z, found.w) == pytest.approx(0, abs=1e-9)


def test_lcp_outcomes_are_values():
    # A floor that pulls: no solution, and Lemke says so.
    assert carom.solve_lcp([[0.0]], [-1.0], method="lemke").status == "ray termination"
    assert carom.solve_lcp([[np.nan]], [1.0]).status == "not finite"
    assert carom.solve_lcp(np.eye(3), -np.ones(3), method="gauss-seidel", max_iterations=1).solved
    with pytest.raises(ValueError, match="did you mean 'lemke'"):
        carom.solve_lcp([[1.0]], [1.0], method="lemko")
    with pytest.raises(ValueError, match="n x n"):
        carom.solve_lcp([[1.0, 2.0]], [1.0])
