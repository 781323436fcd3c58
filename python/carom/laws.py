"""The contact laws as small values. Numbers may be numpy arrays that broadcast.

The classes are made from what the laws of the library declare about themselves, so that names,
defaults, ranges and texts are the same everywhere.
"""

import inspect
import keyword

import numpy as np

from . import _carom


def _plain(value):
    """Numbers stay numbers: a zero-dimensional array becomes a float."""
    value = np.asarray(value)
    return value.item() if value.ndim == 0 else value


class Law:
    """What all laws have in common; `name` is what the command line and scenario files call it."""

    name: str

    def __init__(self, *args, **kwargs):
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        if not any(np.ndim(values[key]) for key in self._numbers):
            _carom.check_law(self.name, values)
        object.__setattr__(self, "values", values)

    def __getattr__(self, name):
        if name != "values" and name in self.values:
            return self.values[name]
        raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'")

    def __setattr__(self, name, value):
        raise AttributeError(f"a law is a value: make a new {type(self).__name__} instead")

    def __eq__(self, other):
        return type(self) is type(other) and self.values == other.values

    def __hash__(self):
        return hash((self.name, repr(self.values)))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.values.items())})"

    def __reduce__(self):
        return _made, (self.name, self.values)

    def _broadcast(self, *others):
        """The values with arrays among the numbers as flat ones of one shape, the others likewise,
        the shape."""
        varying = [key for key in self._numbers if np.ndim(self.values[key])]
        arrays = np.broadcast_arrays(
            *(np.asarray(self.values[key], float) for key in varying),
            *(np.asarray(other, float) for other in others),
        )
        flat = [np.ascontiguousarray(array).ravel() for array in arrays]
        count = len(varying)
        return {**self.values, **dict(zip(varying, flat))}, flat[count:], arrays[0].shape


class CompliantLaw(Law):
    """A law with a contact force."""

    def _at(self, function, *states):
        values, flat, shape = self._broadcast(*states)
        return _plain(function(self.name, values, *flat).reshape(shape))

    def force(self, x, v=0.0):
        """The contact force [N] under load at compression x [m] and rate v [m/s]; 0 apart."""
        return self._at(_carom.force, x, v)

    def elastic_force(self, x):
        """The part of the force whose work is stored [N]; 0 for x <= 0."""
        return self._at(_carom.elastic_force, x)

    def potential(self, x):
        """Stored energy [J]; 0 for x <= 0."""
        return self._at(_carom.potential, x)


def _made(name, values):
    return LAWS[name](**values)


def _of_restitution(cls, restitution, mass, speed, **values):
    """The law whose impact of this mass [kg] at this speed [m/s] has exactly this restitution."""
    return cls(**values, **{cls._loss: _carom.of_restitution(cls.name, values, restitution, mass, speed)})


def _help(field):
    unit = f" [{field['unit']}]" if field["unit"] else ""
    return f"{field['name']}{unit}: {field['help']}"


def _signature(fields):
    """What is required after something that is not must be given by its name."""
    parameters, optional_seen = [], False
    for field in fields:
        if field["required"]:
            kind = inspect.Parameter.KEYWORD_ONLY if optional_seen else inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(field["name"], kind))
            continue
        default = {"number": field["fallback"], "choice": (field["choices"] or [None])[0],
                   "text": "", "named_numbers": {}}[field["type"]]  # fmt: skip
        optional_seen = True
        parameters.append(
            inspect.Parameter(field["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        )
    return inspect.Signature(sorted(parameters, key=lambda parameter: parameter.kind))


def _class_of(info):
    fields = [field for field in info["fields"] if field["type"] != "fixed"]
    members = {
        "__doc__": f"{info['summary']}: {info['formula']}\n\n"
        + "\n".join(_help(field) for field in fields)
        + f"\n\n{info['citation']}",
        "__module__": __name__,
        "__signature__": _signature(fields),
        "name": info["name"],
        "_numbers": tuple(field["name"] for field in fields if field["type"] == "number"),
    }
    for field in info["fields"]:
        if field["type"] == "fixed":
            members[field["name"]] = field["fallback"]
        if field["other_name"]:
            other, own, over = field["other_name"], field["name"], field["other_over"]
            members[other + "_" if keyword.iskeyword(other) else other] = property(
                lambda self, own=own, over=over: self.values[own] * self.values[over],
                doc=f"{other} = {own} * {over} [{field['other_unit']}]",
            )
        if field["by_restitution"]:
            members["_loss"] = field["name"]
            members["of_restitution"] = classmethod(_of_restitution)
    return type(info["class_name"], (CompliantLaw if info["compliant"] else Law,), members)


#: The class of every law by the name that people write.
LAWS = {info["name"]: _class_of(info) for info in _carom.laws()}
#: The same under the names of the package: carom.HuntCrossley and carom.hunt_crossley.
NAMES = {made.__name__: made for made in LAWS.values()}
NAMES.update({name.replace("-", "_"): made for name, made in LAWS.items()})
globals().update(NAMES)


def materials():
    """The named materials: {name: {young [Pa], density [kg/m^3], poisson, loss_factor, summary,
    source}}."""
    return _carom.materials()


def hertz(radii, materials):
    """Hertz contact of two bodies by radii of curvature [m] and names of materials, as a PowerLaw.
    One radius: the second body is flat; one material: both are of it."""
    names = [materials] if isinstance(materials, str) else list(materials)
    stiffness, exponent = _carom.hertz([float(r) for r in np.atleast_1d(radii)], names)
    return NAMES["PowerLaw"](stiffness=stiffness, exponent=exponent)
