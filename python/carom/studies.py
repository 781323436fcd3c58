"""Many runs of one's own function: grids of parameters on all cores, kept in a file."""

import csv
import itertools
import multiprocessing
import os
import sys
import time
from numbers import Real

import numpy as np

_function = None  # of the sweep under way: processes that are forked have it


def _call(task):
    row, values = task
    answer = _function(**values)
    numbers = answer if isinstance(answer, dict) else {"result": answer}
    for name, number in numbers.items():
        if not isinstance(number, (Real, np.number)):
            raise ValueError(f"{name}: a number is needed, not {number!r}")
    return row, {name: float(number) for name, number in numbers.items()}


def _known_rows(path, names, tasks):
    """What an earlier sweep has left: the names of its results and its rows."""
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    if not lines or lines[0][: len(names) + 1] != ["row", *names]:
        raise ValueError(f"{path}: is not of a sweep over {', '.join(names)}")
    results = lines[0][len(names) + 1 :]
    known = {}
    for line in lines[1:]:
        if len(line) != len(lines[0]):
            continue  # cut off while it was written: computed again
        row = int(line[0])
        if row >= len(tasks) or [repr(tasks[row][1][name]) for name in names] != line[1 : len(names) + 1]:
            raise ValueError(f"{path}: row {row} is not of this grid")
        known[row] = dict(zip(results, map(float, line[len(names) + 1 :])))
    return results, known


class _Log:
    """Rows as they come, in a CSV file that a sweep can go on from."""

    def __init__(self, path, names, results, known, tasks):
        self.names, self.results = names, results
        self.file = open(path, "w", newline="")
        self.writer = csv.writer(self.file)
        for row in sorted(known):
            self.add(row, tasks[row][1], known[row])

    def add(self, row, values, numbers):
        if self.results is None:
            self.results = list(numbers)
        if self.file.tell() == 0:
            self.writer.writerow(["row", *self.names, *self.results])
        self.writer.writerow([row, *(repr(values[n]) for n in self.names),
                              *(repr(numbers[n]) for n in self.results)])
        self.file.flush()


def sweep_function(function, grid, *, jobs=None, out=None, quiet=False):
    """Calls `function` for every combination of the values in `grid` and returns a dictionary of
    arrays: the parameters and what the function has answered, one entry a run in the order of the
    grid, whose last name changes fastest.

    function   takes the names of the grid as keywords and returns a number or a dictionary of
               numbers; it may be any function, a lambda too
    grid       {name: values}, numbers
    jobs       processes at once; without it one for each core
    out        a CSV file that has every run as soon as it is done. Where it is there already and of
               the same grid, its runs are not computed again
    quiet      shows no progress

    >>> swept = carom.sweep_function(lambda e: 1 - e * e, {"e": [0.0, 0.5, 1.0]}, quiet=True)
    >>> swept["result"].tolist()
    [1.0, 0.75, 0.0]
    """
    global _function
    names = list(grid)
    if not names:
        raise ValueError("grid: needs at least one name")
    columns = {name: [float(value) for value in np.atleast_1d(grid[name])] for name in names}
    tasks = [(row, dict(zip(names, values)))
             for row, values in enumerate(itertools.product(*columns.values()))]
    results, known = None, {}
    if out is not None and os.path.exists(out) and os.path.getsize(out) > 0:
        results, known = _known_rows(out, names, tasks)
    log = _Log(out, names, results, known, tasks) if out is not None else None
    left = [task for task in tasks if task[0] not in known]
    began = shown = time.monotonic()
    _function = function
    try:
        with multiprocessing.get_context("fork").Pool(min(jobs or os.cpu_count(), max(1, len(left)))) as pool:
            for row, numbers in pool.imap_unordered(_call, left):
                known[row] = numbers
                if log is not None:
                    log.add(row, tasks[row][1], numbers)
                now = time.monotonic()
                if not quiet and now - shown > (1 if sys.stderr.isatty() else 10):
                    shown = now
                    rate = (len(known) - len(tasks) + len(left)) / (now - began)
                    print(f"{len(known)} of {len(tasks)} runs, {rate:.3g} a second, "
                          f"{(len(tasks) - len(known)) / rate:.0f} s left", file=sys.stderr)
    finally:
        _function = None
        if log is not None:
            log.file.close()
    answer = {name: np.array([task[1][name] for task in tasks]) for name in names}
    for name in known[0] if known else []:
        answer[name] = np.array([known[row][name] for row in range(len(tasks))])
    return answer
