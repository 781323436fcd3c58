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


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.S | re.M)


def test_readme_commands_run_as_printed(root, program, tmp_path):
    lines = [
        line
        for block in blocks(root / "README.md", "")
        for line in block.splitlines()
        if line.startswith("carom ")
    ]
    assert len(lines) >= 2
    for line in lines:
        # A scenario of the checkout is named relative to it in the README.
        command = line.split("#")[0].replace(" examples/", f" {root}/examples/")
        result = subprocess.run(
            ["bash", "-c", command.replace("carom ", f"{program} ", 1)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert result.returncode == 0, f"{line}\n{result.stderr}"


def test_readme_python_runs_as_printed(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(root / "README.md", "python"):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102


def test_readme_cpp_is_what_the_consumer_test_compiles(root):
    consumer = (root / "tests" / "install" / "consumer.cpp").read_text()
    for block in blocks(root / "README.md", "cpp"):
        for line in block.splitlines():
            assert line.strip() in consumer, line
