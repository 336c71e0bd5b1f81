"""``symdyn simulate``: what it shows, what it keeps, and what it refuses in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.cli.main import main


@pytest.mark.needs_cc
def test_a_motion_is_shown_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.npz"
    words = ["simulate", "pendulum", "--time", "0.5", "--q", "swing=1.0", "--fps", "20", "--rtol", "1e-9"]
    assert main([*words, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "dop853" in text and "11 states up to t = 0.5 s" in text
    robot = symdyn.load_example("pendulum")
    found = symdyn.Trajectory.load(out, robot)
    direct = symdyn.simulate(robot, [1.0], t=np.linspace(0.0, 0.5, 11), rtol=1e-9)
    assert np.array_equal(found.q, direct.q) and np.array_equal(found.t, direct.t)


@pytest.mark.needs_cc
def test_inputs_come_by_name_or_from_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "push.csv"
    table.write_text("t,swing\n0.0,0.25\n1.0,0.25\n")
    ends = []
    for given in ("swing=0.25", str(table)):
        out = tmp_path / "run.npz"
        assert main(["simulate", "pendulum", "--time", "0.3", "--input", given, "--out", str(out)]) == 0
        ends.append(symdyn.Trajectory.load(out).q[-1])
    capsys.readouterr()
    assert np.array_equal(ends[0], ends[1]) and abs(ends[0][0]) > 1e-3


@pytest.mark.needs_cc
def test_a_pulse_of_a_table_is_met_and_steps_have_a_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At rest for 20 s, then 4 N on 2 kg for 1 s: at 25 s it has gone 1 m and 4 s at 2 m/s."""
    robot, table, out = (tmp_path / name for name in ("cart.yaml", "pulse.csv", "run.npz"))
    robot.write_text(
        "name: cart\ngravity: [0, 0, 0]\nlinks: {ground: {}, cart: {mass: 2.0}}\n"
        "joints: {x: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}}\n"
    )
    table.write_text("t,x\n0,0\n20,4\n21,0\n")
    words = ["simulate", str(robot), "--time", "25", "--input", str(table), "--out", str(out)]
    for bound, longest in (([], 25.0), (["--max-step", "0.5"], 0.5)):
        assert main([*words, *bound]) == 0
        found = symdyn.Trajectory.load(out)
        assert found.q[-1, 0] == pytest.approx(9.0, abs=2e-5)
        assert np.max(np.diff(found.t)) <= longest + 1e-12
    assert main([*words, "--max-step", "0"]) == 2
    assert "max_step: expected a positive number" in capsys.readouterr().err


@pytest.mark.needs_cc
def test_what_a_solver_reached_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run.npz"
    words = ["simulate", "pendulum", "--v", "swing=1e200", "--time", "1", "--out", str(out)]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: dop853 gave up at t = ") and "'swing'" in error and error.count("\n") == 1
    assert symdyn.Trajectory.load(out).t[0] == 0.0


@pytest.mark.parametrize("cell", ["1" * 200_000, '"' + "1\n" * 100_000])
def test_a_cell_that_is_too_long_is_refused(cell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "long.csv"
    table.write_text(f"t,swing\n0,{cell}\n", encoding="utf-8")
    assert main(["simulate", "pendulum", "--input", str(table)]) == 2
    error = capsys.readouterr().err
    assert "long.csv: cannot be read as numbers below a line of names: field larger than" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--input", "swung=1"], "did you mean 'swing'"),
        (["--input", "swing"], "expected NAME=VALUE"),
        (["--q", "swing=nan"], "finite number"),
        (["--q", "swing=1", "--q", "swing=2"], "named twice"),
        (["--v", "arm=1"], "there are swing"),
        (["--method", "tailor"], "did you mean 'taylor'"),
        (["--time", "nan"], "not finite"),
        (["--time", "-1", "--fps", "10"], "above 0"),
        (["--rtol", "0"], "rtol"),
        (["--out", "run.csv"], "ends in .npz"),
        (["--input", "none.csv"], "cannot be read"),
    ],
)
def test_refusals_are_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "pendulum", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    assert said in error
