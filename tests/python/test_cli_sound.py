"""carom run --sound-only, --play, --watch, --note and carom render, as typed."""

import os
import signal
import subprocess
import time
import wave

import pytest

STRIKE = """kind = "strike"
[body]
mass = 0.02
speed = 1.5
[resonator]
modes = [{ frequency = 523.0, damping = 20.0, mass = 0.08, hit = 1.0, heard = 0.8 }]
[contact]
law = "hunt-crossley"
stiffness = 5e8
exponent = 1.5
mu = 0.3
[run]
duration = 0.1
[sound]
"""


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "strike.toml"
    file.write_text(STRIKE)
    return file


def player(folder, name="aplay", code=0):
    """A program that notes what it was given to play."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" >> "{folder}/played"\nexit {code}\n')
    file.chmod(0o755)
    return folder


def environment(path):
    return {**os.environ, "PATH": str(path)}


def test_sound_only_writes_nothing_else(carom_cli, scenario, tmp_path):
    result = carom_cli("run", scenario, "--out", tmp_path / "out", "--sound-only")
    assert result.returncode == 0
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["sound.wav", "summary.json"]
    assert "LUFS" in result.stderr and "dBFS" in result.stderr


def test_sound_only_needs_a_sound(carom_cli, scenario, tmp_path):
    scenario.write_text(STRIKE.replace("[sound]", ""))
    for flag in "--sound-only", "--play":
        result = carom_cli("run", scenario, "--out", tmp_path / "out", flag,
                           env=environment(player(tmp_path / "bin")))
        assert result.returncode == 2
        assert "no table [sound]" in result.stderr and result.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()


def test_play_hands_the_file_to_a_player(carom_cli, scenario, tmp_path):
    folder = player(tmp_path / "bin", "paplay")
    result = carom_cli("run", scenario, "--out", tmp_path / "out",
                       "--sound-only", "--play", env=environment(folder))
    assert result.returncode == 0
    assert (folder / "played").read_text().strip() == str(tmp_path / "out" / "sound.wav")


def test_play_without_a_player_is_refused_before_the_run(carom_cli, scenario, tmp_path):
    (tmp_path / "empty").mkdir()
    result = carom_cli("run", scenario, "--out", tmp_path / "out", "--play",
                       env=environment(tmp_path / "empty"))
    assert result.returncode == 2
    assert "aplay, paplay, play" in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_play_says_when_the_player_fails(carom_cli, scenario, tmp_path):
    folder = player(tmp_path / "bin", code=3)
    result = carom_cli("run", scenario, "--out", tmp_path / "out",
                       "--sound-only", "--play", env=environment(folder))
    assert result.returncode == 1
    assert "aplay could not play" in result.stderr


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_watch_runs_again_when_the_file_is_saved(program, scenario, tmp_path):
    log = tmp_path / "log"
    with log.open("w") as err:
        process = subprocess.Popen([program, "run", scenario, "--out", tmp_path / "out",
                                    "--sound-only", "--watch"], stderr=err, stdout=err)
    seen = lambda text: log.read_text().count(text)
    try:
        wait_for(lambda: seen("watching") == 1)
        first = (tmp_path / "out" / "sound.wav").read_bytes()
        scenario.write_text(STRIKE.replace("523.0", "700.0"))
        wait_for(lambda: seen("watching") == 2)
        assert (tmp_path / "out" / "sound.wav").read_bytes() != first
        scenario.write_text(STRIKE.replace("mass = 0.02", "mass = -1"))  # a slip does not end it
        wait_for(lambda: seen("watching") == 3)
        assert seen("error") == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
    finally:
        process.kill()
        process.wait()


def test_note_tunes_what_has_a_pitch_to_set(carom_cli, scenario, tmp_path):
    result = carom_cli("run", scenario, "--out", tmp_path / "out", "--note", "D2")
    assert result.returncode == 2 and "no meaning without resonator.type" in result.stderr
    string = tmp_path / "string.toml"
    assert carom_cli("new", "string", string).returncode == 0
    result = carom_cli("run", string, "--note", "X9", "--out", tmp_path / "out")
    assert result.returncode == 2 and "X9" in result.stderr and result.stderr.count("\n") == 1


def test_render_writes_layers_and_a_map(carom_cli, scenario, tmp_path):
    out = tmp_path / "samples"
    result = carom_cli("render", scenario, "--out", out, "--velocities", "0.2,1")
    assert result.returncode == 0, result.stderr
    assert sorted(f.name for f in out.iterdir()) == ["strike.sfz", "strike_C4_v1.wav", "strike_C4_v2.wav"]
    for name in "strike_C4_v1.wav", "strike_C4_v2.wav":
        with wave.open(str(out / name)) as sound:
            assert (sound.getframerate(), sound.getsampwidth(), sound.getnchannels()) == (44100, 3, 1)
    regions = [line for line in (out / "strike.sfz").read_text().splitlines() if "<region>" in line]
    keys = [dict(word.split("=") for word in line.split()[1:]) for line in regions]
    assert [(k["lovel"], k["hivel"]) for k in keys] == [("1", "76"), ("77", "127")]
    for bad, message in (["--velocities", "loud"], "number"), (["--notes", "D2"], "without resonator.type"):
        result = carom_cli("render", scenario, "--out", tmp_path / "no", *bad)
        assert result.returncode == 2 and message in result.stderr
        assert not (tmp_path / "no").exists()


def test_a_kind_without_sound_says_so(carom_cli, tmp_path):
    for kind, message in ("pendulums", "kind pendulums has no sound"), ("assembly", "sound.body="):
        scenario = tmp_path / (kind + ".toml")
        assert carom_cli("new", kind, scenario).returncode == 0
        result = carom_cli("run", scenario, "--out", tmp_path / "out", "--sound-only")
        assert result.returncode == 2
        assert message in result.stderr and result.stderr.count("\n") == 1


def test_an_empty_flag_is_no_flag_left_out(carom_cli, scenario, tmp_path):
    for arguments in (["run", scenario, "--note", ""], ["render", scenario, "--notes", ""],
                      ["render", scenario, "--velocities", ""]):
        result = carom_cli(*arguments, "--out", tmp_path / "out")
        assert result.returncode == 2
        assert "must not be empty" in result.stderr and result.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()
