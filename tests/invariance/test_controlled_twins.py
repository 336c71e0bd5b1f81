"""Costs, errors of tasks and computed torque of a robot and its twin, whose targets move with the root."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from support.invariance.moved_root import MovedRoot, moved_root
from support.invariance.renamed import renamed
from support.invariance.robots import Array
from support.invariance.twins import Relation, State, compare

import symdyn
from symdyn import FrameAxis, FramePose, FramePosition, FrameVelocity, InputCost, OptimalControlProblem, StateCost
from symdyn.interface.optimal_control import COST_FUNCTIONS
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
ROBOTS = {"seven_dof_arm": "tool", "aerial_manipulator": "arm_1_tip"}
"""A fixed and a free base, each with a frame that has targets."""


def problem(frame: str) -> OptimalControlProblem:
    """All costs whose targets belong to the world, and costs of rows."""
    return OptimalControlProblem(
        [
            FramePose(frame, weight=3.0, end=5.0, name="pose"),
            FramePosition(frame, weight=2.0, huber=0.3, name="place"),
            FrameAxis(frame, weight=1.5, hessian="exact", name="direction"),
            FrameVelocity(frame, weight=0.7, target="input", name="twist"),
            symdyn.CenterOfMass(target="input", weight=4.0, name="centre"),
            symdyn.Momentum(target="input", weight=0.2, name="momentum"),
            StateCost(q="start", v=0.0, weight=0.1),
            InputCost(weight=1e-2),
        ]
    )


@dataclass(frozen=True)
class Controlled:
    """A relation of robots whose functions of control are compared; ``name`` gives the twin's names of frames."""

    base: Relation
    first: Robot
    robot: Robot
    name: Callable[[str], str]
    tasks: tuple[str, ...] = ()

    def asked(self, options: RequestOptions) -> RequestOptions:
        """With tasks, where there are some."""
        found = self.base.asked(options)
        return {**found, "tasks": list(self.tasks)} if self.tasks else found

    def options(self, function: str, asked: RequestOptions) -> RequestOptions:
        """With the tasks of the twin's frames."""
        found = self.base.options(function, asked)
        return (
            {
                **found,
                "tasks": [
                    ":".join([self.name(frame), *kind]) for frame, *kind in (own.split(":") for own in self.tasks)
                ],
            }
            if self.tasks
            else found
        )

    def weights(self, function: str, new: Argument) -> Array | float:
        """As of the relation."""
        return self.base.weights(function, new)

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """Targets are moved with the root; all else is as of the relation."""
        if function == "task_errors" and old.name in ("e", "de_dq") and isinstance(self.base, MovedRoot):
            pose, turn = (
                values[:6],
                self.base.pose[:3, :3],
            )  # errors of poses are in the frame's axes, others in the world's
            return np.concatenate([pose, *(turn @ values[first : first + 3] for first in range(6, len(values), 3))])
        if old.name != "targets":
            return self.base.forward(function, old, new, values)
        if not isinstance(self.base, MovedRoot):
            return values
        groups = groupby(zip(old.element_names, values, strict=True), key=lambda entry: group_of(entry[0]))
        return np.concatenate([moved(self.base.pose, group, np.array([x for _, x in rows])) for group, rows in groups])


def group_of(name: str) -> str:
    """The cost or task of a row of targets: ``place`` of ``place.x``, ``tool (axis)`` of ``tool.zx (axis)``."""
    cost, _, row = name.partition(".")
    return f"{cost}{row[row.index(' ') :] if ' ' in row else ''}"


def moved(pose: Array, group: str, target: Array) -> Array:
    """A target in the moved world."""
    turn, shift = pose[:3, :3], pose[:3, 3]
    if len(target) == 7:
        return np.concatenate([turn @ target[:3] + shift, turned(turn, target[3:])])
    threes = (turn @ target.reshape(-1, 3).T).T.ravel()
    return threes + shift if group in ("place", "centre") or group.endswith("(position)") else threes


def turned(turn: Array, quaternion: Array) -> Array:
    """The quaternion, of any length, of a rotation behind that of another one."""
    x, y, z, w = quaternion
    (a, b, c), d = rotation_vector(turn)
    return np.array([d * x + a * w + b * z - c * y, d * y + b * w + c * x - a * z, d * z + c * w + a * y - b * x,
                     d * w - a * x - b * y - c * z])  # fmt: skip


def rotation_vector(turn: Array) -> tuple[Array, float]:
    """Vector and scalar part of the quaternion of a rotation, from the eigenvector of 1 and the trace."""
    w = 0.5 * np.sqrt(1.0 + np.trace(turn))
    return np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (4.0 * w), float(w)


def twin_of(change: str, robot: Robot) -> tuple[Any, Callable[[str], str]]:
    if change == "root moved":
        return moved_root(robot, np.random.default_rng(4)), str
    found = renamed(robot, random.Random(4))
    assert found is not None
    return found, found.renamed


@pytest.mark.parametrize("change", ["root moved", "names and order"])
@pytest.mark.parametrize("name", ROBOTS)
def test_costs_tasks_and_torques_are_those_of_the_twin(name: str, change: str) -> None:
    first, frame = symdyn.load_example(name), ROBOTS[name]
    relation, new = twin_of(change, first)
    q, v = first.random_state(np.random.default_rng(7))
    made = partial(
        Controlled, relation, first.with_control(problem(frame)), relation.robot.with_control(problem(new(frame))), new
    )
    found = [
        *compare(made(), State(q, v, 8), [*COST_FUNCTIONS, "computed_torque"]),
        *compare(made((frame, f"{frame}:position", f"{frame}:axis")), State(q, v, 9), ["task_errors"]),
    ]
    assert {own.function for own in found} == {*COST_FUNCTIONS, "computed_torque", "task_errors"}
    assert [own for own in found if not own.holds] == []
