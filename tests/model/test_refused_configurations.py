"""Configurations that are none: zero quaternions, numbers that are not finite, masked entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.robots.small import loaded, massive, single

import symdyn
from symdyn.description.robot import JointKind
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot


def ball() -> Robot:
    return loaded(single(JointKind.SPHERICAL, massive("body")), floating_base=True)


def quaternion_rows(robot: Robot) -> dict[str, slice]:
    return {"root": slice(3, 7), "j": slice(7, 11)}


@pytest.mark.parametrize("joint", ["root", "j"])
@pytest.mark.parametrize("scale", [0.0, 1e-200, 0.5, 2.0])
def test_quaternions_that_are_no_rotation_are_refused(joint: str, scale: float) -> None:
    robot = ball()
    q = np.tile(robot.neutral(), (2, 3, 1))
    q[1, 2, quaternion_rows(robot)[joint]] *= scale
    good, step = robot.neutral(), np.zeros(robot.nv)
    calls: dict[str, Any] = {
        "q": lambda: robot.integrate(q, step),
        "q0": lambda: robot.difference(q, good),
        "q1": lambda: robot.difference(good, q),
    }
    for name, call in calls.items():
        with pytest.raises(RequestError, match=rf"^{name} of robot 'bench': the quaternion of joint '{joint}' has"):
            call()
    drifted = robot.neutral()
    drifted[quaternion_rows(robot)[joint]] *= 1.01
    assert np.isfinite(robot.difference(good, drifted)).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    robot = ball()
    for row in (0, 5, 10):
        q = robot.neutral()
        q[row] = value
        with pytest.raises(
            RequestError, match=r"q1 of robot 'bench': element \[\d+\] is (nan|-?inf), which is not finite"
        ):
            robot.difference(robot.neutral(), q)
    with pytest.raises(RequestError, match=rf"dv of robot 'bench': element \[0\] is {value}, which is not finite"):
        robot.integrate(robot.neutral(), np.full(robot.nv, value))


def test_leading_dimensions_that_do_not_fit_are_refused() -> None:
    robot = ball()
    q = np.tile(robot.neutral(), (2, 1))
    with pytest.raises(RequestError, match=r"leading dimensions do not broadcast: q \(2, 11\), dv \(3, 9\)"):
        robot.integrate(q, np.zeros((3, robot.nv)))
    with pytest.raises(RequestError, match=r"leading dimensions do not broadcast: q0 \(2, 11\), q1 \(3, 11\)"):
        robot.difference(q, np.tile(robot.neutral(), (3, 1)))
    with pytest.raises(RequestError, match=r"q0 of robot 'bench': expected real numbers"):
        robot.difference(["a"] * 11, q)


def test_masked_entries_are_refused() -> None:
    robot = ball()
    whole = np.ma.array(robot.neutral())
    holes = np.ma.array(robot.neutral(), mask=[False] * 10 + [True])
    step = np.zeros(robot.nv)
    assert np.array_equal(robot.integrate(whole, step), robot.neutral())
    for name, call in {
        "q": lambda: robot.integrate(holes, step),
        "dv": lambda: robot.integrate(whole, [np.ma.array(step, mask=True)]),
        "q0": lambda: robot.difference(holes, whole),
        "q1": lambda: robot.difference(whole, holes),
    }.items():
        with pytest.raises(RequestError, match=rf"^{name} of robot 'bench' has masked entries"):
            call()


@pytest.mark.parametrize("target", ["python", pytest.param("c", marks=pytest.mark.needs_cc)])
def test_modules_refuse_masked_entries(target: str) -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["inverse_dynamics"], target=target)
    call = module.inverse_dynamics
    whole = np.ma.array([0.5], mask=[False])
    assert call(whole, [0.1], [0.2]) == call([0.5], [0.1], [0.2])
    hidden = np.ma.array([0.5], mask=[True])
    for masked in (hidden, np.ma.array([[0.5], [0.1]], mask=[[False], [True]]), [[0.1], hidden], (np.ma.masked,)):
        for place in range(3):
            given = [np.array([0.1])] * 3
            given[place] = masked
            with pytest.raises(RequestError, match=rf"argument '{'qva'[place]}' has masked entries"):
                call(*given)
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(RequestError, match="argument 'q' is not an array of numbers"):
        call(endless, [0.1], [0.2])
