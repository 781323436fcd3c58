"""Time stepping from Python: simulate_impact, simulate_bounces, simulate_strike."""

import numpy as np
import pytest

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
    book = run.ledger
    assert book.initial - book.dissipated == pytest.approx(book.stored, rel=1e-12)
    assert abs(book.residual) < 1e-12 * book.initial


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


def test_a_strike_converges_to_the_event_driven_one():
    law = carom.HuntCrossley(5e8, 1.5, mu=0.3)
    call = {"mass": 0.02, "speed": 1.5, "modes": PLATE, "duration": 0.01}
    truth = carom.simulate_strike(law, method="event-driven", **call)
    coarse, fine = (
        np.abs(carom.simulate_strike(law, steps_per_contact=n, **call).heard - truth.heard).max()
        for n in (100, 1600)
    )
    assert np.log2(coarse / fine) / 4 == pytest.approx(2.0, abs=0.1)
    assert len(truth.impacts) == 1 and truth.time[-1] == pytest.approx(0.01, abs=1e-4)
    assert abs(truth.ledger.residual) < 1e-11 * truth.ledger.initial


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
