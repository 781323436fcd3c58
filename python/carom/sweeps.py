"""Sweeps: many runs of a scenario, as one table."""

import json
import os

import numpy

from . import _carom
from .scenarios import existing


def sweep(plan, out=None, jobs=None, resume=False, retry_failed=False):
    """Runs a sweep on all cores (or `jobs` threads) and returns a structured array, one row a run.

    `plan` is a sweep file, or the same as a dictionary; its scenario is then relative to the
    current folder. With `out` the results are also kept in `out`/sweep.sqlite, and `resume` goes on
    where an earlier call stopped.

    >>> table = carom.sweep({
    ...     "scenario": "bar.toml",
    ...     "grid": {"bar.angle": [70, 80, 90], "contact.restitution": {"from": 0, "to": 1, "count": 5}},
    ...     "results": {"columns": ["results.apparent_restitution"]},
    ... })
    >>> table["bar.angle"], table["results.apparent_restitution"], table["status"]
    >>> pandas.DataFrame(table)
    """
    if isinstance(plan, dict):
        file, description, folder = "", json.dumps(plan, allow_nan=False), os.getcwd()
    else:
        file, description, folder = existing(plan), "", ""
    where = "" if out is None else os.fspath(out)
    threads = 0 if jobs is None else jobs
    return _table(_carom.sweep(file, description, folder, where, threads, resume, retry_failed))


def read_sweep(store):
    """The table of a store (its folder or file), as sweep() returns it."""
    return _table(_carom.read_sweep(existing(store)))


def _table(columns):
    """Texts get the width of the longest; what is neither number nor text stays an object."""
    arrays = []
    for name, values in columns:
        if isinstance(values, list):
            texts = ["" if value is None else value for value in values]
            plain = all(isinstance(value, str) for value in texts)
            values = numpy.array(texts if plain else values, dtype=str if plain else object)
        arrays.append((name, values))
    kind = [
        (name, values.dtype if values.dtype != "U0" else "U1") for name, values in arrays
    ]
    table = numpy.empty(len(arrays[0][1]), dtype=kind)
    for name, values in arrays:
        table[name] = values
    return table
