"""Differential inverse kinematics of any robot: what users give, checked, then one quadratic program in C or NumPy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.inverse_kinematics.active_set import Program, minimum
from symdyn.errors import RequestError
from symdyn.generation.generate import compile
from symdyn.interface.argument_arrays import given_shape
from symdyn.interface.argument_words import given_flag, given_mapping, given_positive, given_word
from symdyn.interface.keywords import names_keywords
from symdyn.interface.solving import DAMPING, DIFFERENTIAL_IK, JACOBIAN_FUNCTION
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS
from symdyn.model.coordinates import rate_rows
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters, given_position
from symdyn.toolchain.solvers import SolveCode, Velocities

Array = NDArray[np.float64]
_POSITION = ":position"
_KNOWN: WeakKeyDictionary[Robot, dict[tuple[object, ...], Any]] = WeakKeyDictionary()


@dataclass(frozen=True)
class DifferentialIK:
    """Velocities with which frames move as desired, as far as limits allow.

    Attributes
    ----------
    robot
        Its name.
    v
        The velocities (nv,).
    errors
        J v - V_d of each goal, by its name [m/s, rad/s].
    limited
        Names of rows of v at a bound.
    factors
        How many systems of linear equations were solved.
    code
        ``DONE``; ``LOOPS_OPEN`` if loops do not close within bounds; ``TOO_MANY_ITERATIONS``; ``NOT_FINITE``.
    """

    robot: str
    v: Array
    errors: Mapping[str, Array] = field(repr=False)
    limited: tuple[str, ...]
    factors: int
    code: SolveCode


@names_keywords
def differential_ik(
    robot: Robot | str | os.PathLike[str],
    goals: Mapping[str, ArrayLike],
    q: ArrayLike,
    h: float,
    *,
    v_0: ArrayLike | None = None,
    weights: Mapping[str, ArrayLike] | None = None,
    damping: float = DAMPING,
    limits: bool = True,
    p: ArrayLike | None = None,
    target: str = "c",
) -> DifferentialIK:
    """Find velocities with which frames move as desired: min |J v - V_d|_W^2 + damping |v - v_0|^2 within limits.

    The bounds are velocity limits of the file and, within them, (limit - q) / h, so that the next position is within
    its limits. A row that is outside returns as fast as its velocity limit allows. Loops close at the end of the step.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`.
    goals
        Desired velocities by frame: ``"tool"`` has a twist (6,), linear; angular, world axes, at the frame's origin,
        and ``"tool:position"`` the velocity (3,) of the origin alone.
    q
        The position (nq,) now.
    h
        Length of the step [s].
    v_0
        Velocities (nv,) that are preferred where the frames leave v free; 0 by default.
    weights
        Of squares, by goal: a number, or one per row; 1 by default.
    damping
        Weight of |v - v_0|^2, above 0.
    limits
        Whether limits of the file hold.
    p
        Run-time parameters (np,); the file's values by default.
    target
        As for :func:`symdyn.compile`; the program itself is solved in C or in NumPy.

    Raises
    ------
    RequestError
        Unknown frames, goals of other shapes, numbers that are not finite, a damping or a step that is not above 0.
    """
    robot = as_robot(robot)
    if not given_mapping("goals", goals, "{'tool': (6,)}"):
        raise RequestError(f"goals of robot '{robot.name}' name no frame; give a twist, such as {{'tool': (6,)}}")
    frames = tuple(dict.fromkeys(name.removesuffix(_POSITION) for name in goals))
    if len(frames) < len(goals):
        raise RequestError(f"goals of robot '{robot.name}' name a frame twice: {', '.join(goals)}")
    h, damping = given_positive("h", h), given_positive("damping", damping)
    twists, weighed, rows = np.zeros((len(goals), 6)), np.zeros((len(goals), 6)), dict[str, slice]()
    for frame, (name, value) in enumerate(goals.items()):
        size = 3 if name.endswith(_POSITION) else 6
        twists[frame, :size], weighed[frame, :size] = given_shape(f"goal '{name}'", value, (size,)), 1.0
        rows[name] = slice(6 * frame, 6 * frame + size)
    for name, value in given_mapping("weights", {} if weights is None else weights, "{'tool': 2.0}").items():
        if name not in rows:
            raise RequestError(f"weights name goal '{name}', which is not among {', '.join(goals)}")
        own = weighed.reshape(-1)[rows[name]]
        own[:] = given_shape(f"weight of '{name}'", value, own.shape if np.ndim(value) else ())
        if (own < 0.0).any():
            raise RequestError(f"weight of '{name}' is {own.min()}; weights are numbers from 0")
    q = given_position(robot.model, q)
    prefers = np.zeros(robot.nv) if v_0 is None else given_shape("v_0", v_0, (robot.nv,))
    parameters = given_parameters(robot.model, p)
    given = (parameters,) if parameters.size else ()
    least, most = _bounds(robot, q, h, given_flag("limits", limits))
    module = _module(robot, frames, given_word("target", target, "c"))
    solve = getattr(module, f"solve_{DIFFERENTIAL_IK}", None)
    J = np.reshape(module.jacobians(q, *given), (-1, robot.nv))
    if solve is not None:
        asked = {"h": h, "v_0": prefers, "weights": weighed, "v_lower": least, "v_upper": most, "damping": damping}
        found = solve(q, *given, twists, **asked)
    else:
        found = _in_numpy(
            robot, module, (q, *given), J, (twists.ravel(), weighed.ravel(), prefers), (least, most), h, damping
        )
    left = J @ found.v - twists.ravel()
    limited = (
        name
        for name, own, low, high in zip(robot.velocity_names, found.v, least, most, strict=True)
        if own <= low or own >= high
    )
    errors = {name: left[own] for name, own in rows.items()}
    return DifferentialIK(robot.name, found.v, errors, tuple(limited), found.factors, found.code)


def _bounds(robot: Robot, q: Array, h: float, limits: bool) -> tuple[Array, Array]:
    """The bounds of v."""
    most = robot.limits.velocity.copy() if limits else np.full(robot.nv, np.inf)
    least = -most
    for place, row in rate_rows(robot.model).values() if limits else ():
        ends = (robot.limits.lower[place] - q[place]) / h, (robot.limits.upper[place] - q[place]) / h
        least[row], most[row] = np.clip(ends, least[row], most[row])
    return least, most


def _module(robot: Robot, frames: tuple[str, ...], target: str) -> Any:
    known = _KNOWN.setdefault(robot, {})
    if (frames, target) not in known:
        functions = [JACOBIAN_FUNCTION, *(CONSTRAINT_FUNCTIONS if robot.model.loops else ())]
        solvers = [DIFFERENTIAL_IK] if target == "c" else None
        known[frames, target] = compile(
            robot, functions, frames=list(frames), target=target, lanes=False, solvers=solvers
        )
    return known[frames, target]


def _in_numpy(
    robot: Robot,
    module: Any,
    given: tuple[Array, ...],
    J: Array,
    wanted: tuple[Array, Array, Array],
    bounds: tuple[Array, Array],
    h: float,
    damping: float,
) -> Velocities:
    twists, weights, v_0 = wanted
    H = J.T @ (weights[:, None] * J) + damping * np.eye(robot.nv)
    f = -J.T @ (weights * twists) - damping * v_0
    error, rows = np.zeros(0), np.zeros((0, robot.nv))
    if robot.model.loops:
        error, rows = (np.asarray(getattr(module, name)(*given)) for name in CONSTRAINT_FUNCTIONS)
    return minimum(Program(H, f, *bounds, rows, error / h), v_0)
