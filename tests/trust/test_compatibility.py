"""Files of 0.1 are read, or refused with a line that says why."""

import csv
import pathlib
import re
import shutil
import sqlite3

import pytest

from conftest import BOUNCE

OLD = pathlib.Path(__file__).parent / "old"
WRITTEN = OLD / "written"  # by the program of commit 1bab26c


def test_the_version_is_semantic(carom):
    assert re.fullmatch(r"\d+\.\d+\.\d+", carom("--version").stdout.strip())


@pytest.mark.parametrize("file", sorted(OLD.glob("*.toml")), ids=lambda file: file.stem)
def test_a_scenario_of_0_1_is_read_or_refused_with_its_key(carom, file):
    checked = carom("check", file)
    assert checked.returncode in (0, 1, 2), checked
    if checked.returncode == 2:
        for line in checked.stderr.splitlines():
            assert re.match(rf".*{file.name}:\d+:\d+: .*'[a-z_.]+'", line), line


def test_a_store_of_0_1_is_shown_and_not_mixed_with_another_version(carom, tmp_path):
    """A store that 0.1 wrote: two bounces, of 10 and 20 g."""
    (tmp_path / "store").mkdir()
    store = pathlib.Path(shutil.copy(WRITTEN / "sweep.sqlite", tmp_path / "store"))
    shown = carom("sweep", "show", tmp_path / "store", "--csv")
    assert shown.returncode == 0, shown
    rows = list(csv.DictReader(shown.stdout.splitlines()))
    assert [float(row["body.mass"]) for row in rows] == [0.01, 0.02]
    assert [float(row["energy.final"]) for row in rows] == [0.0012430783382913547, 0.002486156676582705]
    for file in ("plan.toml", "small.toml"):
        shutil.copy(WRITTEN / file, tmp_path)
    refused = carom("sweep", "plan.toml", "--out", "store", "--resume", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and "0.1.0" in refused.stderr, refused.stderr
    assert sqlite3.connect(store).execute("select count(*) from results").fetchone() == (2,)


def test_a_checkpoint_of_0_1_is_refused_with_both_versions(carom, tmp_path):
    shutil.copy(WRITTEN / "bounce.toml", tmp_path)
    (tmp_path / "out").mkdir()
    kept = pathlib.Path(shutil.copy(WRITTEN / "checkpoint.state", tmp_path / "out"))
    refused = carom("run", "bounce.toml", "--out", "out", "--resume", "--quiet", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    assert "0.1.0" in refused.stderr and carom("--version").stdout.strip() in refused.stderr
    assert kept.read_bytes() == (WRITTEN / "checkpoint.state").read_bytes()


def test_a_checkpoint_of_another_format_is_refused(carom, tmp_path):
    (tmp_path / "bounce.toml").write_text(BOUNCE)
    (tmp_path / "out").mkdir()
    for first in (b"carom checkpoint 0\n", b"carom checkpoint 2\n", b"carom checkpoint 1\n"):
        (tmp_path / "out" / "checkpoint.state").write_bytes(first + b"\0" * 400)
        refused = carom("run", "bounce.toml", "--out", "out", "--resume", "--quiet", cwd=tmp_path)
        assert refused.returncode == 2 and "checkpoint" in refused.stderr and refused.stderr.count("\n") == 1
