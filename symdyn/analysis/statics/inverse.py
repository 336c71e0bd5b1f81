"""Which inputs of actuators hold a robot in a given position: bounded least squares."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.statics.given import Wrenches, given_axes, given_load
from symdyn.analysis.statics.problem import problem_of
from symdyn.description.text.position import hint
from symdyn.errors import ModelError, RequestError
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.keywords import names_keywords
from symdyn.interface.optional_packages import require
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_position

Array = NDArray[np.float64]


@dataclass(frozen=True)
class InverseStatics:
    """Inputs that hold a position as well as they can.

    Attributes
    ----------
    robot
        Its name.
    names
        Of the inputs.
    u
        The inputs (na,): tensions [N], pressures [Pa], forces of joints [N m or N].
    multipliers
        Those of the loops (m,).
    residual
        The generalised forces (nv,) that are missing; zeros if the position is a rest.
    holds
        Whether the residual is only rounding.
    """

    robot: str
    names: tuple[str, ...]
    u: Array
    multipliers: Array
    residual: Array = field(repr=False)
    holds: bool


@names_keywords
def inverse_statics(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    f_ext: Wrenches = None,
    external_wrenches: str = "world",
    p: ArrayLike | None = None,
) -> InverseStatics:
    """Find inputs u and multipliers with the least |inverse_dynamics(q, 0, 0) - B u - A^T lambda|.

    Parameters
    ----------
    robot
        A robot with actuators.
    q
        The position (nq,) to hold, with loops closed.
    bounds
        The smallest and the largest value of inputs by name. By default tensions and pressures are 0 or more.
    f_ext, external_wrenches, p
        As for :func:`symdyn.equilibrium`.

    Raises
    ------
    RequestError
        What is given does not fit the robot, or SciPy is not installed.
    ModelError
        The robot has no actuators.
    """
    robot = as_robot(robot)
    model = robot.model
    if not model.actuator_inputs:
        raise ModelError(
            f"inverse statics needs actuators, and robot '{robot.name}' has none; list some in its file, such as "
            "'actuators: [elbow]'"
        )
    require("inverse statics", "scipy", "sim")
    from scipy.optimize import lsq_linear

    load = given_load(robot, "actuators", None, f_ext, p)
    low, high = input_bounds(robot, bounds or {})
    problem = problem_of(robot, "actuators", (), given_axes(f_ext, external_wrenches), "c")
    state = problem.start(given_position(model, q))
    needed = problem.residual(state, load)[: model.nv]
    B, pulls = problem.input_matrix(state, load), problem.jacobian(state, load)[: model.nv, model.nv :]
    matrix = np.hstack([B, -pulls])
    free = np.full(problem.held, np.inf)
    # Columns of tensions and pressures part by many orders; each counts as long as the largest.
    sizes = np.max(np.abs(matrix), axis=0, initial=0.0)
    sizes[sizes == 0.0] = 1.0
    found = lsq_linear(
        matrix / sizes, needed, (np.append(low, -free) * sizes, np.append(high, free) * sizes), method="bvls", tol=1e-14
    )
    values = np.asarray(found.x) / sizes
    count = len(model.actuator_inputs)
    left = needed - matrix @ values
    largest = float(np.max(np.abs(matrix) @ np.abs(values), initial=float(np.max(np.abs(needed), initial=0.0))))
    return InverseStatics(
        robot.name,
        tuple(own.name for own in model.actuator_inputs),
        values[:count],
        values[count:],
        left,
        bool(np.max(np.abs(left), initial=0.0) <= 1e-9 * largest),
    )


def input_bounds(robot: Robot, said: Mapping[str, tuple[float, float]]) -> tuple[Array, Array]:
    """The smallest and the largest value of each input: tensions and pressures are 0 or more where nothing is said.

    Raises
    ------
    RequestError
        Unknown inputs, bounds that are no pair of growing numbers.
    """
    own = robot.model.actuator_inputs
    names = [one.name for one in own]
    low = np.array([0.0 if one.of in ("tendon", "chamber") else -np.inf for one in own])
    high = np.full(len(own), np.inf)
    for name, pair in said.items():
        if name not in names:
            raise RequestError(
                f"bounds name input '{name}', which robot '{robot.name}' does not have{hint(name, names)}"
            )
        ends = given_numbers(f"bounds of input '{name}'", pair)
        if ends.shape != (2,) or not ends[0] < ends[1]:
            raise RequestError(f"bounds of input '{name}' are the least and the largest value, got {pair!r}")
        low[names.index(name)], high[names.index(name)] = ends
    return low, high
