"""Files of 0.1 are read, or refused with a line that says why."""

import pathlib
import re
import sqlite3

import pytest

from conftest import BOUNCE

OLD = pathlib.Path(__file__).parent / "old"


def test_the_version_is_semantic(carom):
    assert re.fullmatch(r"\d+\.\d+\.\d+", carom("--version").stdout.strip())


@pytest.mark.parametrize("file", sorted(OLD.glob("*.toml")), ids=lambda file: file.stem)
def test_a_scenario_of_0_1_is_read_or_refused_with_its_key(carom, file):
    checked = carom("check", file)
    assert checked.returncode in (0, 1, 2), checked
    if checked.returncode == 2:
        for line in checked.stderr.splitlines():
            assert re.match(rf".*{file.name}:\d+:\d+: .*'[a-z_.]+'", line), line


def old_store(folder):
    """As 0.1 made its tables (src/sweep/store.cpp of 1bab26c), with one run."""
    folder.mkdir()
    store = sqlite3.connect(folder / "sweep.sqlite")
    store.executescript(
        """CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE columns (position INTEGER PRIMARY KEY, name TEXT, role TEXT, unit TEXT, help TEXT);
        CREATE TABLE results (run INTEGER PRIMARY KEY, "body.mass", "energy.final", status TEXT, error TEXT);
        CREATE TABLE costs (run INTEGER PRIMARY KEY, seconds REAL, attempts INTEGER, worker TEXT, finished REAL);
        CREATE TABLE signals (run INTEGER, name TEXT, samples BLOB, PRIMARY KEY (run, name)) WITHOUT ROWID;
        CREATE INDEX failures ON results (run) WHERE status <> 'done';
        INSERT INTO meta VALUES ('format', 'carom-sweep-1'), ('plan_hash', 'of 0.1'), ('title', ''), ('runs', '2'),
                                ('part', '1/1'), ('carom', '0.1.0');
        INSERT INTO columns VALUES (0, 'body.mass', 'parameter', 'kg', ''), (1, 'energy.final', 'result', 'J', '');
        INSERT INTO results VALUES (1, 0.01, 0.0025, 'done', NULL);
        INSERT INTO costs VALUES (1, 0.1, 1, 'w', 0.0);"""
    )
    store.commit()
    store.close()
    return folder / "sweep.sqlite"


def test_a_store_of_0_1_is_shown_and_not_mixed_with_another_plan(carom, tmp_path):
    store = old_store(tmp_path / "store")
    before = store.read_bytes()
    shown = carom("sweep", "show", tmp_path / "store", "--csv")
    assert shown.returncode == 0 and "0.0025" in shown.stdout, shown
    (tmp_path / "bounce.toml").write_text(BOUNCE)
    (tmp_path / "plan.toml").write_text('scenario = "bounce.toml"\n[grid]\n"body.mass" = [0.01, 0.02]\n[results]\ncolumns = ["energy.final"]\n')
    refused = carom("sweep", "plan.toml", "--out", "store", "--resume", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    rows = sqlite3.connect(store).execute("select count(*) from results").fetchone()
    assert rows == (1,) and len(before) > 0


def test_a_checkpoint_of_another_format_is_refused(carom, tmp_path):
    (tmp_path / "bounce.toml").write_text(BOUNCE)
    (tmp_path / "out").mkdir()
    for first in (b"carom checkpoint 0\n", b"carom checkpoint 2\n", b"carom checkpoint 1\n"):
        (tmp_path / "out" / "checkpoint.state").write_bytes(first + b"\0" * 400)
        refused = carom("run", "bounce.toml", "--out", "out", "--resume", "--quiet", cwd=tmp_path)
        assert refused.returncode == 2 and "checkpoint" in refused.stderr and refused.stderr.count("\n") == 1
