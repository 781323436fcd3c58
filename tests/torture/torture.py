#!/usr/bin/python3
"""Random physical set-ups through the program: torture.py PROGRAM COUNT [SEED].

Every run must end in time with an honest exit status: 0 with finite results, a closed ledger and no
gain of energy where the method promises none; 1 with a status that says what failed; 2 with a
reason. What does not is printed as a scenario file. Exit 1 if there was any.
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIMIT = 30  # seconds
SAMPLES = 2e5  # of a run at most, as `carom check` estimates them
# The ledger adds up to rounding: each of 2e5 steps rounds four sums.
CLOSED = 1e-9


def run(program, *arguments, folder=None):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=LIMIT, cwd=folder)


def log_uniform(low, high):
    return f"{10 ** random.uniform(math.log10(low), math.log10(high)):.6g}"


def edge(low, high):
    """Mostly within the range, now and then at one of its ends."""
    return random.choice([f"{low:g}", f"{high:g}"]) if random.random() < 0.1 else log_uniform(low, high)


LAWS = {
    "power-law": {"stiffness": (1, 1e12), "exponent": (1, 5)},
    "hunt-crossley": {"stiffness": (1, 1e12), "exponent": (1, 5), "mu": (1e-3, 1e3)},
    "hertz-damper": {"stiffness": (1, 1e12), "exponent": (1, 2), "damping": (1e-6, 1e6)},
    "kelvin-voigt": {"stiffness": (1, 1e12), "damping": (1e-6, 1e6)},
    "tsuji": {"stiffness": (1, 1e12), "exponent": (1, 3), "damping": (1e-6, 1e6)},
    "kuwabara-kono": {"stiffness": (1, 1e12), "exponent": (1.1, 3), "damping": (1e-6, 1e6)},
    "newton": {"restitution": (1e-3, 1)},
}
# Of each kind: what is drawn, and how long it may run.
KINDS = {
    "impact": {"body.mass": (1e-6, 1e4), "body.speed": (1e-4, 1e3), "run.rate": (1e3, 1e6)},
    "bounce": {"body.mass": (1e-6, 1e4), "body.speed": (1e-3, 10), "run.rate": (1e3, 2e5)},
    "pair": {"run.rate": (1e3, 1e6)},
    "strike": {"body.mass": (1e-4, 10), "body.speed": (1e-3, 10), "run.rate": (8e3, 4e5)},
    "pendulums": {},
}
FIXED = {
    "bounce": {"run.impacts": "5"},
    "strike": {"run.duration": "0.05", "sound.rate": "44100"},
    "pendulums": {"run.duration": "0.5"},
}


def scenario(kind, law, method):
    """A scenario file as text."""
    keys = dict(FIXED.get(kind, {}))
    keys |= {key: edge(*bounds) for key, bounds in KINDS[kind].items()}
    keys |= {f"contact.{key}": edge(*bounds) for key, bounds in LAWS[law].items()}
    tables = {}
    for key, value in keys.items():
        table, name = key.split(".")
        tables.setdefault(table, {})[name] = value
    tables["contact"]["law"] = f'"{law}"'
    tables.setdefault("run", {})["method"] = f'"{method}"'
    if kind == "pair":
        tables["pair"] = {"masses": f"[{edge(1e-4, 10)}, {edge(1e-4, 10)}]", "velocities": f"[{edge(1e-3, 10)}, 0.0]"}
    if kind == "strike":
        tables["resonator"] = {"modes": "[{ frequency = 440.0, damping = 3.0, mass = 0.1, hit = 1.0, heard = 1.0 }]"}
    if kind == "pendulums":
        tables["pendulums"] = {"masses": f"[{edge(1e-2, 10)}, {edge(1e-2, 10)}]", "lengths": "[6.0, 4.0]",
                               "offset": "-2.0", "angles": "[15.0, -90.0]"}
    text = f'kind = "{kind}"\n'
    for table, entries in tables.items():
        text += f"[{table}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
    return text


def complaint(program, text, folder):
    """What is wrong with the run of this text, or None."""
    (folder / "one.toml").write_text(text)
    try:
        checked = run(program, "check", "one.toml", "--json", folder=folder)
        if checked.returncode == 0 and json.loads(checked.stdout)["numbers"]["samples"] > SAMPLES:
            return None
        done = run(program, "run", "one.toml", "--out", "out", "--json", "--quiet", folder=folder)
    except subprocess.TimeoutExpired:
        return f"did not end in {LIMIT} s"
    if done.returncode == 2:
        return None if done.stderr.count("\n") >= 1 and "unexpected" not in done.stderr else "exit 2 without a reason"
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {done.stderr[-200:]}"
    summary = json.loads(done.stdout)
    if done.returncode == 1:
        return None if summary["status"] != "done" else "exit 1, status done"
    if summary["status"] != "done":
        return f"exit 0, status {summary['status']}"
    energy = summary["energy"]
    numbers = [energy[key] for key in ("initial", "final", "dissipated", "injected", "residual")]
    if any(not isinstance(number, (int, float)) or not math.isfinite(number) for number in numbers):
        return "energy is not finite, exit 0"
    initial, final, dissipated, injected, residual = numbers
    scale = max(abs(initial), abs(final), abs(dissipated), abs(injected), 1e-300)
    if abs(initial + injected + residual - dissipated - final) > CLOSED * scale:
        return "the ledger does not close"
    if energy["passive"] and residual > CLOSED * scale:
        return "a passive method gained energy"
    return None


def main():
    program, count = str(Path(sys.argv[1]).resolve()), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    random.seed(seed)
    matrix = json.loads(run(program, "methods", "--json").stdout)["kinds"]
    cells = [(kind["kind"], cell["law"], cell["method"]) for kind in matrix if kind["kind"] in KINDS
             for cell in kind["cells"] if cell["runs"] and cell["law"] in LAWS]
    texts = [scenario(*random.choice(cells)) for _ in range(count)]
    counts = {"fine": 0, "failed": 0}

    def one(text):
        with tempfile.TemporaryDirectory() as folder:
            return text, complaint(program, text, Path(folder))

    with ThreadPoolExecutor() as pool:
        for text, problem in pool.map(one, texts):
            counts["failed" if problem else "fine"] += 1
            if problem:
                print(f"# {problem}\n{text}", flush=True)
    print(f"torture: {count} set-ups, seed {seed}, {counts['failed']} failed", file=sys.stderr)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
