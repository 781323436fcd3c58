"""carom export, score and modes: what they promise, beside the engines themselves where they are installed."""

import json
import math
import pathlib
import subprocess
import sys
import wave

import numpy as np
import pytest

import carom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "engines"))
import engines  # noqa: E402

ENGINES = "mujoco drake bullet ode sdf simbody chrono physx rapier jolt box2d exudyn dart yade lammps adams modelica".split()


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def document(program, *arguments, code=0):
    result = run(program, *arguments, "--json")
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout)


def refused(program, *arguments):
    result = run(program, *arguments)
    assert result.returncode == 2 and result.stdout == "", result
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr


CONTRACT = ["--law", "kelvin-voigt", "--mass", 0.01, "--speed", 1, "--restitution", 0.6, "--contact-time", 5e-3]


def test_list_has_every_engine(program):
    assert [one["engine"] for one in document(program, "export", "--list")["engines"]] == ENGINES


@pytest.mark.parametrize("engine", ENGINES)
def test_document_has_what_is_promised(program, engine):
    found = document(program, "export", "--to", engine, *CONTRACT, "--timestep", 5e-4)
    assert set(found) >= {"engine", "version_checked", "parameters", "snippet", "expected", "kept", "lost", "warnings"}
    assert set(found["expected"]) >= {"restitution", "contact_time", "wanted_restitution", "wanted_contact_time"}
    assert found["expected"]["wanted_restitution"] == pytest.approx(0.6, rel=1e-9)
    assert found["snippet"] and found["parameters"]


# What an engine of single precision and 16 phases in place of 64 can differ by.
@pytest.mark.parametrize("timestep", [5e-3, 1e-3, 1e-4])
@pytest.mark.parametrize("engine", ["mujoco", "bullet", "ode", "simbody", "rapier", "jolt", "box2d", "physx", "mujoco-3"])
def test_engines_do_what_is_predicted(program, engine, timestep):
    reason = engines.available(engine)
    if reason:
        pytest.skip(reason)
    for restitution in (0.5, 0.8):
        found = engines.export(program, engine.removesuffix("-3"), restitution, timestep)
        if engine == "physx" and found["setting"] == "spring":
            pytest.skip("its JavaScript cannot set a damping")
        measured = engines.measure(engine, found["parameters"], timestep)
        assert measured["restitution"] == pytest.approx(found["expected"]["restitution"], abs=2e-3)
        # Simbody takes steps of its own: a contact is read on the grid only.
        slack = 1.5 * timestep if engine == "simbody" else 0.02 * found["expected"]["contact_time"]
        assert measured["contact_time"] == pytest.approx(found["expected"]["contact_time"], abs=slack)


def test_springs_keep_wanted_restitution_in_the_engine(program):
    """The exported spring is at least ten times closer than the textbook's."""
    if engines.available("ode"):
        pytest.skip(engines.available("ode"))
    found = engines.export(program, "ode", 0.8, 1e-3)
    exported = engines.measure("ode", found["parameters"], 1e-3)["restitution"]
    naive = engines.measure("ode", found["naive"]["parameters"], 1e-3)["restitution"]
    assert abs(exported - 0.8) < 0.1 * abs(naive - 0.8)


def test_fit_and_scenario_are_sources(program, tmp_path):
    rows = ["speed,restitution,contact_time"]
    law = carom.HuntCrossley(1e7, 1.5, mu=0.1)
    rng = np.random.default_rng(1)
    for speed in np.linspace(0.5, 4, 12):
        hit = carom.impact(law, mass=0.2, speed=speed)
        rows.append(f"{speed},{hit.restitution * (1 + 0.003 * rng.normal())},{hit.contact_time * (1 + 0.003 * rng.normal())}")
    (tmp_path / "impacts.csv").write_text("\n".join(rows))
    fit = tmp_path / "fit.json"
    run(program, "identify", tmp_path / "impacts.csv", "--law", "hunt-crossley", "--mass", 0.2, "-o", fit)
    found = document(program, "export", "--to", "drake", "--fit", fit)
    assert 0 < found["expected"]["restitution"] < 1
    assert carom.export("drake", str(fit)) == found
    assert "law" in refused(program, "export", "--to", "drake", "--fit", fit, "--mu", 1)
    subprocess.run([program, "new", "impact"], cwd=tmp_path, check=True, capture_output=True)
    scenario = tmp_path / "impact.toml"
    found = document(program, "export", "--to", "simbody", scenario)
    assert found["lost"] == "nothing that an impact shows"
    subprocess.run([program, "new", "string"], cwd=tmp_path, check=True, capture_output=True)
    assert "impact, bounce, pair" in refused(program, "export", "--to", "simbody", tmp_path / "string.toml")


def test_bad_requests_are_one_line(program, tmp_path):
    assert "did you mean 'mujoco'" in refused(program, "export", "--to", "mujocco", *CONTRACT)
    assert "--timestep" in refused(program, "export", "--to", "mujoco", *CONTRACT)
    assert "--to" in refused(program, "export", *CONTRACT)
    for value in ("nan", "-1", "0", "inf"):
        refused(program, "export", "--to", "mujoco", *CONTRACT, "--timestep", value)
    refused(program, "export", "--to", "drake", "--law", "newton", "--restitution", 0.5, "--speed", 1)
    refused(program, "export", "--to", "jolt", *CONTRACT, "--setting", "spring")
    refused(program, "export", "--to", "drake", "--fit", tmp_path / "none.json")
    (tmp_path / "junk.json").write_text("{}")
    refused(program, "export", "--to", "drake", "--fit", tmp_path / "junk.json")


def test_python_takes_laws_and_numbers():
    law = carom.HuntCrossley(1e5, 1.5, mu=0.5)
    found = carom.export("simbody", law, mass=0.01, speed=1.0)
    assert found["expected"]["restitution"] == pytest.approx(carom.impact(law, mass=0.01, speed=1.0).restitution)
    assert carom.export("jolt", restitution=0.8, speed=1.0)["parameters"]["mRestitution"] == 0.8
    with pytest.raises(ValueError, match="timestep"):
        carom.export("ode", law, mass=0.01, speed=1.0)
    with pytest.raises(ValueError):
        carom.export("ode")


# score: a trajectory of the exact law, sampled finely and coarsely, and of a careless program.

LAW = dict(stiffness=4000.0, damping=0.5, mass=0.01, speed=1.0)
SCORE = ["--law", "kelvin-voigt", "--mass", 0.01, "--stiffness", 4000, "--damping", 0.5]


def trajectory(step, phase=0.3, gravity=0.0):
    """Free flight, the exact contact, free flight."""
    hit = carom.impact(carom.KelvinVoigt(4000.0, damping=0.5), mass=0.01, speed=1.0)
    times = np.arange(-4 + phase, 40 + hit.contact_time / step) * step
    x, v, _ = hit.at(np.clip(times, 0, hit.contact_time))
    before, after = times < 0, times > hit.contact_time
    x[before], v[before] = times[before] * 1.0, 1.0
    out = -hit.rebound_speed
    v[after] = out
    x[after] = hit.separation_compression + out * (times[after] - hit.contact_time)
    return times, x, v, hit


def write(path, times, x, v, header="time,position,velocity"):
    path.write_text(header + "\n" + "\n".join(f"{a!r},{b!r},{c!r}" for a, b, c in zip(times.tolist(), x.tolist(), v.tolist())))
    return path


@pytest.mark.parametrize("step", [1e-5, 2e-4, 1e-3, 4e-3, 2e-2])
def test_exact_trajectory_agrees_at_any_sampling(program, tmp_path, step):
    times, x, v, hit = trajectory(step)
    found = document(program, "score", write(tmp_path / "t.csv", times, x, v), *SCORE)
    assert found["verdict"] == "agrees" and len(found["impacts"]) == 1
    one = found["impacts"][0]
    assert one["restitution"] == pytest.approx(hit.restitution, abs=1e-9)
    assert one["exact_restitution"] == pytest.approx(hit.restitution, abs=1e-9)
    assert one["time"] == pytest.approx(0, abs=1e-9)
    assert abs(one["contact_time"] - one["exact_contact_time"]) <= 1.01 * step
    assert abs(one["energy_gain"]) < 1e-9


def test_careless_programs_are_told(program, tmp_path):
    def stepped(h, implicit):
        x, v, rows = -1.5 * h, 1.0, []
        for n in range(int(0.03 / h)):
            rows.append((n * h, x, v))
            if x > 0:
                if implicit:
                    after = (v - h * 4e5 * x) / (1 + h * 50 + h * h * 4e5)
                    v = min(v, after)
                else:
                    v -= h * max(0.0, 4e5 * x + 50 * v)
            x += h * v
        return (np.array(column) for column in zip(*rows))

    lossy = document(program, "score", write(tmp_path / "a.csv", *stepped(1e-3, True)), *SCORE, code=1)
    assert lossy["verdict"] == "differs" and lossy["impacts"][0]["energy_gain"] < 0
    gains = document(program, "score", write(tmp_path / "b.csv", *stepped(4e-3, False)), *SCORE, code=1)
    assert gains["verdict"] == "gains energy" and gains["impacts"][0]["energy_gain"] > 0
    fine = document(program, "score", write(tmp_path / "c.csv", *stepped(1e-6, False)), *SCORE)
    assert fine["verdict"] == "agrees"


def test_bounces_by_newtons_law_under_gravity(program, tmp_path):
    g, e, x, v, rows, h = 9.81, 0.8, -0.2, 0.0, [], 1e-3
    for n in range(1500):
        rows.append((n * h, x, v))
        x, v = x + v * h + g * h * h / 2, v + g * h
        if x > 0 and v > 0:
            v = -e * v
    found = document(program, "score", write(tmp_path / "n.csv", *(np.array(c) for c in zip(*rows))), "--law", "newton",
                     "--restitution", 0.8, "--mass", 1)
    assert len(found["impacts"]) >= 3 and found["verdict"] == "agrees"


def test_junk_trajectories_are_one_line(program, tmp_path):
    times, x, v, _ = trajectory(1e-4)
    file = tmp_path / "t.csv"
    write(file, times, -x, -v)
    assert "x > 0 inside" in refused(program, "score", file, *SCORE)
    write(file, times, x, v, "time,position,temperature")
    assert "velocity" in refused(program, "score", file, *SCORE)
    write(file, times[::-1], x, v)
    refused(program, "score", file, *SCORE)
    write(file, times, x, np.random.default_rng(1).normal(size=len(v)))
    refused(program, "score", file, *SCORE)
    file.write_bytes(bytes(range(256)) * 20)
    refused(program, "score", file, *SCORE)
    file.write_text("")
    refused(program, "score", file, *SCORE)
    refused(program, "score", tmp_path / "none.csv", *SCORE)
    refused(program, "score", tmp_path, *SCORE)
    refused(program, "score", write(file, times, x, v), "--law", "kelvin-voigt", "--mass", 0.01)


def test_score_in_python():
    times, x, v, hit = trajectory(1e-4)
    found = carom.score(carom.KelvinVoigt(4000.0, damping=0.5), times, x, v, 0.01)
    assert found["verdict"] == "agrees"


# modes

BELL = [(440.0, 1.2, 1.0), (443.0, 0.9, 0.6), (1210.0, 0.5, 0.4)]


def rung(rate=16000, duration=1.2, noise=1e-3):
    t = np.arange(int(rate * duration)) / rate
    sound = sum(a * np.exp(-math.log(1000) * t / t60) * np.cos(2 * np.pi * f * t) for f, t60, a in BELL)
    return rate, np.concatenate([np.zeros(500), sound]) + noise * np.random.default_rng(1).normal(size=len(t) + 500)


def write_wav(path, rate, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((samples / 2.5 * 32767).astype("<i2").tobytes())
    return path


def check_bell(modes):
    assert len(modes) == len(BELL)
    for mode, (frequency, t60, gain) in zip(modes, BELL):
        assert mode["frequency"] == pytest.approx(frequency, abs=0.05)
        assert mode["t60"] == pytest.approx(t60, rel=0.02)
        assert mode["gain"] == pytest.approx(gain, rel=0.03)


def test_modes_of_a_recording_are_a_table_for_strike_and_body(program, tmp_path):
    sound = write_wav(tmp_path / "bell.wav", *rung())
    found = document(program, "modes", sound, "-o", tmp_path / "modes.csv")
    check_bell(found["modes"])
    assert all(mode["frequency_sd"] > 0 and mode["t60_sd"] > 0 for mode in found["modes"])
    (tmp_path / "strike.toml").write_text(
        'kind = "strike"\n[body]\nmass = 0.01\nspeed = 1.0\n[resonator]\nfile = "modes.csv"\n'
        '[contact]\nlaw = "hunt-crossley"\nstiffness = 1e8\nmu = 0.1\n[run]\nduration = 0.05\n')
    (tmp_path / "body.toml").write_text(
        'kind = "body"\n[body]\ntype = "table"\nfile = "modes.csv"\n[strike]\nx = 1\nimpulse = 0.01\n'
        "[output]\npoints = [2]\n[run]\nduration = 0.05\n")
    for scenario in ("strike.toml", "body.toml"):
        result = run(program, "check", tmp_path / scenario)
        assert result.returncode == 0, result.stderr


def test_modes_of_tables(program, tmp_path):
    file = tmp_path / "modes.csv"
    for text in ("frequency,t60,gain\n440,1.2,1\n443,0.9,0.6\n1210,0.5,0.4\n",
                 "f (Hz);T60 (s);gain\n440;1,2;1\n443;0,9;0,6\n1210;0,5;0,4\n"):
        file.write_text(text)
        check_bell(document(program, "modes", file)["modes"])
    for text in ("frequency,gain\n440,1\n", "frequency,t60\n440,0\n", "frequency,t60\n-4,1\n", "frequency,t60\n440,x\n",
                 "a,b\n1,2\n", "", "frequency,t60\n"):
        file.write_text(text)
        refused(program, "modes", file)


def universal_55(modes, analysis=2):
    text = ""
    for number, (frequency, zeta, shape) in enumerate(modes, 1):
        text += "    -1\n    55\n" + "NONE\n" * 5
        text += f"{1:10d}{analysis:10d}{2:10d}{8:10d}{2:10d}{3:10d}\n{2:10d}{4:10d}{1:10d}{number:10d}\n"
        text += f"{frequency:13.5E}{0.5:13.5E}{zeta:13.5E}{0:13.5E}\n"
        for node, value in enumerate(shape, 11):
            text += f"{node:10d}\n{0:13.5E}{0:13.5E}{value:13.5E}\n"
        text += "    -1\n"
    return text


def test_modes_of_universal_files(program, tmp_path):
    file = tmp_path / "modes.uff"
    file.write_text(universal_55([(100.0, 0.01, [1, 0.5]), (250.0, 0.02, [-1, 0.7])]))
    found = document(program, "modes", file)
    first = found["modes"][0]
    assert first["frequency"] == 100 and first["mass"] == 0.5
    assert first["damping"] == pytest.approx(2 * math.pi * 100 * 0.01)
    assert (first["point_1"], first["point_2"], found["modes"][1]["point_1"]) == (1, 0.5, -1)
    file.write_text(universal_55([(100.0, 0.01, [1])], analysis=4))
    assert "no mode" in refused(program, "modes", file)
    for cut in (40, 100, 150, 200):
        file.write_text(universal_55([(100.0, 0.01, [1, 0.5])])[:cut])
        refused(program, "modes", file)
    # The same bell as a measured response in time.
    rate, samples = rung()
    text = "    -1\n    58\n" + "NONE\n" * 5
    text += f"{1:5d}{0:10d}{1:5d}{0:10d} NONE      {1:10d}{3:4d} NONE      {1:10d}{3:4d}\n"
    text += f"{2:10d}{len(samples):10d}{1:10d}{0:13.5E}{1 / rate:13.5E}{0:13.5E}\n" + f"{17:10d}{0:5d}{0:5d}{0:5d} NONE NONE\n" * 4
    for i in range(0, len(samples), 6):
        text += "".join(f"{value:13.5E}" for value in samples[i:i + 6]) + "\n"
    file.write_text(text + "    -1\n")
    check_bell(document(program, "modes", file)["modes"])
    file.write_text(text)
    refused(program, "modes", file)


def test_modes_of_silence_noise_and_junk_are_refused(program, tmp_path):
    file = tmp_path / "x.wav"
    write_wav(file, 16000, np.zeros(5000))
    refused(program, "modes", file)
    write_wav(file, 16000, np.ones(50))
    refused(program, "modes", file)
    file.write_bytes(b"RIFF" + bytes(100))
    refused(program, "modes", file)
    refused(program, "modes", tmp_path / "none.wav")
    refused(program, "modes", tmp_path)


def test_modes_in_python():
    rate, samples = rung()
    found = carom.identify_modes(samples, rate)
    assert [round(mode["frequency"]) for mode in found] == [440, 443, 1210]
