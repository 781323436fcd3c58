"""Scenario files run from Python, and the reproduction of the reference papers."""

import os

from . import _carom


class Run:
    """A finished run: time and signals as numpy arrays, results and energy as dictionaries.

    >>> run = carom.run("bounce.toml", {"run.impacts": 10})
    >>> run.time, run["compression"], run.results["impacts"], run.energy["worst_residual"]
    """

    def __init__(self, time, columns, summary):
        self.time = time
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


def run(scenario, overrides=None):
    """Runs a scenario file in memory; `overrides` is {"run.duration": 0.02, ...}."""
    return Run(*_carom.run(os.fspath(scenario), dict(overrides or {})))


def papers(key, quick=False):
    """Every number of a paper beside ours: a list of {paper, item, quantity, published, ours,
    verdict, reason}."""
    return _carom.papers(key, quick)
