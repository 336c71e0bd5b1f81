"""Robots with optimal-control problems: each kind of cost, constant and given at run time, on joints of all kinds."""

from __future__ import annotations

import math

from symdyn import api
from symdyn.description.control.costs import (
    FrameAxis,
    FramePose,
    FramePosition,
    InputCost,
    StateCost,
)
from symdyn.description.control.problem import Horizon, OptimalControlProblem, Start
from symdyn.robot.robot import Robot

_TURNED = (0.3, -0.2, 0.6, 0.2, -0.4, 0.6, 0.66332495807108)
"""A pose."""


def at_run_time(robot: Robot) -> Robot:
    """References and weights are inputs where they can be."""
    frames = robot.frame_names
    return robot.with_control(
        OptimalControlProblem(
            [
                FramePose(frames[-1], weight="input", end=30.0, weights=(1.0, 2.0, 0.5, 0.1, 0.2, 0.3)),
                FramePosition(frames[-1], weights="input", end="input", huber=0.25),
                StateCost(q="input", v="input", weights={"q": 0.5, "v": "input"}, end={"q": 2.0, "v": 0.25}),
                InputCost("input", weight=0.125),
                FrameAxis(frames[-2], weight=3.0, name="level"),
            ],
            horizon=Horizon(step=0.03125),
        )
    )


def constant(robot: Robot, inputs: str = "forces") -> Robot:
    """References and weights are numbers; positions start somewhere."""
    frames = robot.frame_names
    start = [math.sin(1.0 + row) for row in range(robot.nq)]
    rows = [0.25 + 0.5 * row for row in range(robot.nv)]
    return robot.with_control(
        OptimalControlProblem(
            [
                StateCost(q="start", v=0.5, weights={"q": rows, "v": 0.5}, end={"q": rows[::-1]}, huber=2.0),
                FramePose(frames[-1], _TURNED, weight=2.0, end=100.0),
                FramePosition(frames[0], (0.1, 0.2, -0.3), end=(1.0, 2.0, 3.0)),
                FrameAxis(frames[-1], (1.0, 2.0, -2.0), weights=(1.0, 0.0, 2.0), weight=0.5),
                InputCost("gravity" if inputs == "forces" else 0.5, weight=0.0625),
            ],
            start=Start(q=start),
            inputs=inputs,
        )
    )


def controlled(name: str) -> Robot:
    """A shipped robot with a problem of constants."""
    return constant(api.load_example(name))
