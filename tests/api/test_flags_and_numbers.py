"""Numbers in place of flags, and flags in place of numbers: they are refused, as 1 is not what True means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import symdyn
from symdyn.errors import SymdynError
from symdyn.robot.robot import Robot

TIP = {"tip": np.eye(4)}
STILL: dict[str, Any] = {"q": [0.1, 0.2], "v": [0.0, 0.0]}


def made(name: str, **given: Any) -> Callable[[Robot, Any], object]:
    """A call of a public function with one argument, by its name, that is wrong."""
    argument, *_ = (key for key, value in given.items() if value is None)
    return lambda robot, wrong: getattr(symdyn, name)(robot, **{**given, argument: wrong})


PYTHON: dict[str, Any] = {"functions": ["gravity"], "target": "python"}
FLAGS: dict[str, Callable[[Robot, Any], object]] = {
    "lanes": made("compile", **PYTHON, lanes=None),
    "check": made("compile", **PYTHON, check=None),
    "hessian": made("compile", functions=["gravity"], target="casadi", hessian=None),
    "binary": made("export_fmu", binary=None),
    "looks": lambda robot, wrong: robot.to_yaml(looks=wrong),
    "contacts": made("equilibrium", contacts=None),
    "limits": made("inverse_kinematics", goals=TIP, limits=None),
}


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("wrong", [1, 0, 1.0, np.int64(1), np.ones(1, bool)])
def test_numbers_are_no_flags(flag: str, wrong: object) -> None:
    with pytest.raises(SymdynError, match=f"{flag} is True or False, got"):
        FLAGS[flag](symdyn.load_example("double_pendulum"), wrong)


ROWS: dict[str, Callable[[Robot, Any], object]] = {
    "q": made("simulate", t=0.1, q=None),
    "v": made("simulate", t=0.1, v=None),
    "inputs": made("simulate", t=0.1, inputs=None),
    "t": made("simulate", t=None),
    "jumps": made("simulate", t=0.1, jumps=None),
    "q0": made("equilibrium", q0=None),
    "u": made("equilibrium", u=None),
    "lower": made("excitation", lower=None),
    "states": made("rollout", **STILL, h=0.1, u=None),
    "dv": lambda robot, wrong: robot.integrate([0.1, 0.2], wrong),
    "modes": made("modes", q=None),
    "by names": lambda robot, wrong: robot.state({"elbow": wrong[0]}),
    "smooth": lambda robot, wrong: symdyn.HarmonicInputs(wrong, 1.0, 1.0),
    "times": lambda robot, wrong: symdyn.simulate(robot, **STILL, t=wrong[0]),
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("wrong", [[True, True], [False, 0.5], (0.5, True), np.array([True, False])])
def test_flags_are_no_numbers(rows: str, wrong: Any) -> None:
    if rows in ("by names", "times") and not isinstance(wrong[0], bool | np.bool_):
        wrong = wrong[::-1]
    with pytest.raises(SymdynError, match=r"number|times"):
        ROWS[rows](symdyn.load_example("double_pendulum"), wrong)


@pytest.mark.parametrize("option", ["frames", "tasks", "prescribed", "steppers", "solvers"])
def test_values_by_names_are_no_lists_of_names(option: str) -> None:
    """Their values would be dropped."""
    robot, wrong = symdyn.load_example("double_pendulum"), dict[str, Any](tip=1.0)
    asked: dict[str, Any] = {option: wrong}
    with pytest.raises(SymdynError, match=f"{option} is a list of .*names"):
        symdyn.compile(robot, ["frame_velocity_partials"], **asked)
    with pytest.raises(SymdynError, match="runtime is a list of names"):
        symdyn.load_example("double_pendulum", runtime=cast("Any", wrong))


def test_numbers_that_have_no_rows() -> None:
    robot = symdyn.load_example("double_pendulum")
    for asked in ({"rtol": True}, {"max_step": True}, {"sample_time": np.True_}):
        with pytest.raises(SymdynError, match="positive number, got"):
            symdyn.simulate(robot, t=0.1, **asked)
    with pytest.raises(SymdynError, match="rng is a NumPy generator or a seed"):
        robot.random_state(True)
    with pytest.raises(SymdynError, match="order is a whole number from 0, got True"):
        symdyn.compile(robot, ["inverse_dynamics_time_derivatives"], order=True, target="python")
    assert robot.integrate(np.array([1, 2]), (0, 0.5)).tolist() == [1.0, 2.5]
