"""Inverse kinematics of any robot: what users give, checked, then one search in C or in NumPy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.inverse_kinematics.goals import Goals
from symdyn.analysis.inverse_kinematics.levenberg import Search, search
from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_flag, given_positive, given_whole
from symdyn.interface.keywords import names_keywords
from symdyn.interface.solving import INVERSE_KINEMATICS, LEVENBERG, MAX_ITERATIONS
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import (
    given_coordinates,
    given_generator,
    given_parameters,
    given_position,
    warn_beyond_limits,
)
from symdyn.toolchain.solvers import SolveCode

Array = NDArray[np.float64]
STARTS = 20


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
    q0: ArrayLike | Mapping[str, ArrayLike] | None = None,
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
        Where searches start, (nq,), (starts, nq), or numbers by names of coordinates. By default the middle of the
        limits, then random positions.
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
    tolerance, max_iterations = given_positive("tolerance", tolerance), given_whole("max_iterations", max_iterations, 1)
    limited, seed = given_flag("limits", limits), given_whole("seed", seed)
    parameters = given_parameters(robot.model, p)
    asked = Goals.of(robot, goals, weights, target)
    module = asked.module
    infinite = np.full(robot.nq, np.inf)
    lower, upper = (robot.limits.lower, robot.limits.upper) if limited else (-infinite, infinite)
    starts = _starts(robot, seed) if q0 is None else _given_starts(robot, q0)
    if q0 is not None and limited:
        for start in starts:
            warn_beyond_limits(robot.model, "q0", start)
    given = (asked.targets, *((parameters,) if parameters.size else ()))
    solve = getattr(module, f"solve_{INVERSE_KINEMATICS}", None)
    if solve is not None:
        most = {"tolerance": tolerance, "max_iterations": max_iterations}
        found = solve(starts, *given, weights=asked.weights, lower=lower, upper=upper, **most)
    else:
        found = search(_in_numpy(robot, module, given, asked.weights, lower, upper), starts, tolerance, max_iterations)
    errors = asked.by_task(module.task_errors(found.q, *given)[0])
    return InverseKinematics(robot.name, found.q, found.error, errors, found.iterations, found.starts, found.code)


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


def _given_starts(robot: Robot, q0: ArrayLike | Mapping[str, ArrayLike]) -> Array:
    if isinstance(q0, Mapping):
        return given_position(robot.model, q0, "q0")[None]
    starts = np.atleast_2d(given_coordinates(robot.model, "q0", q0))
    if starts.ndim != 2 or not len(starts):
        raise RequestError(
            f"q0 of robot '{robot.name}': expected shape ({robot.nq},) or (starts, {robot.nq}), got {starts.shape}"
        )
    return starts


def _starts(robot: Robot, seed: int) -> Array:
    """The middle of the limits, then random positions."""
    rng, limits, middle = given_generator(seed), robot.limits, robot.neutral()
    both = np.isfinite(limits.lower) & np.isfinite(limits.upper)
    middle[both] = 0.5 * (limits.lower[both] + limits.upper[both])
    return np.stack([middle, *(robot.random_state(rng)[0] for _ in range(STARTS - 1))])
