"""Inputs of actuators with which a robot rests so that frames meet their targets.

Positions at rest are a function q(u) of the inputs, where statics is solved at each u. By the implicit function
theorem a move du changes q by D du, with K D = B for the Jacobian K of forces at rest and the actuation matrix B,
bordered by the rows of loops. Levenberg and Marquardt's method moves u: each step is bounded least squares.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.inverse_kinematics.active_set import Program, minimum
from symdyn.analysis.inverse_kinematics.goals import Goals
from symdyn.analysis.statics.given import Inputs, given_axes, given_load, given_start
from symdyn.analysis.statics.inverse import input_bounds
from symdyn.analysis.statics.newton import rest
from symdyn.analysis.statics.problem import Load, Problem, State, problem_of
from symdyn.analysis.statics.solve import equilibrium
from symdyn.errors import ModelError
from symdyn.interface.argument_words import given_positive, given_whole
from symdyn.interface.keywords import names_keywords
from symdyn.interface.solving import LEAST_COLUMN, LEVENBERG, MAX_ITERATIONS
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.toolchain.solvers import SolveCode

Array = NDArray[np.float64]
_NUMBERS = LEVENBERG["float64"]


@dataclass(frozen=True)
class SoftInverseKinematics:
    """Inputs with which a robot rests so that frames meet their targets, or come nearest.

    Attributes
    ----------
    robot
        Its name.
    names
        Of the inputs.
    u
        The inputs (na,): tensions [N], pressures [Pa], forces of joints [N m or N].
    q
        The position at rest (nq,).
    multipliers
        Those of the loops (m,).
    residual
        What is left of forces and errors of loops at q, (nv + m,): rounding.
    error
        Root of the weighted sum of squares of the errors of frames [m, rad].
    errors
        The errors of each task, by its name.
    limited
        Names of inputs at a bound.
    iterations
        Steps of the method, each with a rest and its slopes.
    code
        ``DONE``; ``NOT_REACHED`` if no step leads nearer.
    """

    robot: str
    names: tuple[str, ...]
    u: Array
    q: Array
    multipliers: Array = field(repr=False)
    residual: Array = field(repr=False)
    error: float
    errors: Mapping[str, Array] = field(repr=False)
    limited: tuple[str, ...]
    iterations: int
    code: SolveCode

    @property
    def reached(self) -> bool:
        """Whether the targets are met."""
        return self.code is SolveCode.DONE


@dataclass(frozen=True, slots=True)
class _Rest:
    """A position at rest, its inputs, and the errors of frames there with their slopes."""

    state: State
    load: Load
    e: Array
    slopes: Array
    total: float


class _Statics:
    """Rests of a robot by its inputs."""

    def __init__(self, robot: Robot, problem: Problem, goals: Goals, bounds: tuple[Array, Array]) -> None:
        self.robot, self.problem, self.goals, self.bounds = robot, problem, goals, bounds

    def seen(self, state: State, load: Load) -> _Rest:
        """What frames miss at a rest."""
        given = (load.p,) if self.robot.model.slots.names else ()
        e, slopes = self.goals.module.task_errors(state.q, self.goals.targets, *given)
        return _Rest(state, load, e, slopes, float(self.goals.weights @ e**2))

    def slopes(self, at: _Rest) -> Array:
        """D (nv, na): how moves of inputs change q, with the loops closed."""
        problem = self.problem
        return problem.led(at.state, at.load, problem.by_inputs(at.state, at.load))[: problem.count]

    def moved(self, at: _Rest, D: Array, du: Array) -> _Rest | None:
        """The rest after a move of inputs, from where its slopes lead; None where Newton's method finds none."""
        load = replace(at.load, u=np.clip(at.load.u + du, *self.bounds))
        move = np.append(D @ du, np.zeros(self.problem.held))
        found = rest(self.problem, load, self.problem.moved(at.state, move))
        return self.seen(found.state, load) if found.rests else None


@names_keywords
def soft_inverse_kinematics(
    robot: Robot | str | os.PathLike[str],
    goals: Mapping[str, ArrayLike],
    u0: Inputs = None,
    *,
    q0: ArrayLike | None = None,
    weights: Mapping[str, ArrayLike] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    tolerance: float = _NUMBERS.tolerance,
    max_iterations: int = MAX_ITERATIONS,
    f_ext: ArrayLike | None = None,
    external_wrenches: str = "world",
    p: ArrayLike | None = None,
    target: str = "c",
) -> SoftInverseKinematics:
    """Find inputs of actuators with which a robot rests so that frames meet their targets.

    At each step the robot is at rest: 0 = inverse_dynamics(q, 0, 0) - B u - A^T lambda, with loops closed. Levenberg
    and Marquardt's method moves u within its bounds.

    Parameters
    ----------
    robot
        A robot with actuators, such as tendons or chambers.
    goals, weights
        As for :func:`symdyn.inverse_kinematics`.
    u0
        Inputs (na,), or numbers by name, where the search starts; 0 by default, or the nearest bound.
    q0
        Where the first rest is looked for (nq,); neutral by default.
    bounds
        The smallest and the largest value of inputs by name. By default tensions and pressures are 0 or more.
    tolerance
        Of the root of the weighted sum of squares of errors.
    max_iterations
        Of steps.
    f_ext, external_wrenches, p, target
        As for :func:`symdyn.equilibrium`.

    Raises
    ------
    RequestError
        What is given does not fit the robot.
    ModelError
        The robot has no actuators.
    NoEquilibriumError
        No rest was found at the start.
    """
    robot = as_robot(robot)
    if not robot.model.actuator_inputs:
        raise ModelError(
            f"soft_inverse_kinematics needs actuators, and robot '{robot.name}' has none; list some in its file, or "
            "take inverse_kinematics"
        )
    tolerance, max_iterations = given_positive("tolerance", tolerance), given_whole("max_iterations", max_iterations, 1)
    given = Goals.of(robot, goals, weights, target)
    lower, upper = input_bounds(robot, bounds or {})
    load = given_load(robot, "actuators", u0, f_ext, p)
    load = replace(load, u=np.clip(load.u, lower, upper))
    problem = problem_of(robot, "actuators", (), given_axes(f_ext, external_wrenches), target)
    statics = _Statics(robot, problem, given, (lower, upper))
    start = problem.start(given_start(robot, q0, load.p, ()))
    found = rest(problem, load, start)
    if not found.rests:
        known = equilibrium(
            robot, load.u, q0, inputs="actuators", f_ext=f_ext, external_wrenches=external_wrenches, p=p, target=target
        )
        found = rest(problem, load, replace(start, q=known.q, multipliers=known.multipliers))
    at, iterations = _search(statics, statics.seen(found.state, load), tolerance**2, max_iterations)
    names = tuple(own.name for own in robot.model.actuator_inputs)
    limits = zip(names, at.load.u, lower, upper, strict=True)
    return SoftInverseKinematics(
        robot.name,
        names,
        at.load.u,
        at.state.q,
        at.state.multipliers,
        problem.residual(at.state, at.load),
        float(at.total**0.5),
        given.by_task(at.e),
        tuple(name for name, own, low, high in limits if own <= low or own >= high),
        iterations,
        SolveCode.DONE if at.total <= tolerance**2 else SolveCode.NOT_REACHED,
    )


def _search(statics: _Statics, at: _Rest, met: float, most: int) -> tuple[_Rest, int]:
    """The nearest rest, and how many steps led there."""
    damping, iteration, weights = _NUMBERS.damping, 0, statics.goals.weights
    while iteration < most and at.total > met:
        iteration += 1
        D = statics.slopes(at)
        J = at.slopes @ D
        # Tensions and pressures part by many orders; each input counts as long as its column.
        sizes = np.sqrt(np.sum(weights[:, None] * J**2, axis=0))
        sizes = np.maximum(sizes, LEAST_COLUMN["float64"] * float(np.max(sizes, initial=0.0)))
        if not sizes.all():
            break
        J = J / sizes
        H, f = J.T @ (weights[:, None] * J), J.T @ (weights * at.e)
        least, most_u = ((bound - at.load.u) * sizes for bound in statics.bounds)
        still = np.zeros(len(f))
        for _ in range(_NUMBERS.tries):
            system = Program(H + damping * np.eye(len(f)), f, least, most_u, np.zeros((0, len(f))), np.zeros(0))
            tried = statics.moved(at, D, minimum(system, still).v / sizes)
            if tried is not None and tried.total < at.total:
                damping, at = max(_NUMBERS.fall * damping, _NUMBERS.least), tried
                break
            damping *= _NUMBERS.rise
        else:
            break
    return at, iteration
