"""Scenarios as people meet them: the tutorial, the examples, the generated pages."""

import json
import pathlib
import re
import subprocess
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ["impact", "bounce", "pair", "pendulums", "strike"]


def tutorial_commands():
    text = (ROOT / "docs" / "tutorial.md").read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.S | re.M):
        for line in block.splitlines():
            if line.startswith("carom "):
                yield line


def test_the_tutorial_runs_from_top_to_bottom(program, tmp_path):
    commands = list(tutorial_commands())
    assert len(commands) >= 8
    for line in commands:
        expected = 2 if "exit code 2" in line else 0
        command = line.split(" #")[0].replace("carom ", f"{program} ", 1)
        result = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert result.returncode == expected, f"{line}\n{result.stderr}"
        if expected == 2:
            assert "did you mean" in result.stderr
    for name in ["report.html", "signals.csv", "summary.json", "sound.wav"]:
        assert (tmp_path / "bounce-out" / name).stat().st_size > 0
    assert (tmp_path / "bell-h5" / "signals.h5").stat().st_size > 0


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.stem)
def test_every_example_is_valid(carom_cli, example):
    if "scenario" in tomllib.loads(example.read_text()):
        pytest.skip("a sweep, not a scenario")
    result = carom_cli("check", example, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["valid"] is True


def test_the_generated_pages_are_up_to_date(carom_cli, tmp_path):
    assert carom_cli("new", "--reference", tmp_path).returncode == 0
    stale = []
    for page in sorted(tmp_path.glob("*.md")):
        kept = ROOT / "docs" / page.name
        if not kept.exists() or kept.read_text() != page.read_text():
            stale.append(page.name)
    assert not stale, f"write them anew with `carom new --reference docs`: {', '.join(stale)}"


@pytest.mark.parametrize("kind", KINDS)
def test_template_is_toml_that_python_reads(carom_cli, tmp_path, kind):
    assert carom_cli("new", kind, cwd=tmp_path).returncode == 0
    scenario = tomllib.loads((tmp_path / f"{kind}.toml").read_text())
    assert scenario["kind"] == kind


def test_new_does_not_overwrite(carom_cli, tmp_path):
    (tmp_path / "bounce.toml").write_text("mine")
    result = carom_cli("new", "bounce", cwd=tmp_path)
    assert result.returncode == 2
    assert (tmp_path / "bounce.toml").read_text() == "mine"


def test_compare_measures_methods_against_the_exact_motion(carom_cli, tmp_path):
    assert carom_cli("new", "bounce", cwd=tmp_path).returncode == 0
    result = carom_cli("compare", "bounce.toml", "--methods", "rk4,heun,passive", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    comparison = json.loads(result.stdout)
    methods = {entry["method"]: entry for entry in comparison["methods"]}
    assert comparison["reference"] == "exact" and methods["exact"]["reference"]
    assert methods["passive"]["waveform_percent"] < 1e-9
    assert abs(methods["passive"]["energy_residual"]) < 1e-12
    assert 0.01 < abs(methods["rk4"]["rebound_speed_percent"]) < 1
    assert abs(methods["heun"]["rebound_speed_percent"]) > 10 * abs(methods["rk4"]["rebound_speed_percent"])
    assert (tmp_path / "bounce-compare.svg").read_text().rstrip().endswith("</svg>")
    refused = carom_cli("compare", "bounce.toml", "--methods", "rk5", cwd=tmp_path)
    assert refused.returncode == 2 and "did you mean 'rk4'" in refused.stderr


def test_pair_keeps_momentum_and_agrees_with_the_closed_form(carom_cli, tmp_path):
    assert carom_cli("new", "pair", cwd=tmp_path).returncode == 0
    for masses in ([0.17, 0.17], [1.0, 0.01], [0.02, 5.0]):
        result = carom_cli(
            "run", "pair.toml", "--json", "--quiet", "--set", f"pair.masses={masses}",
            "--set", "pair.velocities=[3.0, -1.0]", cwd=tmp_path,
        )
        assert result.returncode == 0, result.stderr
        results = json.loads(result.stdout)["results"]
        (m1, m2), (v1, v2) = masses, results["velocities"]
        momentum = m1 * 3.0 - m2 * 1.0
        assert abs(m1 * v1 + m2 * v2 - momentum) < 1e-12 * (m1 * 3 + m2)
        for ours, exact in zip(results["velocities"], results["exact"]["velocities"]):
            assert ours == pytest.approx(exact, rel=1e-9)
        assert results["impacts"][0]["restitution"] == pytest.approx((v2 - v1) / 4.0, rel=1e-9)


@pytest.mark.parametrize("law,extra", [("hunt-crossley", []), ("hertz-damper", ["--set", "contact.mu=0"])])
def test_a_restitution_in_the_file_is_the_one_that_comes_out(carom_cli, tmp_path, law, extra):
    text = f"""
kind = "impact"
[body]
mass = 0.3
speed = 2.5
[contact]
law = "{law}"
stiffness = 3e7
exponent = 1.4
restitution = 0.62
"""
    (tmp_path / "hit.toml").write_text(text)
    result = carom_cli("run", "hit.toml", "--json", "--quiet", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["results"]["restitution"] == pytest.approx(0.62, rel=1e-9)
    if extra:
        assert carom_cli("run", "hit.toml", *extra, cwd=tmp_path).returncode == 2


def test_pendulums_keep_their_restitution_and_their_books(carom_cli, tmp_path):
    assert carom_cli("new", "pendulums", cwd=tmp_path).returncode == 0
    for law, tolerance in (("hertz-damper", 1e-3), ("newton", 1e-12)):
        contact = 'contact={law="newton", restitution=0.5}' if law == "newton" else "contact.restitution=0.5"
        result = carom_cli("run", "pendulums.toml", "--json", "--quiet", "--set", contact, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        summary = json.loads(result.stdout)
        assert len(summary["results"]["impacts"]) >= 2
        for impact in summary["results"]["impacts"]:
            # Gravity acts during a compliant contact as well: the restitution is not exactly the one
            # of the law.
            assert impact["restitution"] == pytest.approx(0.5, rel=tolerance)
        assert abs(summary["energy"]["relative_residual"]) < 1e-7
