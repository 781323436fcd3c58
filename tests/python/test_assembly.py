"""Assemblies against independent integrations of the same equations by SciPy."""

import tomllib

import numpy as np
import pytest

import carom

solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp
brentq = pytest.importorskip("scipy.optimize").brentq


def contact_force(contact, x, v):
    if x <= 0:
        return 0.0
    elastic = contact["stiffness"] * x ** contact.get("exponent", 1.0)
    if contact["law"] == "hunt-crossley":
        return max(0.0, elastic * (1 + contact["mu"] * v))
    if contact["law"] == "power-law":
        return elastic
    return max(0.0, elastic + contact["damping"] * v)  # hertz-damper, kelvin-voigt


class Line:
    """Masses and fixed bodies on a line, from the text of a scenario."""

    def __init__(self, text):
        self.file = tomllib.loads(text)
        self.free = [b for b in self.file["body"] if b.get("type", "mass") == "mass"]
        self.place = {b["name"]: b.get("position", 0.0) for b in self.file["body"]}
        self.index = {b["name"]: i for i, b in enumerate(self.free)}
        self.mass = np.array([b["mass"] for b in self.free])
        self.start = np.array(
            [b.get("position", 0.0) for b in self.free] + [b.get("velocity", 0.0) for b in self.free]
        )

    def of(self, name, values, fallback):
        return values[self.index[name]] if name in self.index else fallback

    def relative(self, pair, y):
        n = len(self.free)
        first, second = pair
        x = self.of(second, y[:n], self.place[second]) - self.of(first, y[:n], self.place[first])
        return x, self.of(second, y[n:], 0.0) - self.of(first, y[n:], 0.0)

    def __call__(self, t, y):
        force = np.zeros(len(self.free))

        def push(pair, f):
            for name, sign in zip(pair, (-1, 1)):
                if name in self.index:
                    force[self.index[name]] += sign * f

        for link in self.file.get("link", []):
            x, rate = self.relative(link["between"], y)
            first, second = link["between"]
            length = link.get("length", self.place[second] - self.place[first])
            pull = link["stiffness"] * (x - length) + link["damping"] * rate
            push(link["between"], -pull)
        for contact in self.file["contact"]:
            x, rate = self.relative(contact["between"], y)
            push(contact["between"], contact_force(contact, contact["distance"] - x, -rate))
        return np.concatenate([y[len(self.free) :], force / self.mass])

    def events(self):
        """Ends of phases: there the right-hand side is not smooth."""
        found = []
        for contact in self.file["contact"]:

            def gap(t, y, contact=contact):
                return self.relative(contact["between"], y)[0] - contact["distance"]

            def release(t, y, contact=contact):
                x, rate = self.relative(contact["between"], y)
                x = contact["distance"] - x
                if x <= 0 or "damping" not in contact:
                    return 1.0
                elastic = contact["stiffness"] * x ** contact.get("exponent", 1.0)
                return elastic - contact["damping"] * rate

            found += [gap, release]
        for event in found:
            event.terminal = True
        return found


def example(name):
    return carom.new_scenario("assembly", example=name)


def test_the_train_agrees_with_scipy():
    text = example("train")
    line = Line(text)
    end = 0.3
    run = carom.run_text(text, {"run.duration": end, "run.method": "event-driven"})
    expected = np.empty((len(run.time), len(line.start)))
    t, y, row = 0.0, line.start, 0
    while row < len(run.time):
        solution = solve_ivp(line, (t, end), y, "DOP853", rtol=1e-12, atol=1e-14,
                             events=line.events(), dense_output=True, max_step=2e-4)
        t, y = solution.t[-1], solution.y[:, -1]
        while row < len(run.time) and run.time[row] <= t:
            expected[row] = solution.sol(run.time[row])
            row += 1
        if t < end:  # over the event, which would be found again
            hop = solve_ivp(line, (t, min(end, t + 1e-9)), y, "DOP853", rtol=1e-12, atol=1e-14)
            t, y = hop.t[-1], hop.y[:, -1]
    for i, body in enumerate(line.free):
        for signal, column in ((".x", i), (".v", i + len(line.free))):
            error = np.abs(run[body["name"] + signal] - expected[:, column]).max()
            assert error < 1e-8 * np.abs(expected).max(), body["name"] + signal


def test_the_cradle_agrees_with_scipy():
    text = example("cradle")
    line = Line(text)
    end = 0.0022
    run = carom.run_text(text, {"run.duration": end, "run.method": "event-driven"})
    # Short steps over forces that begin as x^(3/2): the error of a step is of the order h^2.5.
    touch = 0.002 / 1.0
    y = line.start.copy()
    y[0] += touch * y[len(line.free)]
    solution = solve_ivp(line, (touch, end), y, "DOP853", rtol=1e-12, atol=1e-16, max_step=2e-8)
    got = [run[f"b{i + 1}.v"][-1] for i in range(5)]
    assert np.abs(got - solution.y[5:, -1]).max() < 1e-8


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


def test_passive_keeps_its_books_and_agrees_with_event_driven():
    text = example("train")
    passive = carom.run_text(text)
    reference = carom.run_text(text, {"run.method": "event-driven"})
    assert abs(passive.energy["residual"]) <= 1e-12 * passive.energy["initial"]
    for body in range(1, 6):
        name = f"car{body}.v"
        assert np.abs(passive[name] - reference[name]).max() < 1e-5
    assert passive.time[-1] == 0.5


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
