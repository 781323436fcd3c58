"""Disks that are full, folders that may not be written, files that are damaged or somebody else's:
exit 2 with one line, and what was there before is there still."""

import hashlib
import json
import os
import resource
import sqlite3
import stat
import subprocess

import pytest

from conftest import BOUNCE

# Who may do everything is refused nothing; tests of permission run as nobody then.
NOBODY = 65534


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def limited(kilobytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))

    return limit


def unprivileged():
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def one_line(result):
    assert result.returncode == 2, result
    assert result.stderr.count("\n") == 1 and "carom: error:" in result.stderr, result.stderr
    return result.stderr


@pytest.fixture
def earlier(carom, bounce):
    """A folder with the results of a run that went well."""
    out = bounce.parent / "out"
    assert carom("run", bounce, "--out", out, "--quiet").returncode == 0
    return out


@pytest.mark.parametrize("kilobytes", [0, 1, 20, 100])
@pytest.mark.parametrize("form", ["csv", "hdf5"])
def test_a_disk_that_fills_up_leaves_earlier_results(carom, bounce, earlier, kilobytes, form):
    before = contents(earlier)
    failed = carom("run", bounce, "--out", earlier, "--quiet", "--format", form, "--set", "run.impacts=40",
                   preexec_fn=limited(kilobytes))  # fmt: skip
    assert "out" in one_line(failed) or "cannot" in failed.stderr
    assert contents(earlier) == before, "earlier results were touched"


def test_a_sweep_on_a_full_disk_stops_and_goes_on(carom, bounce):
    folder = bounce.parent
    (folder / "plan.toml").write_text('scenario = "bounce.toml"\n[grid]\n"body.mass" = { from = 0.01, to = 1.0, count = 400 }\n[results]\ncolumns = ["energy.final"]\n')
    full = carom("sweep", "plan.toml", "--out", "store", "--quiet", cwd=folder, preexec_fn=limited(60))
    one_line(full)
    again = carom("sweep", "plan.toml", "--out", "store", "--quiet", "--resume", cwd=folder)
    assert again.returncode == 0, again.stderr
    rows = sqlite3.connect(folder / "store" / "sweep.sqlite").execute("select count(*) from results").fetchone()
    assert rows == (400,)


def test_standard_output_that_is_full_is_an_error(carom, bounce):
    for command in (["laws"], ["methods"], ["check", bounce], ["new", "bounce", "-"], ["completion", "zsh"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([carom.program, *map(str, command)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2, command
        assert "standard output" in done.stderr or "No space" in done.stderr, done.stderr


def test_a_folder_without_permission_is_named(carom, bounce):
    locked = bounce.parent / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    for path in (bounce.parent, *bounce.parent.parents):
        try:
            path.chmod(path.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
        except PermissionError:
            break
    text = one_line(carom("run", bounce, "--out", locked / "out", "--quiet", preexec_fn=unprivileged, cwd="/"))
    assert "locked" in text and "ermission" in text
    assert list(locked.iterdir()) == []


def test_an_input_file_without_permission_is_named(carom, bounce):
    secret = bounce.parent / "secret.toml"
    secret.write_text(BOUNCE)
    secret.chmod(0)
    for path in (bounce.parent, *bounce.parent.parents):
        try:
            path.chmod(path.stat().st_mode | stat.S_IXOTH)
        except PermissionError:
            break
    refused = carom("check", secret, preexec_fn=unprivileged, cwd="/")
    assert refused.returncode == 2 and "secret.toml" in refused.stderr and refused.stderr.count("\n") == 1


def test_a_file_system_that_is_read_only_is_named(carom, bounce):
    one_line(carom("run", bounce, "--out", "/proc/carom-out", "--quiet"))


def test_a_file_in_place_of_the_folder_is_refused(carom, bounce):
    (bounce.parent / "out").write_text("precious")
    assert "folder" in one_line(carom("run", bounce, "--out", bounce.parent / "out", "--quiet"))
    assert (bounce.parent / "out").read_text() == "precious"


@pytest.mark.parametrize("damage", ["truncated", "zeros", "flipped", "foreign", "empty"])
def test_a_damaged_checkpoint_is_refused(carom, bounce, damage):
    out = bounce.parent / "out"
    long = ["run", bounce, "--out", out, "--quiet", "--set", "run.impacts=4000", "--set", "contact.mu=0",
            "--set", "run.rate=1e6", "--checkpoint", "0.05"]  # fmt: skip
    running = carom.start(*long)
    try:
        state = out / "checkpoint.state"
        for _ in range(600):
            if state.exists() or running.poll() is not None:
                break
            try:
                running.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
        running.kill()
        running.communicate()
        assert state.exists(), "the run ended before its first checkpoint"
    finally:
        running.kill()
    data = bytearray(state.read_bytes())
    if damage == "truncated":
        data = data[: len(data) // 2]
    elif damage == "zeros":
        data = bytearray(len(data))
    elif damage == "flipped":
        data[len(data) // 2] ^= 0x40
    elif damage == "foreign":
        data = bytearray(b"PK\x03\x04 something else entirely")
    else:
        data = bytearray()
    state.write_bytes(bytes(data))
    refused = carom(*long, "--resume")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    assert "checkpoint" in refused.stderr


@pytest.mark.parametrize("damage", ["truncated", "foreign", "text", "folder"])
def test_a_damaged_store_is_refused_and_left_alone(carom, bounce, damage):
    folder = bounce.parent
    (folder / "plan.toml").write_text('scenario = "bounce.toml"\n[grid]\n"body.mass" = [0.01, 0.02]\n[results]\ncolumns = ["energy.final"]\n')
    assert carom("sweep", "plan.toml", "--out", "store", "--quiet", cwd=folder).returncode == 0
    store = folder / "store" / "sweep.sqlite"
    if damage == "truncated":
        store.write_bytes(store.read_bytes()[:3000])
    elif damage == "foreign":
        store.unlink()
        other = sqlite3.connect(store)
        other.execute("create table mine (a)")
        other.commit()
        other.close()
    elif damage == "text":
        store.write_text("dear diary")
    else:
        store.unlink()
        store.mkdir()
    before = store.read_bytes() if store.is_file() else None
    for command in (["sweep", "plan.toml", "--out", "store", "--resume", "--quiet"], ["sweep", "show", "store"]):
        refused = carom(*command, cwd=folder)
        assert refused.returncode == 2, (command, refused)
        assert refused.stderr.count("\n") == 1, refused.stderr
    if before is not None:
        assert store.read_bytes() == before


def test_two_runs_into_one_folder_leave_one_whole_result(carom, bounce):
    out = bounce.parent / "out"
    runs = [carom.start("run", bounce, "--out", out, "--quiet", "--set", f"seed={seed}") for seed in (1, 2, 3)]
    assert [run.wait(120) for run in runs] == [0, 0, 0]
    summary = json.loads((out / "summary.json").read_text())
    assert set(summary["files"]) == {path.name for path in out.iterdir()}
