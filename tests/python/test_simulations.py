"""Time stepping from Python: simulate_impact, simulate_bounces, simulate_strike."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom

HARD = carom.HuntCrossley(1e9, 1.5, mu=0.5)  # papetti2011, case 2
PLATE = [
    [523.0, 2.0, 0.08, 1.0, 0.8],
    [1441.0, 4.5, 0.08, 0.7, -0.6],
    [2826.0, 9.0, 0.08, -0.5, 0.9],
]


def test_an_impact_by_the_passive_method_is_the_exact_one():
    exact = carom.impact(HARD, mass=0.01, speed=1.0)
    run = carom.simulate_impact(HARD, mass=0.01, speed=1.0, phase=0.3)
    assert run.result.rebound_speed == pytest.approx(exact.rebound_speed, rel=1e-12)
    assert run.exact.contact_time == pytest.approx(exact.contact_time, rel=1e-12)
    assert run.error.waveform_percent < 1e-9
    assert run.converged and run.passive_kept
    # The history is that of the exact solution, read at the samples.
    since = run.time - 0.3 / 44100
    inside = (since > 0) & (since < exact.contact_time)
    x, v, f = exact.at(since[inside])
    assert inside.sum() == run.error.samples_in_contact == 6
    assert np.allclose(run.compression[inside], x, rtol=1e-10)
    assert np.allclose(run.rate[inside], v, rtol=1e-9)
    assert np.allclose(run.force[inside], f, rtol=1e-9)
    # The ledger: what is missing at the end was dissipated.
    ledger = run.ledger
    assert ledger.initial - ledger.dissipated == pytest.approx(ledger.stored, rel=1e-12)
    assert abs(ledger.residual) < 1e-12 * ledger.initial


def test_a_classical_method_errs_as_published_and_is_corrected():
    options = {"method": "verlet", "events": "sample"}
    plain = carom.simulate_impact(HARD, 0.01, 1.0, **options)
    # papetti2011 Table II(b) against the exact rebound speed (errata: 0.852).
    assert plain.error.rebound_speed_percent == pytest.approx(0.852, abs=1e-3)
    corrected = carom.simulate_impact(HARD, 0.01, 1.0, correct="both", **options)
    assert abs(corrected.error.rebound_speed_percent) < 1e-10
    assert corrected.error.dev_x_percent < 1e-8
    published = carom.simulate_impact(HARD, 0.01, 1.0, correct="exit", exit="published", **options)
    assert published.error.rebound_speed_percent == pytest.approx(0.0125, abs=1e-4)


def test_bounces_under_gravity():
    run = carom.simulate_bounces(HARD, mass=0.01, speed=1.0, impacts=20, keep_every=10)
    assert len(run.impacts) == 20
    speed = 1.0
    for impact in run.impacts:  # gravity is suspended in contact: a chain of exact impacts
        assert impact["speed_in"] == pytest.approx(speed, rel=1e-10)
        speed = carom.impact(HARD, 0.01, speed).rebound_speed
        assert impact["speed_out"] == pytest.approx(speed, rel=1e-10)
    assert run.time.shape == run.height.shape == run.velocity.shape == run.force.shape
    assert np.allclose(np.diff(run.time), 10 / 44100)
    free = run.height > 0
    assert np.all(run.force[free] == 0)
    none = carom.simulate_bounces(HARD, 0.01, 1.0, impacts=1, keep_every=0)
    assert len(none.time) == 0


def test_a_body_comes_to_rest_under_its_weight():
    law = carom.HertzDamper(1e5, 1.5, damping=3.0)
    run = carom.simulate_bounces(
        law, mass=0.1, height=0.05, gravity_in_contact=True, impacts=10000, rate=48000, keep_every=0
    )
    assert run.at_rest and 3 < len(run.impacts) < 10000


def integrated_strike(law, mass, speed, modes, times):
    """Body velocity and heard displacement by SciPy: one system of equations, its release located."""
    frequency, damping, modal_mass, hit, heard = np.array(modes).T
    count, omega = len(modes), 2 * np.pi * np.array(modes)[:, 0]

    def relative(y):
        return y[0] - hit @ y[2 : 2 + count], y[1] - hit @ y[2 + count :]

    def rhs(touching):
        def slopes(_, y):
            x, v = relative(y)
            f = law.force(x, v) if touching and x > 0 else 0.0
            q, w = y[2 : 2 + count], y[2 + count :]
            return np.concatenate([[y[1], -f / mass], w, hit * f / modal_mass - 2 * damping * w - omega**2 * q])

        return slopes

    release = lambda t, y: relative(y)[0] if t > 1e-6 else 1.0  # noqa: E731
    release.terminal, release.direction = True, -1
    start = np.concatenate([[0.0, speed], np.zeros(2 * count)])
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-17, "dense_output": True}
    contact = solve_ivp(rhs(True), (0, times[-1]), start, events=release, **options)
    end = contact.t[-1]
    flight = solve_ivp(rhs(False), (end, times[-1]), contact.y[:, -1], **options)
    states = np.array([contact.sol(t) if t < end else flight.sol(t) for t in times])
    return end, states[:, 1], states[:, 2 : 2 + count] @ heard


@pytest.mark.parametrize("method", ["passive", "event-driven"])
@pytest.mark.parametrize(
    "law", [carom.HuntCrossley(5e8, 1.5, mu=0.3), carom.PowerLaw(2e7, 1.3), carom.HuntCrossley(1e9, 2.0, mu=0.1)]
)
def test_a_strike_is_the_solution_that_scipy_finds(law, method):
    run = carom.simulate_strike(law, 0.02, 1.5, PLATE, 0.004, method=method)
    end, velocity, heard = integrated_strike(law, 0.02, 1.5, PLATE, run.time)
    # DOP853 loses digits where x^n begins; its own error, judged by rtol, is some 1e-10.
    assert run.impacts["contact_time"][0] == pytest.approx(end, rel=1e-9)
    assert np.abs(run.body_velocity - velocity).max() < 1e-9
    assert np.abs(run.heard - heard).max() < 1e-9 * np.abs(heard).max()
    assert len(run.impacts) == 1 and run.converged and run.passive_kept
    assert abs(run.ledger.residual) < 1e-11 * run.ledger.initial


def test_a_strike_takes_every_compliant_law():
    laws = [
        carom.KelvinVoigt(stiffness=1e6, damping=5.0),
        carom.HertzDamper(5e8, 1.5, damping=30.0),
        carom.Tsuji(stiffness=5e8, damping=20.0),
        carom.WaltonBraun(1e6, 2e6),
        carom.JKR(5e8, 0.01, 0.5),
    ]
    for law in laws:
        run = carom.simulate_strike(law, 0.02, 1.5, PLATE, 0.01)
        assert run.converged and run.passive_kept and len(run.impacts) > 0, law
        assert abs(run.ledger.worst_residual) < 1e-12 * run.ledger.initial, law


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: carom.simulate_impact(HARD, 0.01, 1.0, method="verlett"), "verlet"),
        (lambda: carom.simulate_impact(HARD, 0.01, 1.0, events="often"), "subsample"),
        (lambda: carom.simulate_impact(HARD, 0.01, 0.0), "speed"),
        (lambda: carom.simulate_impact(HARD, 0.01, 1.0, rate=float("nan")), "rate"),
        (lambda: carom.simulate_bounces(HARD, 0.01, 1.0, surface="melts"), "recovers"),
        (lambda: carom.simulate_bounces(HARD, 0.01), "speed"),
        (lambda: carom.simulate_bounces(HARD, 0.01, 1.0, keep_every=-1), "keep_every"),
        (lambda: carom.simulate_strike(HARD, 0.01, 1.0, [[440.0, 1.0]], 0.1), "heard"),
        (lambda: carom.simulate_strike(HARD, 0.01, 1.0, PLATE, -1.0), "duration"),
        (
            lambda: carom.simulate_impact(carom.HertzDamper(1e9, 1.5, 3.0), 0.01, 1.0, method="symplectic"),
            "hertz-damper",
        ),
    ],
)
def test_bad_input_is_a_value_error_that_says_what(call, message):
    with pytest.raises(ValueError, match=message):
        call()
