#!/usr/bin/python3
"""The pictures of docs/assemblies.md, and the numbers beside them.

Needs python3-matplotlib and `import carom`; from the project's folder:
    PYTHONPATH=build/release/python /usr/bin/python3 docs/make_pictures.py [NAME...]
"""

import math
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import carom

IMAGES = pathlib.Path(__file__).parent / "images"
plt.rcParams.update({"svg.hashsalt": "carom", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
                     "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 100})


def panels(count, height=2.6):
    figure, axes = plt.subplots(1, count, figsize=(4.2 * count, height), layout="constrained")
    return figure, np.atleast_1d(axes)


def legend(axis, columns=3):
    """Above the axes: beside them it would take their width."""
    axis.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns,
                borderaxespad=0.2, columnspacing=1.2, handlelength=1.6)


def save(figure, name):
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
    print(f"  docs/images/{name}.svg")


def example(name, **overrides):
    text = carom.new_scenario("assembly", example=name)
    return carom.run_text(text, {key.replace("__", "."): value for key, value in overrides.items()})


def train():
    run = example("train")
    figure, (place, force) = panels(2)
    for i in range(1, 6):
        place.plot(run.time, run[f"car{i}.x"], label=f"car {i}")
    place.set(xlabel="time [s]", ylabel="position [m]")
    names = ["car1-car2", "car2-car3", "car3-car4", "car4-car5", "car5-wall"]
    for name in names:
        force.plot(1e3 * run.time, run[f"{name}.force"] / 1e3, label=name)
    force.set(xlabel="time [ms]", ylabel="buffer force [kN]", xlim=(0, 200))
    legend(place)
    legend(force)
    save(figure, "assembly_train")


def cradle():
    compliant = example("cradle")
    figure, (axis, after) = panels(2)
    for i in range(1, 6):
        axis.plot(1e6 * compliant.time, compliant[f"b{i}.v"], label=f"ball {i}")
    first = min(entry["impacts"][0]["time"] for entry in compliant.results["contacts"])
    axis.set(xlabel="time [µs]", ylabel="velocity [m/s]", xlim=(1e6 * first - 5, 1e6 * first + 90))
    legend(axis)
    final = {"Hertz contacts": [compliant[f"b{i}.v"][-1] for i in range(1, 6)]}
    for law in ("newton", "poisson", "sequential"):
        row = carom.Assembly()
        for i in range(5):
            row.body(f"b{i + 1}", mass=0.00411, position=0.01 * i - (0.002 if i == 0 else 0.0),
                     velocity=0.5 if i == 0 else 0.0)
        for i in range(4):
            row.contact(f"b{i + 1}", f"b{i + 2}", "newton", distance=0.01, restitution=1.0)
        run = row.run(duration=0.01, method="event-driven", impact_law=law)
        final[f"{law}, e = 1"] = [run[f"b{i}.v"][-1] for i in range(1, 6)]
    incoming = compliant["b1.v"][0]
    for k, (label, values) in enumerate(final.items()):
        scale = incoming if k == 0 else 0.5
        after.bar(np.arange(1, 6) + 0.2 * (k - 1.5), np.array(values) / scale, 0.19, label=label)
        print(f"  {label}: " + " ".join(f"{v / scale:+.4f}" for v in values))
    after.set(xlabel="ball", ylabel="velocity after / before")
    legend(after)
    save(figure, "assembly_cradle")


def chain():
    """Nesterenko (2001) Sect. 1.4: five diameters wide, V ~ F^(1/6)."""
    diameter, mass, k = 0.01, 0.00411, 7.6e9
    forces, speeds = [], []
    figure, (wave, law) = panels(2)
    for speed in (0.1, 0.3, 1.0, 3.0):
        row = carom.Assembly()
        count = 40
        for i in range(count):
            row.body(f"b{i}", mass=mass, position=diameter * i, velocity=speed if i == 0 else 0.0)
        for i in range(count - 1):
            row.contact(f"b{i}", f"b{i + 1}", law=carom.PowerLaw(k), distance=diameter)
        run = row.run(duration=6e-4 * speed**-0.2, rate=2e6, method="event-driven")
        peaks = [np.argmax(run[f"b{i}-b{i + 1}.force"]) for i in (18, 28)]
        speeds.append(10 * diameter / (run.time[peaks[1]] - run.time[peaks[0]]))
        force = run["b24-b25.force"]
        forces.append(force.max())
        if speed == 1.0:
            passing = speeds[-1] * (run.time - run.time[np.argmax(force)]) / diameter
            wave.plot(passing, force, label="carom, 25th contact")
            z = np.linspace(-2.5, 2.5, 200)
            wave.plot(z, force.max() * np.cos(math.sqrt(2 / 5) * z) ** 6, "--",
                      label="Nesterenko: cos^6, 5 diameters")
    wave.set(xlabel="distance from the crest / diameter", ylabel="contact force [N]", xlim=(-4, 4))
    legend(wave, 1)
    slope = np.polyfit(np.log(forces), np.log(speeds), 1)[0]
    law.loglog(forces, speeds, "o", label="carom")
  
    law.loglog(forces, np.array(speeds[0]) * (np.array(forces) / forces[0]) ** (1 / 6), "--",
               label="F^(1/6)")
    law.set(xlabel="peak force [N]", ylabel="speed of the wave [m/s]")
    legend(law)
    print(f"  exponent {slope:.4f} (1/6 = {1 / 6:.4f})")
    save(figure, "assembly_chain")


def damper():
    figure, (axis,) = panels(1)
    text = carom.new_scenario("assembly", example="damper")
    with_rattler = carom.run_text(text)
    alone = carom.run_text(text, {"contact.1.distance": -0.5, "contact.2.distance": -0.5})
    axis.plot(alone.time, 1e3 * alone["structure.x"], lw=0.8, label="structure alone")
    axis.plot(with_rattler.time, 1e3 * with_rattler["structure.x"], lw=0.8, label="with the rattler")
    axis.set(xlabel="time [s]", ylabel="displacement [mm]")
    legend(axis)
    save(figure, "assembly_damper")
    late = slice(-8000, None)
    print(f"  amplitude {1e3 * np.abs(alone['structure.x'][late]).max():.2f} mm alone, "
          f"{1e3 * np.abs(with_rattler['structure.x'][late]).max():.2f} mm with the rattler")


def block():
    run = example("block")
    figure, (angle, spin) = panels(2)
    angle.plot(run.time, run["block.angle"])
    angle.set(xlabel="time [s]", ylabel="angle [rad]")
    spin.plot(run.time, run["block.spin"])
    spin.set(xlabel="time [s]", ylabel="angular velocity [rad/s]")
    save(figure, "assembly_block")


def kalimba():
    run = example("kalimba")
    figure, (tine, spectrum) = panels(2)
    tine.plot(1e3 * run.time, 1e6 * run["tine.x"], lw=0.8, label="tine")
    tine.plot(1e3 * run.time, 1e6 * run["rivet.x"], lw=0.8, label="rivet")
    tine.set(xlabel="time [ms]", ylabel="displacement [µm]", xlim=(0, 40))
    legend(tine)
    sound = run["tine.v"]
    *_, levels = spectrum.specgram(sound, NFFT=512, Fs=1 / (run.time[1] - run.time[0]),
                                   noverlap=384, vmin=-150, interpolation="nearest")
    figure.colorbar(levels, ax=spectrum, label="level [dB]")
    spectrum.set(xlabel="time [s]", ylabel="frequency [Hz]")
    spectrum.grid(False)
    save(figure, "assembly_kalimba")


def hammer():
    run = example("hammer")
    figure, (force, string) = panels(2)
    for speed in (1.0, 2.0, 4.0):
        other = example("hammer", body__2__velocity=speed, run__duration=0.005)
        force.plot(1e3 * other.time, other["hammer-string.force"], label=f"{speed:g} m/s")
    force.set(xlabel="time [ms]", ylabel="force of the felt [N]")
    legend(force)
    string.plot(1e3 * run.time, 1e3 * run["string.x"], lw=0.8)
    string.set(xlabel="time [ms]", ylabel="string at the hammer [mm]", xlim=(0, 40))
    save(figure, "assembly_hammer")


def joint():
    run = example("joint")
    figure, (orbit, force) = panels(2)
    x = 1e6 * (run["pin.x"] - run["bearing.x"])
    y = 1e6 * (run["pin.y"] - run["bearing.y"])
    orbit.plot(x, y, lw=0.5)
    turn = np.linspace(0, 2 * np.pi, 200)
    orbit.plot(50 * np.cos(turn), 50 * np.sin(turn), "--", lw=0.8)
    orbit.set(xlabel="pin in its bearing, x [µm]", ylabel="y [µm]", aspect="equal")
    force.plot(run.time, run["pin-bearing.force"], lw=0.6)
    force.set(xlabel="time [s]", ylabel="force in the joint [N]")
    save(figure, "assembly_joint")


def oblique():
    """Tangential restitution of a disc against the angle, by both kinds of contact."""
    mass, radius, mu, k, down = 0.1, 0.03, 0.3, 1e8, 1.0
    ratios = np.concatenate([np.linspace(0.02, 2.0, 40), np.linspace(2.1, 4.0, 12)])
    compliant, sudden = [], []
    for ratio in ratios:
        for law, keys, out in (("power-law", {"stiffness": k, "exponent": 1.5}, compliant),
                               ("newton", {"restitution": 1.0}, sudden)):
            disc = carom.Assembly(dimension=2)
            disc.body("disc", "disc", mass=mass, radius=radius, position=[0.0, radius + 1e-5],
                      velocity=[ratio * down, -down])
            disc.contact("disc", "ground", law, friction=mu, **keys)
            run = disc.run(duration=3e-3, rate=1e4)
            slip = run["disc.vx"][-1] + radius * run["disc.spin"][-1]
            out.append(-slip / (ratio * down))
    figure, (axis,) = panels(1, 3.2)
    axis.plot(ratios, compliant, label="Hertz with a tangential spring")
    axis.plot(ratios, sudden, label="impact without duration")
    sliding = ratios > 3 * mu * 2
    axis.plot(ratios, np.where(sliding, 3 * mu * 2 / ratios - 1, np.nan), "k--",
              label="sliding throughout: 6 mu v_n/v_t - 1")
    axis.set(xlabel="tangential / normal speed", ylabel="tangential restitution")
    legend(axis, 1)
    save(figure, "assembly_oblique")


PICTURES = {f.__name__: f for f in (train, cradle, chain, damper, block, kalimba, hammer, joint,
                                    oblique)}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        if name not in PICTURES:
            sys.exit(f"no picture '{name}'; there are {', '.join(PICTURES)}")
        print(name)
        PICTURES[name]()
