"""Robots with optimal-control problems: each kind of cost, constant and given at run time, on joints of all kinds."""

from __future__ import annotations

import math

from symdyn import api
from symdyn.description.control.costs import (
    CenterOfMass,
    Effort,
    Energy,
    FrameAxis,
    FramePose,
    FramePosition,
    FrameVelocity,
    InputCost,
    InputRate,
    Momentum,
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


def of_quantities(robot: Robot, hessian: str = "gauss_newton") -> Robot:
    """Velocities of frames, momenta, energies, forces of springs, and changes of inputs."""
    frame = robot.frame_names[-1]
    return robot.with_control(
        OptimalControlProblem(
            [
                FrameVelocity(frame, "input", weight=0.5, end=0.25, hessian=hessian),
                CenterOfMass((0.1, -0.2, 0.3), weight="input", end=2.0, hessian=hessian),
                Momentum(0.5, weights=(1.0, 2.0, 0.5, 3.0, 0.25, 1.0), hessian=hessian),
                Energy("input", weight=0.03125, end=0.5, huber=2.0, hessian=hessian),
                Effort(0.125, weight=0.25, hessian=hessian),
                InputRate(weight=1e-3),
            ],
            horizon=Horizon(step=0.25),
        )
    )


def exactly(robot: Robot) -> Robot:
    """Exact Hessians of poses and coordinates, and of inputs beyond a threshold."""
    frame = robot.frame_names[-1]
    return robot.with_control(
        OptimalControlProblem(
            [
                FramePose(frame, _TURNED, weight=2.0, end=1.0, hessian="exact"),
                FrameAxis(frame, "input", weight=0.5, hessian="exact", huber=0.5),
                StateCost(q="start", v=1.0, weights={"q": 0.5, "v": 2.0}, end={"q": 2.0}, huber=1.0, hessian="exact"),
                InputCost(0.5, weight=0.125, huber=0.25, hessian="exact"),
                InputRate(weight=0.5, huber=0.5, hessian="exact"),
            ],
            start=Start(q=[math.sin(1.0 + row) for row in range(robot.nq)]),
            horizon=Horizon(step=0.5),
        )
    )


def controlled(name: str) -> Robot:
    """A shipped robot with a problem of constants."""
    return constant(api.load_example(name))
