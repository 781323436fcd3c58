"""Every law of the program: its exact impact against SciPy, its class, its way over the border."""

import inspect
import json
import pickle

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import carom


def power(x, n):
    return max(x, 0.0) ** n


def spring_and_damper(p):
    """f = k x^n + c x^p v until the force is zero."""

    def force(law, x, v):
        return law.stiffness * power(x, law.exponent) + law.damping * power(x, p(law)) * v

    return force


def jkr_force(law, x, v):
    """The contact radius from x by bisection, then the force: Johnson, Kendall and Roberts."""
    radius, w = law.radius, law.adhesion
    modulus = 0.75 * law.stiffness / np.sqrt(radius)
    fold = (np.pi * w * radius**2 / (8 * modulus)) ** (1 / 3)

    def compression(a):
        return a * a / radius - np.sqrt(2 * np.pi * w * a / modulus)

    if x <= compression(fold):
        a = fold
    else:
        a = brentq(lambda a: compression(a) - x, fold, 2 * fold + 2 * np.sqrt(radius * abs(x)) + fold, xtol=1e-18,
                   rtol=1e-15)  # fmt: skip
    return 4 * modulus * a**3 / (3 * radius) - np.sqrt(8 * np.pi * w * modulus * a**3)


def jkr_edge(law):
    modulus = 0.75 * law.stiffness / np.sqrt(law.radius)
    fold = (np.pi * law.adhesion * law.radius**2 / (8 * modulus)) ** (1 / 3)
    return -3 * fold**2 / law.radius


def impact_function(law, x, v):
    s = min(max(x / law.depth, 0.0), 1.0)
    damping = law.damping * s * s * (3 - 2 * s)
    return max(0.0, law.stiffness * power(x, law.exponent) + damping * v)


# The force of each law as its paper has it, written here once more, and what ends the contact:
# "force" where it falls to zero, else the compression.
ORACLES = {
    "power-law": (lambda law, x, v: law.stiffness * power(x, law.exponent), "edge"),
    "hunt-crossley": (lambda law, x, v: law.stiffness * power(x, law.exponent) * (1 + law.mu * v), "edge"),
    "hertz-damper": (spring_and_damper(lambda law: 0), "force"),
    "kelvin-voigt": (spring_and_damper(lambda law: 0), "force"),
    "power-damper": (spring_and_damper(lambda law: law.damping_exponent), "force"),
    "tsuji": (spring_and_damper(lambda law: (law.exponent - 1) / 2), "force"),
    "kuwabara-kono": (spring_and_damper(lambda law: law.exponent - 1), "force"),
    "jkr": (jkr_force, "edge"),
    "impact-function": (impact_function, "edge"),
    "formula": (lambda law, x, v: 2e8 * power(x, 1.6) * (1 + 0.3 * v + 0.02 * v**3), "edge"),
}

FORMULA = {"force": "k*x^1.6*(1 + a*v + b*v^3)", "parameters": {"k": 2e8, "a": 0.3, "b": 0.02}}

CASES = [
    ("power-law", {"stiffness": 1e6, "exponent": 1.7}, 0.3, 1.2),
    ("hunt-crossley", {"stiffness": 3e5, "exponent": 2.5, "mu": 2.0}, 0.2, 3.0),
    ("hertz-damper", {"stiffness": 1e8, "damping": 200.0}, 1.0, 2.0),
    ("kelvin-voigt", {"stiffness": 1e5, "damping": 20.0}, 0.1, 1.0),
    ("kelvin-voigt", {"stiffness": 1e5, "damping": 300.0}, 0.1, 1.0),
    ("power-damper", {"stiffness": 1e8, "exponent": 1.5, "damping": 2e4, "damping_exponent": 1.0}, 0.01, 1.0),
    ("power-damper", {"stiffness": 1e7, "exponent": 2.0, "damping": 30.0, "damping_exponent": 0.3}, 0.05, 2.0),
    ("power-damper", {"stiffness": 1e7, "exponent": 1.5, "damping": 1e10, "damping_exponent": 2.5}, 0.05, 2.0),
    ("tsuji", {"stiffness": 1e8, "damping": 100.0}, 0.01, 1.0),
    ("tsuji", {"stiffness": 1e7, "exponent": 1.8, "damping": 20.0}, 0.01, 5.0),
    ("kuwabara-kono", {"stiffness": 1e8, "damping": 1000.0}, 0.01, 1.0),
    ("kuwabara-kono", {"stiffness": 1e9, "damping": 1e4}, 0.01, 0.1),
    ("jkr", {"stiffness": 1e9, "radius": 0.01, "adhesion": 0.05}, 0.01, 1e-3),
    ("jkr", {"stiffness": 1e8, "radius": 1e-3, "adhesion": 0.5}, 1e-6, 0.05),
    ("impact-function", {"stiffness": 1e8, "damping": 10.0, "depth": 5e-5}, 0.01, 1.0),
    ("impact-function", {"stiffness": 1e9, "exponent": 2.2, "damping": 50.0, "depth": 1e-4}, 0.01, 1.0),
    ("formula", FORMULA, 0.01, 1.0),
]  # fmt: skip


def integrate(force, ends, law, mass, speed, length):
    """Compression and rate at release by DOP853 in units of the impact; the time of the release."""
    time = length / speed
    edge = jkr_edge(law) / length if law.name == "jkr" else 0.0

    def rhs(_, y):
        return [y[1], -force(law, y[0] * length, y[1] * speed) * time / (mass * speed)]

    def release(t, y):
        if t < 1e-7:
            return 1.0
        if ends == "force":
            return force(law, y[0] * length, y[1] * speed) * time / (mass * speed) if y[1] < 0 else 1.0
        return y[0] - edge

    def turn(_, y):
        return y[1]

    release.terminal, release.direction, turn.direction = True, -1, -1
    return solve_ivp(rhs, (0, 1e3), [0.0, 1.0], method="DOP853", rtol=1e-12, atol=1e-15,
                     events=[release, turn], max_step=0.02), time  # fmt: skip


@pytest.mark.parametrize("name, values, mass, speed", CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_exact_impact_agrees_with_scipy(name, values, mass, speed):
    law = carom.LAWS[name](**values)
    hit = carom.impact(law, mass=mass, speed=speed)
    force, ends = ORACLES[name]
    if name == "power-damper" and law.damping_exponent >= law.exponent:
        ends = "edge"
    found, time = integrate(force, ends, law, mass, speed, hit.max_compression)
    # The order of DOP853 falls at the powers and kinks of the force: steps of 1/50 of the impact at
    # most, and an agreement to a few 1e-9 where its own tolerance is 1e-12.
    assert -found.y_events[0][0][1] * speed == pytest.approx(hit.rebound_speed, rel=5e-9)
    assert found.t_events[0][0] * time == pytest.approx(hit.contact_time, rel=5e-8)
    assert found.y_events[1][0][0] == pytest.approx(1.0, rel=5e-9)


def test_impact_function_pushes_again_where_its_damper_has_faded():
    law = carom.ImpactFunction(1e8, damping=30.0, depth=2e-5)
    hit = carom.impact(law, mass=0.01, speed=1.0)
    found, _ = integrate(impact_function, "edge", law, 0.01, 1.0, hit.max_compression)
    assert -found.y_events[0][0][1] == pytest.approx(hit.rebound_speed, rel=5e-9)


@pytest.mark.parametrize("ratio", [1.0, 1.7, 25.0])
def test_walton_braun_has_the_restitution_and_the_time_of_two_springs(ratio):
    k, m, v = 3e6, 0.02, 1.3
    hit = carom.impact(carom.WaltonBraun(k, k * ratio), m, v)
    assert hit.restitution == pytest.approx(np.sqrt(1 / ratio), rel=1e-13)
    # a quarter of a period in, a quarter of the steeper one out
    assert hit.contact_time == pytest.approx(np.pi / 2 * np.sqrt(m / k) * (1 + np.sqrt(1 / ratio)), rel=1e-12)
    assert hit.max_compression == pytest.approx(v * np.sqrt(m / k), rel=1e-13)


def test_tsuji_is_kelvin_voigt_at_its_damping_ratio_at_every_speed():
    k, n, c, m = 1e8, 1.5, 120.0, 0.01
    ratio = c / np.sqrt(2 * (n + 1) * k * m)
    linear = carom.impact(carom.KelvinVoigt(1.0, 2 * ratio), 1.0, 1.0)  # xi = c/(2 sqrt(k m))
    hits = carom.impact(carom.Tsuji(k, n, c), m, np.array([1e-3, 0.1, 1.0, 30.0]))
    np.testing.assert_allclose(hits.restitution, linear.restitution, rtol=1e-11)


def test_jkr_loses_what_snapping_in_and_letting_go_take():
    law = carom.JKR(1e8, 1e-3, 0.5)
    mass, speed = 1e-6, 0.05
    # The work of the force from touch to the fold, going out; what comes back is lost by the jumps.
    held, _ = quad(lambda x: law_force(law, x), jkr_edge(law), 0, epsabs=0, epsrel=1e-11, limit=400)
    snap = snap_energy(law)
    hit = carom.impact(law, mass, speed)
    assert hit.energy_lost == pytest.approx(-held, rel=1e-7) and snap < 0
    # A body with less energy than that sticks.
    slow = carom.impact(law, mass, 0.9 * np.sqrt(2 * -held / mass))
    assert not slow.releases and np.isnan(slow.restitution)


def law_force(law, x):
    return jkr_force(law, x, 0.0)


def snap_energy(law):
    """Elastic and surface energy at x = 0: U = V - pi a^2 w is negative there."""
    return law.potential(1e-12 * law.radius)


def hertz_loop(e, rows=400):
    s = np.linspace(0, 1, rows)
    loading = 1e9 * (1e-4 * s) ** 1.5
    return {"compression": 1e-4 * s, "loading": loading, "unloading": loading[-1] * s ** (2.5 / e**2 - 1)}


def test_table_has_the_restitution_of_its_loop_and_the_duration_of_the_curve():
    law = carom.LAWS["table"](hertz_loop(0.8))
    hits = carom.impact(law, 0.01, np.array([0.3, 1.0]))
    # 400 points of a cubic: the loop's area to 1e-4
    np.testing.assert_allclose(hits.restitution, 0.8, rtol=1e-3)
    lossless = {k: v for k, v in hertz_loop(0.8).items() if k != "unloading"}
    table, hertz = carom.table(lossless), carom.PowerLaw(1e9)
    for speed in (0.3, 1.0):
        ours, exact = carom.impact(table, 0.01, speed), carom.impact(hertz, 0.01, speed)
        assert ours.restitution == pytest.approx(1, abs=1e-9)
        assert ours.contact_time == pytest.approx(exact.contact_time, rel=1e-3)
    with pytest.raises(ValueError, match="beyond the last compression"):
        carom.impact(table, 0.01, 100.0)


def test_every_law_is_compared_with_something():
    others = {"newton", "walton-braun", "table"}
    assert set(carom.LAWS) == set(ORACLES) | others
    assert {case[0] for case in CASES} == set(ORACLES)


@pytest.mark.parametrize("name", [n for n, law in carom.LAWS.items() if hasattr(law, "of_restitution")])
@pytest.mark.parametrize("e", [0.05, 0.6, 0.97])
def test_a_restitution_stands_for_the_loss_of_any_law(name, e):
    made = carom.LAWS[name]
    more = {"damping_exponent": 1.0} if name == "power-damper" else {}
    more = {"depth": 1e-5} if name == "impact-function" else more
    law = made.of_restitution(e, mass=0.01, speed=0.7, stiffness=1e7, **more)
    assert carom.impact(law, 0.01, 0.7).restitution == pytest.approx(e, rel=1e-10)


def test_the_program_and_the_package_declare_the_same_laws(carom_cli):
    declared = json.loads(carom_cli("laws", "--json").stdout)["laws"]
    assert [law["name"] for law in declared] == list(carom.LAWS)
    for law in declared:
        made = carom.LAWS[law["name"]]
        fields = [f["name"] for f in law["fields"] if f["type"] != "fixed"]
        assert set(inspect.signature(made).parameters) == set(fields)
        assert getattr(carom, law["name"].replace("-", "_")) is made
        assert all(field in made.__doc__ for field in fields)


@pytest.mark.parametrize("name, values, mass, speed", CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_laws_go_over_the_command_line_and_back(carom_cli, name, values, mass, speed):
    law = carom.LAWS[name](**values)
    flags = []
    for key, value in values.items():
        if isinstance(value, dict):
            flags += [word for k, v in value.items() for word in ("--parameter", f"{k}={v}")]
        else:
            flags += ["--expression" if key == "force" else "--" + key.replace("_", "-"), str(value)]
    done = carom_cli("impact", "--law", name, "--mass", mass, "--speed", speed, *flags, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["law"]["name"] == name
    for key, value in law.values.items():
        assert document["law"][key] == value
    hit = carom.impact(law, mass, speed)
    assert document["result"]["rebound_speed"] == hit.rebound_speed
    assert pickle.loads(pickle.dumps(law)) == law
    assert name in repr(type(law).name) and repr(law).startswith(type(law).__name__ + "(")


def test_laws_are_values():
    law = carom.Tsuji(1e8, damping=3.0)
    with pytest.raises(AttributeError, match="make a new Tsuji"):
        law.damping = 4.0
    assert law == carom.Tsuji(1e8, damping=3.0) != carom.Tsuji(1e8, damping=3.5)
    with pytest.raises(TypeError):
        carom.Tsuji(1e8, dampng=3.0)
    with pytest.raises(ValueError, match="at least stiffness"):
        carom.WaltonBraun(2.0, 1.0)
    with pytest.raises(ValueError, match="adhesion = 0"):
        carom.JKR(1e8, 1e-3, 0.0)
    with pytest.raises(ValueError, match="drives the motion"):
        carom.formula("1e6*x*(1 - v)")


def test_the_page_of_laws_is_what_the_program_writes(carom_cli, root, tmp_path):
    assert carom_cli("new", "--reference", tmp_path).returncode == 0
    assert (tmp_path / "laws.md").read_text() == (root / "docs" / "laws.md").read_text()
