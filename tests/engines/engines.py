"""What `carom export` promises beside what the engines do.

engines.py CAROM [--write FILE]   a table over engines, restitutions and time steps
As a module: available(), measure(); tests/python/test_export.py uses it.
"""

import functools
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("CAROM_ENGINES", HERE.parents[1] / "build" / "engines"))
MASS, RADIUS, SPEED, CONTACT_TIME, PHASES = 0.01, 0.01, 1.0, 5e-3, 16

# How a driver is built: what g++ needs beside the source, and the header that shows it is there.
COMPILED = {
    "ode": ("ode/ode.h", ["-lode"]),
    "bullet": ("bullet/btBulletDynamicsCommon.h", ["-I/usr/include/bullet", "-lBulletDynamics", "-lBulletCollision", "-lLinearMath"]),
    "mujoco": ("mujoco/mujoco.h", ["-lmujoco"]),
    "simbody": ("simbody/Simbody.h", ["-I/usr/include/simbody", "-lSimTKsimbody", "-lSimTKmath", "-lSimTKcommon"]),
    "dart": ("dart/dart.hpp", ["-I/usr/include/eigen3", "-ldart", "-lassimp"]),
}
NPM = {"rapier": "@dimforge/rapier3d-compat", "jolt": "jolt-physics", "box2d": "planck", "physx": "physx-js-webidl",
       "mujoco-3": "@mujoco/mujoco"}


def available(engine):
    """None, or why it cannot be run here."""
    if engine in COMPILED:
        header = COMPILED[engine][0]
        return None if pathlib.Path("/usr/include", header).exists() else f"<{header}> is not installed"
    if engine in NPM:
        if not shutil.which("node"):
            return "node is not installed"
        return None if (BUILD / "node_modules" / NPM[engine]).exists() else f"npm package {NPM[engine]} is not installed"
    if engine == "lammps":
        found = subprocess.run(["/usr/bin/python3", "-c", "import lammps; lammps.lammps(cmdargs=['-screen','none','-log','none'])"],
                               capture_output=True)
        return None if found.returncode == 0 else "python3-lammps and liblammps-dev are not installed"
    if engine == "yade":
        return None if shutil.which("yade") else "yade is not installed"
    return "by source, not run"


@functools.cache
def driver(engine):
    if engine in COMPILED:
        program = BUILD / engine
        source = HERE / f"drive_{engine}.cpp"
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            BUILD.mkdir(parents=True, exist_ok=True)
            subprocess.run(["g++", "-std=c++17", "-O1", "-w", str(source), "-o", str(program), *COMPILED[engine][1]], check=True)
        return [str(program)]
    if engine in NPM:
        # Beside node_modules, where node looks for packages.
        name = f"drive_{engine.removesuffix('-3')}.mjs"
        for file in ("drive.mjs", name):
            shutil.copy(HERE / file, BUILD / file)
        return ["node", str(BUILD / name)]
    if engine == "lammps":
        return ["/usr/bin/python3", str(HERE / "drive_lammps.py")]
    return ["yade", "-n", "-x", str(HERE / "drive_yade.py")]


def flat(parameters):
    """Lists become name0, name1, ...; texts are left out."""
    for name, value in parameters.items():
        if isinstance(value, list):
            if name == "restitution":  # of the two bodies, the second has 1
                yield name, value[0]
            else:
                for i, one in enumerate(value):
                    yield f"{name}{i}", one
        elif isinstance(value, (int, float)):
            yield name, value


def measure(engine, parameters, timestep, speed=SPEED, contact_time=CONTACT_TIME, phases=PHASES):
    """Restitution over phases and mean contact time, as the engine gives them."""
    # Box2D's slop of 5 mm does not suit a ball of 1 cm; a restitution does not depend on its size.
    radius = 0.5 if engine == "box2d" else RADIUS
    numbers = dict(mass=MASS, radius=radius, speed=speed, timestep=timestep, phases=phases,
                   longest=int(20 * contact_time / timestep) + 200)
    numbers.update(flat(parameters))
    numbers["radius"] = radius
    arguments = [f"{name}={value!r}" for name, value in numbers.items()]
    run = subprocess.run([*driver(engine), *arguments], capture_output=True, text=True, timeout=300)
    rows = [line.replace("outcome ", "").split() for line in run.stdout.splitlines() if line[:1].isdigit() or "outcome" in line]
    if len(rows) != phases:
        raise RuntimeError(f"{engine}: {run.stderr.strip()[-400:] or run.stdout[-400:]}")
    steps = [int(steps) for _, steps in rows]
    if engine == "lammps":  # velocities at whole steps see each force in two halves
        steps = [n - 1 for n in steps]
    return {"restitution": statistics.fmean(float(e) for e, _ in rows), "each": [float(e) for e, _ in rows],
            "contact_time": statistics.fmean(steps) * timestep}


def export(carom, engine, restitution, timestep, setting="auto", law=("--law", "kelvin-voigt")):
    command = [carom, "export", "--to", engine, *law, "--mass", str(MASS), "--speed", str(SPEED), "--restitution",
               str(restitution), "--contact-time", str(CONTACT_TIME), "--timestep", str(timestep), "--body-radius",
               str(RADIUS), "--setting", setting, "--json"]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode != 0:
        raise RuntimeError(found.stderr.strip())
    return json.loads(found.stdout)


def table(carom):
    """One row for each engine, restitution and time step."""
    names = [one["engine"] for one in json.loads(subprocess.run([carom, "export", "--list", "--json"], capture_output=True, text=True, check=True).stdout)["engines"]]
    for engine in names:
        reason = available(engine)
        for restitution in (0.5, 0.8):
            for timestep in (5e-3, 1e-3, 1e-4):
                try:
                    found = export(carom, engine, restitution, timestep)
                except RuntimeError as error:
                    yield [engine, restitution, timestep, None, None, None, str(error).removeprefix("carom: error: ")]
                    continue
                naive = found.get("naive")
                row = [engine, restitution, timestep, naive and naive["restitution"], found["expected"]["restitution"], None, reason or ""]
                if reason is None:
                    if naive and not (engine == "physx" and "damping" in naive["parameters"]):
                        row[3] = measure(engine, naive["parameters"], timestep)["restitution"]
                    if engine == "physx" and "damping" in found["parameters"]:
                        row[6] = "its JavaScript has no damping: spring by source"
                    else:
                        row[5] = measure(engine, found["parameters"], timestep)["restitution"]
                print(row, file=sys.stderr, flush=True)
                yield [*row[:6], row[6] or found["setting"]]


def markdown(rows):
    def shown(value):
        return "" if value is None else f"{value:.3f}" if value < 10 else "above 10"

    yield "| engine | time step | wanted | usual setting | exported: predicted | exported: measured | |"
    yield "|---|---|---|---|---|---|---|"
    last = None
    for engine, restitution, timestep, naive, expected, measured, note in rows:
        yield f"| {engine if engine != last else ''} | {timestep * 1e3:g} ms | {restitution} | {shown(naive)} | {shown(expected)} | {shown(measured)} | {note} |"
        last = engine


def main():
    carom = sys.argv[1]
    lines = list(markdown(table(carom)))
    if "--write" in sys.argv:
        page = pathlib.Path(sys.argv[sys.argv.index("--write") + 1])
        text = page.read_text()
        begin, end = "<!-- table: ./run engines -->\n", "<!-- end of the table -->"
        page.write_text(text[: text.index(begin) + len(begin)] + "\n".join(lines) + "\n" + text[text.index(end):])
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
