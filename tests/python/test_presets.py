"""Every preset runs, is audible and begins and ends without a click."""

import json
import wave

import numpy as np
import pytest

import carom


@pytest.mark.parametrize("name", carom.presets())
def test_preset(carom_cli, tmp_path, name):
    file = tmp_path / "preset.toml"
    kind, summary = carom.presets()[name]
    written = carom_cli("new", kind, file, "--preset", name)
    assert written.returncode == 0, written.stderr
    text = file.read_text()
    assert text == carom.new_scenario(preset=name) and text.startswith(f"# {summary}\n")
    done = carom_cli(
        "run", file, "--out", tmp_path / "out", "--sound-only", "--json", "--quiet",
        "--set", "sound.bits=16"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sound = json.loads(done.stdout)["sound"]
    assert sound["loudness_lufs"] > -45, sound
    assert 0.3 < sound["seconds"] < 10
    with wave.open(str(tmp_path / "out" / "sound.wav")) as audio:
        width, channels = audio.getsampwidth(), audio.getnchannels()
        data = np.frombuffer(audio.readframes(audio.getnframes()), dtype=f"<i{width}")
    samples = data.reshape(-1, channels) / 2.0 ** (8 * width - 1)
    assert np.abs(samples).max() > 0.5
    assert np.abs(samples[0]).max() < 2e-3 and np.abs(samples[-1]).max() < 1e-3
    # A click is a step: no jump at either end is out of proportion to those inside.
    jumps = np.abs(np.diff(samples, axis=0)).max(axis=1)
    assert jumps[-20:].max() < 0.01


def test_listed_and_refused(carom_cli):
    listed = carom_cli("new", "--presets")
    assert listed.returncode == 0
    assert all(name in listed.stdout for name in carom.presets())
    assert len(carom.presets()) >= 12
    assert {kind for kind, _ in carom.presets().values()} >= {"strike", "body", "string", "bounce"}
    for arguments, said in [
        (("strike", "--preset", "glas-on-ceramic"), "glass-on-ceramic"),
        (("string", "--preset", "marimba"), "is of kind strike"),
    ]:
        done = carom_cli("new", *arguments)
        assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_rolling_follows_its_seed(carom_cli, tmp_path):
    file = tmp_path / "roll.toml"
    file.write_text(carom.new_scenario(preset="rolling-marble"))
    sounds = []
    for run, seed in enumerate((1, 1, 2)):
        out = tmp_path / str(run)
        done = carom_cli(
            "run", file, "--out", out, "--sound-only", "--quiet",
            "--set", "run.duration=0.3", "--set", f"seed={seed}"
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        sounds.append((out / "sound.wav").read_bytes()[-4000:])
    assert sounds[0] == sounds[1] != sounds[2]


@pytest.mark.parametrize(
    "change, said",
    [
        ("body.force=0", "body.force"),
        ("roughness.speed=50", "shortest"),
        ("roughness.longest=1e-5", "longest"),
        ("roughness.motion=slide", "is unknown; known"),
    ],
)
def test_what_cannot_roll_is_refused(carom_cli, tmp_path, change, said):
    file = tmp_path / "roll.toml"
    file.write_text(carom.new_scenario(preset="rolling-marble"))
    done = carom_cli("check", file, "--set", change)
    assert done.returncode == 2 and said in done.stderr
