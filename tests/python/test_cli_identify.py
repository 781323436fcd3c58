"""carom identify from data files: a series of impacts, a force trace, a recording of bounces."""

import json
import re
import struct
import wave

import numpy
import pytest

import carom


def identified(carom_cli, folder, *arguments, code=0):
    result = carom_cli("identify", *arguments, "--json", cwd=folder)
    assert result.returncode == code, result.stderr + result.stdout
    return json.loads(result.stdout)


def impact_of(mu, speed, stiffness=3e7, exponent=1.5, mass=0.2):
    law = carom.HuntCrossley(stiffness=stiffness, exponent=exponent, mu=mu)
    return carom.impact(law, mass=mass, speed=speed)


def test_a_series_of_impacts_gives_the_law_and_its_uncertainty(carom_cli, tmp_path):
    random = numpy.random.default_rng(1)
    rows = ["speed,restitution,contact_time,restitution_sd,contact_time_sd"]
    for speed in (0.5, 1, 2, 3, 5, 8):
        hit = impact_of(0.15, speed)
        time = hit.contact_time * (1 + 0.005 * random.standard_normal())
        rows.append(f"{speed},{hit.restitution + 0.005 * random.standard_normal()},{time},0.005,{0.005 * time}")
    (tmp_path / "impacts.csv").write_text("\n".join(rows) + "\n")
    found = identified(carom_cli, tmp_path, "impacts.csv", "--law", "hunt-crossley", "--mass", 0.2)
    for key, truth in (("mu", 0.15), ("exponent", 1.5), ("stiffness", 3e7)):
        width = found["uncertainty"][key]
        assert 0 < width < 0.2 * truth or key == "stiffness"
        assert abs(found["law"][key] - truth) < 2 * width, key
    assert 0.3 < found["data"]["misfit"] < 2  # in standard deviations
    assert found["status"] == "converged" and found["formula"] == "exact"
    assert len(found["data"]["impacts"]) == 6
    # Without the mass the law has no stiffness, and everything else stays as it is.
    light = identified(carom_cli, tmp_path, "impacts.csv", "--law", "hunt-crossley")
    assert light["law"]["stiffness"] is None and light["law"]["mu"] == pytest.approx(found["law"]["mu"], rel=1e-4)
    people = carom_cli("identify", "impacts.csv", "--mass", 0.2, cwd=tmp_path).stdout
    assert "95 % half width" in people and "accepted" in people and "candidates" in people
    assert re.search(r"stiffness +\S+ +\S+ +N/m\^1\.\d+\n", people) and re.search(r"max_force +\S+ N\n", people)


def test_a_force_trace_gives_the_law(carom_cli, tmp_path):
    law = carom.HuntCrossley(stiffness=4e6, exponent=1.6, mu=0.2)
    hit = carom.impact(law, mass=0.2, speed=3.0)
    time = numpy.linspace(-0.1, 1.1, 120) * hit.contact_time
    force = numpy.where((time > 0) & (time < hit.contact_time), hit.at(numpy.clip(time, 0, hit.contact_time))[2], 0)
    force += 0.002 * force.max() * numpy.random.default_rng(2).standard_normal(force.size)
    numpy.savetxt(tmp_path / "force.csv", numpy.column_stack([time + 1, force]), delimiter=",",
                  header="time,force", comments="")
    found = identified(carom_cli, tmp_path, "force.csv", "--law", "hunt-crossley", "--mass", 0.2)
    for key, truth in (("mu", 0.2), ("exponent", 1.6), ("stiffness", 4e6)):
        assert abs(found["law"][key] - truth) < 2 * found["uncertainty"][key], key
    assert found["check"]["restitution"] == pytest.approx(hit.restitution, abs=0.01)
    assert found["data"]["onset"] == pytest.approx(1, abs=0.02 * hit.contact_time)


def test_a_recording_of_bounces_gives_the_damping(carom_cli, tmp_path):
    """From carom's own sound of a bounce, and from clicks that ring, with noise, in stereo."""
    assert carom_cli("new", "bounce", cwd=tmp_path).returncode == 0
    run = carom_cli("run", "bounce.toml", "--json", "--quiet", "--set", "run.impacts=12", cwd=tmp_path)
    inputs = json.loads(run.stdout)["inputs"]
    found = identified(carom_cli, tmp_path, "bounce-out/sound.wav", "--law", "hunt-crossley")
    truth = inputs["contact"]["mu"]
    assert found["law"]["mu"] == pytest.approx(truth, rel=0.02)
    assert found["law"]["stiffness"] is None
    assert found["data"]["impacts_used"] >= 10
    assert all(0 < bounce["restitution"] <= 1 for bounce in found["data"]["bounces"])

    rate, speed, time = 48000, 3.0, 0.1
    sound = 1e-4 * numpy.random.default_rng(3).standard_normal(rate * 4)
    for _ in range(12):
        t = numpy.arange(sound.size) / rate - time
        sound += numpy.where(t > 0, speed * numpy.exp(-numpy.clip(t, 0, 1) / 0.005) * numpy.sin(12000 * t), 0)
        speed *= impact_of(0.3, speed).restitution
        time += 2 * speed / 9.81
    pcm = (sound / abs(sound).max() * 30000).astype(int)
    with wave.open(str(tmp_path / "ringing.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"".join(struct.pack("<hh", x, x) for x in pcm))
    found = identified(carom_cli, tmp_path, "ringing.wav", "--law", "hunt-crossley")
    assert found["law"]["mu"] == pytest.approx(0.3, abs=max(3 * found["uncertainty"]["mu"], 0.003))


@pytest.mark.parametrize(
    "file,text,arguments,message",
    [
        ("a.csv", "", [], "has no rows"),
        ("a.csv", "speed,restitution,contact_time\n1,0.5,x\n", [], "'x' is not a finite number"),
        ("a.csv", "speed,restitution,contact_time\n1,1.5,1e-4\n", ["--exponent", 1.5], "restitution"),
        ("a.csv", "speed,restitution,contact_time\n1,0.5,1e-4\n", ["--restitution", 0.5], "takes its place"),
        ("a.csv", "speed,restitution,mass\n1,0.5,2\n", ["--mass", 1], "the file has the masses"),
        ("a.csv", "time,force\n0,0\n1,1\n2,0\n", [], "at least 8 samples"),
        ("a.csv", "time,force\n0,0\n1,inf\n", [], "not a finite number"),
        ("a.csv", "x,y\n1,2\n", [], "it has 'x', 'y'"),
        ("a.csv", "1,2\n3,4\n", [], "--columns time,force"),
        ("a.csv", "Time (s),Force (V)\n0,1\n", [], "'V' is not a unit of force"),
        ("a.csv", "time,force\n0,1\n", ["--run", 2], "there is no such run"),
        ("a.wav", "no sound at all", [], "is not a sound file"),
        ("a.wav", None, [], "cannot be read"),
        ("absent.csv", None, [], "cannot be read"),
        ("/proc/self/mem", None, [], "has no rows"),  # says that its size is 0
    ],
)
def test_bad_data_is_one_line_with_the_file(carom_cli, tmp_path, file, text, arguments, message):
    if text is not None:
        (tmp_path / file).write_text(text)
    elif file == "a.wav":
        (tmp_path / file).mkdir()
    result = carom_cli("identify", file, *arguments, cwd=tmp_path)
    assert result.returncode == 2, result.stdout
    assert message in result.stderr and result.stderr.count("\n") <= 2, result.stderr
    assert file in result.stderr or arguments


def test_dry_run_says_what_was_understood(carom_cli, tmp_path):
    (tmp_path / "a.txt").write_text("0 1\n1 2\n2 1\n")
    result = carom_cli("identify", "a.txt", "--columns", "time,acceleration", "--units", "ms,g", "--dry-run", "--json",
                       cwd=tmp_path)
    read = json.loads(result.stdout)["runs"][0]
    assert result.returncode == 0 and read["kind"] == "acceleration trace" and read["rows"] == 3
    assert [column["unit"] for column in read["columns"]] == ["ms", "g"]


def test_one_speed_is_undetermined_and_exit_code_1(carom_cli, tmp_path):
    (tmp_path / "a.csv").write_text("speed,restitution,contact_time\n" + "2,0.75,1e-3\n" * 3)
    found = identified(carom_cli, tmp_path, "a.csv", "--mass", 0.2, "--law", "hunt-crossley", code=1)
    assert found["verdict"] == "undetermined" and "exponent" in found["undetermined"]
    assert found["law"]["exponent"] is None and found["advice"] == ["impacts at other speeds"]


def test_weight_in_identify_from_numbers(carom_cli):
    """A law identified from a drop gives the restitution back under the same weight."""
    arguments = ["--law", "hunt-crossley", "--mass", 0.5, "--speed", 0.2, "--exponent", 1.5]
    found = carom_cli("identify", *arguments, "--restitution", 0.35, "--contact-time", 0.02, "--gravity", 9.81, "--json")
    law = json.loads(found.stdout)["law"]
    back = carom_cli("impact", *arguments, "--stiffness", law["stiffness"], "--mu", law["mu"], "--force", 0.5 * 9.81, "--json")
    result = json.loads(back.stdout)["result"]
    assert result["restitution"] == pytest.approx(0.35, rel=1e-7)
    assert result["contact_time"] == pytest.approx(0.02, rel=1e-7)


def test_any_law_from_numbers(carom_cli):
    found = carom_cli("identify", "--law", "tsuji", "--mass", 0.5, "--speed", 2, "--exponent", 1.5, "--restitution", 0.6,
                      "--contact-time", 1e-3, "--json")
    check = json.loads(found.stdout)["check"]
    assert check["restitution"] == pytest.approx(0.6, rel=1e-7)
    assert check["contact_time"] == pytest.approx(1e-3, rel=1e-7)


def test_a_fit_is_a_file_that_impact_and_scenarios_take(carom_cli, tmp_path):
    random = numpy.random.default_rng(5)
    rows = ["speed,restitution,contact_time"]
    for speed in (0.5, 1, 2, 3, 5, 8):
        hit = impact_of(0.15, speed)
        rows.append(f"{speed},{hit.restitution + 0.003 * random.standard_normal()},{hit.contact_time}")
    (tmp_path / "impacts.csv").write_text("\n".join(rows) + "\n")
    found = identified(carom_cli, tmp_path, "impacts.csv", "--mass", 0.2, "--law", "hunt-crossley", "--output", "fit.json")
    predicted = json.loads(carom_cli("impact", "--fit", "fit.json", "--speed", 3, "--json", cwd=tmp_path).stdout)
    low, high = predicted["interval"]["rebound_speed"]
    assert low < predicted["result"]["rebound_speed"] < high
    scenario = """kind = "impact"
[contact]
fit = "fit.json"
[body]
mass = 0.2
speed = 3.0
[run]
method = "exact"
"""
    (tmp_path / "hit.toml").write_text(scenario)
    check = carom_cli("check", "hit.toml", cwd=tmp_path)
    assert check.returncode in (0, 1), check.stderr
    (tmp_path / "hit.toml").write_text(scenario.replace('fit = "fit.json"', 'fit = "absent.json"'))
    refused = carom_cli("check", "hit.toml", cwd=tmp_path)
    assert refused.returncode == 2 and "hit.toml:3:" in refused.stderr and "absent.json" in refused.stderr
    assert found["law"]["mu"] > 0
