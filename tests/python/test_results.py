"""Results as Python people expect them: they pickle, plot, become frames and show themselves."""

import copy
import inspect
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import carom

LAW = carom.HuntCrossley(1e9, 1.5, mu=0.5)
BOUNCE = 'kind = "bounce"\n[body]\nmass = 0.01\nspeed = 1.0\n[contact]\nlaw = "newton"\nrestitution = 0.7\n[run]\nimpacts = 3\n'


def one_of_each():
    speeds = np.array([0.5, 1.0, 2.0, 4.0])
    seen = carom.impact(LAW, mass=0.01, speed=speeds)
    string = carom.StiffString(length=1.0, linear_density=1e-3, tension=100.0, mode_count=20)
    hit = carom.impact(LAW, mass=0.01, speed=1.0)
    hit.at([0.0])  # the compiled history is there
    return [
        LAW,
        hit,
        seen,
        carom.simulate_impact(LAW, 0.01, 1.0),
        carom.simulate_bounces(LAW, 0.01, 1.0, impacts=2),
        carom.identify_series(speeds, seen.restitution, mass=0.01, restitution_sd=0.01),
        carom.run_text(BOUNCE),
        carom.modal_run(string.modes([0.1]), [0.0], string.pluck(0.5, 1e-3), rate=2e4, duration=0.01,
                        points=string.shapes([0.3])),
        carom.drop_bar(80.0, segments=3, step=1e-6, duration=1e-3),
        carom.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]),
    ]  # fmt: skip


def test_every_result_pickles_and_copies():
    for result in one_of_each():
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert type(again) is type(result)
            assert repr(again) == repr(result)
    hit = pickle.loads(pickle.dumps(one_of_each()[1]))
    assert hit.at([hit.contact_time])[1][0] == pytest.approx(-hit.rebound_speed, rel=1e-9)


def test_results_become_frames():
    pandas = pytest.importorskip("pandas")
    run = carom.run_text(BOUNCE)
    frame = run.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and list(frame)[0] == "time"
    np.testing.assert_array_equal(frame["height"], run["height"])
    many = carom.impact(LAW, mass=0.01, speed=[0.5, 1.0]).to_dataframe()
    assert list(many["speed"]) == [0.5, 1.0] and (many["restitution"].diff().dropna() < 0).all()
    for result in one_of_each()[1:-1]:
        assert len(result.to_dataframe()) > 0, result


def test_results_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for result in one_of_each()[1:-1]:
        axes = result.plot()
        assert len(axes) > 0 and all(each.lines for each in axes), result
        pyplot.close("all")
    (only,) = carom.run_text(BOUNCE).plot("height")
    assert only.get_ylabel() == "height" and only.get_xlabel() == "time"
    with pytest.raises(ValueError, match="known: time"):
        carom.run_text(BOUNCE).plot("banana")


def test_without_pandas_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="python3-pandas"):
        carom.run_text(BOUNCE).to_dataframe()


def test_notebooks_show_a_table_and_execute_nothing():
    for result in one_of_each()[1:-1]:
        page = result._repr_html_()
        assert page.count("<table>") == page.count("</table>") >= 1
    run = carom.run_text(BOUNCE)
    run.results["<script>alert(1)</script>"] = 1.0
    assert "<script>" not in run._repr_html_()


def test_a_missing_file_is_pythons_own_error(tmp_path):
    missing = tmp_path / "none.toml"
    for call in (carom.run, carom.sweep, carom.read_sweep, carom.identify, carom.identify_file):
        with pytest.raises(FileNotFoundError, match="none.toml"):
            call(missing)


def test_keywords_complete():
    names = set(inspect.signature(carom.identify).parameters)
    assert {"restitution", "contact_time", "mass", "speed", "exponent"} <= names
    assert {"segments", "young", "every"} <= set(inspect.signature(carom.drop_bar).parameters)
    for law in carom.LAWS.values():
        assert "kwargs" not in inspect.signature(law).parameters


@pytest.mark.skipif(shutil.which("mypy") is None, reason="no mypy")
def test_stubs_know_the_laws(tmp_path):
    package = pathlib.Path(carom.__file__).parent
    assert (package / "py.typed").exists()
    good = tmp_path / "good.py"
    good.write_text("import carom\nlaw = carom.HuntCrossley(1e9, exponent=1.5, mu=0.5)\nlaw.force(1e-5, 0.1)\n"
                    "carom.hunt_crossley(1e9)\ncarom.identify(restitution=0.5, speed=1.0, exponent=1.5)\n")  # fmt: skip
    bad = tmp_path / "bad.py"
    bad.write_text("import carom\ncarom.HuntCrossley(1e9, exponnt=1.5)\ncarom.no_such_thing\n")
    check = ["mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache")]
    environment = {"PATH": "/usr/bin:/bin", "MYPYPATH": str(package.parent)}
    ok = subprocess.run([*check, good], capture_output=True, text=True, env=environment, check=False)
    assert ok.returncode == 0, ok.stdout + ok.stderr
    not_ok = subprocess.run([*check, bad], capture_output=True, text=True, env=environment, check=False)
    assert "exponnt" in not_ok.stdout and "no_such_thing" in not_ok.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_its_shell(shell, carom_cli, tmp_path):
    script = tmp_path / "carom"
    script.write_text(carom_cli("completion", shell).stdout)
    assert "sweep" in script.read_text() and "hunt-crossley" in script.read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    subprocess.run([shell, "-n", script], check=True)
    if shell == "bash":
        ask = f"source {script}; COMP_WORDS=(carom impact --law hu); COMP_CWORD=3; _carom; echo ${{COMPREPLY[*]}}"
        assert subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout.split() == ["hunt-crossley"]
    if shell == "fish":
        ask = f"source {script}; complete -C 'carom run --for'"
        assert "--format" in subprocess.run(["fish", "-c", ask], capture_output=True, text=True, check=True).stdout


def test_manual_pages_are_clean(carom_cli, tmp_path):
    carom_cli("manual", "--all", tmp_path / "man1")
    pages = sorted(page.name for page in (tmp_path / "man1").iterdir())
    assert {"carom.1", "carom-run.1", "carom-sweep.1"} <= set(pages)
    if shutil.which("groff") is None:
        pytest.skip("no groff")
    for page in pages:
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", tmp_path / "man1" / page],
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stderr == "", page
