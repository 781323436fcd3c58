"""Dead links of a folder of HTML pages: check_links.py FOLDER.

Files and the places in them are looked up; addresses of other hosts are not asked (the site must be
made without network), but nothing may be loaded from them.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors = set()
        self.targets = []
        self.loaded = []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.targets.append(value or "")
            elif name in ("src", "href"):
                self.loaded.append(value or "")


def problems(folder):
    """["page: target", ...] of every link that leads nowhere."""
    folder = pathlib.Path(folder).resolve()
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        reader = Reader()
        reader.feed(file.read_text())
        pages[file] = reader
    found = []
    for file, reader in pages.items():
        where = file.relative_to(folder)
        for target in reader.loaded + reader.targets:
            address = urllib.parse.urlsplit(target)
            if address.scheme or address.netloc:
                if target in reader.loaded:
                    found.append(f"{where}: {target} is loaded from another host")
                continue
            goal = (file.parent / urllib.parse.unquote(address.path)).resolve() if address.path else file
            if not goal.is_file():
                found.append(f"{where}: {target}")
            elif address.fragment and goal in pages and urllib.parse.unquote(address.fragment) not in pages[goal].anchors:
                found.append(f"{where}: {target} (no such place in the page)")
    return found


if __name__ == "__main__":
    dead = problems(sys.argv[1])
    print("\n".join(dead) or "no dead link")
    raise SystemExit(bool(dead))
