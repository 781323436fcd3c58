"""From measurement to a contact law, exactly; the published approximations by name."""

from types import SimpleNamespace

import numpy as np

from . import _carom
from .laws import HertzDamper, HuntCrossley

_MEASURED = (
    "mass",
    "speed",
    "restitution",
    "contact_time",
    "max_force",
    "max_compression",
    "stiffness",
    "exponent",
    "mu",
    "lambda_",
)
_LAWS = ("hunt-crossley", "hertz-damper", "kelvin-voigt")


def _law(law, found, release):
    missing = [key for key in ("stiffness", "exponent") if found[key] is None]
    if missing:
        return None
    if law == "hunt-crossley":
        return HuntCrossley(found["stiffness"], found["exponent"], found["mu"])
    return HertzDamper(found["stiffness"], found["exponent"], found["damping"], release)


def _result(law, found, release="zero-force"):
    """The dict of the binding with attributes, and the law where it is complete."""
    result = SimpleNamespace(**{("lambda_" if k == "lambda" else k): v for k, v in found.items()})
    for part in ("check", "uncertainty"):
        if part in found:
            values = {("lambda_" if k == "lambda" else k): v for k, v in found[part].items()}
            setattr(result, part, SimpleNamespace(**values))
    result.law = _law(law, found, release)
    return result


def identify_details(law="hunt-crossley", formula="exact", release="zero-force", **measured):
    """Like identify(), but with everything that is known: attributes law (None where the problem
    leaves the stiffness or the exponent open), stiffness, exponent, mu, damping, epsilon, omega_i,
    problem, formula, check."""
    if law not in _LAWS:
        raise ValueError(f"law '{law}' is unknown; known: {', '.join(_LAWS)}")
    if release not in ("zero-force", "zero-compression"):
        raise ValueError(f"release '{release}' is unknown; known: zero-force, zero-compression")
    unknown = set(measured) - set(_MEASURED)
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]!r} is unknown; known: {', '.join(_MEASURED)}")
    if law == "kelvin-voigt":
        measured.setdefault("exponent", 1.0)
    values = {name: measured.get(name) for name in _MEASURED}
    found = _carom.identify(
        law="hunt-crossley" if law == "hunt-crossley" else "hertz-damper",
        formula=formula,
        release=release,
        **{name: None if value is None else float(value) for name, value in values.items()},
    )
    return _result(law, found, release)


def identify(law="hunt-crossley", formula="exact", release="zero-force", **measured):
    """The contact law behind a measured impact.

    Any well-posed set of mass, speed, restitution, contact_time, max_force, max_compression,
    stiffness, exponent; an ill-posed one raises ValueError with what is missing. Each may be an
    array (they broadcast); the parameters of the law are then arrays too.
    """
    arrays = {name: np.asarray(v, float) for name, v in measured.items() if np.ndim(v) > 0}
    if not arrays:
        found = identify_details(law, formula, release, **measured)
        if found.law is None:
            raise ValueError(
                "the law is not complete: give exponent and mass too, or use identify_details()"
            )
        return found.law
    shape = np.broadcast_shapes(*(value.shape for value in arrays.values()))
    flat = {name: np.broadcast_to(value, shape).ravel() for name, value in arrays.items()}
    laws = [
        identify(law, formula, release, **{**measured, **{n: v[i] for n, v in flat.items()}})
        for i in range(int(np.prod(shape)))
    ]

    def column(name):
        return np.array([getattr(one, name) for one in laws]).reshape(shape)

    if law == "hunt-crossley":
        return HuntCrossley(column("stiffness"), column("exponent"), column("mu"))
    return HertzDamper(column("stiffness"), column("exponent"), column("damping"), release)


def identify_two_speeds(first, second, mass=None):
    """Hunt-Crossley from two impacts (speed, restitution, contact_time) of the same bodies.

    The `mismatch` of the result (relative difference of the two mu) tests the model.
    """
    found = _carom.identify_two_speeds(list(map(float, first)), list(map(float, second)), mass)
    return _result("hunt-crossley", found)


def identify_force_trace(times, forces, mass=None, speed=None):
    """Hunt-Crossley from a force trace of one impact; epsilon and n need nothing else.

    `uncertainty` of the result has the 95 % half widths.
    """
    found = _carom.identify_force_trace(np.asarray(times, float), np.asarray(forces, float), mass, speed)
    return _result("hunt-crossley", found)


def identify_series(
    speed,
    restitution,
    contact_time=None,
    *,
    speed_sd=None,
    restitution_sd=None,
    contact_time_sd=None,
    law="hunt-crossley",
    mass=None,
    exponent=None,
    release="zero-force",
):
    """A law fitted to impacts of the same bodies at several speeds, as `carom identify FILE` does.

    speed and restitution: one value an impact; contact_time too, without it only mu can be had.
    Standard deviations (`..._sd`, one value or one an impact) weight the fit. With the mass the
    law is complete. The result has law, misfit, converged, fitted_restitution,
    fitted_contact_time, and `uncertainty`, the 95 % half widths.
    """
    if law not in _LAWS:
        raise ValueError(f"law '{law}' is unknown; known: {', '.join(_LAWS)}")
    if law == "kelvin-voigt":
        exponent = 1.0
    speed = np.atleast_1d(np.asarray(speed, float)).ravel()

    def column(name, values):
        if values is None:
            return None
        values = np.asarray(values, float)
        if values.ndim > 0 and values.size != speed.size:
            raise ValueError(f"{name}: {values.size} values for {speed.size} speeds")
        return np.ascontiguousarray(np.broadcast_to(values.ravel(), speed.shape))

    found = _carom.identify_series(
        "hunt-crossley" if law == "hunt-crossley" else "hertz-damper",
        release,
        speed,
        column("restitution", restitution),
        column("contact_time", contact_time),
        column("speed_sd", speed_sd),
        column("restitution_sd", restitution_sd),
        column("contact_time_sd", contact_time_sd),
        mass,
        exponent,
    )
    return _result(law, found, release)


def impact_times(samples, rate):
    """When something strikes in a recording [s], to about a sample."""
    return _carom.impact_times(np.asarray(samples, float), float(rate))


def identify_bounces(times, timing, gravity=9.81):
    """mu of Hunt-Crossley from the times of the impacts of a body that bounces to rest.

    `timing` is the standard deviation of one time [s]. The result has mu, uncertainty, misfit, the
    times used, and speed_in, restitution and fitted_restitution of all of those but the first and
    the last.
    """
    found = _carom.identify_bounces(np.asarray(times, float), float(timing), float(gravity))
    return _result("hunt-crossley", found)


def identify_recording(samples, rate, gravity=9.81):
    """mu of Hunt-Crossley from a recording of bounces, as `carom identify bounces.wav` does:
    impact_times(), then identify_bounces() with a timing of one sample."""
    return identify_bounces(impact_times(samples, rate), 1 / rate, gravity)


def formula_costs(asked, exponent=1.5):
    """What each published formula really delivers: a list of {asked, exact, flores, ...}."""
    return _carom.formula_costs(list(map(float, np.atleast_1d(asked))), float(exponent))
