"""Impacts, bounces and strikes stepped through time: histories as arrays, the energy ledger, errors."""

import math
from types import SimpleNamespace

import numpy as np

from . import _carom
from .laws import Law
from .shown import Shown, scalars


class Simulation(Shown):
    """A finished simulation.

    The columns of its history are attributes (numpy arrays, one value a sample), as are

    ledger     initial, stored, dissipated, injected, residual, worst_residual [J]
    converged  every iteration stayed within its bound
    passive_kept  false if a passive method gained more than 1e-12 of the energy in a step

    and what the function says that made it.
    """

    def __init__(self, found):
        self.columns = tuple(found["history"])
        for name, value in {**found.pop("history"), **found}.items():
            setattr(self, name, SimpleNamespace(**value) if isinstance(value, dict) else value)

    def __repr__(self):
        return f"{type(self).__name__}({len(self.time)} samples of {', '.join(self.columns)})"

    def _columns_of(self):
        return {name: getattr(self, name) for name in self.columns}

    def _facts_of(self):
        return {**scalars(vars(self)), **{f"energy {name}": value for name, value in vars(self.ledger).items()}}


def _law(law):
    """For the compiled part; one law, not an array of them."""
    return law.name, law.values


def _impacts(found):
    """The list of impacts as a structured array, one row per impact."""
    columns = found["impacts"]
    table = np.empty(len(columns["time"]), dtype=[(name, float) for name in columns])
    for name, values in columns.items():
        table[name] = values
    found["impacts"] = table
    return found


def simulate_impact(
    law: Law,
    mass,
    speed,
    force=0.0,
    *,
    method="passive",
    rate=44100.0,
    phase=0.0,
    events="subsample",
    correct="none",
    exit="exact",
    exit_threshold_percent=0.1,
) -> Simulation:
    """One impact on a wall by any method, beside the exact one.

    method      passive, event-driven, discrete-gradient, rk4, heun, verlet, trapezoid, symplectic,
                heun-textbook, verlet-textbook
    rate        samples per second [Hz]
    phase       where in the first sample contact starts, 0..1
    events      "subsample" locates onset and release inside the step, "sample" does not
    correct     none, hybrid, exit, both (papetti2011), project (onto the invariant)
    exit        which speed the exit correction enforces: "exact", or "published" where the error of
                papetti2011 eq. (7) is below exit_threshold_percent

    Columns: time, compression, rate, force, energy. Attributes: result and exact (as of
    carom.impact), error (rebound_speed_percent, dev_x_percent, dev_energy_percent,
    waveform_percent, samples_in_contact).

    >>> law = carom.HuntCrossley(1e9, 1.5, mu=0.5)
    >>> run = carom.simulate_impact(law, mass=0.01, speed=1.0, method="verlet", phase=0.25)
    >>> run.time, run.compression, run.error.rebound_speed_percent, run.ledger.residual
    """
    options = {
        "method": method,
        "rate": float(rate),
        "phase": float(phase),
        "events": events,
        "correct": correct,
        "exit": exit,
        "exit_threshold_percent": float(exit_threshold_percent),
    }
    return Simulation(
        _carom.simulate_impact(_law(law), float(mass), float(speed), float(force), options)
    )


def simulate_bounces(
    law: Law,
    mass,
    speed=0.0,
    height=0.0,
    gravity=9.81,
    *,
    impacts=100,
    duration=math.inf,
    method="passive",
    rate=44100.0,
    events="subsample",
    correct="none",
    exit="exact",
    exit_threshold_percent=0.1,
    gravity_in_contact=False,
    surface="recovers",
    keep_every=1,
) -> Simulation:
    """A body that bounces on a floor; stops after `impacts` or `duration`.

    speed is downward. gravity_in_contact=False suspends gravity in contact, as papetti2011 does.
    surface, after a release with compression left: "recovers" or "keeps-indentation". Every
    keep_every-th sample is kept; 0 keeps none. The other options are those of simulate_impact.

    Columns: time, height, velocity (upward), force. Attributes: impacts (structured array: time,
    speed_in, speed_out, contact_time, max_compression, max_force, separation_compression), end_time,
    at_rest.
    """
    options = {
        "method": method,
        "rate": float(rate),
        "events": events,
        "correct": correct,
        "exit": exit,
        "exit_threshold_percent": float(exit_threshold_percent),
        "gravity_in_contact": bool(gravity_in_contact),
        "surface": surface,
        "impacts": int(impacts),
        "duration": float(duration),
        "keep_every": int(keep_every),
    }
    found = _carom.simulate_bounces(
        _law(law), float(mass), float(speed), float(height), float(gravity), options
    )
    return Simulation(_impacts(found))


def simulate_strike(
    law: Law,
    mass,
    speed,
    modes,
    duration,
    gap=0.0,
    force=0.0,
    *,
    method="passive",
    rate=44100.0,
    tolerance=None,
) -> Simulation:
    """A body that strikes a resonator given by its modes.

    modes    one row a mode: frequency [Hz], damping [1/s], modal mass [kg], shape where it is hit,
             shape where it is heard
    method   "passive" closes the energy of every step, "event-driven" leaves it as it comes
    tolerance  relative, of one step in contact; None is 1e-10, for "event-driven" 1e-12

    Columns: time, body_position, body_velocity, force (mean over the sample), hit, heard,
    heard_velocity. Attributes: impacts, as of simulate_bounces.
    """
    table = np.ascontiguousarray(modes, float)
    if table.ndim != 2 or table.shape[1] != 5:
        raise ValueError(
            f"modes has shape {table.shape}: must be rows of frequency, damping, mass, hit, heard"
        )
    options = {
        "method": method,
        "rate": float(rate),
        "tolerance": float({"event-driven": 1e-12}.get(method, 1e-10) if tolerance is None else tolerance),
    }
    found = _carom.simulate_strike(
        _law(law), float(mass), float(speed), float(gap), float(force), table, float(duration), options
    )
    return Simulation(_impacts(found))
