"""Assemblies against independent integrations of the same equations by SciPy."""

import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

import carom

solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp
brentq = pytest.importorskip("scipy.optimize").brentq


def contact_force(contact, x, v):
    elastic = contact["stiffness"] * max(x, 0.0) ** contact.get("exponent", 1.0)
    if contact["law"] == "hunt-crossley":
        return elastic * (1 + contact["mu"] * v)
    if contact["law"] == "power-law":
        return elastic
    return elastic + contact["damping"] * v  # hertz-damper, kelvin-voigt


class Line:
    """Masses, fixed and driven bodies on a line, from the text of a scenario."""

    def __init__(self, text):
        self.file = tomllib.loads(text)
        self.free = [b for b in self.file["body"] if b.get("type", "mass") == "mass"]
        self.bodies = {b["name"]: b for b in self.file["body"]}
        self.gravity = self.file.get("space", {}).get("gravity", 0.0)
        self.index = {b["name"]: i for i, b in enumerate(self.free)}
        self.mass = np.array([b["mass"] for b in self.free])
        self.start = np.array(
            [b.get("position", 0.0) for b in self.free] + [b.get("velocity", 0.0) for b in self.free]
        )

    def state(self, name, t, y):
        if name in self.index:
            i = self.index[name]
            return y[i], y[i + len(self.free)]
        body = self.bodies[name]
        amplitude, omega = body.get("amplitude", 0.0), 2 * np.pi * body.get("frequency", 0.0)
        return (body.get("position", 0.0) + amplitude * np.sin(omega * t),
                amplitude * omega * np.cos(omega * t))

    def relative(self, pair, t, y):
        (x0, v0), (x1, v1) = self.state(pair[0], t, y), self.state(pair[1], t, y)
        return x1 - x0, v1 - v0

    def length(self, link):
        first, second = (self.bodies[name].get("position", 0.0) for name in link["between"])
        return link.get("length", second - first)

    def __call__(self, t, y):
        force = -self.gravity * self.mass

        def push(pair, f):
            for name, sign in zip(pair, (-1, 1)):
                if name in self.index:
                    force[self.index[name]] += sign * f

        for link in self.file.get("link", []):
            x, rate = self.relative(link["between"], t, y)
            pull = link["stiffness"] * (x - self.length(link)) + link["damping"] * rate
            push(link["between"], -pull)
        for contact in self.touching:
            push(contact["between"], self.force(contact, t, y))
        return np.concatenate([y[len(self.free) :], force / self.mass])

    def compression(self, contact, t, y):
        x, rate = self.relative(contact["between"], t, y)
        return contact["distance"] - x, -rate

    def force(self, contact, t, y):
        return contact_force(contact, *self.compression(contact, t, y))

    def events(self):
        """Ends of phases, with what follows. In a phase the right-hand side is smooth: a force
        stays zero beyond the touch, and the law's own beyond the release, until the event is
        found."""
        found = []
        for contact in self.file["contact"]:

            def gap(t, y, contact=contact):
                return -self.compression(contact, t, y)[0]

            def force(t, y, contact=contact):
                return self.force(contact, t, y)

            released = contact in self.released
            touching = contact in self.touching
            found.append((gap, 1 if touching or released else -1, contact))
            if released:
                found.append((force, 1, contact))
            if touching and "damping" in contact:
                found.append((force, -1, contact))
        for event, direction, _ in found:
            event.terminal, event.direction = True, direction
        return found

    def pass_event(self, event, contact):
        released = event.__name__ == "force" and contact in self.touching
        closes = contact not in self.touching and not (event.__name__ == "gap" and
                                                       contact in self.released)
        self.touching = [c for c in self.touching if c is not contact] + [contact] * closes
        self.released = [c for c in self.released if c is not contact] + [contact] * released

    def samples(self, times, longest, by_phases):
        """At the times asked for, integrated from one end of a phase to the next, as closely as
        SciPy allows: impacts multiply errors, and 1e-11 a step leaves 5e-7 after five of them.
        Phases of balls that just touch would begin and end by rounding: without phases, short
        steps go over the touch."""
        self.touching, self.released = [] if by_phases else self.file["contact"], []
        found = np.empty((len(times), len(self.start)))
        t, y, row, end = 0.0, self.start, 0, times[-1]
        while row < len(times):
            events = self.events() if by_phases else []
            part = solve_ivp(self, (t, end), y, "DOP853", rtol=2.5e-14, atol=1e-18,
                             events=[event for event, _, _ in events] or None,
                             dense_output=True, max_step=longest)
            t, y = part.t[-1], part.y[:, -1]
            while row < len(times) and times[row] <= t:
                found[row] = part.sol(times[row])
                row += 1
            for (event, _, contact), at in zip(events, part.t_events or []):
                if len(at):
                    self.pass_event(event, contact)
        return found


def example(name):
    return carom.new_scenario("assembly", example=name)


def acceptance(name):
    beside = Path(__file__).parents[3] / "shared"  # beside the checkout, wherever the tests run
    path = Path(os.environ.get("CAROM_SHARED", beside)) / f"acceptance/assembly_{name}.toml"
    if not path.exists():
        pytest.skip(f"{path.name} is not here; CAROM_SHARED names the folder of optional test data")
    return path.read_text()


@pytest.mark.parametrize("name, longest, by_phases",
                         [("train", 1e-3, True), ("cradle", 1e-6, False), ("table", 1e-4, True)])
def test_an_acceptance_file_agrees_with_scipy(name, longest, by_phases):
    text = acceptance(name)
    line = Line(text)
    runs = {method: carom.run_text(text, {"run.method": method})
            for method in ("event-driven", "passive")}
    expected = line.samples(runs["passive"].time, longest, by_phases)
    n = len(line.free)
    for method, tolerance in (("event-driven", 1e-8), ("passive", 1e-5)):
        for i, body in enumerate(line.free):
            for signal, column in ((".x", i), (".v", i + n)):
                error = np.abs(runs[method][body["name"] + signal] - expected[:, column]).max()
                size = np.abs(expected[:, :n] if signal == ".x" else expected[:, n:]).max()
                assert error <= tolerance * size, f"{method} {body['name']}{signal}"
    energy = runs["passive"].energy
    total = abs(energy["initial"]) + abs(energy["injected"])
    assert abs(energy["residual"]) <= 1e-12 * total


def test_a_ball_on_a_vibrating_table_agrees_with_scipy():
    """Flights are parabolas, their ends roots; contacts are integrated."""
    ball = carom.Assembly(gravity=9.81)
    amplitude, omega, mass, k, mu, distance = 0.0012, 2 * np.pi * 25, 0.02, 1e7, 0.25, 0.01
    ball.body("table", "driven", amplitude=amplitude, frequency=25.0)
    ball.body("ball", mass=mass, position=0.03)
    ball.contact("table", "ball", distance=distance, law=carom.HuntCrossley(k, 1.5, mu=mu))
    run = ball.run(duration=0.3, rate=2000.0, method="event-driven")

    def table(t):
        return amplitude * np.sin(omega * t) + distance

    def motion(t, y):
        x, v = table(t) - y[0], amplitude * omega * np.cos(omega * t) - y[1]
        return [y[1], -9.81 + max(0.0, k * max(x, 0.0) ** 1.5 * (1 + mu * v)) / mass]

    def leaves(t, y):
        return table(t) - y[0]

    leaves.terminal, leaves.direction = True, -1
    t, y, touches = 0.0, np.array([0.03, 0.0]), []
    while True:
        def gap(s):
            return y[0] + y[1] * s - 9.81 * s * s / 2 - table(t + s)

        s = 1e-7
        while gap(s) > 0 and t + s < 0.3:
            s += 1e-5
        if t + s >= 0.3:
            break
        s = brentq(gap, max(s - 1e-5, 0.0), s, xtol=1e-17)
        touches.append(t + s)
        y = np.array([y[0] + y[1] * s - 9.81 * s * s / 2, y[1] - 9.81 * s])
        t += s
        part = solve_ivp(motion, (t, t + 0.01), y, "DOP853", rtol=2.5e-14, atol=1e-18,
                         events=leaves, dense_output=True, first_step=1e-9)
        t = part.t_events[0][-1]
        y = part.sol(t)
    impacts = run.results["contacts"][0]["impacts"]
    assert [impact["time"] for impact in impacts] == pytest.approx(touches, rel=1e-9)
    end = [y[0] + y[1] * (0.3 - t) - 9.81 * (0.3 - t) ** 2 / 2, y[1] - 9.81 * (0.3 - t)]
    assert run["ball.x"][-1] == pytest.approx(end[0], rel=1e-8)
    assert run["ball.v"][-1] == pytest.approx(end[1], rel=1e-8)


def test_the_file_and_the_object_are_the_same(tmp_path):
    assembly = carom.Assembly(dimension=2, gravity=9.81, title="a \"disc\"")
    assembly.body("disc", "disc", mass=0.1, radius=0.03, position=[0.0, 0.3], spin=40)
    assembly.contact("disc", "ground", "newton", restitution=0.8, friction=0.3)
    path = tmp_path / "disc.toml"
    path.write_text(assembly.to_toml(duration=0.5, method="moreau-jean", rate=5000.0))
    direct = assembly.run(duration=0.5, method="moreau-jean", rate=5000.0)
    assert np.array_equal(carom.run(path)["disc.spin"], direct["disc.spin"])
    assert repr(assembly) == "Assembly(plane: 1 body, 1 contact)"
    with pytest.raises(ValueError, match="'wall' is unknown"):
        assembly.contact("disc", "wall", "newton", restitution=0.5).run(duration=0.1)


def test_a_law_is_a_name_a_law_or_a_restitution():
    ball = carom.Assembly(gravity=9.81)
    ball.body("ball", mass=0.1, position=0.02)
    ball.contact("ground", "ball", 0.5)
    impacts = ball.run(duration=0.1).results["contacts"][0]["impacts"]
    assert impacts[0]["restitution"] == pytest.approx(0.5, rel=1e-12)
    table = carom.ForceTable({"compression": [0, 1e-4, 2e-4, 4e-4], "loading": [0, 5, 12, 40]})
    for law in (table, None, [0.5]):
        with pytest.raises(ValueError, match="a law or a restitution|FILE.csv"):
            carom.Assembly().contact("ground", "ball", law)


TABLE = {"compression": np.linspace(0, 1e-3, 9), "loading": 4e4 * np.linspace(0, 1e-3, 9) * (
    1 + 5e5 * np.linspace(0, 1e-3, 9) ** 2)}


@pytest.mark.parametrize("speed", [0.3, 0.5])
def test_a_table_agrees_with_its_exact_impact(speed, tmp_path):
    rows = zip(TABLE["compression"], TABLE["loading"])
    (tmp_path / "pad.csv").write_text(
        "compression,loading\n" + "".join(f"{float(x)!r},{float(f)!r}\n" for x, f in rows))
    (tmp_path / "pad.toml").write_text(
        f"""kind = "assembly"
[[body]]
name = "a"
mass = 0.1
velocity = {-speed}
[[contact]]
between = ["ground", "a"]
law = "table"
file = "pad.csv"
[run]
duration = 0.02
""")
    exact = carom.impact(carom.ForceTable(TABLE), mass=0.1, speed=speed)
    run = carom.run(tmp_path / "pad.toml", {"run.method": "event-driven"})
    (impact,) = run.results["contacts"][0]["impacts"]
    assert impact["speed_out"] == pytest.approx(exact.rebound_speed, rel=1e-11)
    assert impact["contact_time"] == pytest.approx(exact.contact_time, rel=1e-10)
    assert abs(run.energy["residual"]) < 1e-13 * run.energy["initial"]
