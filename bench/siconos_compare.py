"""The same ball, column of balls and bar by Siconos and by carom (Moreau-Jean both): results side by
side and time per step of each, in one run.

usage: siconos_compare.py PEER PLUGIN    the program carom_nonsmooth_peer, and
carom_siconos_bar.so with the mass matrix and forces of the bar for Siconos
Exit 77 when Siconos is not installed (ctest shows the test as skipped), 1 when the results differ
by more than the order of the scheme allows.
"""
import json
import math
import subprocess
import sys
import time

try:
    import numpy as np
    import siconos.kernel as sk
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)


def steps_of(body, gradients, offsets, restitution, step, until, newton=False):
    """Moreau-Jean with theta = 1/2 and linear gaps G q + b; time per step and where it ends."""
    model = sk.NonSmoothDynamicalSystem(0.0, until)
    model.insertDynamicalSystem(body)
    for gradient, offset in zip(gradients, offsets):
        law = sk.NewtonImpactNSL(restitution)
        relation = sk.LagrangianLinearTIR(np.array([gradient]), np.array([offset]))
        model.link(sk.Interaction(law, relation), body)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, step), sk.MoreauJeanOSI(0.5), sk.LCP())
    if newton:
        simulation.setNewtonOptions(sk.SICONOS_TS_NONLINEAR)
        simulation.setNewtonTolerance(1e-9)
        simulation.setNewtonMaxIteration(30)
    steps = 0
    begin = time.process_time()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        simulation.nextStep()
        steps += 1
    seconds = time.process_time() - begin
    return {"steps": steps, "us_per_step": 1e6 * seconds / steps,
            "position": np.array(body.q()), "velocity": np.array(body.velocity())}


def march(q, v, mass, stiffness, force, gradients, offsets, restitution, step, until):
    """A linear system."""
    body = sk.LagrangianLinearTIDS(q, v, mass)
    if stiffness is not None:
        body.setKPtr(stiffness)
    body.setFExtPtr(force)
    return steps_of(body, gradients, offsets, restitution, step, until)


def ball():
    return march([1.0], [0.0], np.eye(1), None, np.array([-9.81]), [[1.0]], [0.0], 0.9, 1e-4, 2.0)


def column():
    masses = np.array([1.0, 2.0, 3.0])
    gradients = [[1.0, 0, 0], [-1.0, 1, 0], [0, -1.0, 1]]
    return march([0.02, 0.05, 0.08], [0.0] * 3, np.diag(masses), None, -9.81 * masses, gradients,
                 [-0.01, -0.02, -0.02], 0.0, 1e-4, 0.3)


def bar(n=9, length=0.2, radius=0.00635, density=7876.74, young=2.1e11):
    """Model 2 of paoli2007 at 90 degrees: q = (y0, lambda_1..n), linear."""
    half = (length - radius) / (2 * n)
    m = 2 * half * np.pi * radius**2 * density
    tip = 2 * density * np.pi * radius**3 / 3
    k = young * np.pi * radius**2 / (6 * n * half) * (n - 1) * (3 * n - 1) / (2 * n)
    mass = np.zeros((n + 1, n + 1))
    mass[0, 0] = tip
    force = np.zeros(n + 1)
    force[0] = -9.81 * tip
    for i in range(n):
        row = np.zeros(n + 1)
        row[0] = row[1] = 1.0
        row[2:i + 2] = 2.0
        mass += m * np.outer(row, row)
        force -= 9.81 * m * row
    stiffness = np.diag([0.0, k] + [8 * k] * (n - 1))
    q = np.zeros(n + 1)
    q[0] = 0.0064535
    v = np.zeros(n + 1)
    v[0] = -1.0342
    gradient = np.zeros(n + 1)
    gradient[0] = 1.0
    return march(q, v, mass, stiffness, force, [gradient], [-radius], 0.0, 1e-7, 6e-4)


def tilted_bar(plugin, angle, restitution, step, n=9, radius=0.00635):
    """Model 2 at any angle: all 2 n + 2 coordinates, a mass matrix and forces that depend on them."""
    q = np.zeros(2 * n + 2)
    q[1] = 0.0064535
    q[2:2 + n] = math.radians(angle)
    v = np.zeros(2 * n + 2)
    v[1] = -1.0342
    body = sk.LagrangianDS(q, v)
    body.setComputeMassFunction(plugin, "bar_mass")
    body.setComputeFIntFunction(plugin, "bar_internal_forces")
    gradient = np.zeros(2 * n + 2)
    gradient[1] = 1.0
    return steps_of(body, [gradient], [-radius], restitution, step, 1.6e-4, newton=True)


def row(name, mine, theirs, off_q, off_v, note=""):
    print(f"{name:18} {mine['us_per_step']:14.3f} {theirs['us_per_step']:16.1f} "
          f"{theirs['us_per_step'] / mine['us_per_step']:8.0f}   {off_q:12.2e}   {off_v:12.2e}   {note}")


def same_scheme(ours):
    """One scheme written twice: only rounding may differ, and what the bar makes of it. (The bar of
    carom has all 20 coordinates and a mass matrix that depends on them; Siconos gets the 10 that move
    at 90 degrees, with constant matrices.)"""
    good = True
    cases = {"ball": (ball, 0, 0, 1e-10), "column": (column, 2, 2, 1e-10), "bar": (bar, 1, 0, 1e-6)}
    for name, (run, mine_at, theirs_at, velocity_tolerance) in cases.items():
        theirs, mine = run(), ours[name]
        off_q = abs(theirs["position"][theirs_at] - mine["position"][mine_at])
        off_v = abs(theirs["velocity"][theirs_at] - mine["velocity"][mine_at])
        row(name if name != "bar" else "bar 90 e=0.0", mine, theirs, off_q, off_v)
        good = good and off_q <= 1e-10 and off_v <= velocity_tolerance
    return good


def same_order(ours, plugin):
    """At other angles the two schemes differ where the mass matrix moves: Siconos takes it at the end of
    the step, carom in the middle. Both are of first order with impacts, and so is the difference:
    halving the step must halve it. Angles in rad, 60 us after the first impact."""
    good = True
    for restitution in [0.0, 0.5]:
        for angle in [30, 45, 60, 70, 80]:
            off = []
            for step in [1e-7, 5e-8]:
                mine = ours[f"bar {angle} {restitution:.1f} {step:.1e}"]
                theirs = tilted_bar(plugin, angle, restitution, step)
                off.append(np.abs(theirs["position"] - mine["position"])[2:11].max())
                if step == 1e-7:
                    speed = abs(theirs["velocity"][1] - mine["velocity"][1])
                    coarse = mine, theirs
            order = math.log2(off[0] / off[1])
            row(f"bar {angle} e={restitution}", *coarse, off[0], speed, f"order {order:.2f}")
            good = good and off[0] < 3e-8 and 0.8 < order < 1.2
    return good


def main():
    ours = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
    plugin = sys.argv[2].removesuffix(".so")
    print(f"{'case':18} {'carom us/step':>14} {'Siconos us/step':>16} {'ratio':>8}   position off   velocity off")
    results = [same_scheme(ours), same_order(ours, plugin)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
