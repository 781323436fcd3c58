"""One impact answered exactly, and its inverse: from measurement to a contact law."""

import numpy as np

from . import _carom
from .laws import HuntCrossley, Law
from .shown import Shown, scalars


class Impact(Shown):
    """What one impact comes to. Attributes are floats, or arrays when any input was an array.

    rebound_speed, restitution, max_compression, max_compression_time, max_force, max_force_time,
    contact_time, separation_compression, energy_in, energy_lost, releases,
    equilibrium_compression.
    """

    def __init__(self, law, mass, speed, force, fields):
        self.law, self.mass, self.speed, self.force = law, mass, speed, force
        self._fields = tuple(fields)
        self._history = None
        for name, value in fields.items():
            setattr(self, name, value)

    def __repr__(self):
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"Impact({values})"

    def __getstate__(self):
        # The compiled history is found again when it is asked for.
        return {**self.__dict__, "_history": None}

    def _columns_of(self):
        """One impact: its history. Several: a row each, speed first, then mass, force and results."""
        if not any(np.ndim(getattr(self, name)) for name in self._fields):
            times = np.linspace(0.0, self.contact_time, 201)
            x, v, f, energy = self._path().at(times)
            return {"time": times, "compression": x, "rate": v, "force": f, "energy": energy}
        asked = {"speed": self.speed, "mass": self.mass, "external_force": self.force}
        found = {name: getattr(self, name) for name in self._fields}
        shape = np.shape(next(value for value in found.values() if np.ndim(value)))
        return {name: np.broadcast_to(value, shape).ravel() for name, value in {**asked, **found}.items()}

    def _facts_of(self):
        return {"law": repr(self.law), **scalars({name: getattr(self, name) for name in self._fields})}

    def _path(self):
        if self._history is None:
            collision = (self.mass, self.speed, self.force)
            if any(np.ndim(value) for value in (*collision, *self.law.values.values())):
                raise ValueError("time histories are for one impact: all parameters must be numbers")
            self._history = _carom.History((self.law.name, self.law.values), *map(float, collision))
        return self._history

    def at(self, times):
        """Compression x, rate v and force f at the given times since first touch: three arrays.

        Exact, not time stepped.
        """
        return self._path().at(np.asarray(times, float))[:3]

    def energy(self, times):
        """H(t) = m v^2/2 + potential(x) [J]."""
        return self._path().at(np.asarray(times, float))[3]

    def compression_at_rate(self, rates):
        """x(v) on the path, papetti2011 eq. (3); Hunt-Crossley without external force."""
        return self._at_rate(_carom.compression_at_rate, rates)

    def energy_at_rate(self, rates):
        """H(v) on the path, papetti2011 eq. (20); Hunt-Crossley without external force."""
        return self._at_rate(_carom.energy_at_rate, rates)

    def _at_rate(self, function, rates):
        if not isinstance(self.law, HuntCrossley) or np.any(self.force):
            raise ValueError("x(v) and H(v) are for hunt-crossley without external force")
        law = self.law
        return function(law.stiffness, law.exponent, law.mu, self.mass, self.speed, rates)


def impact(law: Law, mass, speed, force=0.0, derivatives=False) -> Impact:
    """One impact, exactly. Numbers or arrays (broadcast) for every parameter, those of the law too.

    With derivatives=True, `hit.derivatives[parameter][result]` is the partial derivative of
    rebound_speed, restitution, max_compression, max_force or contact_time to a number of the law,
    "mass", "speed" or "force" (where there is one), to 1e-9.

    >>> hit = carom.impact(carom.HuntCrossley(1e9, 1.5, mu=0.5), mass=0.01, speed=1.0)
    >>> round(hit.rebound_speed, 6)
    0.748435
    """
    values, collision, shape = law._broadcast(mass, speed, force)
    columns = _carom.impact(law.name, values, *collision)
    fields = {
        name: column.reshape(shape) if shape else column.item() for name, column in columns.items()
    }
    hit = Impact(law, mass, speed, force, fields)
    if derivatives:
        found = _carom.impact_derivatives(law.name, values, *collision)
        hit.derivatives = {
            parameter: {
                name: column.reshape(shape) if shape else column.item() for name, column in columns.items()
            }
            for parameter, columns in found.items()
        }
    return hit
