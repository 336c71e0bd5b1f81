"""Inverse kinematics of any robot: what users give, checked, then one search in C or in NumPy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.logarithm import rotation_quaternion
from symdyn.analysis.inverse_kinematics.levenberg import Search, search
from symdyn.errors import RequestError
from symdyn.generation.generate import compile
from symdyn.interface.keywords import names_keywords
from symdyn.interface.solving import INVERSE_KINEMATICS, LEVENBERG, MAX_ITERATIONS, TASK_FUNCTION
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters, given_position
from symdyn.toolchain.solvers import SolveCode

Array = NDArray[np.float64]
STARTS = 20
_ROTATED = 1e-6
"""By how much R^T R of a pose may differ from 1."""
_KNOWN: WeakKeyDictionary[Robot, dict[tuple[object, ...], Any]] = WeakKeyDictionary()


@dataclass(frozen=True)
class InverseKinematics:
    """A position at which frames meet their targets, or the nearest that was found.

    Attributes
    ----------
    robot
        Its name.
    q
        The position (nq,), within limits.
    error
        Root of the weighted sum of squares of all errors [m, rad].
    errors
        The errors of each task, by its name: those of a pose are (v; w) of log(X_ref^-1 X).
    iterations, starts
        In all, and how many starts were tried.
    code
        ``DONE``; ``NOT_REACHED`` if no start leads to the targets; ``NOT_FINITE`` if no start has finite errors.
    """

    robot: str
    q: Array
    error: float
    errors: Mapping[str, Array] = field(repr=False)
    iterations: int
    starts: int
    code: SolveCode

    @property
    def reached(self) -> bool:
        """Whether the targets are met."""
        return self.code is SolveCode.DONE


@names_keywords
def inverse_kinematics(
    robot: Robot | str | os.PathLike[str],
    goals: Mapping[str, ArrayLike],
    q0: ArrayLike | None = None,
    *,
    weights: Mapping[str, ArrayLike] | None = None,
    limits: bool = True,
    tolerance: float = LEVENBERG["float64"].tolerance,
    max_iterations: int = MAX_ITERATIONS,
    seed: int = 0,
    p: ArrayLike | None = None,
    target: str = "c",
) -> InverseKinematics:
    """Find a position at which frames meet their targets: Levenberg and Marquardt's method within joint limits.

    Errors of closed loops are rows like others. An unreachable target gives a code, and the nearest position.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`.
    goals
        Targets by task. ``"tool"`` has a pose: (4, 4), or (7,) with x, y, z [m] and a quaternion x, y, z, w.
        ``"tool:position"`` has (3,) [m], and ``"tool:axis"`` the direction (3,) of the frame's z axis in the world.
    q0
        Where searches start, (nq,) or (starts, nq). By default the middle of the limits, then random positions.
    weights
        Of squares of errors, by task: a number, or one per row; 1 by default, 0 for rows that do not count.
    limits
        Whether joints stay within the limits of the file.
    tolerance
        Of the root of the weighted sum of squares.
    max_iterations
        Of each start.
    seed
        Of random starts.
    p
        Run-time parameters (np,); the file's values by default.
    target
        As for :func:`symdyn.compile`; the search itself is in C or in NumPy.

    Raises
    ------
    RequestError
        Unknown frames, targets of other shapes, numbers that are not finite.
    """
    robot = as_robot(robot)
    if not goals:
        raise RequestError(f"goals of robot '{robot.name}' name no frame; give a pose, such as {{'tool': pose}}")
    module = _module(robot, tuple(goals), target)
    signature = module.signature(TASK_FUNCTION)
    targets = np.concatenate([_target(name, value) for name, value in goals.items()])
    rows = _rows_by_task(goals)
    weighed = np.ones(signature.outputs[0].size)
    for name, value in (weights or {}).items():
        if name not in rows:
            raise RequestError(f"weights name task '{name}', which is not among the goals {', '.join(goals)}")
        weighed[rows[name]] = np.asarray(value, dtype=np.float64)
    if not (np.all(np.isfinite(weighed)) and np.all(weighed >= 0.0)):
        raise RequestError(f"weights of robot '{robot.name}' are numbers from 0, got {weighed.tolist()}")
    infinite = np.full(robot.nq, np.inf)
    lower, upper = (robot.limits.lower, robot.limits.upper) if limits else (-infinite, infinite)
    starts = _starts(robot, seed) if q0 is None else np.atleast_2d(np.asarray(q0, dtype=np.float64))
    starts = np.stack([given_position(robot.model, row) for row in starts])
    given = (targets, *((given_parameters(robot.model, p),) if robot.model.slots.names else ()))
    solve = getattr(module, f"solve_{INVERSE_KINEMATICS}", None)
    if solve is not None:
        asked = {"weights": weighed, "lower": lower, "upper": upper}
        found = solve(starts, *given, **asked, tolerance=tolerance, max_iterations=max_iterations)
    else:
        found = search(_in_numpy(robot, module, given, weighed, lower, upper), starts, tolerance, max_iterations)
    e = module.task_errors(found.q, *given)[0]
    errors = {name: np.asarray(e[own]) for name, own in rows.items()}
    return InverseKinematics(robot.name, found.q, found.error, errors, found.iterations, found.starts, found.code)


def _module(robot: Robot, tasks: tuple[str, ...], target: str) -> Any:
    known = _KNOWN.setdefault(robot, {})
    if (tasks, target) not in known:
        functions = [TASK_FUNCTION, *(CONSTRAINT_FUNCTIONS if robot.model.loops else ())]
        solvers = [INVERSE_KINEMATICS] if target == "c" else None
        known[tasks, target] = compile(robot, functions, tasks=list(tasks), target=target, lanes=False, solvers=solvers)
    return known[tasks, target]


def _in_numpy(
    robot: Robot, module: Any, given: tuple[Array, ...], weights: Array, lower: Array, upper: Array
) -> Search:
    if not robot.model.loops:
        return Search(robot.model, lambda q: module.task_errors(q, *given), weights, lower, upper)
    error, slopes = (getattr(module, name) for name in CONSTRAINT_FUNCTIONS)
    own = np.full(len(robot.model.loop_row_names), LEVENBERG["float64"].loops)

    def errors(q: Array) -> tuple[Array, Array]:
        e, change = module.task_errors(q, *given)
        return np.append(e, error(q, *given[1:])), np.vstack([change, slopes(q, *given[1:])])

    return Search(robot.model, errors, np.append(weights, own), lower, upper)


def _rows_by_task(goals: Mapping[str, ArrayLike]) -> dict[str, slice]:
    found, first = {}, 0
    for name in goals:
        last = first + (3 if name.endswith((":position", ":axis")) else 6)
        found[name], first = slice(first, last), last
    return found


def _target(name: str, value: ArrayLike) -> Array:
    """The rows of a target."""
    own = np.asarray(value, dtype=np.float64)
    if not np.all(np.isfinite(own)):
        raise RequestError(f"goal '{name}' has numbers that are not finite")
    if name.endswith((":position", ":axis")):
        if own.shape != (3,):
            raise RequestError(f"goal '{name}' has shape (3,), got {own.shape}")
        if name.endswith(":axis") and not own.any():
            raise RequestError(f"goal '{name}' is a direction, got zeros")
        return own
    if own.shape == (4, 4):
        R = own[:3, :3]
        if np.abs(R.T @ R - np.eye(3)).max() > _ROTATED or np.linalg.det(R) < 0.0:
            raise RequestError(f"goal '{name}' has a rotation whose axes are not orthonormal and right-handed")
        return np.append(own[:3, 3], rotation_quaternion(FloatAlgebra(), R.tolist()))
    if own.shape != (7,) or not own[3:].any():
        raise RequestError(
            f"goal '{name}' is a pose (4, 4), or (7,) of x, y, z and a quaternion x, y, z, w, got shape {own.shape}"
        )
    return own


def _starts(robot: Robot, seed: int) -> Array:
    """The middle of the limits, then random positions."""
    rng, limits, middle = np.random.default_rng(seed), robot.limits, robot.neutral()
    both = np.isfinite(limits.lower) & np.isfinite(limits.upper)
    middle[both] = 0.5 * (limits.lower[both] + limits.upper[both])
    return np.stack([middle, *(robot.random_state(rng)[0] for _ in range(STARTS - 1))])
