"""Every command ends by itself, or shows progress and ends within a second of Ctrl-C or SIGTERM.

The second is of processor time, so that a busy machine does not fail the test.
"""

import os
import signal
import subprocess
import time

import pytest

from conftest import BOUNCE, STRING

SPARSE = "[output]\nevery = 1000000\n"
LONG_BOUNCE = BOUNCE.replace("impacts = 10", "duration = 1e4").replace("44100.0", "1e6") + SPARSE
LONG_STRING = STRING.replace("0.02\n", "1e4\n") + SPARSE
ASSEMBLY = """kind = "assembly"
[[body]]
name = "floor"
type = "driven"
amplitude = 1e-3
frequency = 50.0
[[body]]
name = "ball"
mass = 0.01
position = 0.01
[[contact]]
between = ["floor", "ball"]
distance = 0.005
law = "hunt-crossley"
stiffness = 1e6
mu = 0.2
[space]
gravity = 9.81
[run]
rate = 1e5
duration = 1e4
[output]
every = 100000
"""
# Seconds of work between two samples: the answer comes from inside a step.
BAR = """kind = "bar"
[bar]
segments = 6
angle = 8.671
height = 0.00636
speed = 1e30
[contact]
law = "power-law"
stiffness = 1.44e8
exponent = 1.1142
[run]
step = 1.6e-06
duration = 1.1e-04
method = "event-driven"
"""
# The run takes no time; what the report advises comes of trial impacts, each followed for thousands
# of samples, for by this method the contact never ends.
ADVISED = """kind = "bounce"
[body]
mass = 5.36286e-01
speed = 2.43220e-01
gravity = 5.74100
[contact]
law = "hertz-damper"
stiffness = 3.93310e+04
exponent = 2.1018
damping = 1.18715e+02
[run]
rate = 1932.58
duration = 0.01
method = "discrete-gradient"
events = "sample"
correct = "project"
"""
PLAN = 'scenario = "string.toml"\n[grid]\n"pluck.height" = { from = 1e-4, to = 1e-3, count = 5000 }\n[results]\ncolumns = ["energy.final"]\n'


@pytest.fixture(scope="session")
def huge(tmp_path_factory):
    path = tmp_path_factory.mktemp("huge") / "huge.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("time,force\n")
        for block in range(40):
            file.write("".join(f"{1e-6 * (block * 10000 + i)},{(i * 7919) % 101}\n" for i in range(10000)))
    return path


@pytest.fixture
def files(tmp_path, huge):
    (tmp_path / "bounce.toml").write_text(LONG_BOUNCE)
    (tmp_path / "string.toml").write_text(LONG_STRING)
    (tmp_path / "assembly.toml").write_text(ASSEMBLY)
    (tmp_path / "bar.toml").write_text(BAR)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "huge.csv").symlink_to(huge)
    return tmp_path


# What is too long to wait for, or ends by itself.
COMMANDS = [
    ["run", "bounce.toml", "--out", "out"],
    ["run", "string.toml", "--out", "out", "--checkpoint", "60"],
    ["run", "assembly.toml", "--out", "out"],
    ["run", "bar.toml", "--out", "out"],
    ["compare", "string.toml", "--out", "out"],
    ["order", "bounce.toml", "--out", "out"],
    ["divergence", "assembly.toml", "--out", "out"],
    ["check", "string.toml"],
    ["sweep", "plan.toml", "--out", "store"],
    ["sweep", "plan.toml", "--dry-run"],
    ["papers", "all", "--out", "out"],
    ["identify", "huge.csv", "--mass", "0.01"],
]


def processor_seconds(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command[:2]))
def test_an_interruption_is_answered_within_a_second(carom, files, command, ending):
    running = carom.start(*command, cwd=files, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while running.poll() is None and processor_seconds(running) < 0.4 and time.monotonic() < deadline:
            time.sleep(0.05)
        if running.poll() is not None:
            return  # it ends by itself in less
        spent = processor_seconds(running)
        running.send_signal(ending)
        while running.poll() is None:
            if processor_seconds(running) - spent > 1.0 or time.monotonic() > deadline:
                pytest.fail(f"{command} goes on after the signal")
            time.sleep(0.02)
        # What the identification of noise ends with by itself, which may be just then.
        by_itself = (2,) if command[0] == "identify" else ()
        assert running.returncode in (-ending, 128 + ending, 130, *by_itself), running.returncode
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    partial = [path for path in files.rglob(".carom-partial-*")]
    assert partial == [], "a partial result was left behind"


def test_a_run_that_has_ended_keeps_its_results_when_its_advice_is_interrupted(carom, tmp_path):
    (tmp_path / "bounce.toml").write_text(ADVISED)
    running = carom.start("run", "bounce.toml", "--out", "out", cwd=tmp_path)
    while running.poll() is None and processor_seconds(running) < 0.5:
        time.sleep(0.02)
    spent = processor_seconds(running) if running.poll() is None else 0
    running.send_signal(signal.SIGTERM)
    while running.poll() is None:
        if processor_seconds(running) - spent > 1.0:
            running.kill()
            pytest.fail("the advice goes on after the signal")
        time.sleep(0.02)
    running.communicate()
    assert (tmp_path / "out" / "summary.json").exists()


def test_what_an_interrupted_run_has_is_kept(carom, files):
    command = ["run", "string.toml", "--out", "out", "--checkpoint", "0.05"]
    running = carom.start(*command, cwd=files)
    for _ in range(1200):
        if (files / "out" / "checkpoint.state").exists():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert "--resume" in said
    assert (files / "out" / "checkpoint.state").exists()


def test_long_work_shows_progress_on_a_terminal(carom, files):
    import pty

    master, slave = pty.openpty()
    running = subprocess.Popen([carom.program, "run", "string.toml", "--out", "out"], cwd=files, stdout=slave, stderr=slave)
    os.close(slave)
    said = b""
    deadline = time.monotonic() + 60
    while b"%" not in said and time.monotonic() < deadline and running.poll() is None:
        said += os.read(master, 4096)
    running.send_signal(signal.SIGINT)
    running.wait(60)
    os.close(master)
    assert b"%" in said, said
