"""The same bits: run after run, by any number of threads and set of instructions, and as they were
when the hashes of reference.json were taken."""

import hashlib
import json
import os
import pathlib
import sqlite3
import struct

import pytest

from conftest import STRING

HERE = pathlib.Path(__file__).parent
REFERENCE = HERE / "reference.json"

# Every kind, short; what is given over its template.
SHORT = {
    "impact": [],
    "bounce": ["run.impacts=5"],
    "pair": [],
    "pendulums": ["run.duration=0.6"],
    "strike": ["run.duration=0.05"],
    "bar": ["run.step=1e-6", "bar.segments=3"],
    "assembly": ["run.duration=0.1"],
    "string": ["run.duration=0.02", "string.modes=60"],
    "body": ["run.duration=0.01", "body.modes=30"],
}


def samples(file):
    """The data of a WAV file, without its comments, which name the commit."""
    data = file.read_bytes()
    at = 12
    while at < len(data):
        name, size = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        if name == b"data":
            return data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    raise AssertionError("no data")


def render(carom, kind, folder, environment=None):
    folder.mkdir(exist_ok=True)
    (folder / "one.toml").write_text(carom("new", kind, "-").stdout)
    changes = [part for change in SHORT[kind] for part in ("--set", change)]
    done = carom("run", "one.toml", "--out", "out", "--quiet", *changes, cwd=folder,
                 env={**os.environ, **(environment or {})})  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {"signals.csv": hashlib.sha256((folder / "out" / "signals.csv").read_bytes()).hexdigest()}
    sound = folder / "out" / "sound.wav"
    if sound.exists():
        found["sound.wav"] = hashlib.sha256(samples(sound)).hexdigest()
    return found


def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return next((set(line.split()) for line in info if line.startswith("flags")), set())


def test_every_kind_is_here(carom):
    kinds = {kind["kind"] for kind in json.loads(carom("methods", "--json").stdout)["kinds"]}
    assert kinds == set(SHORT)


def instruction_sets():
    flags = cpu_flags()
    needs = {"avx512": {"avx2", "fma", "avx512f", "avx512vl"}, "avx2": {"avx2", "fma"}, "baseline": set()}
    return [name for name, needed in needs.items() if needed <= flags]


@pytest.mark.parametrize("kind", SHORT)
def test_renders_are_those_of_the_reference(carom, kind, tmp_path):
    first = render(carom, kind, tmp_path / "default")
    for name in instruction_sets() if kind in ("string", "body") else instruction_sets()[:1]:
        again = render(carom, kind, tmp_path / name, {"CAROM_INSTRUCTIONS": name})
        assert again == first, f"{name} differs from the default"
    if os.environ.get("CAROM_TAKE_REFERENCE"):
        kept = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {}
        REFERENCE.write_text(json.dumps({**kept, kind: first}, indent=2, sort_keys=True) + "\n")
    # The C library computes powers and sines by fused operations where the processor has them, with
    # other last bits; the hashes are of such a machine.
    if not {"fma", "avx2"} <= cpu_flags():
        pytest.skip("this processor has no fused operations")
    assert first == json.loads(REFERENCE.read_text())[kind]


def test_sweeps_by_any_number_of_threads_are_the_same(carom, tmp_path):
    (tmp_path / "string.toml").write_text(STRING)
    (tmp_path / "plan.toml").write_text(
        'scenario = "string.toml"\n[grid]\n"pluck.height" = { from = 1e-4, to = 2e-3, count = 12 }\n'
        '[results]\ncolumns = ["energy.final", "energy.dissipated"]\n'
    )
    tables = []
    for jobs in (1, 2, 3, 5):
        done = carom("sweep", "plan.toml", "--out", f"s{jobs}", "--jobs", jobs, "--quiet", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        store = sqlite3.connect(tmp_path / f"s{jobs}" / "sweep.sqlite")
        names = [row[1] for row in store.execute("pragma table_info(results)") if "seconds" not in row[1] and "cpu" not in row[1]]
        tables.append(store.execute(f"select {', '.join(chr(34) + n + chr(34) for n in names)} from results order by run").fetchall())
    assert all(table == tables[0] for table in tables)
