"""The documentation site: build.py OUTPUT, called by `./run docs`.

The site has the shape of the repository: docs/laws.md becomes docs/laws.html, README.md of a folder
its index.html. Markdown is translated by pandoc; this program adds navigation, contents, search and
the reference of the C++ and Python interfaces (cpp_reference.py, python_reference.py), and ends with
exit code 1 and a list where a link leads nowhere (check_links.py).
"""

import concurrent.futures
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

import check_links
import cpp_reference
import python_reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IMAGES = {".svg", ".png", ".jpg", ".gif"}


class Page:
    """Title and body (HTML) of one page; `source` is its place in the repository."""

    def __init__(self, source, body, searched=True):
        self.searched = searched
        self.source = source
        self.body = body
        self.address = address_of(source)
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", body, flags=re.S)
        self.title = plain(heading.group(1)) if heading else source

    def headings(self):
        """(level, id, text) of the headings below the title."""
        found = re.findall(r'<h([23]) id="([^"]+)"[^>]*>(.*?)</h\1>', self.body, flags=re.S)
        return [(int(level), anchor, plain(text)) for level, anchor, text in found]

    def sections(self):
        """(anchor, heading, text) for the search: the page is cut at its headings."""
        pieces = re.split(r'<h[1-3] id="([^"]+)"[^>]*>(.*?)</h[1-3]>', self.body, flags=re.S)
        for anchor, heading, text in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
            yield anchor, plain(heading), plain(text)


def plain(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def address_of(source):
    folder, name = os.path.split(source)
    name = "index.html" if name == "README.md" else re.sub(r"\.md$", "", name) + ".html"
    return os.path.join(folder, name)


def relative(address, page):
    return os.path.relpath(address, os.path.dirname(page.address) or ".")


def whole_options(code):
    """Browsers break lines behind hyphens: options stay in one piece."""
    return re.sub(r"(?<!\S)--?[a-z][\w-]*", r'<span class="option">\g<0></span>', code)


def in_lines(code):
    """A block of code with each line on its own, so that the style can wrap long ones with an
    indentation; drawings made of characters scroll instead."""
    if re.search("[─│├└┌]", code.group(2)):
        return f'<pre class="drawing"><code>{code.group(2)}</code></pre>'
    lines = "".join(f"<span>{whole_options(line) or '<br>'}</span>" for line in code.group(2).rstrip("\n").split("\n"))
    return f"<pre{code.group(1)}><code>{lines}</code></pre>"


def with_lines(body):
    return re.sub(r"<pre([^>]*)><code[^>]*>(.*?)</code></pre>", in_lines, body, flags=re.S)


def cell(match):
    """Cells of running text need room on a phone, numbers and names do not."""
    text = plain(match.group(2))
    long_word = any(len(word) > 16 for word in text.split())
    kind = ' class="long"' if len(text) > 60 else ' class="text"' if len(text) > 24 or long_word else ""
    return f"<td{match.group(1)}{kind}>{match.group(2)}</td>"


def translate(source):
    text = (ROOT / source).read_text()
    body = subprocess.run(["pandoc", "--from", "gfm", "--to", "html5", "--mathml", "--wrap", "none",
                           "--no-highlight"], input=text, capture_output=True, text=True, check=True).stdout
    body = re.sub(r"<table.*?</table>", r'<div class="table">\g<0></div>', body, flags=re.S)
    body = with_lines(re.sub(r"<td([^>]*)>(.*?)</td>", cell, body, flags=re.S))
    body = re.sub(r"<code>([^<]*)</code>", lambda code: f"<code>{whole_options(code.group(1))}</code>", body)
    # A picture that a phone shows small can be opened by itself.
    body = re.sub(r'<img src="([^"]+)"[^>]*>', r'<a href="\1">\g<0></a>', body)
    return Page(source, body)


def listing(folder):
    """A folder that a page links to, as a list of its files."""
    names = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    names = [os.path.relpath(name, folder) for name in sorted(names)]
    # A folder of sources is named, not copied.
    linked = len(names) < 40
    items = "".join(f'<li><a href="{name}"><code>{name}</code></a></li>' if linked else f"<li><code>{name}</code></li>"
                    for name in names if name != "README.md")
    return Page(f"{folder}/README.md", f'<h1 id="folder">{folder}</h1><ul>{items}</ul>', searched=False)


def printed(source):
    """A text file that a page links to."""
    text = html.escape((ROOT / source).read_text())
    return Page(source, with_lines(f'<h1 id="file">{source}</h1><pre><code>{text}</code></pre>'), searched=False)


class Site:
    def __init__(self, output):
        self.output = output
        self.pages = {}
        self.order = []
        self.dead = []

    def add(self, page):
        self.pages[page.source] = page

    def follow_links(self, page):
        """Rewrites the links of a page, and adds the files that they lead to."""

        def rewritten(match):
            attribute, target = match.group(1), html.unescape(match.group(2))
            path, _, fragment = target.partition("#")
            if not path or re.match(r"[a-z]+:", path):
                return match.group(0)
            source = os.path.normpath(os.path.join(os.path.dirname(page.source), path))
            address = self.address_for(source)
            if address is None:
                self.dead.append(f"{page.source}: {target}")
                return match.group(0)
            new = relative(address, page) + (f"#{fragment}" if fragment else "")
            return f'{attribute}="{html.escape(new)}"'

        page.body = re.sub(r'\b(href|src)="([^"]*)"', rewritten, page.body)

    def address_for(self, source):
        for known in (source, f"{source}/README.md"):
            if known in self.pages:
                return self.pages[known].address
        file = ROOT / source
        if file.is_dir():
            self.add_linked(listing(source))
            return f"{source}/index.html"
        if not file.is_file():
            return None
        if file.suffix in IMAGES:
            (self.output / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, self.output / source)
            return source
        self.add_linked(translate(source) if file.suffix == ".md" else printed(source))
        return self.pages[source].address

    def add_linked(self, page):
        self.add(page)
        self.follow_links(page)

    def navigation(self, current, sections):
        parts = []
        for title, sources in sections:
            parts.append(f"<h2>{title}</h2><ul>")
            for source in sources:
                page = self.pages[source]
                here = ' aria-current="page"' if page is current else ""
                label = "Overview" if source == "README.md" else page.title
                parts.append(f'<li><a href="{relative(page.address, current)}"{here}>{html.escape(label)}</a></li>')
            parts.append("</ul>")
        return "".join(parts)

    def write(self, sections):
        template = (HERE / "template.html").read_text()
        self.order = [source for _, sources in sections for source in sources]
        for page in self.pages.values():
            root = os.path.relpath(".", os.path.dirname(page.address) or ".") + "/"
            contents = contents_of(page)
            narrow = f'<details class="contents"><summary>On this page</summary>{contents}</details>' if contents else ""
            before, after = self.neighbours(page)
            values = {"title": html.escape(page.title), "root": root, "navigation": self.navigation(page, sections),
                      "contents": f"<b>On this page</b>{contents}" if contents else "", "contents_narrow": narrow,
                      "body": page.body, "previous": before, "next": after}
            file = self.output / page.address
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(re.sub(r"\$(\w+)\$", lambda match: values[match.group(1)], template))

    def neighbours(self, page):
        if page.source not in self.order:
            return "<span></span>", ""
        at = self.order.index(page.source)
        before = self.pages[self.order[at - 1]] if at > 0 else None
        after = self.pages[self.order[at + 1]] if at + 1 < len(self.order) else None
        return (f'<a href="{relative(before.address, page)}">← {html.escape(before.title)}</a>' if before else "<span></span>",
                f'<a href="{relative(after.address, page)}">{html.escape(after.title)} →</a>' if after else "")

    def write_search_index(self):
        entries = [{"page": page.title, "heading": heading, "address": f"{page.address}#{anchor}", "text": text}
                   for page in self.pages.values() if page.searched for anchor, heading, text in page.sections()]
        (self.output / "search_index.js").write_text(f"window.caromSections = {json.dumps(entries, ensure_ascii=False)};\n")
        return len(entries)


def contents_of(page):
    headings = page.headings()
    # A page with hundreds of entries (the reference) lists its sections only.
    if len(headings) > 60:
        headings = [each for each in headings if each[0] == 2]
    if len(headings) < 2:
        return ""
    items = "".join(f'<li class="level{level}"><a href="#{anchor}">{html.escape(text)}</a></li>' for level, anchor, text in headings)
    return f"<ul>{items}</ul>"


def navigation_sections(reference):
    """[(title, sources)]; every page of docs/ is in one of them."""
    table = tomllib.loads((HERE / "navigation.toml").read_text())
    existing = {f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")}
    sections = [(section["title"], section["pages"]) for section in table["section"]]
    named = [source for _, pages in sections for source in pages]
    missing = [source for source in named if source not in reference and not (ROOT / source).exists()]
    if missing:
        raise SystemExit(f"docs/site/navigation.toml: not there: {', '.join(missing)}")
    rest = sorted(existing - set(named))
    return sections + ([("More", rest)] if rest else [])


def main():
    output = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    site = Site(output)
    reference = {source: Page(source, with_lines(body)) for source, body in
                 {**cpp_reference.pages(ROOT, output), **python_reference.pages()}.items()}
    sections = navigation_sections(reference)
    sources = [source for _, pages in sections for source in pages if source not in reference]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for page in pool.map(translate, sources):
            site.add(page)
    for page in reference.values():
        site.add(page)
    for page in list(site.pages.values()):
        site.follow_links(page)
    site.write(sections)
    entries = site.write_search_index()
    for name in ("style.css", "site.js"):
        shutil.copy(HERE / name, output / name)
    problems = site.dead + check_links.problems(output)
    for problem in problems:
        print(f"docs: dead link: {problem}", file=sys.stderr)
    if problems:
        raise SystemExit(1)
    print(f"{len(site.pages)} pages, {entries} sections in the search index, no dead link", file=sys.stderr)


if __name__ == "__main__":
    main()
