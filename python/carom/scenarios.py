"""Scenario files run from Python, and the reproduction of the reference papers."""

import errno
import os

import numpy as np

from . import _carom
from .shown import Shown, scalars


def existing(path):
    """The path as text; a file that is not there is Python's own error, as of open()."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path


class Run(Shown):
    """A finished run: time and signals as numpy arrays, results and energy as dictionaries.

    >>> run = carom.run("bounce.toml", {"run.impacts": 10})
    >>> run.time, run["compression"], run.results["impacts"], run.energy["worst_residual"]
    """

    def __init__(self, time, columns, summary, files=()):
        self.time = time
        self.files = tuple(files)
        self.signals = tuple(columns)
        self._columns = columns
        self.summary = summary
        self.results = summary["results"]
        self.energy = summary["energy"] if "energy" in summary else self.results["energy"]

    def __getitem__(self, name):
        if name not in self._columns:
            raise KeyError(f"{name!r} was not recorded; recorded: {', '.join(self.signals)}")
        return self._columns[name]

    def __repr__(self):
        return f"Run({len(self.time)} rows of {', '.join(self.signals)})"

    def _columns_of(self):
        return {"time": self.time, **self._columns}

    def _facts_of(self):
        facts = {"status": self.summary["status"], **scalars(self.results)}
        return {**facts, **{f"energy {name}": value for name, value in scalars(self.energy).items()}}


def run(scenario, overrides=None, *, out=None, checkpoint=None, resume=False):
    """Runs a scenario file; `overrides` is {"run.duration": 0.02, ...}.

    In memory, or with `out` into that folder, as `carom run --out` does: signals, sound, pictures
    and report, listed in `files` of the result. There `checkpoint` [s of wall time] keeps the run
    safe from interruptions, and `resume` goes on from the last checkpoint, if there is one.
    """
    overrides = dict(overrides or {})
    if out is None:
        if checkpoint is not None or resume:
            raise ValueError("checkpoint and resume need a folder: give out")
        return Run(*_carom.run(existing(scenario), overrides))
    files, summary = _carom.run_to_folder(
        existing(scenario), overrides, os.fspath(out), float(checkpoint or 0), bool(resume)
    )
    table = os.path.join(out, "signals.csv")
    with open(table, encoding="utf-8") as lines:
        names = lines.readline().strip().split(",")
        rows = np.loadtxt(lines, delimiter=",", ndmin=2)
    columns = dict(zip(names, rows.T))
    return Run(columns.pop("time"), columns, summary, files)


def run_text(text, overrides=None):
    """Runs a scenario that is in no file, in memory."""
    return Run(*_carom.run_text(text, "scenario.toml", dict(overrides or {})))


def new_scenario(kind="", example="", preset=""):
    """The text of a scenario to start from, as `carom new KIND --example NAME` or `--preset NAME`
    writes it."""
    return _carom.new_scenario(kind, example, preset)


def presets():
    """The presets: {name: (kind, what it is)}."""
    return _carom.presets()


def papers(key, quick=False):
    """Every number of a paper beside ours: a list of {paper, item, quantity, published, ours,
    verdict, reason}."""
    return _carom.papers(key, quick)
