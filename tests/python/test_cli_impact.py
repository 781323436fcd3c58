"""carom impact and carom identify as people and scripts use them."""

import json
import subprocess

import pytest

IMPACT = "impact --law hunt-crossley --mass 0.01 --stiffness 1e9 --exponent 1.5 --speed 1".split()


def parsed(result):
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_impact_json_is_one_document_with_the_names_of_the_contract(carom_cli):
    document = parsed(carom_cli(*IMPACT, "--mu", 0.5, "--json"))
    assert document["method"] == "exact"
    names = "rebound_speed restitution max_compression max_force contact_time energy_in energy_lost"
    for name in (names + " separation_compression releases").split():
        assert name in document["result"]
    # exact value to 25 digits: 0.748434931597434...
    assert document["result"]["rebound_speed"] == pytest.approx(0.7484349315974341, rel=1e-14)


def test_restitution_becomes_damping_and_back(carom_cli):
    for law in ("hunt-crossley", "hertz-damper", "kelvin-voigt"):
        result = parsed(
            carom_cli("impact", "--law", law, "--mass", 1, "--stiffness", 100, "--restitution", 0.3,
                      "--speed", 1, "--json")
        )  # fmt: skip
        assert result["result"]["restitution"] == pytest.approx(0.3, rel=1e-12)


def test_body_held_down(carom_cli):
    result = parsed(
        carom_cli("impact", "--mass", 0.1, "--stiffness", 1e4, "--mu", 2, "--speed", 0.01, "--force", 5,
                  "--json")
    )["result"]  # fmt: skip
    assert result["releases"] is False
    assert result["rebound_speed"] is None
    assert result["equilibrium_compression"] == pytest.approx((5 / 1e4) ** (2 / 3), rel=1e-14)


def test_identify_round_trip(carom_cli):
    document = parsed(
        carom_cli("identify", "--law", "hunt-crossley", "--mass", 0.01, "--speed", 1, "--exponent", 1.5,
                  "--restitution", 0.6, "--contact-time", 2e-4, "--json")
    )  # fmt: skip
    law = document["law"]
    assert set(law) >= {"name", "stiffness", "exponent", "lambda", "mu", "epsilon", "omega_i"}
    assert document["formula"] == "exact"
    hit = parsed(
        carom_cli("impact", "--mass", 0.01, "--speed", 1, "--stiffness", law["stiffness"], "--exponent", 1.5,
                  "--mu", law["mu"], "--json")
    )["result"]  # fmt: skip
    assert hit["restitution"] == pytest.approx(0.6, rel=1e-12)
    assert hit["contact_time"] == pytest.approx(2e-4, rel=1e-12)


def test_published_formulas_show_what_they_cost(carom_cli):
    flores = parsed(
        carom_cli("identify", "--mass", 1, "--speed", 1, "--stiffness", 1e6, "--restitution", 0.3,
                  "--exponent", 1.5, "--formula", "flores", "--json")
    )  # fmt: skip
    assert flores["check"]["restitution"] == pytest.approx(0.25620790667982424, rel=1e-10)
    table = parsed(carom_cli("identify", "--costs", "--json"))
    assert all(row["exact"] == pytest.approx(row["asked"], rel=1e-12) for row in table)


BAD = [
    (["impact", "--mass", "nan", "--speed", "1", "--stiffness", "1"], "--mass"),
    (["impact", "--mass", "inf", "--speed", "1", "--stiffness", "1"], "--mass"),
    (["impact", "--mass", "-1", "--speed", "1", "--stiffness", "1"], "greater than 0"),
    (["impact", "--mass", "1", "--speed", "0", "--stiffness", "1"], "--speed"),
    (["impact", "--mass", "1e400", "--speed", "1", "--stiffness", "1"], "--mass"),
    (["impact", "--mass", "one", "--speed", "1", "--stiffness", "1"], "must be a number"),
    (["impact"], "missing: --mass, --speed, --stiffness"),
    (["impact", "--mass", "1", "--speed", "1"], "missing: --stiffness"),
    (["impact", "--mass", "1", "--speed", "1", "--stiffness", "1", "--exponent", "0.5"], "exponent"),
    (["impact", "--mass", "1", "--speed", "1", "--stiffness", "1", "--mu", "1", "--restitution", "0.5"],
     "--mu and --restitution"),
    (["impact", "--mass", "1", "--speed", "1", "--stiffness", "1", "--restitution", "1.5"], "restitution"),
    (["impact", "--mass", "1", "--speed", "1", "--stiffness", "1", "--restitution", "0"], "restitution"),
    (["impact", "--law", "hunt-crosley"], "did you mean 'hunt-crossley'"),
    (["impact", "--mas", "1"], "did you mean '--mass'"),
    (["impact", "--law", "hertz-damper", "--mu", "1", "--mass", "1", "--speed", "1", "--stiffness", "1"],
     "--damping"),
    (["impact", "--law", "kelvin-voigt", "--exponent", "2", "--mass", "1", "--speed", "1", "--stiffness", "1"],
     "must be 1"),
    (["impact", "--mass", "1", "--speed", "1", "--stiffness", "1", "--plot", "no/such/folder/a.svg"],
     "no/such/folder"),
    (["inpact"], "did you mean 'impact'"),
    (["identify", "--restitution", "0.5"], "missing speed; exponent and one of contact_time, max_compression"),
    (["identify", "--law", "hertz-damper", "--damping", "3"], "--damping 3: it is what is looked for"),
    (["identify", "--formula", "flroes"], "did you mean 'flores'"),
    (["identify", "--mass", "1", "--speed", "1", "--restitution", "0.5", "--exponent", "1.5"], "contact"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, expected", BAD, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_bad_input_is_one_line_and_exit_2(carom_cli, arguments, expected):
    result = carom_cli(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("carom: error: ")
    assert expected in result.stderr


def test_edges_of_the_double_range_give_a_number_or_an_error(carom_cli):
    for mass, speed, stiffness in [(1e-300, 1e3, 1e13), (1e300, 1e-300, 1e-300), (1, 1e-320, 1), (1, 1e300, 1)]:
        result = carom_cli("impact", "--mass", mass, "--speed", speed, "--stiffness", stiffness, "--mu", 1e-3,
                           "--json")  # fmt: skip
        assert result.returncode in (0, 2)
        if result.returncode == 0:
            values = json.loads(result.stdout)["result"]
            assert 0 < values["restitution"] <= 1
            assert values["max_compression"] is None or values["max_compression"] > 0


def test_plot_is_an_svg(carom_cli, tmp_path):
    target = tmp_path / "impact.svg"
    assert carom_cli(*IMPACT, "--mu", 0.5, "--plot", target).returncode == 0
    assert target.read_text().rstrip().endswith("</svg>")
    assert [p.name for p in tmp_path.iterdir()] == ["impact.svg"]


def test_plot_of_a_method_shows_its_samples(carom_cli, tmp_path):
    target = tmp_path / "impact.svg"
    result = carom_cli(*IMPACT, "--mu", 0.5, "--method", "verlet", "--plot", target)
    assert result.returncode == 0 and f"picture: {target}" in result.stderr
    assert "verlet" in target.read_text()


@pytest.mark.parametrize(
    "typed, offered",
    [
        ("carom imp", {"impact"}),
        ("carom impact --la", {"--law", "--lambda"}),
        ("carom impact --method verl", {"verlet", "verlet-textbook"}),
        ("carom papers pa", {"papetti2011", "paoli2007"}),
        ("carom new pe", {"pendulums"}),
        ("carom papers --js", {"--json"}),
    ],
)
def test_completion_offers_what_fits(carom_cli, tmp_path, typed, offered):
    script = tmp_path / "carom.bash"
    script.write_text(carom_cli("completion", "bash").stdout)
    count = len(typed.split()) - 1
    check = f"source {script}; COMP_WORDS=({typed}); COMP_CWORD={count}; _carom; echo ${{COMPREPLY[@]}}"
    result = subprocess.run(["bash", "-c", check], capture_output=True, text=True, check=True)
    assert set(result.stdout.split()) == offered
