"""Systems of one's own: HDF5 files and sweeps over their parameters."""

import math

import numpy as np
import pytest

import carom


class Ball:
    def __init__(self, gravity=9.81):
        self.gravity = gravity

    def mass_matrix(self, q):
        return [[0.2]]

    def force(self, t, q, v):
        return [-0.2 * self.gravity]

    def potential_energy(self, q):
        return 0.2 * self.gravity * q[0]

    def gaps(self, t, q):
        return q

    def gap_gradients(self, t, q):
        return [[1.0]]


def second_height(e, gravity=9.81):
    run = carom.simulate_contacts(Ball(gravity), [0.2], [0.0], e, step=1e-3, duration=0.5,
                                  method="event-driven")
    return {"speed_out": run.impacts["speed_out"][0], "first": run.impacts["time"][0]}


def test_a_sweep_over_a_system_of_ones_own(tmp_path):
    out = tmp_path / "sweep.csv"
    grid = {"gravity": [5.0, 9.81], "e": [0.2, 0.5, 0.9]}
    swept = carom.sweep_function(second_height, grid, out=out, jobs=2, quiet=True)
    assert swept["e"].tolist() == [0.2, 0.5, 0.9] * 2
    speed = np.sqrt(2 * swept["gravity"] * 0.2)
    assert swept["speed_out"] == pytest.approx(swept["e"] * speed, rel=1e-9)
    assert swept["first"] == pytest.approx(np.sqrt(2 * 0.2 / swept["gravity"]), rel=1e-9)

    # What is in the file is not computed again; half a row is.
    lines = out.read_text().splitlines()
    out.write_text("\n".join(lines[:4]) + "\n" + lines[4][:9])
    calls = tmp_path / "calls"

    def counted(**values):
        with open(calls, "a") as file:
            file.write(".")
        return second_height(**values)

    again = carom.sweep_function(counted, grid, out=out, jobs=2, quiet=True)
    assert len(calls.read_text()) == 3
    assert all(np.array_equal(again[name], swept[name]) for name in swept)
    with pytest.raises(ValueError, match="is not of this grid"):
        carom.sweep_function(second_height, {"gravity": [1.0], "e": [0.2]}, out=out, quiet=True)
    with pytest.raises(ValueError, match="is not of a sweep over e"):
        carom.sweep_function(math.sin, {"e": [0.2]}, out=out, quiet=True)
    with pytest.raises(ValueError, match="a number is needed"):
        carom.sweep_function(lambda e: "no", {"e": [0.2]}, quiet=True)


def test_a_run_of_ones_own_system_as_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    run = carom.simulate_contacts(Ball(), [0.2], [0.0], carom.HuntCrossley(1e7, 1.5, mu=0.3),
                                  step=1e-3, duration=0.3)
    path = tmp_path / "run.h5"
    run.to_hdf5(path)
    with h5py.File(path) as file:
        assert np.array_equal(file["time"][:], run.time)
        assert np.array_equal(file["q1"][:], run.q[:, 0])
        assert np.array_equal(file["force1"][:], run.forces[:, 0])
        assert file["v1"].attrs["unit"] in ("", b"")
        assert "dissipated" in str(file.attrs["audit"])
    with pytest.raises(ValueError, match="no/such/folder"):
        run.to_hdf5("no/such/folder/run.h5")
