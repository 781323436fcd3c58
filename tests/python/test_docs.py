"""The documents are true to the tree."""

import re
import subprocess

import pytest


def tracked(root, pattern):
    names = subprocess.run(
        ["git", "ls-files", pattern], cwd=root, capture_output=True, text=True, check=False
    ).stdout.split()
    return [root / name for name in names] or sorted(root.glob(f"**/{pattern}"))


def test_every_relative_link_of_every_page_exists(root):
    broken = []
    for page in tracked(root, "*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(root)}: {target}")
    assert not broken, "\n".join(broken)


def test_architecture_names_every_room(root):
    text = (root / "docs" / "architecture.md").read_text()
    for room in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
        assert f"`{room}/`" in text, f"docs/architecture.md does not mention {room}/"


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"])
def test_front_page_files_exist(root, name):
    assert (root / name).stat().st_size > 0
