"""The reference of the C++ interface: include/carom read by doxygen, one page for each room."""

import html
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

SETTINGS = """
INPUT = {root}/include/carom
RECURSIVE = YES
OUTPUT_DIRECTORY = {output}
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
EXTRACT_ALL = YES
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = NO
XML_PROGRAMLISTING = NO
JAVADOC_AUTOBRIEF = NO
STRIP_FROM_PATH = {root}/include
QUIET = YES
WARNINGS = NO
WARN_IF_UNDOCUMENTED = NO
"""


def run_doxygen(root, output):
    settings = SETTINGS.format(root=root, output=output)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, capture_output=True)
    return pathlib.Path(output) / "xml"


def text_of(node):
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def comment(node):
    parts = [text_of(each) for name in ("briefdescription", "detaileddescription")
             for each in node.findall(f"{name}/para")]
    # The comment behind a member stands in the detailed or in the in-body description.
    parts += [text_of(each) for each in node.findall("inbodydescription/para")]
    marked = (re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(part)) for part in dict.fromkeys(parts) if part)
    return "".join(f"<p>{part}</p>" for part in marked)


def template_of(node):
    parameters = node.find("templateparamlist")
    if parameters is None:
        return ""
    names = [" ".join(filter(None, (text_of(each.find("type")), text_of(each.find("declname")))))
             for each in parameters.findall("param")]
    return f"template <{', '.join(names)}>\n"


def tidy(text):
    return re.sub(r"\s*([&*])\s*(?=\w)", r"\1 ", re.sub(r"< ", "<", re.sub(r" >", ">", text)))


def declaration(member):
    """One line of C++ for a member of a file or a class."""
    kind, name = member.get("kind"), text_of(member.find("name"))
    kind_type = text_of(member.find("type"))
    if kind == "function":
        line = f"{kind_type} {name}{text_of(member.find('argsstring'))}".strip()
    elif kind == "enum":
        values = ", ".join(text_of(value.find("name")) for value in member.findall("enumvalue"))
        line = f"enum class {name} {{ {values} }}"
    elif kind == "typedef":
        line = text_of(member.find("definition"))
    else:
        line = f"{kind_type} {name}{text_of(member.find('argsstring'))} {text_of(member.find('initializer'))}".strip()
    return template_of(member) + tidy(line)


def members(node):
    parts = []
    for member in node.findall("sectiondef/memberdef"):
        if member.get("prot") == "private" or member.get("kind") in ("friend", "define"):
            continue
        notes = comment(member) + "".join(
            f"<p><code>{html.escape(text_of(value.find('name')))}</code>: {html.escape(note)}</p>"
            for value in member.findall("enumvalue")
            if (note := " ".join(text_of(each) for name in ("briefdescription", "detaileddescription")
                                 for each in value.findall(f"{name}/para"))))
        parts.append(f"<dt><code>{html.escape(declaration(member))}</code></dt><dd>{notes}</dd>")
    return f'<dl class="api">{"".join(parts)}</dl>' if parts else ""


def compound(node, anchor):
    """A struct, class or concept."""
    name = text_of(node.find("compoundname")).removeprefix("carom::")
    kind = node.get("kind")
    if kind == "concept":
        source = text_of(node.find("initializer"))
        return f'<h3 id="{anchor}"><code>concept {html.escape(name)}</code></h3>{comment(node)}<pre><code>{html.escape(source)}</code></pre>'
    head = html.escape(template_of(node).replace("\n", " ") + f"{kind} {name}")
    return f'<h3 id="{anchor}"><code>{head}</code></h3>{comment(node)}{members(node)}'


def header(folder, file):
    """(title, HTML) of one header."""
    node = file.find("compounddef")
    path = node.find("location").get("file")
    path = path[path.rfind("carom/"):] if not path.startswith("carom/") else path
    anchor = re.sub(r"\W+", "-", path)
    body = ""
    inner = node.findall("innerclass") + node.findall("innerconcept")
    for index, reference in enumerate(inner):
        if reference.get("prot") == "private":
            continue
        each = xml.parse(folder / f"{reference.get('refid')}.xml").getroot().find("compounddef")
        body += compound(each, f"{anchor}-{index}")
    # Functions of a namespace are listed with the namespace; their place says which header has them.
    return path, anchor, body


def functions_by_header(folder):
    found = {}
    for file in sorted(folder.glob("namespace*.xml")):
        for member in xml.parse(file).getroot().findall("compounddef/sectiondef/memberdef"):
            path = member.find("location").get("declfile") or member.find("location").get("file")
            found.setdefault(path[path.rfind("carom/"):], []).append((int(member.find("location").get("line")), member))
    return found


def pages(root, output):
    folder = run_doxygen(root, pathlib.Path(output) / "doxygen")
    functions = functions_by_header(folder)
    rooms = {}
    for file in sorted(folder.glob("*_8hpp.xml")):
        path, anchor, body = header(folder, xml.parse(file).getroot())
        free = "".join(f"<dt><code>{html.escape(declaration(member))}</code></dt><dd>{comment(member)}</dd>"
                       for _, member in sorted(functions.get(path, []), key=lambda pair: pair[0]))
        if free:
            body += f'<dl class="api">{free}</dl>'
        room = path.split("/")[1]
        rooms.setdefault(room, []).append(f'<h2 id="{anchor}"><code>&lt;{path}&gt;</code></h2>{body}')
    result, index = {}, ""
    for room, headers in sorted(rooms.items()):
        source = f"docs/api/cpp_{room}.md"
        result[source] = (f'<h1 id="{room}">C++ reference: {room}</h1><p><a href="cpp.md">All rooms</a></p>' + "".join(headers))
        names = re.findall(r'<h2 id="([^"]+)"><code>(.*?)</code>', "".join(headers))
        index += f'<h2 id="{room}"><a href="cpp_{room}.md">{room}</a></h2><ul>' + "".join(
            f'<li><a href="cpp_{room}.md#{anchor}"><code>{name}</code></a></li>' for anchor, name in names) + "</ul>"
    result["docs/api/cpp.md"] = ('<h1 id="cpp-reference">C++ reference</h1><p>The public headers by room, with what they declare '
                                 'and the comments that stand there. How the rooms fit together: '
                                 '<a href="../architecture.md">architecture</a>.</p>' + index)
    shutil.rmtree(folder.parent)
    return result
