"""What the Python tests share: the checkout, the built program and how to call it."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def program():
    path = os.path.abspath(os.environ.get("CAROM_PROGRAM", ROOT / "build" / "release" / "carom"))
    assert os.access(path, os.X_OK), f"{path}: build it first (./run build)"
    return path


@pytest.fixture(scope="session")
def carom_cli(program):
    """carom_cli("impact", "--mass", 1, ...) -> CompletedProcess with text output."""

    def call(*arguments, **options):
        options.setdefault("timeout", 120)
        return subprocess.run(
            [program, *map(str, arguments)], capture_output=True, text=True, check=False, **options
        )

    return call
