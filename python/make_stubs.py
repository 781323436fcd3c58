"""Writes the type stubs of the package: make_stubs.py BUILT_PACKAGE_FOLDER.

The classes of laws are made when the package is imported, from what the library declares; a type
checker or an editor imports nothing, so they are written down here, together with the names that
the package re-exports.
"""

import ast
import inspect
import pathlib
import sys

TYPES = {"number": "Number", "choice": "str", "text": "str", "named_numbers": "dict[str, float]",
         "columns": "dict[str, Any]"}  # fmt: skip


def law_stub(law, fields):
    types = {field["name"]: TYPES[field["type"]] for field in fields if field["type"] != "fixed"}
    signature, star = [], False
    for parameter in inspect.signature(law).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            signature.append("*")
            star = True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        signature.append(f"{parameter.name}: {types[parameter.name]}{default}")
    lines = [f"class {law.__name__}({law.__mro__[1].__name__}):"]
    # A field with the name of a method is reached by `values` alone.
    lines += [f"    {name}: {kind}" for name, kind in types.items() if not callable(getattr(law, name, None))]
    lines += [f"    def __init__(self, {', '.join(signature)}) -> None: ..."]
    if hasattr(law, "of_restitution"):
        lines += ["    @classmethod",
                  f"    def of_restitution(cls, restitution: float, mass: float, speed: float, **values: Any) -> {law.__name__}: ..."]  # fmt: skip
    return "\n".join(lines) + "\n"


HEAD = '''from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Number = ArrayLike

class Law:
    name: str
    values: dict[str, Any]

class CompliantLaw(Law):
    def force(self, x: Number, v: Number = 0.0) -> Any: ...
    def elastic_force(self, x: Number) -> Any: ...
    def potential(self, x: Number) -> Any: ...

'''


def main():
    folder = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(folder.parent))
    from carom import _carom, laws

    fields = {info["name"]: info["fields"] for info in _carom.laws()}
    text = HEAD + "\n".join(law_stub(law, fields[name]) for name, law in laws.LAWS.items())
    others = {name: law for name, law in laws.NAMES.items() if name != law.__name__}
    text += "\n" + "".join(f"{name} = {law.__name__}\n" for name, law in others.items())
    text += "LAWS: dict[str, type[Law]]\nNAMES: dict[str, type[Law]]\n"
    (folder / "laws.pyi").write_text(text)

    lines = ["__version__: str"]
    for node in ast.parse((folder / "__init__.py").read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module not in ("_carom", "laws"):
            lines += [f"from .{node.module} import {alias.name} as {alias.name}" for alias in node.names]
    lines += [f"from .laws import {name} as {name}" for name in ["LAWS", *laws.NAMES]]
    (folder / "__init__.pyi").write_text("\n".join(lines) + "\n")
    (folder / "_carom.pyi").write_text("from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n")


main()
