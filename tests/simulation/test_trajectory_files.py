"""Files of trajectories whose arrays are whole and whose content is not that of a trajectory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.array_files import read_arrays, write_arrays
from symdyn.analysis.simulation.trajectory import robot_hash
from symdyn.analysis.view.motion import read_motion
from symdyn.errors import RequestError

TIMES = np.array([0.0, 0.5, 1.0])
NONE = np.zeros((3, 0))
ONE = np.ones((3, 1))


def saved(path: Path, **changes: Any) -> Path:
    """A file of a motion of the pendulum, with some of its arrays replaced."""
    robot = symdyn.load_example("pendulum")
    names = (robot.coordinate_names, robot.velocity_names, (), ())
    made = symdyn.Trajectory(
        robot.name, robot_hash(robot), "rk4", *names, TIMES, ONE, ONE, ONE, NONE, NONE, *np.ones((2, 3))
    )
    made.save(path)
    write_arrays(path, {**read_arrays(path), **changes})
    return path


BAD: list[tuple[dict[str, Any], str]] = [
    ({"messages": "3.5"}, "expected a list of texts in 'messages'"),
    ({"messages": '"late"'}, "expected a list of texts in 'messages'"),
    ({"messages": "[1]"}, "expected a list of texts in 'messages'"),
    ({"messages": "[" * 100_000}, "recursion"),
    ({"counters": "[1, 2]"}, "expected numbers by names in 'counters'"),
    ({"timings": '{"run": "long"}'}, "expected numbers by names in 'timings'"),
    ({"q": ONE * (1.0 + 1.0j)}, "expected real numbers in 'q', got an array of complex128"),
    ({"v": np.array([["1"], ["2"], ["3"]])}, "expected real numbers in 'v'"),
    ({"t": np.array([0, 1, 2], dtype="m8[s]")}, "expected real numbers in 't'"),
    ({"event touch": np.array(["now"])}, "expected real numbers in 'event touch'"),
    ({"event touch": np.array(1.0)}, "event touch has shape (), not (k,)"),
    ({"robot_name": np.array(["a", "b"])}, "expected a text in 'robot_name'"),
    ({"velocity_names": np.array("x")}, "expected texts (n,) in 'velocity_names'"),
    ({"method": np.array(4.0)}, "expected a text in 'method'"),
]


@pytest.mark.parametrize(("changes", "words"), BAD)
def test_what_is_no_trajectory_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError) as refusal:
        symdyn.Trajectory.load(saved(tmp_path / "x.npz", **changes))
    assert words in str(refusal.value) and str(refusal.value).isprintable() and "x.npz" in str(refusal.value)


def test_rows_are_those_of_the_robot(tmp_path: Path) -> None:
    # Only with names of rows that differ, too, do arrays of another width pass the comparison of shapes.
    two = np.ones((3, 2))
    path = saved(tmp_path / "x.npz", v=two, a=two, velocity_names=np.array(["swing", "more"]))
    assert symdyn.Trajectory.load(path).v.shape == (3, 2)
    with pytest.raises(RequestError, match="no trajectory of robot 'pendulum': its rows have other names"):
        symdyn.Trajectory.load(path, symdyn.load_example("pendulum"))


def test_what_a_file_lacks_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", t=TIMES, q=ONE)
    with pytest.raises(RequestError, match=r"x\.npz' is no trajectory of symdyn: it lacks 'v'"):
        symdyn.Trajectory.load(tmp_path / "x.npz")


def test_a_trajectory_is_shown_in_one_line(tmp_path: Path) -> None:
    found = symdyn.Trajectory.load(saved(tmp_path / "x.npz", messages='["it\\n\\u0000 stopped"]'))
    assert found.messages == ("it\n\0 stopped",) and repr(found).isprintable()


def test_complex_positions_are_not_cut(tmp_path: Path) -> None:
    robot = symdyn.load_example("pendulum")
    with pytest.raises(RequestError, match="expected real numbers"):
        robot.difference(ONE * 1.0j, ONE)
    np.savez(tmp_path / "x.npz", t=TIMES, q=ONE * 1.0j)
    with pytest.raises(RequestError, match="expected real numbers in 'q'"):
        read_motion(robot, tmp_path / "x.npz")
