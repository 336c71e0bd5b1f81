"""Targets of frames as users give them, checked: rows of targets and weights, and the functions that compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.generation.generate import compile
from symdyn.interface.argument_arrays import given_numbers, given_shape
from symdyn.interface.argument_words import given_mapping, given_word
from symdyn.interface.solving import INVERSE_KINEMATICS, TASK_FUNCTION
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS
from symdyn.interface.target_rows import check_turn, pose_rows
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
_KNOWN: WeakKeyDictionary[Robot, dict[tuple[object, ...], Any]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Goals:
    """Targets of tasks one after the other, weights of squares of their errors, and rows of errors by task.

    ``module`` has errors of these tasks, and the solver of inverse kinematics where it is in C.
    """

    module: Any
    targets: Array
    weights: Array
    rows: Mapping[str, slice]

    @classmethod
    def of(
        cls, robot: Robot, goals: Mapping[str, ArrayLike], weights: Mapping[str, ArrayLike] | None, target: str
    ) -> Goals:
        """Those that are given.

        Raises
        ------
        RequestError
            No goals, targets of other shapes, numbers that are not finite, weights of other tasks or below 0.
        """
        if not given_mapping("goals", goals, "{'tool': pose}"):
            raise RequestError(f"goals of robot '{robot.name}' name no frame; give a pose, such as {{'tool': pose}}")
        module = _module(robot, tuple(goals), given_word("target", target, "c"))
        targets = np.concatenate([_target(name, value) for name, value in goals.items()])
        rows, first = dict[str, slice](), 0
        for name in goals:
            last = first + (3 if name.endswith((":position", ":axis")) else 6)
            rows[name], first = slice(first, last), last
        weighed = np.ones(first)
        for name, value in given_mapping("weights", {} if weights is None else weights, "{'tool': 2.0}").items():
            if name not in rows:
                raise RequestError(f"weights name task '{name}', which is not among the goals {', '.join(goals)}")
            own = weighed[rows[name]]
            own[:] = given_shape(f"weight of '{name}'", value, own.shape if np.ndim(value) else ())
        if not np.all(weighed >= 0.0):
            raise RequestError(f"weights of robot '{robot.name}' are numbers from 0, got {weighed.tolist()}")
        return cls(module, targets, weighed, rows)

    def by_task(self, e: Array) -> dict[str, Array]:
        """Errors by the names of tasks."""
        return {name: np.asarray(e[own]) for name, own in self.rows.items()}


def _module(robot: Robot, tasks: tuple[str, ...], target: str) -> Any:
    known = _KNOWN.setdefault(robot, {})
    if (tasks, target) not in known:
        functions = [TASK_FUNCTION, *(CONSTRAINT_FUNCTIONS if robot.model.loops else ())]
        solvers = [INVERSE_KINEMATICS] if target == "c" else None
        known[tasks, target] = compile(robot, functions, tasks=list(tasks), target=target, lanes=False, solvers=solvers)
    return known[tasks, target]


def _target(name: str, value: ArrayLike) -> Array:
    """The rows of a target."""
    own = given_numbers(f"goal '{name}'", value)
    if not np.all(np.isfinite(own)):
        raise RequestError(f"goal '{name}' has numbers that are not finite")
    if name.endswith((":position", ":axis")):
        if own.shape != (3,):
            raise RequestError(f"goal '{name}' has shape (3,), got {own.shape}")
        if name.endswith(":axis") and not own.any():
            raise RequestError(f"goal '{name}' is a direction, got zeros")
        return own
    own = pose_rows(f"goal '{name}'", own)
    if own.shape != (7,):
        raise RequestError(
            f"goal '{name}' is a pose (4, 4), or (7,) of x, y, z and a quaternion x, y, z, w, got shape {own.shape}"
            + (f"; for a position alone write '{name}:position'" if own.shape == (3,) else "")
        )
    check_turn(f"goal '{name}'", own[3:])
    return own
