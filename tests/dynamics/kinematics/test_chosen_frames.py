"""Functions of some frames: the same rows as functions of all, in every layout, with fewer operations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.states import random_inputs

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

FUNCTIONS = ("forward_kinematics", "jacobians", "jacobians_time_derivative", "forward_kinematics_time_derivatives")
LAYOUTS = ("unrolled", "rolled", *(pytest.param(own, marks=pytest.mark.slow) for own in ("split", "rolled-lanes")))


def _outputs(robot: Robot, function: str, layout: str, **asked: object) -> tuple[dict[str, np.ndarray], int]:
    """Arrays by name at a random state, and operations."""
    order = {"order": 1} if function.endswith("derivatives") else {}
    (program,) = api.programs(robot, [function], layout=layout, **order, **asked)  # type: ignore[arg-type]
    inputs = random_inputs(robot, program.signature, np.random.default_rng(3))
    flat = evaluate_program(program, FloatAlgebra(), inputs)
    found = {own.name: np.reshape(flat[own.name], own.shape) for own in program.signature.outputs}
    return found, sum(program.counts().values())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_are_those_of_all_frames_in_the_order_asked(function: str, layout: str) -> None:
    robot = symdyn.load_example("quadruped")
    chosen = [robot.frame_names[index] for index in (9, 0, 4)]
    every, cost = _outputs(robot, function, layout)
    some, less = _outputs(robot, function, layout, frames=chosen)
    for name, rows in some.items():
        axis = 1 if name == "V_WF" else 0
        expected = np.take(every[name], [9, 0, 4], axis=axis)
        assert np.allclose(rows, expected, rtol=1e-13, atol=1e-13), name  # sums may be taken in another order
    assert less < 0.6 * cost, "bodies of other legs are computed"


@pytest.mark.parametrize("robot", ["canadarm", pytest.param("soft_serial_robot", marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_frames_before_a_link_that_bends(robot: str, function: str) -> None:
    loaded = symdyn.load_example(robot)
    every, _ = _outputs(loaded, function, "rolled")
    some, _ = _outputs(loaded, function, "rolled", frames=loaded.frame_names[2])
    for name, rows in some.items():
        expected = np.take(every[name], [2], axis=1 if name == "V_WF" else 0)
        assert np.allclose(rows, expected, rtol=0.0, atol=1e-14), name


def test_a_frame_that_does_not_move_needs_no_operation() -> None:
    robot = symdyn.load_example("double_pendulum")
    for function in FUNCTIONS:
        found, cost = _outputs(robot, function, "rolled", frames=[robot.frame_names[0]])
        assert cost == 0, function
        for name, rows in found.items():
            assert np.array_equal(np.ravel(rows), np.eye(4).ravel() if name == "X" else np.zeros(rows.size)), name


def test_symbolic_and_closed_forms_take_frames() -> None:
    robot = symdyn.load_example("double_pendulum")
    tip = robot.frame_names[-1]
    every = symdyn.symbolic(robot, "jacobians")([0.3, 0.4]).full().reshape(-1, 6, 2, order="A")
    count = len(robot.frame_names)
    some = symdyn.symbolic(robot, "jacobians", frames=[tip])
    assert some.numel_out() * count == symdyn.symbolic(robot, "jacobians").numel_out()
    assert every.size == count * 12
    pose = symdyn.closed_form(robot, "forward_kinematics", frames=[tip])
    assert pose.shape == (4, 4)
    whole = symdyn.closed_form(robot, "forward_kinematics")
    assert pose == whole[-4:, :]


def test_what_is_no_choice_of_frames_is_refused() -> None:
    robot = symdyn.load_example("double_pendulum")
    first, last = robot.frame_names[0], robot.frame_names[-1]

    def asked(frames: object, functions: tuple[str, ...] = ("jacobians",)) -> None:
        api.programs(robot, functions, frames=frames)  # type: ignore[arg-type]

    with pytest.raises(RequestError, match=rf"frame '{last[:-1]}' is unknown; .*did you mean '{last}'\?"):
        asked([last[:-1]])
    with pytest.raises(RequestError, match="frames names a frame twice"):
        asked([last, last])
    with pytest.raises(RequestError, match="frames names none"):
        asked([])
    with pytest.raises(RequestError, match="frames is a list of frame names, got 3"):
        asked(3)
    with pytest.raises(RequestError, match="takes frames; leave it out"):
        asked([last], ("inverse_dynamics",))
    (program,) = api.programs(robot, ["jacobians"], frames=f"{last}, {first}")
    assert program.signature.outputs[0].rows[0] == (last, first)
    assert program.signature.options["frames"] == (last, first)


def test_verify_knows_which_frames_were_chosen(tmp_path: Path) -> None:
    robot = symdyn.load_example("double_pendulum")
    names = list(reversed(robot.frame_names))[:2]
    folder = symdyn.generate(robot, FUNCTIONS, order=2, target="python", frames=names, out=tmp_path / "made")
    report = api.verify(folder, states=3)
    assert report.passed
    assert {result.function for result in report.results} == set(FUNCTIONS)
