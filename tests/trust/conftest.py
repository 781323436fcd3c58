"""What the tests of trust share: the built program, called as people call it."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Carom:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, **options):
        options.setdefault("timeout", 120)
        return subprocess.run(
            [self.program, *map(str, arguments)], capture_output=True, text=True, check=False, **options
        )

    def start(self, *arguments, **options):
        return subprocess.Popen(
            [self.program, *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
        )  # fmt: skip


@pytest.fixture(scope="session")
def carom():
    path = os.path.abspath(os.environ.get("CAROM_PROGRAM", ROOT / "build" / "release" / "carom"))
    assert os.access(path, os.X_OK), f"{path}: build it first (./run build)"
    return Carom(path)


BOUNCE = """kind = "bounce"
title = "a ball"
[body]
mass = 0.01
speed = 1.0
[contact]
law = "hunt-crossley"
stiffness = 1e8
mu = 0.3
[run]
rate = 44100.0
impacts = 10
"""

STRING = """kind = "string"
[string]
length = 0.65
linear_density = 0.00117
tension = 73.0
modes = 60
[pluck]
position = 0.2
height = 0.0015
[[obstacle]]
position = 0.004
height = 0.0
[contact]
law = "newton"
restitution = 0.0
[run]
rate = 200000.0
duration = 0.02
"""


@pytest.fixture
def bounce(tmp_path):
    (tmp_path / "bounce.toml").write_text(BOUNCE)
    return tmp_path / "bounce.toml"
