"""What files say is shown, never executed: in shells, gnuplot, SQL, pages and spreadsheets. Output
stays in its folder, temporary files are nobody else's."""

import csv
import io
import os
import sqlite3
import stat

import pytest

from conftest import BOUNCE

# Each would leave the file `pwned` if something executed it.
ATTACKS = [
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned #",
    "'; system('touch pwned'); '",
    "\\nsystem \\\"touch pwned\\\"\\n",
    "\\\"; !touch pwned",
    "'); DROP TABLE results; --",
    "</title><script>alert(1)</script>",
    "\\\"><img src=x onerror=alert(1)>",
    "=cmd|'/c calc'!A1",
    "@SUM(1+1)",
    "../../../../tmp/pwned",
    "%n%n%s%s",
    "\\u202Eevil\\u0007",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_titles_are_shown_and_not_executed(carom, tmp_path, attack):
    (tmp_path / "one.toml").write_text(BOUNCE.replace('"a ball"', f'"{attack}"') + f'[output]\nevery = 10\n')
    done = carom("run", "one.toml", "--out", "out", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "pwned").exists() and not os.path.exists("/tmp/pwned")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<script>alert(1)" not in page and "<img src=x" not in page
    assert carom("compare", "one.toml", "--methods", "passive,rk4", "--out", "cmp", "--quiet", cwd=tmp_path).returncode in (0, 1)
    assert "<script>alert(1)" not in "".join(p.read_text(errors="replace") for p in (tmp_path / "cmp").glob("*.html"))
    assert {path.name for path in tmp_path.iterdir()} == {"one.toml", "out", "cmp"}


def test_spreadsheets_get_text_and_no_formulas(carom, bounce):
    folder = bounce.parent
    texts = ["=1+1", "+1", "-1", "@SUM(1)", "\\t=1", "plain", "a,b\\\"c"]
    listed = ", ".join(f'"{text}"' for text in texts)
    (folder / "plan.toml").write_text(f'scenario = "bounce.toml"\n[grid]\ntitle = [{listed}]\n[results]\ncolumns = ["energy.final"]\n')
    assert carom("sweep", "plan.toml", "--out", "store", "--quiet", cwd=folder).returncode == 0
    assert (shown := carom("sweep", "show", "store", "--csv", cwd=folder)).returncode == 0
    rows = list(csv.DictReader(io.StringIO(shown.stdout, newline="")))
    titles = [row["title"] for row in rows]
    assert len(titles) == len(texts)
    assert not any(title.startswith(("=", "+", "-", "@", "\t", "\r")) for title in titles), titles
    kept = [row[0] for row in sqlite3.connect(folder / "store" / "sweep.sqlite").execute("select title from results order by run")]
    assert kept[0] == "=1+1", "the store keeps what was said"


def test_links_in_the_output_folder_are_not_followed(carom, bounce):
    folder = bounce.parent
    out = folder / "out"
    out.mkdir()
    precious = folder / "precious"
    names = ["summary.json", "report.html", "signals.csv", "checkpoint.journal", "checkpoint.state", "checkpoint.state.part"]
    for name in names:
        precious.write_text("precious")
        (out / name).symlink_to(precious)
    carom("run", bounce, "--out", out, "--quiet", "--checkpoint", "0.01")
    assert precious.read_text() == "precious"
    for name in names:
        (out / name).unlink(missing_ok=True)
    assert carom("run", bounce, "--out", out, "--quiet").returncode == 0
    assert precious.read_text() == "precious"


def test_temporary_files_are_private(carom, bounce, tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    seen = set()
    running = carom.start("run", bounce, "--out", tmp_path / "out", "--quiet", env={**os.environ, "TMPDIR": str(temporary)})
    while running.poll() is None:
        for path in temporary.iterdir():
            try:
                seen.add(stat.S_IMODE(path.stat().st_mode) & 0o077)
            except FileNotFoundError:
                pass
    assert running.returncode == 0 and seen == {0}, seen
    assert list(temporary.iterdir()) == []


def test_a_folder_for_temporary_files_with_a_quote_in_its_name(carom, bounce, tmp_path):
    odd = tmp_path / "it's \"odd\" $(touch pwned)"
    odd.mkdir()
    done = carom("run", bounce, "--out", tmp_path / "out", "--quiet", env={**os.environ, "TMPDIR": str(odd)}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "pwned").exists()


def test_initialization_files_of_gnuplot_are_not_read(carom, bounce, tmp_path):
    for name in (".gnuplot", ".gnuplotrc", "gnuplotrc"):
        (tmp_path / name).write_text("system 'touch pwned'\n")
    done = carom("run", bounce, "--out", "out", "--quiet", env={**os.environ, "HOME": str(tmp_path)}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "pwned").exists()
