"""Modal bodies, obstacles and their runs, without a scenario file.

>>> string = carom.StiffString(length=1.002, linear_density=1.17e-3, tension=180.5, mode_count=300,
...                            inharmonicity=1.78e-5, viscoelastic=4.5e-3)
>>> body = string.modes(at=[0.006])                  # the shapes at one obstacle
>>> run = carom.modal_run(body, heights=[0.0], start=string.pluck(0.5, 1.8e-3), law=0.0,
...                       rate=2e5, duration=0.02, points=string.shapes([0.99]))
>>> run.time, run.displacement[:, 0], run.impulse, run.energy["residual"]
"""

from dataclasses import dataclass

import numpy as np

from . import _carom
from .laws import Law
from .shown import Shown


@dataclass(frozen=True)
class ModalBody:
    """A linear structure: m (q'' + 2 sigma q' + omega^2 q) = phi f for each mode."""

    frequency: np.ndarray  #: undamped [Hz]
    damping: np.ndarray  #: sigma [1/s]
    mass: np.ndarray  #: modal mass [kg if the shapes have no unit]
    shapes: np.ndarray  #: values of the mode shapes, points times modes

    def __post_init__(self):
        for name in ("frequency", "damping", "mass"):
            value = np.broadcast_to(np.asarray(getattr(self, name), float), np.shape(self.frequency))
            object.__setattr__(self, name, np.ascontiguousarray(value))
        shapes = np.asarray(self.shapes, float).reshape(-1, len(self.frequency))
        object.__setattr__(self, "shapes", shapes)

    @property
    def mode_count(self):
        return len(self.frequency)


@dataclass(frozen=True)
class StiffString:
    """A stiff string with pinned ends and the losses of issanchou2018 (A.2)-(A.4)."""

    length: float  #: [m]
    linear_density: float  #: [kg/m]
    tension: float  #: [N]
    mode_count: int = 200
    inharmonicity: float = 0.0  #: B = pi^2 E I/(T L^2)
    diameter: float = 0.5e-3  #: of what the air rubs on [m]
    viscoelastic: float = 0.0  #: delta_ve
    thermoelastic: float = 0.0  #: 1/Q_te
    model: str = "square-root"  #: or "appendix": (A.1) as printed

    def _parameters(self):
        return {
            "length": self.length,
            "linear_density": self.linear_density,
            "tension": self.tension,
            "modes": self.mode_count,
            "inharmonicity": self.inharmonicity,
            "diameter": self.diameter,
            "viscoelastic": self.viscoelastic,
            "thermoelastic": self.thermoelastic,
            "model": self.model,
        }

    def modes(self, at=()):
        """The modes, with their shapes at the positions `at` [m]."""
        return ModalBody(*_carom.string_modes(self._parameters(), _numbers(at)))

    def shapes(self, at):
        """sqrt(2/L) sin(j pi x/L), positions times modes."""
        return self.modes(at).shapes

    def pluck(self, position, height, shape="triangle", smoothing=6e-3, duration=0.01):
        """(q, v) at release; shape: triangle, smoothed, point or moving."""
        return _carom.string_pluck(
            self._parameters(), shape, position, height, smoothing, duration
        )


def thin_bar(at=(), **parameters):
    """A bar that bends: length, linear_density, bending_stiffness, modes, ends ("free", "supported",
    "clamped" or "cantilever"), loss_constant, loss_ratio, loss_viscous. `at`: positions [m]."""
    return ModalBody(*_carom.structure_modes("bar", parameters, _numbers(at)))


def plate(at=(), **parameters):
    """A rectangular plate: width, height, area_density, bending_stiffness, poisson, edge
    ("supported", "free" or "clamped"), modes and losses as for thin_bar. `at`: (x, y) of each point [m]."""
    return ModalBody(*_carom.structure_modes("plate", parameters, _places(at)))


def disc(at=(), **parameters):
    """A circular plate: radius, area_density, bending_stiffness, poisson, edge ("free", "supported"
    or "clamped"), modes, losses; (x, y) from its centre."""
    return ModalBody(*_carom.structure_modes("disc", parameters, _places(at)))


def membrane(at=(), **parameters):
    """A rectangular membrane: width, height, area_density, tension, modes, losses."""
    return ModalBody(*_carom.structure_modes("membrane", parameters, _places(at)))


def drum(at=(), **parameters):
    """A circular membrane: radius, area_density, tension, modes, losses; (x, y) from its centre."""
    return ModalBody(*_carom.structure_modes("drum", parameters, _places(at)))


@dataclass(frozen=True)
class ModalRun(Shown):
    """What a run of modes against obstacles gave."""

    time: np.ndarray  #: of the rows of displacement [s]
    displacement: np.ndarray  #: rows times points [m]
    step: np.ndarray  #: of each impulse: it acts on the step that ends at step/rate
    contact: np.ndarray  #: of each impulse: index of the obstacle
    impulse: np.ndarray  #: [N s], pushing apart
    energy: dict  #: initial, final, dissipated, residual [J]
    path: dict  #: how it was computed

    def _columns_of(self):
        points = self.displacement.shape[1] if self.displacement.ndim == 2 else 0
        return {"time": self.time, **{f"displacement {i}": self.displacement[:, i] for i in range(points)}}

    def _facts_of(self):
        return {"impulses": len(self.impulse), **{f"energy {name}": value for name, value in self.energy.items()}}


def modal_run(
    body,
    heights,
    start,
    law=0.0,
    *,
    rate,
    duration,
    points=(),
    every=1,
    below=None,
    engine="fast",
    quadratised=False,
    printed=False,
    exact_start=False,
):
    """Runs a modal body against obstacle points.

    `heights` [m]: one for each row of body.shapes. `start`: q, or (q, v). `law`: a restitution
    (nonsmooth contact), a law (carom.HuntCrossley, carom.WaltonBraun, ...), or a list with one of
    these for each obstacle. `points`: shapes of the points to record, every `every` steps. `below`: which
    obstacles are above the body instead of under it. `engine`: fast or plain, the same motion.
    `printed`: the scheme as issanchou2018 prints it; `exact_start`: released at t = 0 exactly.
    """
    heights = _numbers(heights)
    laws = list(law) if isinstance(law, (list, tuple)) else [law] * len(heights)
    if engine not in ("fast", "plain"):
        raise ValueError(f"engine {engine!r} is unknown; known: fast, plain")
    position, velocity = start if isinstance(start, tuple) else (start, ())
    options = {
        "rate": float(rate),
        "duration": float(duration),
        "every": int(every),
        "plain": engine == "plain",
        "quadratised": bool(quadratised),
        "printed": bool(printed),
        "exact_start": bool(exact_start),
    }
    result = _carom.modal_run(
        body.frequency,
        body.damping,
        body.mass,
        body.shapes,
        heights,
        [bool(b) for b in (below if below is not None else [])],
        _numbers(position),
        _numbers(velocity),
        [_law(one) for one in laws],
        options,
        np.asarray(points, float),
    )
    return ModalRun(
        time=np.arange(len(result["displacement"])) * every / rate,
        displacement=result["displacement"],
        step=result["step"].astype(int),
        contact=result["contact"].astype(int),
        impulse=result["impulse"],
        energy=result["energy"],
        path=result["path"],
    )


def _law(law):
    """For the compiled part; a number is a restitution."""
    return (law.name, law.values) if isinstance(law, Law) else ("newton", {"restitution": float(law)})


def _numbers(values):
    return np.atleast_1d(np.asarray(values, float)).ravel()


def _places(at):
    return np.asarray(at, float).reshape(-1, 2)
