"""The Python package as in the README and the contract."""

import subprocess
import sys

import numpy as np
import pytest

import carom


def test_readme_example():
    law = carom.identify(
        law="hunt-crossley", restitution=0.6, contact_time=2e-4, mass=0.01, speed=1.0, exponent=1.5
    )
    hit = carom.impact(law, mass=0.01, speed=1.0)
    assert hit.restitution == pytest.approx(0.6, rel=1e-12)
    assert hit.contact_time == pytest.approx(2e-4, rel=1e-12)
    x, v, f = hit.at(np.linspace(0, hit.contact_time, 500))
    assert x.shape == v.shape == f.shape == (500,)
    assert x.max() == pytest.approx(hit.max_compression, rel=1e-4)
    assert v[0] == pytest.approx(1.0) and v[-1] == pytest.approx(-0.6, rel=1e-9)


def test_arrays_in_arrays_out():
    mu = np.array([[0.1], [0.5]])
    speed = np.array([0.5, 1.0, 2.0])
    hits = carom.impact(carom.HuntCrossley(1e9, 1.5, mu=mu), mass=0.01, speed=speed)
    assert hits.restitution.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            one = carom.impact(carom.HuntCrossley(1e9, 1.5, mu=mu[i, 0]), 0.01, speed[j])
            assert hits.restitution[i, j] == one.restitution
            assert hits.contact_time[i, j] == one.contact_time
    # e depends on mu v alone
    assert hits.restitution[0, 1] != hits.restitution[1, 1]


def test_identify_takes_arrays():
    law = carom.identify(
        law="hertz-damper", restitution=np.array([0.3, 0.6]), stiffness=1e8, exponent=1.5, mass=1, speed=2
    )
    hits = carom.impact(law, mass=1, speed=2)
    assert np.allclose(hits.restitution, [0.3, 0.6], rtol=1e-11)


def test_laws_are_vectorised_and_agree_with_their_potential():
    x = np.linspace(1e-6, 1e-3, 50)
    for law in (carom.PowerLaw(1e7, 1.5), carom.HuntCrossley(1e7, 2.0, 0.3), carom.HertzDamper(1e7, 1.0, 3)):
        h = 1e-6 * x
        slope = (law.potential(x + h) - law.potential(x - h)) / (2 * h)
        assert np.allclose(slope, law.elastic_force(x), rtol=1e-7)
        assert law.force(-1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: carom.impact(carom.HuntCrossley(1e9), mass=-1, speed=1), "mass"),
        (lambda: carom.impact(carom.HuntCrossley(float("nan")), mass=1, speed=1), "stiffness"),
        (lambda: carom.impact(carom.HuntCrossley(1e9), mass=1, speed=0), "speed"),
        (lambda: carom.identify(restitution=0.5), "missing"),
        (lambda: carom.identify(law="hunt-crosley"), "known"),
        (lambda: carom.identify(restitutoin=0.5), "known"),
        (lambda: carom.identify(formula="flroes", restitution=0.5, speed=1, stiffness=1), "flores"),
        (lambda: carom.HertzDamper(1, 1, 1, release="never"), "known"),
    ],
)
def test_bad_input_is_a_value_error_that_says_what(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_force_trace_round_trip():
    law = carom.HuntCrossley(2e8, 1.7, mu=0.8)
    hit = carom.impact(law, mass=0.2, speed=1.5)
    times = np.linspace(-0.1, 1.1, 300) * hit.contact_time
    force = np.where((times > 0) & (times < hit.contact_time), hit.at(np.clip(times, 0, hit.contact_time))[2], 0)
    fit = carom.identify_force_trace(times, force, mass=0.2)
    assert fit.converged
    assert fit.exponent == pytest.approx(1.7, rel=1e-6)
    assert fit.mu == pytest.approx(0.8, rel=1e-6)
    assert fit.stiffness == pytest.approx(2e8, rel=1e-5)


def test_scenario_runs_in_memory(tmp_path):
    scenario = tmp_path / "bounce.toml"
    scenario.write_text(
        """kind = "bounce"
[body]
mass = 0.01
speed = 1.0
gravity = 9.81
[contact]
law = "newton"
restitution = 0.7
[run]
impacts = 5
"""
    )
    run = carom.run(scenario, {"run.impacts": 3})
    assert len(run.results["impacts"]) == 3
    assert run.time.ndim == 1 and run[run.signals[0]].shape == run.time.shape
    with pytest.raises(KeyError, match="recorded"):
        run["banana"]
    with pytest.raises(ValueError, match="run.impcats"):
        carom.run(scenario, {"run.impcats": 3})
    written = carom.run(scenario, {"run.impacts": 3}, out=tmp_path / "out", checkpoint=60, resume=True)
    assert written.results["impacts"] == run.results["impacts"] and written.signals == run.signals
    np.testing.assert_array_equal(written["height"], run["height"])
    np.testing.assert_array_equal(written.time, run.time)
    assert {"summary.json", "report.html"} <= {file.rsplit("/")[-1] for file in written.files}
    with pytest.raises(ValueError, match="give out"):
        carom.run(scenario, checkpoint=60)


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path):
    scenario = tmp_path / "bounce.toml"
    scenario.write_text(
        """kind = "bounce"
[body]
mass = 0.01
speed = 3.0
[contact]
law = "newton"
restitution = 0.99
[run]
rate = 200000
impacts = 60
[output]
every = 100
"""
    )
    whole = carom.run(scenario)
    program = (
        "import carom, os, signal, sys, threading, time\n"
        "def press():\n"
        "    while not any(os.scandir('out')) if os.path.isdir('out') else True: time.sleep(0.01)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=press, daemon=True).start()\n"
        "carom.run('bounce.toml', out='out', checkpoint=0.05)\n"
    )
    stopped = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert "KeyboardInterrupt" in stopped.stderr, stopped.stderr
    again = carom.run(scenario, out=tmp_path / "out", resume=True)
    np.testing.assert_array_equal(again["height"], whole["height"])
