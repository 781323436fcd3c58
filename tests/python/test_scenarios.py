"""Scenarios as people meet them: templates, generated pages, comparisons."""

import json
import pathlib
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ["impact", "bounce", "pair", "pendulums", "strike", "bar", "string", "body"]


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


# What shortens a run of each kind, and methods that all take its template.
COMPARED = {
    "impact": ("rk4,verlet,passive", []),
    "bounce": ("rk4,passive", ["--set", "run.impacts=3"]),
    "pair": ("rk4,event-driven", []),
    "pendulums": ("piecewise,rk4", ["--set", "run.duration=1.5", "--set", "run.rate=20000"]),
    "strike": ("", ["--set", "run.duration=0.02"]),
    "bar": ("paoli-schatzman,moreau-jean", ["--set", "run.step=5e-7"]),
    "string": ("moreau-jean", ["--set", "run.duration=0.005", "--set", "string.modes=50"]),
    "body": ("moreau-jean", ["--set", "run.duration=0.005"]),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_compare_gives_a_table_and_a_picture_for_every_kind(carom_cli, tmp_path, kind):
    methods, changes = COMPARED[kind]
    assert carom_cli("new", kind, cwd=tmp_path).returncode == 0
    chosen = ["--methods", methods] if methods else []
    result = carom_cli("compare", f"{kind}.toml", *chosen, "--json", *changes, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    comparison = json.loads(result.stdout)
    entries = comparison["methods"]
    assert entries[0]["reference"] and entries[0]["waveform_percent"] < 1e-12
    ran = [entry for entry in entries if "refused" not in entry]
    assert len(ran) >= 2, "there must be something to compare"
    for entry in ran:
        assert entry["cpu_seconds"] >= 0 and abs(entry["energy_residual"]) < 0.2, entry
    assert (tmp_path / comparison["picture"]).read_text().rstrip().endswith("</svg>")


def test_compare_says_where_a_method_stopped(carom_cli, tmp_path):
    carom_cli("new", "assembly", "--example", "block", cwd=tmp_path)
    result = carom_cli("compare", "block.toml", "--methods", "moreau-jean,passive", "--json",
                       "--set", "run.duration=0.05", cwd=tmp_path)
    stopped = {entry["method"]: entry.get("stopped", "") for entry in json.loads(result.stdout)["methods"]}
    assert stopped["moreau-jean"] == ""
    assert "stays closed and rubs" in stopped["passive"]


def test_compare_tells_the_treatments_of_pendulums_apart(carom_cli, tmp_path):
    """The first impact: the impulse of the piecewise treatment is that of the continuous contact but
    for the gravity during it; fixed steps approach the event-driven motion as they get shorter."""
    assert carom_cli("new", "pendulums", cwd=tmp_path).returncode == 0
    errors = {}
    for rate in (20000, 80000):
        result = carom_cli("compare", "pendulums.toml", "--methods", "piecewise,rk4", "--json",
                           "--set", "run.duration=1.2", "--set", f"run.rate={rate}", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        for entry in json.loads(result.stdout)["methods"]:
            errors[entry["method"], rate] = entry
    assert abs(errors["piecewise", 20000]["rebound_speed_percent"]) < 0.1
    coarse, fine = (errors["rk4", rate]["waveform_percent"] for rate in (20000, 80000))
    assert fine < coarse / 10
    assert abs(errors["rk4", 80000]["energy_residual"]) < 1e-3


def test_pair_takes_radii_and_elastic_constants(carom_cli, tmp_path):
    def run(pair, contact='law = "power-law"'):
        (tmp_path / "pair.toml").write_text(
            f'kind = "pair"\n[pair]\nmasses = [0.2, 0.3]\nvelocities = [1.0, 0.0]\n{pair}\n[contact]\n{contact}\n'
        )
        return carom_cli("run", "pair.toml", "--json", "--quiet", cwd=tmp_path)

    def stiffness(pair):
        result = run(pair)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)["results"]["stiffness"]

    # Hertz: k = 4/3 E* sqrt(R*), 1/E* = sum (1 - nu^2)/E, 1/R* = sum 1/R.
    modulus = 1 / ((1 - 0.3**2) / 210e9 + (1 - 0.22**2) / 70e9)
    materials = "young = [210e9, 70e9]\npoisson = [0.3, 0.22]"
    spheres = 4 / 3 * modulus * (1 / (1 / 0.02 + 1 / 0.05)) ** 0.5
    assert stiffness(f"radii = [0.02, 0.05]\n{materials}") == pytest.approx(spheres, rel=1e-12)
    plane = 4 / 3 * modulus * 0.02**0.5
    assert stiffness(f"radii = [0.02]\n{materials}") == pytest.approx(plane, rel=1e-12)
    hollow = 4 / 3 * modulus * (1 / (1 / 0.02 - 1 / 0.05)) ** 0.5
    assert stiffness(f"radii = [0.02, -0.05]\n{materials}") == pytest.approx(hollow, rel=1e-12)
    alike = 4 / 3 * 210e9 / (2 * (1 - 0.3**2)) * 0.01**0.5
    assert stiffness("radii = [0.02, 0.02]\nyoung = [210e9]") == pytest.approx(alike, rel=1e-12)

    law = 'law = "power-law"'
    for pair, contact, message in [
        ("", law, "pair.toml:7:1: law 'power-law' needs contact.stiffness, or pair.radii and pair.young"),
        ("radii = [0.02]\nyoung = [1e9]", f"{law}\nstiffness = 1e9", "are both given; give one"),
        ("radii = [0.02]", law, "pair.radii needs pair.young"),
        ("young = [1e9]", f"{law}\nstiffness = 1e9", "pair.young has no meaning without pair.radii"),
        ("radii = [0.02]\nyoung = [1e9]", 'law = "kelvin-voigt"\ndamping = 1', "whose exponent is 1.5"),
        ("radii = [0.02]\nyoung = [1e9]", f"{law}\nexponent = 2", "whose exponent is 1.5"),
        ("radii = [0.02, -0.01]\nyoung = [1e9]", law, "must curve away from each other"),
        ("radii = [0.02]\nyoung = [1e9]\npoisson = [0.6]", law, "from -1 to 0.5"),
        ("radii = [0.02]\nyoung = [-1e9]", law, "greater than 0"),
        ("radii = [0.02, inf]\nyoung = [1e9]", law, "finite"),
    ]:
        result = run(pair, contact)
        assert result.returncode == 2 and message in result.stderr, f"{pair}\n{contact}\n{result.stderr}"


def test_run_says_what_came_out(carom_cli, tmp_path):
    assert carom_cli("new", "impact", cwd=tmp_path).returncode == 0
    result = carom_cli("run", "impact.toml", cwd=tmp_path)
    assert "restitution: 0.7484 (exact: 0.748435)\n" in result.stderr
    assert "contact time: 132.9 µs\n" in result.stderr
    assert result.stdout.splitlines() == [f"impact-out/{name}" for name in ["signals.csv", "report.html", "summary.json"]]
    quiet = carom_cli("run", "impact.toml", "--quiet", cwd=tmp_path)
    assert quiet.stdout == quiet.stderr == ""
