"""Named materials, shapes and Hertz stiffness, as typed and in Python."""

import json
import math

import pytest

import carom

BAR = """kind = "strike"
[body]
mass = 0.02
speed = 1.5
[resonator]
type = "bar"
material = "steel"
length = 0.35
width = 0.04
thickness = 0.01
hit = 0.12
heard = 0.01
loss_constant = 0
mode_count = 5
[contact]
law = "hunt-crossley"
radii = [0.015]
materials = ["rubber", "steel"]
mu = 0.3
[run]
duration = 0.5
[sound]
"""


def hertz(radii, first, second):
    """The formula, written out."""
    table = carom.materials()
    curvature = sum(1 / r for r in radii)
    modulus = 1 / sum((1 - table[m]["poisson"] ** 2) / table[m]["young"] for m in (first, second))
    return 4 / 3 * modulus / math.sqrt(curvature)


def test_hertz_in_python_and_on_the_command_line(carom_cli):
    law = carom.hertz([0.01, 0.03], ["steel", "glass"])
    assert law.exponent == 1.5
    assert law.stiffness == pytest.approx(hertz([0.01, 0.03], "steel", "glass"), rel=1e-14)
    done = carom_cli(
        "impact", "--radii", "0.01,0.03", "--materials", "steel,glass", "--mass", 0.03, "--speed", 1,
        "--mu", 0.1, "--json"
    )  # fmt: skip
    assert json.loads(done.stdout)["law"]["stiffness"] == law.stiffness
    with pytest.raises(ValueError, match="did you mean 'steel'"):
        carom.hertz(0.01, "stel")


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--radii", "0.01"], "--radii needs --materials"),
        (["--radii", "x", "--materials", "steel"], "'x' is not a number"),
        (["--radii", "0.01", "--materials", "steel", "--stiffness", "1e9"], "both given"),
        (["--radii", "0.01", "--materials", "steel", "--exponent", "2"], "whose exponent is 1.5"),
        (["--radii", "0.01", "--materials", "steel", "--law", "kelvin-voigt"], "not that of Hertz"),
        (["--radii", "0.01,-0.005", "--materials", "steel"], "curve away from each other"),
    ],
)
def test_bad_radii_are_one_line(carom_cli, flags, said):
    done = carom_cli("impact", *flags, "--mass", 0.03, "--speed", 1, "--mu", 0.1)
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1


CONTACT = 'radii = [0.02]\nmaterials = ["steel", "glass"]\n'
HEADS = {
    "impact": "[body]\nmass = 0.1\nspeed = 1\n",
    "bounce": "[body]\nmass = 0.1\nspeed = 1\n[run]\nimpacts = 1\n",
    "pair": "[pair]\nmasses = [0.1, 0.2]\nvelocities = [1, 0]\n",
}


@pytest.mark.parametrize("kind", HEADS)
def test_every_kind_takes_radii_and_materials(carom_cli, tmp_path, kind):
    file = tmp_path / "scenario.toml"
    file.write_text(
        f'kind = "{kind}"\n{HEADS[kind]}[contact]\nlaw = "hunt-crossley"\nmu = 0.1\n{CONTACT}[sound]\n'
    )
    done = carom_cli("run", file, "--out", tmp_path / "out", "--sound-only", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    law = json.loads(done.stdout)["law"]
    assert law["stiffness"] == pytest.approx(hertz([0.02], "steel", "glass"), rel=1e-13)
    assert law["exponent"] == 1.5


def test_pendulums_and_assemblies_take_them_too(carom_cli, tmp_path):
    for kind in ("pendulums", "assembly"):
        file = tmp_path / f"{kind}.toml"
        text = carom.new_scenario(kind)
        lines, out = text.splitlines(), []
        for line in lines:
            if line.startswith("stiffness = ") and "[[link]]" not in text[: text.find(line)]:
                out += ["radii = [0.02]", 'materials = ["steel", "glass"]']
            elif not line.startswith("exponent = "):
                out.append(line)
        file.write_text("\n".join(out))
        done = carom_cli("check", file)
        assert done.returncode == 0, done.stderr


def test_a_bar_of_steel_is_where_the_textbook_says(carom_cli, tmp_path):
    file = tmp_path / "bar.toml"
    file.write_text(BAR)
    done = carom_cli("run", file, "--out", tmp_path / "out", "--sound-only", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    steel = carom.materials()["steel"]
    speed = math.sqrt(steel["young"] / steel["density"])
    first = 4.730040745**2 / (2 * math.pi) / 0.35**2 * speed * 0.01 / math.sqrt(12)
    peaks = [peak["frequency"] for peak in summary["results"]["spectral_peaks"]]
    assert min(abs(peak / first - 1) for peak in peaks) < 1e-3  # half a bin of the spectrum
    assert summary["law"]["stiffness"] == pytest.approx(hertz([0.015], "rubber", "steel"), rel=1e-13)


def test_a_note_tunes_a_shape(carom_cli, tmp_path):
    file = tmp_path / "bar.toml"
    file.write_text(BAR)
    done = carom_cli(
        "run", file, "--out", tmp_path / "out", "--sound-only", "--json", "--quiet", "--note", "A4"
    )
    peaks = json.loads(done.stdout)["results"]["spectral_peaks"]
    assert min(abs(peak["frequency"] / 440 - 1) for peak in peaks) < 2e-3


@pytest.mark.parametrize(
    "change, said",
    [
        ("resonator.type=plat", "did you mean 'plate'"),
        ("resonator.material=stel", "did you mean 'steel'"),
        ("resonator.type=plate", "has no meaning"),
        ("resonator.linear_density=1", "both given"),
        ("resonator.hit=0.5", "0.35"),
        ("resonator.tension=5", "has no meaning"),
        ("resonator.note=H9", "note 'H9'"),
        ("resonator.ends=loose", "is unknown; known"),
        ("contact.materials=[\"glas\"]", "did you mean 'glass'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_shape_is_one_line(carom_cli, tmp_path, change, said):
    file = tmp_path / "bar.toml"
    file.write_text(BAR.replace('length = 0.35', 'length = 0.35\nends = "free"'))
    done = carom_cli("check", file, "--set", change)
    assert done.returncode == 2
    assert said in done.stderr, done.stderr
    assert done.stderr.strip().count("\n") == 0


SHAPES = {
    "bar": 'length = 0.3\nradius = 0.006\nends = "clamped"\nhit = 0.1\nheard = 0.2',
    "tube": "length = 0.8\nradius = 0.02\nthickness = 0.002\nhit = 0.1\nheard = 0.2",
    "plate": 'length = 0.3\nwidth = 0.2\nthickness = 0.002\nedge = "free"\nhit = [0.1, 0.1]\nheard = [0, 0]',
    "disc": 'radius = 0.1\nthickness = 0.002\nedge = "clamped"\nhit = [0.05, 0]\nheard = [0, 0.03]',
    "membrane": "length = 0.3\nwidth = 0.2\nthickness = 2e-4\ntension = 2000\nhit = [0.1, 0.1]\nheard = [0.2, 0.05]",
    "drum": "radius = 0.15\nthickness = 2e-4\ntension = 2000\nhit = [0.05, 0]\nheard = [0, 0.03]",
    "string": "length = 0.7\nradius = 4e-4\ntension = 80\nhit = 0.1\nheard = 0.2",
    "bell": "frequency = 400\nmass = 5\nhit = 0.1\nheard = 1.0",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_runs(carom_cli, tmp_path, shape):
    file = tmp_path / "shape.toml"
    head, tail = BAR.split("type =")[0], BAR[BAR.index("[contact]") :]
    keys = f'type = "{shape}"\nmaterial = "steel"\nmode_count = 12\n{SHAPES[shape]}\n'
    file.write_text(head + keys + tail.replace("duration = 0.5", "duration = 0.05"))
    done = carom_cli("run", file, "--out", tmp_path / "out", "--sound-only", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["impacts"]


def test_materials_are_listed_with_their_sources(carom_cli, root):
    listed = json.loads(carom_cli("materials", "--json").stdout)["materials"]
    page = (root / "docs" / "materials.md").read_text()
    for material in listed:
        assert f"`{material['name']}`" in page and material["source"] in page
    assert carom.materials()["glass"]["young"] == 72e9
