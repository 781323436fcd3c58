"""From measurement to a contact law, exactly; the published approximations by name."""

import json
from types import SimpleNamespace

import numpy as np

from . import _carom
from .laws import LAWS, HertzDamper, HuntCrossley
from .scenarios import existing
from .shown import Shown, scalars

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


# What a search takes beside the numbers of a law.
_IMPACT = (*_MEASURED[:6], "force", "gravity")


def _refuse_unknown(measured):
    unknown = set(measured) - set(_MEASURED)
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]!r} is unknown; known: {', '.join(_MEASURED)}")


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
    _refuse_unknown(measured)
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


def identify(
    data=None,
    *,
    law=None,
    formula="exact",
    release="zero-force",
    mass=None,
    speed=None,
    restitution=None,
    contact_time=None,
    max_force=None,
    max_compression=None,
    stiffness=None,
    exponent=None,
    mu=None,
    lambda_=None,
    **others,
):
    """The contact law behind a measured impact.

    Any well-posed set of mass, speed, restitution, contact_time, max_force, max_compression,
    stiffness, exponent; an ill-posed one raises ValueError with what is missing. Each may be an
    array (they broadcast); the parameters of the law are then arrays too. Laws without an exact
    inverse, and impacts with `force` [N] or `gravity` [m/s^2] pushing during contact, are found by
    a search; `others` are numbers of such a law that are known.

    With `data`, the path of a file of measurements: identify_file(), which takes `others`.
    """
    given = {
        "mass": mass,
        "speed": speed,
        "restitution": restitution,
        "contact_time": contact_time,
        "max_force": max_force,
        "max_compression": max_compression,
        "stiffness": stiffness,
        "exponent": exponent,
        "mu": mu,
        "lambda_": lambda_,
    }
    measured = {**{name: value for name, value in given.items() if value is not None}, **others}
    if data is not None:
        return identify_file(data, law=law, **measured)
    law = law or "hunt-crossley"
    if law not in LAWS:
        raise ValueError(f"law '{law}' is unknown; known: {', '.join(LAWS)}")
    searched = law not in _LAWS or "force" in measured or "gravity" in measured
    if searched and formula != "exact":
        raise ValueError(f"formula '{formula}': law '{law}' is found by a search on the exact impact")
    shape = np.broadcast_shapes(*(np.shape(value) for value in measured.values()))
    if shape == ():
        if searched:
            return _searched(law, release, measured)
        found = identify_details(law, formula, release, **measured)
        if found.law is None:
            raise ValueError(
                "the law is not complete: give exponent and mass too, or use identify_details()"
            )
        return found.law
    flat = {n: np.ascontiguousarray(np.broadcast_to(np.asarray(v, float), shape)).ravel() for n, v in measured.items()}
    count = int(np.prod(shape))
    if searched:
        laws = [_searched(law, release, {n: v[i] for n, v in flat.items()}) for i in range(count)]
        return LAWS[law](**{n: _column([one.values[n] for one in laws], shape) for n in laws[0].values})
    _refuse_unknown(measured)
    if law == "kelvin-voigt":
        flat.setdefault("exponent", np.ones(count))
    found = _carom.identify_many(law, formula, release, flat, count)
    stiffness, exponent, loss = (column.reshape(shape) for column in found)
    if law == "hunt-crossley":
        return HuntCrossley(stiffness, exponent, loss)
    return HertzDamper(stiffness, exponent, loss, release)


def _column(values, shape):
    return values[0] if isinstance(values[0], str) else np.array(values).reshape(shape)


def _searched(law, release, measured):
    """Any law of numbers, also with a force during contact, from one impact."""
    given = {name: float(value) for name, value in measured.items()}
    impact = [given.pop(name, None) for name in _IMPACT]
    if release != "zero-force":
        given["release"] = release
    return LAWS[law](**_carom.identify_by_search(law, given, *impact))


def identify_two_speeds(first, second, mass=None):
    """Hunt-Crossley from two impacts (speed, restitution, contact_time) of the same bodies.

    The `mismatch` of the result (relative difference of the two mu) tests the model.
    """
    found = _carom.identify_two_speeds(list(map(float, first)), list(map(float, second)), mass)
    return _result("hunt-crossley", found)


class Fit(Shown):
    """A law fitted to data, with what the data say about it.

    law: the contact law, None where the data leave a number of it open; name: of the law.
    verdict: "accepted", "rejected" or "undetermined", with reasons and advice.
    Every number of the law is an attribute (mu, stiffness, ...; None where it is open);
    `uncertainty` has the 95 % half widths, `interval` the 95 % intervals, `candidates` all laws that
    were fitted, best first. converged, misfit, and what the kind of data adds (see the functions).
    """

    def __init__(self, found):
        values, numbers = found.pop("values"), found.pop("numbers")
        self.__dict__.update(found)
        self.__dict__.update(_plain_names(numbers))
        self.uncertainty = SimpleNamespace(**_plain_names(self.uncertainty))
        self.interval = SimpleNamespace(**_plain_names(self.interval))
        self.law = None if values is None else LAWS[self.name](**values)

    def __repr__(self):
        return f"<Fit {self.name}: {self.verdict}>"

    def _columns_of(self):
        return _candidate_columns(self.candidates)

    def _facts_of(self):
        return scalars(vars(self))


def _candidate_columns(candidates):
    """A row for each law that was fitted, best first."""
    names = list(dict.fromkeys(name for one in candidates for name in scalars(one)))
    columns = {"law": np.array([_name_of(one["law"]) for one in candidates], dtype=object)}
    for name in names:
        if name != "law":
            columns[name] = np.array([one.get(name) for one in candidates], dtype=object)
    return columns


def _name_of(law):
    return law["name"] if isinstance(law, dict) else law


def _plain_names(numbers):
    return {("lambda_" if name == "lambda" else name): value for name, value in numbers.items()}


def _settings(**options):
    return {name: value for name, value in options.items() if value is not None}


def identify_force_trace(times, forces, mass=None, speed=None, *, law=None, exponent=None, force=None,
                         gravity=None):
    """A law from a force trace of one impact, the best unless `law` is given.

    Sign, offset and drift are found; outliers do not decide. The shape gives the exponent, mass or
    speed the rest, both the restitution a second time. The Fit has onset, contact_time, max_force,
    impulse and restitution too.
    """
    return Fit(
        _carom.identify_force_trace(
            np.asarray(times, float),
            np.asarray(forces, float),
            _settings(law=law, mass=mass, speed=speed, exponent=exponent, force=force, gravity=gravity),
        )
    )


def identify_series(
    speed,
    restitution=None,
    contact_time=None,
    *,
    max_force=None,
    speed_sd=None,
    restitution_sd=None,
    contact_time_sd=None,
    max_force_sd=None,
    law=None,
    mass=None,
    exponent=None,
    release=None,
    force=None,
    gravity=None,
):
    """A law fitted to impacts of the same bodies, as `carom identify FILE` does: the best unless `law`
    is given.

    One value of speed for each impact, with one or more of restitution, contact_time and max_force;
    mass is one value or one for each. Standard deviations (`..._sd`) weight the fit. The Fit has
    fitted_restitution and fitted_contact_time too.
    """
    speed = np.atleast_1d(np.asarray(speed, float)).ravel()
    given = _settings(
        restitution=restitution,
        contact_time=contact_time,
        max_force=max_force,
        speed_sd=speed_sd,
        restitution_sd=restitution_sd,
        contact_time_sd=contact_time_sd,
        max_force_sd=max_force_sd,
        mass=mass if np.ndim(mass) > 0 else None,
    )
    columns = {"speed": speed}
    for name, values in given.items():
        values = np.asarray(values, float)
        if values.ndim > 0 and values.size != speed.size:
            raise ValueError(f"{name}: {values.size} values for {speed.size} speeds")
        columns[name] = np.ascontiguousarray(np.broadcast_to(values.ravel(), speed.shape))
    single = mass if np.ndim(mass) == 0 else None
    return Fit(
        _carom.identify_series(
            columns,
            _settings(law=law, mass=single, exponent=exponent, release=release, force=force, gravity=gravity),
        )
    )


def impact_times(samples, rate):
    """When something strikes in a recording [s], to about a sample."""
    return _carom.impact_times(np.asarray(samples, float), float(rate))


def identify_bounces(times, timing, gravity=9.81, *, law=None):
    """How a body loses energy, from the times at which it strikes while it bounces to rest.

    Strays among the times are left out. `timing` is the standard deviation of one time [s]. The Fit
    has the times used, and speed_in, restitution and fitted_restitution of the impacts with a whole
    flight on either side; a constant restitution is one of the candidates.
    """
    return Fit(
        _carom.identify_bounces(np.asarray(times, float), float(timing), _settings(law=law, gravity=gravity))
    )


def identify_recording(samples, rate, gravity=9.81, *, law=None):
    """The same from a recording of bounces, as `carom identify bounces.wav` does."""
    return Fit(
        _carom.identify_recording(np.asarray(samples, float), float(rate), _settings(law=law, gravity=gravity))
    )


class FileFit(Shown):
    """What `carom identify FILE` found in one run: `document` is its JSON as a dict.

    law: the contact law, None where the data leave it incomplete; verdict, reasons, candidates and
    read as in the document.
    """

    def __init__(self, document):
        self.document = document
        self.verdict, self.reasons = document["verdict"], document["reasons"]
        self.candidates, self.read = document["candidates"], document["read"]
        self.law = None
        if "joint" in document:
            cls = LAWS[document["law"]["name"]]
            keys = [key for key in cls.__signature__.parameters if key in document["law"]]
            self.law = cls(**{key: document["law"][key] for key in keys})

    def predict(self, speed, mass=None, force=0.0):
        """95 % intervals of rebound_speed, restitution, max_compression, max_force, contact_time."""
        return _carom.predict(json.dumps(self.document), mass, float(speed), float(force))

    def __repr__(self):
        return f"<FileFit {self.document['law']['name']}: {self.verdict}>"

    def _columns_of(self):
        return _candidate_columns(self.candidates)

    def _facts_of(self):
        return {"verdict": self.verdict, **scalars(self.document["law"]), **scalars(self.document)}


def identify_file(path, *, columns=(), units=(), run=None, law=None, mass=None, speed=None, force=None,
                  gravity=None, **numbers):
    """A file of measurements, as `carom identify FILE` reads it: a FileFit, or a list of them where it
    has several runs. `numbers` are kept, not fitted: exponent=1.5."""
    settings = _settings(law=law, mass=mass, speed=speed, force=force, gravity=gravity, **numbers)
    document = json.loads(_carom.identify_file(existing(path), list(columns), list(units), run, settings))
    if "runs" in document:
        return [FileFit(one) for one in document["runs"]]
    return FileFit(document)


def formula_costs(asked, exponent=1.5):
    """What each published formula really delivers: a list of {asked, exact, flores, ...}."""
    return _carom.formula_costs(list(map(float, np.atleast_1d(asked))), float(exponent))
