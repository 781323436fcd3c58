"""Laws in other people's engines, and their impacts beside the exact ones."""

import json
import os

import numpy as np

from . import _carom
from .identification import FileFit
from .laws import Law


def export(engine, law=None, *, restitution=None, mass=None, speed=None, timestep=None, radius=None,
           setting="auto"):
    """A law as the parameters of a physics engine: the dict of `carom export --json`.

    `law` is a law, a FileFit or the path of a file that `carom identify --output` wrote; or give a
    `restitution` alone. `expected` says what the engine will give at `timestep`.

    >>> found = carom.export("mujoco", restitution=0.8, speed=1.0, timestep=0.002)
    >>> round(found["expected"]["restitution"], 3)
    0.8
    """
    if (law is None) == (restitution is None):
        raise ValueError("give a law, a fit or a restitution: one of them")
    fit = None
    if isinstance(law, FileFit):
        law, fit = None, json.dumps(law.document)
    elif isinstance(law, (str, os.PathLike)):
        with open(law, encoding="utf-8") as file:
            law, fit = None, file.read()
    elif law is not None and not isinstance(law, Law):
        raise ValueError("law: must be a law, a FileFit or the path of a fit")
    pair = None if law is None else (law.name, law.values)
    numbers = (None if value is None else float(value) for value in (restitution, mass, speed, timestep, radius))
    return json.loads(_carom.export(engine, pair, fit, *numbers, setting))


def score(law, time, position, velocity, mass, force=0.0):
    """An impact on a wall at x = 0 (x > 0 inside) that another program simulated, beside the exact
    one: the dict of `carom score --json`."""
    columns = (np.ascontiguousarray(values, float) for values in (time, position, velocity))
    return _carom.score((law.name, law.values), *columns, float(mass), float(force))


def identify_modes(samples, rate, modes=100):
    """The modes of a struck object in a recording, by frequency: a list of dicts with frequency,
    damping, t60, amplitude and phase, and the standard deviations `..._sd`."""
    return _carom.identify_modes(np.ascontiguousarray(samples, float), float(rate), int(modes))
