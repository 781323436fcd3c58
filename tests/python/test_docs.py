"""The documents are true to the tree, and every command and program in them runs.

Blocks without a language and `sh` blocks are commands: each line that begins with `carom` is run as
it is printed, in one folder per page from top to bottom. What takes long as printed is run in a
shorter form, and only there: `SHORTER` says which and how. `./run` commands cannot be run from
within a test (they are what runs the tests); their names are checked against the script.
"""

import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest

import carom

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "papers" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# The reproduction of all papers takes a minute; tests/papers runs every item of it.
SHORTER = [
    (r"^carom papers papetti2011", "carom papers papetti2011 --quick"),
    (r"^carom papers( all)?( --quick)?(?= |$)", "carom papers ramaswamy --quick"),
    (r"^mpirun -n \d+", "mpirun -n 2"),
]


def name(page):
    return str(page.relative_to(ROOT))


def blocks(page):
    """(language, text) of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), flags=re.S | re.M)


def saved_files(page):
    """(file name, text) of what the reader saves: the line before a `csv` or `toml` block names the file."""
    pattern = r"`([\w.]+\.(?:csv|toml))`[^\n]*\n+```(?:csv|toml)\n(.*?)^```"
    return re.findall(pattern, page.read_text(), flags=re.S | re.M)


def commands(page):
    for language, text in blocks(page):
        if language in ("", "sh"):
            lines = text.replace("\\\n", " ").splitlines()  # a backslash continues a line
            yield from (line for line in lines if re.match(r"(carom|mpirun) ", line))


def tracked(root, pattern):
    """All files where there is no git to ask."""
    try:
        names = subprocess.run(
            ["git", "ls-files", pattern], cwd=root, capture_output=True, text=True, check=False
        ).stdout.split()
    except FileNotFoundError:
        names = []
    return [root / each for each in names] or sorted(root.glob(f"**/{pattern}"))


def anchors(page):
    """What the headings of a page are called in links, as GitHub and pandoc make it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    titles = re.findall(r"^#+ +(.*?)\s*$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_relative_link_of_every_page_leads_somewhere(root):
    broken = []
    for page in tracked(root, "*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for target, place in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            goal = page.parent / target if target else page
            if not goal.exists() or (place and goal.suffix == ".md" and place not in anchors(goal)):
                broken.append(f"{page.relative_to(root)}: {target}#{place}")
    assert not broken, "\n".join(broken)


def test_the_link_check_of_the_site_finds_what_is_dead(root, tmp_path):
    (tmp_path / "a.html").write_text('<h2 id="here">x</h2><a href="#here">1</a><a href="b.html#there">2</a>'
                                     '<a href="gone.html">3</a><a href="#nowhere">4</a><a href="b.html#gone">5</a>'
                                     '<a href="https://example.org/">6</a><script src="https://example.org/x.js"></script>')
    (tmp_path / "b.html").write_text('<p id="there">x</p>')
    check = subprocess.run(["/usr/bin/python3", root / "docs" / "site" / "check_links.py", tmp_path],
                           capture_output=True, text=True, check=False)
    assert check.returncode == 1
    found = [line.split(": ", 1)[1] for line in check.stdout.splitlines()]
    assert [line.split(" ")[0] for line in found] == ["https://example.org/x.js", "gone.html", "#nowhere", "b.html#gone"]


def test_the_navigation_of_the_site_names_pages_that_exist(root):
    sections = tomllib.loads((root / "docs" / "site" / "navigation.toml").read_text())["section"]
    named = [page for section in sections for page in section["pages"]]
    assert len(named) == len(set(named))
    assert not [page for page in named if not page.startswith("docs/api/") and not (root / page).exists()]


def test_every_public_python_name_is_documented():
    """The reference is made of docstrings."""
    assert not [each for each in carom.__all__ if callable(getattr(carom, each)) and not getattr(carom, each).__doc__]


def test_architecture_names_every_room(root):
    text = (root / "docs" / "architecture.md").read_text()
    for room in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
        assert f"`{room}/`" in text, f"docs/architecture.md does not mention {room}/"


@pytest.mark.parametrize("file", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"])
def test_front_page_files_exist(root, file):
    assert (root / file).stat().st_size > 0


# What a page takes for granted: files that the reader has. The examples of the source tree are not
# among them: whoever installed carom types the commands in an empty folder.
SWEPT = """
scenario = "bar.toml"
[grid]
"bar.angle" = [75, 85]
"contact.restitution" = [0.0, 0.5]
[set]
"run.until" = "rebound"
"run.step" = 5e-7
[results]
columns = ["results.apparent_restitution", "results.impacts"]
"""


def prepare(page, folder, program):
    if page.name == "sweeps.md":
        subprocess.run([program, "new", "bar"], cwd=folder, check=True, capture_output=True)
        (folder / "angles.toml").write_text(SWEPT)
    for file, text in saved_files(page):
        (folder / file).write_text(text)


def environment(program, **more):
    path = f"{os.path.dirname(program)}:{os.environ['PATH']}"
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return {**os.environ, **allowed, "PATH": path, **more}


def has_mpi(program):
    return shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(program), "carom_mpi.so"))


def run_line(line, folder, program):
    for pattern, shorter in SHORTER:
        if re.match(pattern, line):
            line = re.sub(pattern, shorter, line, count=1)
            break
    result = subprocess.run(["bash", "-c", line], cwd=folder, env=environment(program),
                            capture_output=True, text=True, timeout=300, check=False)
    expected = 2 if "exit code 2" in line else 0
    assert result.returncode == expected, f"{line}\n{result.stderr}"
    if expected == 2:
        assert "did you mean" in result.stderr, line
    return result


# What a page says that its commands print: the words of the page, and a pattern of the output.
SAID = {
    "README.md": [
        ("k = 3.96e8 N/m^1.5", r"stiffness k +3\.96\d*e\+08 N/m\^1\.5"),
        ("mu = 0.975 s/m", r"mu = lambda/k +0\.9748\d* s/m"),
        ("recovers the 0.6 and the 0.2 ms", r"restitution +0\.5999\d*\n[\s\S]*contact time +0\.000(200|1999)\d* s"),
        ("a peak force of 180 N", r"largest force +180\.\d+ N"),
    ],
    "docs/tutorial.md": [
        ("The run prints its key numbers", r"impacts: 20 \(in 1\.14 s\)\nfirst restitution: 0\.7484 "),
        ("here the restitution determines `mu`", r"first restitution: 0\.5 "),
        ("exit code 2: did you mean 'body.mass'?", r"did you mean 'body\.mass'\?"),
    ],
    "docs/for_engineers.md": [
        ("an exponent of about 1.5 is accepted", r"hunt-crossley: accepted\n[\s\S]*exponent +1\.50"),
        ("laws whose restitution does not depend on speed are rejected", r"kelvin-voigt .* rejected\npower-law .* rejected\n"),
        ("The numbers come with 95 % half widths", r"value +95 % half width"),
        ("the prediction, its 95 % interval, and what the *other* accepted laws predict",
         r"largest force +1365 N[\s\S]*95 % +from +to\n[\s\S]*what the choice of law changes\n.*\npower-damper "),
        ("repeats the drop at eight speeds", r"8 of 8 runs done|0\.5 .*\n(.*\n){6}4 "),
    ],
    "docs/for_researchers.md": [
        ("created or lost", r"energy residual"),
        ("so it can be lower than the textbook order", r"verlet converges with order 1\.\d"),
        ("bit for bit identical", r"bounce-rerun: bit for bit identical"),
    ],
    "docs/for_teachers.md": [
        ("The restitution is 0.97 at 0.1 m/s, 0.75 at 1 m/s and 0.20 at 10 m/s",
         r"restitution +0\.967[\s\S]*restitution +0\.748[\s\S]*restitution +0\.19698"),
        ("recovers `mu` = 0.4985 from eleven bounces", r"bounces +11\b[\s\S]*mu +0\.49846"),
        ("A constant e is rejected for this ball", r"constant-restitution .* rejected"),
    ],
    "docs/sweeps.md": [("A small one to begin with, 27 impacts", r"27 of 27 runs done")],
}


@pytest.mark.parametrize("page", [p for p in PAGES if list(commands(p))], ids=name)
def test_every_command_runs_as_printed(page, program, tmp_path):
    prepare(page, tmp_path, program)
    printed = ""
    for line in commands(page):
        if line.startswith("mpirun") and not has_mpi(program):
            continue
        result = run_line(line, tmp_path, program)
        printed += result.stdout + result.stderr
    text = " ".join(page.read_text().split())
    for words, pattern in SAID.get(name(page), []):
        assert words in text, f"{name(page)} no longer says: {words}"
        assert re.search(pattern, printed), f"{name(page)}: {words}"
    if page.name == "for_teachers.md":
        # "The last one leaves with 97 % of the speed, and the first moves back at 7 %."
        assert "leaves with 97 % of the speed, and the first moves back at 7 %" in text
        rows = (tmp_path / "cradle-out" / "signals.csv").read_text().splitlines()
        last = dict(zip(rows[0].split(","), map(float, rows[-1].split(","))))
        assert (round(last["b5.v"], 2), round(last["b1.v"], 2)) == (0.97, -0.07)
    if page.name == "tutorial.md":
        for file in ["report.html", "signals.csv", "summary.json", "sound.wav"]:
            assert (tmp_path / "bounce-out" / file).stat().st_size > 0
        assert (tmp_path / "bell-h5" / "signals.h5").stat().st_size > 0


def test_every_run_command_is_one_of_the_script(root):
    script = (root / "run").read_text()
    found = 0
    for page in PAGES:
        for language, text in blocks(page):
            if language in ("", "sh"):
                for word in re.findall(r"\./run (\w+)", text):
                    assert re.search(rf"^  {word}\)", script, flags=re.M), f"{name(page)}: ./run {word}"
                    found += 1
    assert found >= 3


@pytest.mark.parametrize("page", [p for p in PAGES if "python" in dict(blocks(p))], ids=name)
def test_every_python_program_runs_as_printed(page, program, tmp_path, monkeypatch):
    prepare(page, tmp_path, program)
    monkeypatch.chdir(tmp_path)
    known = {}  # a page is read from top to bottom
    for language, text in blocks(page):
        if language != "python":
            continue
        if importlib.util.find_spec("pandas") is None:
            # Not a dependency of carom: without it the lines that show it are left out.
            text = text.replace("import carom, pandas, sqlite3", "import carom")
            text = "\n".join(line for line in text.splitlines() if "pandas" not in line)
        exec(compile(text, name(page), "exec"), known)  # noqa: S102


# Where the C++ of a page is compiled and run.
COMPILED = {
    "README.md": "tests/install/consumer.cpp",
    "docs/own_system.md": "examples/cpp/own_system.cpp",
    "docs/adding_a_kind.md": "tests/scenario/scenario_test.cpp",
}


@pytest.mark.parametrize("page", [p for p in PAGES if "cpp" in dict(blocks(p))], ids=name)
def test_every_cpp_line_is_in_a_program_that_is_compiled_and_run(root, page):
    compiled = (root / COMPILED[name(page)]).read_text()
    for language, text in blocks(page):
        if language == "cpp":
            for line in text.splitlines():
                assert line.strip() in compiled, f"{name(page)}: {line}"


@pytest.mark.parametrize("page", [p for p in PAGES if "toml" in dict(blocks(p))], ids=name)
def test_every_toml_file_is_valid(page, program, tmp_path):
    """Those of the kinds' pages are the files of `carom new`, which tests/output runs."""
    saved = {text for _, text in saved_files(page)}  # those are run by the commands of the page
    for number, (language, text) in enumerate(blocks(page)):
        if language != "toml" or text in saved:
            continue
        file = tmp_path / f"block{number}.toml"
        # Four points at random in place of a thousand: each of the 480 000 runs would be checked.
        file.write_text(text.replace("count = 1000\n", "count = 4\n"))
        if "scenario" in tomllib.loads(text):
            subprocess.run([program, "new", "bar"], cwd=tmp_path, check=True, capture_output=True)
            command = [program, "sweep", file, "--dry-run"]
        else:
            kind = tomllib.loads(text)["kind"]
            subprocess.run([program, "new", kind, f"{kind}-new.toml"], cwd=tmp_path, check=True,
                           capture_output=True)
            assert (tmp_path / f"{kind}-new.toml").read_text() == text
            command = [program, "check", file]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert result.returncode == 0, f"{name(page)}: {result.stderr}"


@pytest.mark.parametrize("script", sorted((ROOT / "examples" / "slurm").glob("*.sh")), ids=lambda p: p.stem)
def test_job_scripts_run(script, program, tmp_path):
    """With a stand-in for srun: it starts one rank and forgets its own options."""
    subprocess.run([program, "new", "bar"], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "angles.toml").write_text(SWEPT)
    stand_in = tmp_path / "bin" / "srun"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n')
    stand_in.chmod(0o755)
    more = {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2",
            "PATH": f"{stand_in.parent}:{os.path.dirname(program)}:{os.environ['PATH']}"}
    result = subprocess.run(["bash", str(script), "angles.toml", "results"], cwd=tmp_path,
                            env=environment(program, **more), capture_output=True, text=True,
                            timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert list((tmp_path / "results").rglob("sweep.sqlite"))


# Examples as people run them, but short: a duration, or a number of impacts. tests/output runs
# bounce.toml and plate.toml, and ./run demo runs ball_on_bell.toml, as they are.
def shortened(text):
    run = tomllib.loads(text).get("run", {})
    if "impacts" in run:
        return {"run.impacts": 3}
    return {"run.duration": min(run["duration"], 0.02)} if "duration" in run else {}


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.stem)
def test_every_example_runs(example):
    run = carom.run(str(example), shortened(example.read_text()))
    assert run.summary["status"] == "done"
    assert len(run.time) > 1


def test_every_command_in_the_help_is_known(program):
    """The examples that `carom COMMAND --help` prints name real flags."""
    for command in ["impact", "identify", "run", "check", "compare", "new", "papers", "sweep"]:
        text = subprocess.run([program, command, "--help"], capture_output=True, text=True,
                              check=True).stdout
        flags = set(re.findall(r"--[\w-]+", text.split("xamples")[0]))
        for line in re.findall(r"^  (carom .*)$", text, flags=re.M):
            for word in shlex.split(line):
                if word.startswith("--"):
                    assert word.split("=")[0] in flags, f"{line}: {word}"
