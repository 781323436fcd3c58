"""Modal bodies and their runs from Python."""

import numpy as np
import pytest

import carom

GUITAR = carom.StiffString(
    length=1.002,
    linear_density=1.17e-3,
    tension=180.5,
    mode_count=120,
    inharmonicity=1.78e-5,
    viscoelastic=4.5e-3,
    thermoelastic=2e-4,
)


def test_string_modes_follow_their_law():
    body = GUITAR.modes(at=[0.1, 0.501])
    j = np.arange(1, 121)
    expected = j * np.sqrt(180.5 / 1.17e-3) / (2 * 1.002) * np.sqrt(1 + 1.78e-5 * j**2)
    assert np.allclose(body.frequency, expected, rtol=1e-13)
    assert np.allclose(body.mass, 1.17e-3)
    assert body.shapes.shape == (2, 120)
    assert np.allclose(
        body.shapes[0], np.sqrt(2 / 1.002) * np.sin(j * np.pi * 0.1 / 1.002), atol=1e-12
    )
    q, v = GUITAR.pluck(0.501, 1e-3)
    assert body.shapes[1] @ q == pytest.approx(1e-3, rel=0.02) and np.all(v == 0)


def test_free_motion_is_the_closed_form():
    body = carom.ModalBody(frequency=[100.0, 350.0], damping=[2.0, 0.0], mass=[1.0, 2.0], shapes=[])
    q0 = np.array([1e-3, -2e-3])
    run = carom.modal_run(
        body, [], q0, rate=1e5, duration=0.1, points=np.eye(2), every=10, exact_start=True
    )
    w = 2 * np.pi * body.frequency
    wd = np.sqrt(w**2 - body.damping**2)
    t = run.time[:, None]
    exact = q0 * np.exp(-body.damping * t) * (np.cos(wd * t) + body.damping / wd * np.sin(wd * t))
    assert len(run.time) == 1001
    assert np.abs(run.displacement - exact).max() < 1e-12


@pytest.mark.parametrize(
    "law", [0.0, 1.0, carom.HuntCrossley(1e9, 1.5, mu=0.2), [0.5, carom.PowerLaw(1e8)]]
)
def test_fast_and_plain_are_one_scheme(law):
    body = GUITAR.modes(at=[0.006, 0.3])
    how = dict(
        heights=[0.0, -1e-3],
        start=GUITAR.pluck(0.501, 1.8e-3),
        law=law,
        rate=2e5,
        duration=0.02,
        points=GUITAR.shapes([0.99]),
    )
    fast = carom.modal_run(body, **how)
    plain = carom.modal_run(body, engine="plain", **how)
    assert len(fast.impulse) > 50
    assert np.array_equal(fast.step, plain.step) and np.array_equal(fast.contact, plain.contact)
    assert np.abs(fast.impulse - plain.impulse).max() <= 1e-11 * plain.impulse.max()
    assert np.abs(fast.displacement - plain.displacement).max() <= 1e-11 * 1.8e-3
    assert fast.path["engine"] == "fast" and fast.path["unsolved"] == 0
    e = fast.energy
    assert e["final"] + e["dissipated"] == pytest.approx(e["initial"], rel=1e-3)


def test_other_structures():
    bar = carom.thin_bar(at=[0.0, 0.2], length=0.4, modes=5)
    assert bar.frequency[1] / bar.frequency[0] == pytest.approx(2.7565, rel=1e-4)
    drum = carom.drum(at=[(0.0, 0.0)], radius=0.2, modes=6)
    assert drum.frequency[1] / drum.frequency[0] == pytest.approx(1.59334, rel=1e-5)
    plate = carom.plate(at=[(0.1, 0.1)], width=0.5, height=0.5, modes=3)
    assert plate.frequency[1] / plate.frequency[0] == pytest.approx(2.5, rel=1e-12)
    square = carom.membrane(width=0.3, height=0.3, modes=3)
    assert square.frequency[1] / square.frequency[0] == pytest.approx(np.sqrt(2.5), rel=1e-12)


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="lenght"):
        carom.thin_bar(lenght=0.4)
    with pytest.raises(ValueError, match="engine"):
        carom.modal_run(GUITAR.modes(), [], GUITAR.pluck(0.5, 1e-3), rate=1e5, duration=0.1, engine="x")
    with pytest.raises(ValueError):
        carom.modal_run(GUITAR.modes(at=[0.1]), [], GUITAR.pluck(0.5, 1e-3), rate=1e5, duration=0.1)


def numpy_steps(body, heights, q, rho, rate, steps):
    """The published step, written as the paper does; displacements at the contacts after each
    step, and the steps with an impulse at each."""
    dt, w = 1 / rate, np.zeros_like(q)
    omega, sigma = 2 * np.pi * body.frequency, body.damping
    e, a = np.exp(-2 * sigma * dt), 2 * np.exp(-sigma * dt) * np.cos(np.sqrt(omega**2 - sigma**2) * dt)
    minv = (1 + e - a) / (omega * dt) ** 2 / body.mass
    delassus = (body.shapes * minv) @ body.shapes.T
    u, pushes = [], []
    for n in range(1, steps + 1):
        free = e * w - (1 + e - a) / dt * q
        y, v = body.shapes @ q - heights, body.shapes @ w
        active = np.flatnonzero(y + dt / 2 * v <= 0)
        basic = np.zeros(active.size, bool)
        for _ in range(20):  # principal pivoting
            p = np.zeros(active.size)
            b = body.shapes[active] @ free + rho * v[active]
            m = delassus[np.ix_(active, active)]
            if basic.any():
                p[basic] = np.linalg.solve(m[np.ix_(basic, basic)], -b[basic])
            wrong = (basic & (p < 0)) | (~basic & (m @ p + b < -1e-15))
            if not wrong.any():
                break
            basic ^= wrong
        w = free + minv * (body.shapes[active].T @ p)
        q = q + dt * w
        u.append(body.shapes @ q)
        pushes += [(n, c) for c in active[p > 0]]
    return np.array(u), pushes


def siconos_steps(body, heights, q, rho, rate, steps):
    """The same by Siconos; its modes have unit mass."""
    kernel = pytest.importorskip("siconos.kernel")
    omega, sigma, dt = 2 * np.pi * body.frequency, body.damping, 1 / rate
    system = kernel.LagrangianLinearDiagonalDS(q, np.zeros_like(q), omega**2, 2 * sigma)
    model = kernel.NonSmoothDynamicalSystem(0.0, (steps + 1) * dt)
    model.insertDynamicalSystem(system)
    law = kernel.NewtonImpactNSL(rho)
    for row, height in zip(body.shapes, heights):
        relation = kernel.LagrangianLinearTIR(row.reshape(1, -1), np.array([-height]))
        model.link(kernel.Interaction(law, relation), system)
    simulation = kernel.TimeStepping(
        model, kernel.TimeDiscretisation(0.0, dt), kernel.MoreauJeanBilbaoOSI(), kernel.LCP()
    )
    u = []
    for _ in range(steps):
        simulation.computeOneStep()
        simulation.nextStep()
        u.append(body.shapes @ np.asarray(system.q()))
    return np.array(u)


@pytest.mark.parametrize("rate", [1e5, 4e5])
@pytest.mark.parametrize("rho", [0.0, 0.4, 1.0])
def test_other_rates_and_restitutions_by_independent_programs(rate, rho):
    body = GUITAR.modes(at=[0.006, 0.07, 0.3])
    heights, (q, _) = [0.0, -4e-4, -1.2e-3], GUITAR.pluck(0.501, 1.8e-3)
    steps = int(4e-3 * rate)
    how = dict(heights=heights, start=q, law=rho, rate=rate, duration=4e-3, points=body.shapes)
    ours = carom.modal_run(body, **how)
    u, pushes = numpy_steps(body, heights, q, rho, rate, steps)
    assert len(pushes) > 40
    assert list(zip(ours.step, ours.contact)) == pushes
    assert np.abs(ours.displacement[1:] - u).max() <= 1e-10
    theirs = siconos_steps(body, heights, q, rho, rate, steps)
    assert np.abs(ours.displacement[1:] - theirs).max() <= 1e-10
