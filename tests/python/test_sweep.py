"""Sweeps from Python: a structured array, the same numbers as single runs, resumable."""

import sqlite3

import numpy
import pytest

import carom

SCENARIO = """
kind = "bounce"
[body]
mass = 0.01
speed = 1
[contact]
law = "newton"
restitution = 0.5
[run]
rate = 1000
impacts = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "bounce.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(**more):
    return {
        "scenario": "bounce.toml",
        "grid": {"contact.restitution": {"from": 0.1, "to": 0.9, "step": 0.1}, "run.impacts": [1, 2]},
        "results": {"columns": ["energy.dissipated", "results.impacts.2.time"]},
        **more,
    }


def test_is_a_structured_array_in_plan_order(folder):
    table = carom.sweep(plan())
    assert table.shape == (18,)
    assert table["run"].tolist() == list(range(1, 19))
    assert table["contact.restitution"][:4].tolist() == [0.1, 0.1, 0.2, 0.2]
    assert table["run.impacts"].dtype == numpy.int64
    assert set(table["status"]) == {"done"}
    # Newton's law: an impact keeps e^2 of the energy.
    kept = table["contact.restitution"] ** (2.0 * table["run.impacts"])
    numpy.testing.assert_allclose(table["energy.dissipated"], 0.005 * (1 - kept), rtol=1e-12)
    # There is no second impact when there is to be one only.
    assert numpy.isnan(table["results.impacts.2.time"]).tolist() == (table["run.impacts"] == 1).tolist()


def test_gives_what_single_runs_give(folder):
    table = carom.sweep(plan())
    single = carom.run("bounce.toml", {"contact.restitution": 0.3, "run.impacts": 2})
    assert table["energy.dissipated"][5] == single.energy["dissipated"]


def test_keeps_a_store_and_resumes(folder):
    table = carom.sweep(plan(), out="out", jobs=2)
    with pytest.raises(ValueError, match="--resume"):
        carom.sweep(plan(), out="out")
    database = sqlite3.connect("out/sweep.sqlite")
    database.execute("DELETE FROM results WHERE run % 3 = 0")
    database.commit()
    database.close()
    again = carom.sweep(plan(), out="out", resume=True)
    assert again.tobytes() == table.tobytes()
    assert carom.read_sweep("out").tobytes() == table.tobytes()


def test_refuses_bad_plans_as_value_errors(folder):
    with pytest.raises(ValueError, match="did you mean 'body.speed'"):
        carom.sweep(plan(grid={"body.sped": [1]}))
    with pytest.raises(ValueError, match="did you mean 'energy.dissipated'"):
        carom.sweep(plan(results={"columns": ["energy.disipated"]}))
    with pytest.raises(FileNotFoundError):
        carom.sweep("nowhere.toml")


def test_a_new_sweep_runs_as_it_is_and_keeps_a_scenario_that_is_there(carom_cli, tmp_path):
    assert carom_cli("new", "sweep", cwd=tmp_path).stdout.split() == ["sweep.toml", "impact.toml"]
    assert carom_cli("sweep", "sweep.toml", "--csv", "--quiet", cwd=tmp_path).returncode == 0
    assert len((tmp_path / "sweep-out" / "results.csv").read_text().splitlines()) == 1 + 27
    (tmp_path / "impact.toml").write_text("mine")
    again = carom_cli("new", "sweep", "other.toml", cwd=tmp_path)
    assert again.returncode == 0 and "kept" in again.stderr
    assert (tmp_path / "impact.toml").read_text() == "mine"
    for wrong in (["sweep.toml"], ["impact.toml"], ["--example", "train"]):
        refused = carom_cli("new", "sweep", *wrong, cwd=tmp_path)
        assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1
