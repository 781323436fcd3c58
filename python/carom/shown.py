"""How results show themselves: as a data frame, a picture and a table in a notebook.

pandas and matplotlib are asked for when they are used, not before.
"""

import html

import numpy as np


def _need(module, package, what):
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module.split('.')[0]} (Debian: {package})") from error


def _number(value):
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def _numeric(values):
    return all(isinstance(value, (int, float, np.number)) for value in values)


def _row(name, values):
    cells = "".join(f"<td>{html.escape(_number(value))}</td>" for value in values)
    return f"<tr><th style='text-align:left'>{html.escape(str(name))}</th>{cells}</tr>"


def _head(names):
    return "<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + "</tr>"


class Shown:
    """What results have in common. A result says its columns (arrays of one length, the first is what
    the others are drawn against) and its facts (numbers and words)."""

    def _columns_of(self):
        return {}

    def _facts_of(self):
        return {}

    def to_dataframe(self):
        """The columns as a pandas.DataFrame."""
        pandas = _need("pandas", "python3-pandas", "to_dataframe()")
        return pandas.DataFrame({name: np.asarray(values) for name, values in self._columns_of().items()})

    def plot(self, *names, axes=None):
        """Draws columns (all, or those named) against the first one with matplotlib; returns the axes.

        `axes`: one for each, to draw into a figure of your own.
        """
        pyplot = _need("matplotlib.pyplot", "python3-matplotlib", "plot()")
        columns = self._columns_of()
        across = next(iter(columns))
        shown = list(names) or [name for name in columns if name != across and _numeric(columns[name])]
        for name in shown:
            if name not in columns:
                raise ValueError(f"column {name!r} is unknown; known: {', '.join(columns)}")
        if axes is None:
            _, axes = pyplot.subplots(
                len(shown), 1, sharex=True, squeeze=False, figsize=(7, 1 + 1.6 * len(shown)), layout="constrained"
            )
        axes = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        if len(axes) != len(shown):
            raise ValueError(f"axes: {len(axes)} for {len(shown)} columns")
        for name, each in zip(shown, axes):
            each.plot(np.asarray(columns[across]), np.asarray(columns[name]), linewidth=1)
            each.set_ylabel(name)
        axes[-1].set_xlabel(across)
        return axes

    def _repr_html_(self):
        """For notebooks: facts, then the range of each column, or the rows where they are names.

        Names and values may come from files: everything is escaped.
        """
        facts = "".join(_row(name, [value]) for name, value in self._facts_of().items())
        columns = {name: values for name, values in self._columns_of().items() if len(values) > 0}
        if all(_numeric(values) for values in columns.values()):
            head = _head(["", "values", "least", "greatest"])
            rows = "".join(_row(n, [len(v), np.min(v), np.max(v)]) for n, v in columns.items())
        else:
            head = _head(columns)
            rows = "".join(_row(first, rest) for first, *rest in zip(*columns.values()))
        return f"<b>{html.escape(type(self).__name__)}</b><table>{facts}</table><table>{head}{rows}</table>"


def scalars(namespace):
    """The numbers and words among named values."""
    return {
        name: value
        for name, value in namespace.items()
        if not name.startswith("_") and isinstance(value, (int, float, str, np.number))
    }
