"""Assemblies: own bodies, links, hinges and contacts, described part by part."""

import json
import numbers
import os

from .scenarios import run as run_file
from .scenarios import run_text


def _toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    try:
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    except TypeError:
        return repr(float(value))


class Assembly:
    """Bodies on a line (dimension 1) or in the plane (2), and what happens between them.

    The keys are those of a scenario file of kind "assembly"; a law is given by its name and its
    parameters, or as a law object.

    >>> train = carom.Assembly()
    >>> train.body("car", "mass", mass=2.0, velocity=1.5)
    >>> train.body("wall", "fixed", position=0.3)
    >>> train.contact("car", "wall", distance=0.1, law=carom.HuntCrossley(1e7, 1.5, mu=0.3))
    >>> run = train.run(duration=0.5, rate=10000.0)
    >>> run["car.v"][-1], run.results["contacts"][0]["impacts"]
    """

    def __init__(self, dimension=1, gravity=0.0, title=None):
        self._title = title
        self._space = {"dimension": int(dimension), "gravity": float(gravity)}
        self._parts = {"body": [], "link": [], "hinge": [], "contact": []}

    def body(self, name, type="mass", **keys):
        """Adds a body: mass, fixed, driven, modal; in the plane also disc, box, rod."""
        self._parts["body"].append({"name": name, "type": type, **keys})
        return self

    def link(self, first, second, **keys):
        """Adds a spring with a damper: stiffness, damping, cubic, length."""
        self._parts["link"].append({"between": [first, second], **keys})
        return self

    def hinge(self, first, second, at, **keys):
        """Adds a point that two rigid bodies of the plane share."""
        self._parts["hinge"].append({"between": [first, second], "at": at, **keys})
        return self

    def contact(self, first, second, law, **keys):
        """Adds a place where two bodies can touch, with its law; a number is a restitution."""
        entry = {"between": [first, second]}
        if isinstance(law, str):
            entry["law"] = law
        elif isinstance(law, numbers.Real):
            entry.update(law="newton", restitution=law)
        elif getattr(law, "name", None) == "table":
            raise ValueError('a scenario reads a table from its file: law="table", file="FILE.csv"')
        elif not hasattr(law, "values"):
            raise ValueError(f"law = {law!r}: must be the name of a law, a law or a restitution")
        else:
            entry["law"] = law.name
            entry.update({key: value for key, value in law.values.items() if value is not None})
        self._parts["contact"].append({**entry, **keys})
        return self

    def to_toml(self, duration=None, **run):
        """The text of a scenario file; without a duration it needs a [run] table to be run."""
        lines = ['kind = "assembly"']
        if self._title is not None:
            lines.append(f"title = {_toml(self._title)}")

        def table(header, keys):
            lines.append(f"\n{header}")
            lines.extend(f"{key} = {_toml(value)}" for key, value in keys.items())

        table("[space]", self._space)
        for name, rows in self._parts.items():
            for row in rows:
                table(f"[[{name}]]", row)
        if duration is not None:
            run = {"duration": float(duration), **run}
        if run:
            table("[run]", run)
        return "\n".join(lines) + "\n"

    def run(self, duration, *, out=None, overrides=None, **run):
        """Runs it; keywords are the keys of [run]: method, rate, tolerance, impact_law, ..."""
        text = self.to_toml(duration, **run)
        overrides = dict(overrides or {})
        if out is None:
            return run_text(text, overrides)
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, "scenario.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return run_file(path, overrides, out=out)

    def __repr__(self):
        counts = [f"{len(rows)} {name}{'' if len(rows) == 1 else 's'}"
                  for name, rows in self._parts.items() if rows]
        space = "line" if self._space["dimension"] == 1 else "plane"
        return f"Assembly({space}: {', '.join(counts) or 'empty'})".replace("bodys", "bodies")
