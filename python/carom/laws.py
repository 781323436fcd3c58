"""The contact laws as small values. Parameters may be numbers or numpy arrays that broadcast."""

from dataclasses import dataclass
from typing import Union

import numpy as np

Number = Union[float, np.ndarray]


def _elastic_force(stiffness, exponent, x):
    return stiffness * np.maximum(x, 0.0) ** exponent


def _plain(value):
    """Numbers stay numbers: a zero-dimensional array becomes a float."""
    value = np.asarray(value)
    return value.item() if value.ndim == 0 else value


class _Law:
    def elastic_force(self, x):
        """k x^n [N]; 0 for x <= 0."""
        return _plain(_elastic_force(self.stiffness, self.exponent, np.asarray(x, float)))

    def potential(self, x):
        """Stored energy k x^(n+1)/(n+1) [J]; 0 for x <= 0."""
        x = np.maximum(np.asarray(x, float), 0.0)
        return _plain(self.stiffness * x ** (self.exponent + 1) / (self.exponent + 1))


@dataclass(frozen=True)
class PowerLaw(_Law):
    """f = k x^n, lossless."""

    stiffness: Number  #: k [N/m^n]
    exponent: Number = 1.5  #: n

    name = "power-law"

    def force(self, x, v=0.0):
        return self.elastic_force(x)


@dataclass(frozen=True)
class HuntCrossley(_Law):
    """f = k x^n (1 + mu v), never pulling."""

    stiffness: Number  #: k [N/m^n]
    exponent: Number = 1.5  #: n
    mu: Number = 0.0  #: lambda/k [s/m]

    name = "hunt-crossley"

    @property
    def lambda_(self):
        """lambda = mu k [N s/m^(n+1)]"""
        return self.mu * self.stiffness

    def force(self, x, v=0.0):
        x, v = np.asarray(x, float), np.asarray(v, float)
        elastic = _elastic_force(self.stiffness, self.exponent, x)
        return _plain(elastic * np.maximum(0.0, 1 + self.mu * v))


@dataclass(frozen=True)
class HertzDamper(_Law):
    """f = k x^n + c v; released at zero force (default) or at zero compression."""

    stiffness: Number  #: k [N/m^n]
    exponent: Number = 1.5  #: n
    damping: Number = 0.0  #: c [N s/m]
    release: str = "zero-force"

    name = "hertz-damper"

    def __post_init__(self):
        if self.release not in ("zero-force", "zero-compression"):
            raise ValueError(
                f"release '{self.release}' is unknown; known: zero-force, zero-compression"
            )

    def force(self, x, v=0.0):
        x, v = np.asarray(x, float), np.asarray(v, float)
        force = _elastic_force(self.stiffness, self.exponent, x) + self.damping * v
        if self.release == "zero-force":
            force = np.maximum(force, 0.0)
        return _plain(np.where(x > 0, force, 0.0))


Law = Union[PowerLaw, HuntCrossley, HertzDamper]
