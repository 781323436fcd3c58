"""Impact laws instead of contact forces: the dropped bar of paoli2007 and the linear
complementarity problem behind simultaneous contacts."""

import inspect
import json
import os

import numpy as np

from . import _carom
from .laws import Law
from .shown import Shown, scalars

_INTERVAL = np.dtype([("begin", float), ("end", float), ("impulse", float), ("impacts", np.int64)])


class BarDrop(Shown):
    """A bar that has been dropped. Times in s, energies in J.

    apparent_restitution (NaN when the run ended before the bar had left for good),
    first_impact_time, last_contact_time, impact_speed, impacts; arrays `impact_times` and
    `intervals` (fields begin, end, impulse, impacts); `energy_after_first_impact` (expected,
    highest, lowest, mean, deviation); `audit` (initial, final, dissipated, residual,
    worst_residual); `status` ("ok", or what went wrong) and `steps`.

    Recorded every so many steps: `time`, `q` and `v` (rows of x0, y0, n angles, n extensions),
    `impulse` of the floor since the last row, `kinetic`, `energy` and `dissipated`.
    """

    def __init__(self, settings, results, signals):
        self.settings = settings
        for name, value in {**results, **signals}.items():
            setattr(self, name, value)
        table = np.empty(len(self.intervals), _INTERVAL)
        for column, name in enumerate(_INTERVAL.names):
            table[name] = self.intervals[:, column]
        self.intervals = table

    @property
    def gap(self):
        """Between tip and floor [m]."""
        return self.q[:, 1] - self.settings["radius"]

    @property
    def outlines(self):
        """The bar at each time recorded: tip, joints and far end, (rows, n + 1, 2) [m]."""
        return _carom.bar_outlines(self.settings, self.q)

    def __repr__(self):
        return (
            f"BarDrop(apparent_restitution={self.apparent_restitution:.6g}, impacts={self.impacts}, "
            f"intervals={len(self.intervals)}, status={self.status!r})"
        )

    def _columns_of(self):
        names = ("time", "impulse", "kinetic", "energy", "dissipated")
        return {**{name: getattr(self, name) for name in names}, "gap": self.gap}

    def _facts_of(self):
        return scalars(vars(self))


def _settings(
    angle,
    law=0.5,
    *,
    model="pairs",
    segments=9,
    length=0.2,
    radius=0.00635,
    density=7876.74,
    young=2.1e11,
    gravity=9.81,
    inertia="as-printed",
    stiffness="as-printed",
    height=0.01,
    speed=1.0,
    excitation_fraction=0.0,
    excitation_phase=0.0,
    excitation_mode=1,
    method="paoli-schatzman",
    step=1e-7,
    instant="resolved",
    flight="midpoint",
    theta=0.5,
    duration=None,
    averaging=2.5e-3,
    longest=0.1,
    separation=50e-6,
):
    chosen = dict(locals())
    (chosen["law"],) = _contact_laws(law)
    return chosen


def drop_bar(angle, law=0.5, *, every=100, **settings) -> BarDrop:
    """Drops a flexible bar on a rigid floor (paoli2007); `angle` from the horizontal in degrees,
    `law` of the tip: a restitution, or a compliant law by method "passive", "event-driven" or a
    classical one.

    Keywords and their defaults, as in the kind `bar` of a scenario: model "pairs" (or "spiral"),
    segments 9, length 0.2, radius 0.00635, density 7876.74, young 2.1e11, gravity 9.81, inertia
    "as-printed" (or "consistent"), stiffness "as-printed" (or "limit"), height 0.01, speed 1,
    excitation_fraction 0, excitation_phase 0 (degrees), excitation_mode 1, method
    "paoli-schatzman" ("event-driven", "moreau-jean"), step 1e-7, instant "resolved"
    ("interpolated"), flight "midpoint" ("newmark"), theta 0.5, duration None (until the bar has
    been off the floor for `averaging` = 2.5e-3), longest 0.1, separation 50e-6 between contact
    intervals. `every`: steps between recorded rows.

    >>> drop = carom.drop_bar(80.0, 0.5)
    >>> round(drop.apparent_restitution, 2), len(drop.intervals)
    (0.61, 1)
    """
    chosen = _settings(angle, law, **settings)
    return BarDrop(chosen, *_carom.drop_bar(chosen, every))


def _keywords_of_settings(function):
    """The signature with every keyword of _settings, for completion and help."""
    own = inspect.signature(function)
    kept = [p for p in own.parameters.values() if p.kind != p.VAR_KEYWORD]
    more = [p for p in inspect.signature(_settings).parameters.values() if p.name not in own.parameters]
    more = [p.replace(kind=p.KEYWORD_ONLY) for p in more]
    function.__signature__ = own.replace(parameters=kept + more)


_keywords_of_settings(drop_bar)


def bar_modes(angle=90.0, **settings):
    """Small vibrations of the free bar: frequencies [rad/s], shapes (a row each) and kinds
    ("rigid", "bending", "axial"), by frequency. Keywords as for `drop_bar`."""
    frequencies, shapes, kinds = _carom.bar_modes(_settings(angle, **settings))
    return frequencies, shapes, np.array(kinds)


_keywords_of_settings(bar_modes)


_IMPACT = ["time", "speed_in", "speed_out", "contact_time", "max_compression", "max_force", "impulse"]
_CONTACT_IMPACT = np.dtype([("contact", np.int64)] + [(name, float) for name in _IMPACT])


class ContactRun(Shown):
    """A system with gaps after a run.

    time, energy    at each row; the last row is at the duration
    q, v            rows of coordinates and velocities
    forces          of each contact at the row [N]; by moreau-jean and paoli-schatzman the mean of
                    the last step; an impact without duration has none
    impulses        of each contact since the last row [N s]
    impacts         one entry for each that has ended, fields contact, time, speed_in, speed_out,
                    contact_time, max_compression, max_force and impulse; by moreau-jean and
                    paoli-schatzman read off their impulses, good to the travel of a step
    audit           initial, final, dissipated, injected, residual [J]
    status          "ok", "at rest", or what ended the run or went wrong in it
    steps           how many the method took
    """

    def __init__(self, fields):
        for name, value in fields.items():
            setattr(self, name, value)
        table = np.empty(len(self.impacts), _CONTACT_IMPACT)
        for column, name in enumerate(_CONTACT_IMPACT.names):
            table[name] = self.impacts[:, column]
        self.impacts = table

    def to_hdf5(self, path):
        """Writes the rows as `carom run --format hdf5` does: datasets time, q1, v1, ..., force1,
        impulse1, ..., energy; audit and status are attributes of the file."""
        path = os.fspath(path)
        columns, rows = [], [self.time]
        for name, unit, table in (("q", "", self.q), ("v", "", self.v), ("force", "N", self.forces),
                                  ("impulse", "N s", self.impulses)):
            columns += [(f"{name}{i + 1}", unit) for i in range(table.shape[1])]
            rows += list(table.T)
        columns.append(("energy", "J"))
        rows.append(self.energy)
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise ValueError(f"'{path}': its folder does not exist")
        attributes = [("audit", json.dumps(self.audit)), ("status", self.status),
                      ("program", f"carom {_carom.version}")]
        _carom.write_hdf5(path + ".part", columns, np.column_stack(rows), attributes)
        os.replace(path + ".part", path)

    def __repr__(self):
        return f"ContactRun({len(self.time)} rows, status={self.status!r})"

    def _columns_of(self):
        columns = {"time": self.time, "energy": self.energy}
        for name in ("q", "v", "forces", "impulses"):
            rows = getattr(self, name)
            columns.update((f"{name}{i}", rows[:, i]) for i in range(rows.shape[1]))
        return columns

    def _facts_of(self):
        return {**scalars(vars(self)), **{f"energy {name}": value for name, value in scalars(self.audit).items()}}


# The functions of a system, and how many arguments they have with the time t first where one is
# expected. Until 0.1 there was no time: force(q, v), gaps(q), gap_gradients(q).
_REQUIRED = {"mass_matrix": None, "force": 3, "potential_energy": None, "gaps": 2, "gap_gradients": 2}
_OPTIONAL = ["gap_rates", "dissipation", "power", "can_touch", "two_sided", "stiffness"]


def _with_time(function, arguments):
    """`function` with t as its first argument, whether it takes one or not."""
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind == p.VAR_POSITIONAL for p in parameters) or len(positional) >= arguments:
        return function
    return lambda t, *rest: function(*rest)


def system_functions(system):
    """The functions of a system with gaps by name, those of time with t first."""
    functions = {}
    for name, arguments in _REQUIRED.items():
        if not hasattr(system, name):
            raise ValueError(f"system: has no {name}(); needed are {', '.join(_REQUIRED)}")
        function = getattr(system, name)
        functions[name] = function if arguments is None else _with_time(function, arguments)
    functions.update((name, getattr(system, name)) for name in _OPTIONAL if hasattr(system, name))
    return functions


def _contact_laws(laws):
    """(name, values) of each law; a number is a restitution."""
    if isinstance(laws, Law) or np.ndim(laws) == 0:
        laws = [laws]
    return [(law.name, law.values) if isinstance(law, Law) else ("newton", {"restitution": float(law)}) for law in laws]


def simulate_contacts(
    system,
    q,
    v,
    laws,
    *,
    step,
    duration,
    method=None,
    theta=None,
    flight=None,
    every=1,
) -> ContactRun:
    """Marches a system of your own,  M(q) v' = f(t, q, v) + G^T p,  with contacts where g(t, q) <= 0.

    `system` has methods mass_matrix(q), force(t, q, v), potential_energy(q), gaps(t, q) and
    gap_gradients(t, q) (a row per gap); t may be left out of all three. It may have stiffness(q),
    about -df/dq; gap_rates(t, q), dg/dt where gaps depend on t; dissipation(t, q, v) and
    power(t, q, v) [W], what its dampers take and its drives give; can_touch(i, q) and two_sided(i).

    `laws` is one for all gaps or one per gap: a compliant law (carom.HuntCrossley(...)), or a
    restitution, a number, for impacts without duration.

    method   "passive" (default where a law is compliant), "event-driven", "rk4", "heun-textbook",
             "verlet-textbook" and "trapezoid" take every law; where all laws are restitutions,
             "event-driven" (with flight "midpoint" or "newmark"), "moreau-jean" (default, with
             theta 0.5) and "paoli-schatzman" also hold contacts closed
    step     [s] of the method; "passive" and "event-driven" with a compliant law choose their own
             steps, and it is the interval between rows
    every    steps per row

    docs/own_system.md compares the methods. Each step calls Python: for long runs write the system
    in C++.
    """
    q, v = np.asarray(q, float), np.asarray(v, float)
    functions = system_functions(system)
    contacts = len(np.atleast_1d(functions["gaps"](0.0, q)))
    chosen = _contact_laws(laws)
    impacts_only = all(name == "newton" for name, _ in chosen)
    if method is None:
        method = "moreau-jean" if impacts_only else "passive"
    if theta is not None and method != "moreau-jean":
        raise ValueError(f"theta: is of method 'moreau-jean', not of {method!r}")
    if flight is not None and not (method == "event-driven" and impacts_only):
        raise ValueError("flight: is of method 'event-driven' where all laws are restitutions")
    return ContactRun(
        _carom.simulate_contacts(
            functions, q, v, chosen, contacts, method, step, duration, every,
            0.5 if theta is None else theta, flight or "midpoint",
        )
    )  # fmt: skip


class LcpSolution:
    """z, w = M z + q, status ("solved", "iteration limit", "ray termination", "not finite"),
    iterations and residual (of the problem scaled to unit diagonal and unit q)."""

    def __init__(self, matrix, vector, fields):
        for name, value in fields.items():
            setattr(self, name, value)
        self.w = matrix @ self.z + vector

    @property
    def solved(self):
        return self.status == "solved"

    def __repr__(self):
        return f"LcpSolution(z={self.z!r}, status={self.status!r}, residual={self.residual:.3g})"


def solve_lcp(M, q, *, method="automatic", tolerance=1e-12, max_iterations=0, guess=None) -> LcpSolution:
    """Finds z >= 0 with w = M z + q >= 0 and z . w = 0.

    method "automatic", "closed-form" (one unknown), "lemke" (any copositive-plus M),
    "gauss-seidel" or "newton" (symmetric positive definite). Not solved is no exception: look at
    `status` and `residual`.

    >>> carom.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]).z
    array([1.33333333, 2.33333333])
    """
    matrix, vector = np.asarray(M, float), np.asarray(q, float)
    start = np.zeros(vector.shape) if guess is None else np.asarray(guess, float)
    fields = _carom.solve_lcp(matrix, vector, start, method, tolerance, max_iterations)
    return LcpSolution(matrix, vector, fields)
