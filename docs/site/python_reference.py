"""The reference of the Python package, from its docstrings and signatures."""

import enum
import html
import inspect
import re

import carom


def paragraphs(text):
    """A docstring as HTML: paragraphs; indented lines, examples and tables keep their lines."""
    parts = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if re.search(r"^(>>>|\s{2,})", block, flags=re.M):
            parts.append(f"<pre><code>{html.escape(block)}</code></pre>")
        else:
            parts.append(paragraph(block))
    return "".join(parts)


def paragraph(block):
    """A list where every line is "name [unit]: what it is"."""
    fields = [re.match(r"(\w+(?: \[[^]]*\])?): (.+)", line) for line in block.split("\n")]
    if all(fields):
        entries = (f"<li><code>{html.escape(name)}</code>: {html.escape(text)}</li>"
                   for name, text in (field.groups() for field in fields))
        return f"<ul>{''.join(entries)}</ul>"
    return "<p>" + re.sub(r"`+([^`]+)`+", r"<code>\1</code>", html.escape(block)) + "</p>"


def signature(name, thing):
    try:
        return name + str(inspect.signature(thing))
    except (TypeError, ValueError):
        # pybind11 writes the signature into the first line of the docstring.
        first = (thing.__doc__ or "").strip().split("\n")[0]
        return first if first.startswith(f"{name}(") else name


def documentation(thing):
    text = inspect.getdoc(thing) or ""
    return re.sub(r"\A\w+\(.*\) -> .*\n*", "", text)


def entry(name, thing):
    return f"<dt><code>{html.escape(signature(name, thing))}</code></dt><dd>{paragraphs(documentation(thing))}</dd>"


def members(kind):
    parts = []
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            parts.append(f"<dt><code>{name}</code></dt><dd>{paragraphs(documentation(member))}</dd>")
        elif callable(member) or isinstance(member, (staticmethod, classmethod)):
            parts.append(entry(name, getattr(kind, name)))
    return f'<dl class="api">{"".join(parts)}</dl>' if parts else ""


def described(name, thing):
    """A name's section; a second name of the same class leads to the first."""
    if inspect.isclass(thing) and thing.__name__ != name and thing.__name__ in carom.__all__:
        return (f'<h3 id="{name}"><code>carom.{name}</code></h3><p>Another name of '
                f'<a href="#{thing.__name__}"><code>carom.{thing.__name__}</code></a>.</p>')
    body = f'<h3 id="{name}"><code>carom.{name}</code></h3>'
    if inspect.isclass(thing):
        return body + paragraphs(documentation(thing)) + ("" if issubclass(thing, enum.Enum) else members(thing))
    if callable(thing):
        return body + f'<dl class="api">{entry(name, thing)}</dl>'
    values = thing if isinstance(thing, str) else ", ".join(map(str, thing))
    return body + f"<p>{html.escape(type(thing).__name__)}: <code>{html.escape(values)}</code></p>"


# Which module a name belongs to gives the heading it stands under.
HEADINGS = {
    "carom.impacts": "Impacts", "carom.laws": "Contact laws", "carom.identification": "Identification",
    "carom.scenarios": "Scenarios and papers", "carom.assembly": "Assemblies", "carom.simulations": "Simulations",
    "carom.modal": "Strings and modal bodies", "carom.nonsmooth": "Systems with gaps",
    "carom.sweeps": "Sweeps", "carom.studies": "Studies",
}


def pages():
    groups = {}
    for name in sorted(carom.__all__, key=str.lower):
        thing = getattr(carom, name)
        module = getattr(thing, "__module__", "")
        heading = HEADINGS.get(module) or ("Contact laws" if name in carom.LAWS or inspect.isclass(thing) else "More")
        groups.setdefault(heading, []).append(described(name, thing))
    body = ('<h1 id="python-reference">Python reference</h1>'
            f"<p>Every public name of <code>carom</code> {carom.__version__}, from its docstring. "
            'A guided tour: <a href="../python.md">carom from Python</a>.</p>')
    for heading in [*HEADINGS.values(), "More"]:
        if heading in groups:
            anchor = heading.lower().replace(" ", "-")
            body += f'<h2 id="section-{anchor}">{heading}</h2>' + "".join(groups[heading])
    return {"docs/api/python.md": body}
