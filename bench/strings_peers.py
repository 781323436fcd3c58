"""The strings of carom_bench_strings by other means: numpy, step by step, and packaged Siconos.

usage: strings_peers.py FOLDER   with modes.csv, contacts.csv and run.csv as carom_bench_strings writes them.
Prints lines "name,CPU seconds per simulated second of steps without impulse,the same with impulse,steps,of these with
impulse"; nothing for a peer that is not installed. A short run starts in the middle of the action, so the two kinds
of steps are timed apart and weighted by their share in the whole run.
"""
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit(0)

folder = sys.argv[1]
modes = np.loadtxt(folder + "/modes.csv", delimiter=",", skiprows=1)
frequency, sigma, mass, q0 = modes[:, 0], modes[:, 1], modes[:, 2], modes[:, 3]
shapes = modes[:, 4:].T.copy()  # contacts x modes
heights = np.atleast_1d(np.loadtxt(folder + "/contacts.csv", delimiter=",", skiprows=1))
rate, restitution, numpy_steps, siconos_steps, start, keep = np.loadtxt(folder + "/run.csv", delimiter=",", skiprows=1)
dt = 1 / rate
omega = 2 * np.pi * frequency
# A state in free flight just before contact, so that a short run is typical: the exact motion after `start`.
s = np.sqrt(np.maximum(omega**2 - sigma**2, 0))
decay = np.exp(-sigma * start)
q_start = decay * (np.cos(s * start) + sigma / s * np.sin(s * start)) * q0
v_start = -decay * omega**2 / s * np.sin(s * start) * q0


def by_numpy(steps):
    e = np.exp(-2 * sigma * dt)
    a = 2 * np.exp(-sigma * dt) * np.cos(s * dt)
    minv = (1 + e - a) / (omega * dt) ** 2
    d = (1 + e - a) / dt
    delassus = (shapes * (minv / mass)) @ shapes.T
    q, w = q_start.copy(), v_start.copy()
    spent, counts = [0.0, 0.0], [0, 0]
    for _ in range(steps):
        begin, pushed = time.process_time(), False
        free = e * w - d * q
        y, v = shapes @ q - heights, shapes @ w
        active = np.flatnonzero(y + dt / 2 * v <= 0)
        if active.size:
            b = shapes[active] @ free + restitution * v[active]
            m = delassus[np.ix_(active, active)]
            p = np.zeros(active.size)
            basic = b < 0  # principal pivoting
            for _ in range(50):
                p[:] = 0
                if basic.any():
                    p[basic] = np.linalg.solve(m[np.ix_(basic, basic)], -b[basic])
                slack = m @ p + b
                wrong = (basic & (p < 0)) | (~basic & (slack < -1e-15))
                if not wrong.any():
                    break
                basic = basic ^ wrong
            if p.any():
                pushed = True
                free = free + minv / mass * (shapes[active].T @ p)
        w = free
        q = q + dt * w
        spent[pushed] += time.process_time() - begin
        counts[pushed] += 1
    return spent, counts


def by_siconos(steps):
    import siconos.kernel as sk

    # Unit modal mass, as the authors have it: impulses are divided by the linear density.
    ds = sk.LagrangianLinearDiagonalDS(q_start, v_start, omega**2, 2 * sigma)
    nsds = sk.NonSmoothDynamicalSystem(0.0, (steps + 1) * dt)
    nsds.insertDynamicalSystem(ds)
    law = sk.NewtonImpactNSL(restitution)
    for row, height in zip(shapes, heights):
        interaction = sk.Interaction(law, sk.LagrangianLinearTIR(row.reshape(1, -1), np.array([-height])))
        nsds.link(interaction, ds)
    problem = sk.LCP()
    simulation = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, dt), sk.MoreauJeanBilbaoOSI(), problem)
    spent, counts = [0.0, 0.0], [0, 0]
    for _ in range(steps):
        begin = time.process_time()
        simulation.computeOneStep()
        pushed = problem.getSizeOutput() > 0 and bool(np.any(np.asarray(problem.z()) > 0))
        simulation.nextStep()
        if keep:  # one contact: its matrix is always the same, let Siconos keep it
            problem.setHasBeenUpdated(True)
        spent[pushed] += time.process_time() - begin
        counts[pushed] += 1
    return spent, counts


def report(name, result):
    spent, counts = result
    free, contact = (x / (max(n, 1) * dt) for x, n in zip(spent, counts))
    print(f"{name},{free},{contact},{sum(counts)},{counts[1]}", flush=True)


report("numpy", by_numpy(int(numpy_steps)))
try:
    report("siconos", by_siconos(int(siconos_steps)))
except ImportError:
    pass
