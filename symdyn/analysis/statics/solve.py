"""A position at rest under a given load: Newton's method, and load steps where it fails."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.statics.given import Inputs, Wrenches, chosen_inputs, given_axes, given_load, given_start
from symdyn.analysis.statics.newton import ITERATIONS, Found, rest, worst_row
from symdyn.analysis.statics.placed import Placed
from symdyn.analysis.statics.problem import Load, Problem, State, problem_of
from symdyn.analysis.statics.records import Equilibrium, NoEquilibriumError
from symdyn.analysis.statics.slopes import Differentiable
from symdyn.analysis.statics.stability import is_stable, loose_rows, stiffness_modes
from symdyn.analysis.statics.touching import rest_on_contacts
from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_flag
from symdyn.interface.keywords import names_keywords
from symdyn.model.wide_rods import wide_rods
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.warning import warn

Array = NDArray[np.float64]
LEAST = 1e-4
"""The smallest load step, as a share of the load."""
_FIRST, _GROWTH = 0.25, 1.5


@names_keywords
def equilibrium(
    robot: Robot | str | os.PathLike[str],
    u: Inputs = None,
    q0: ArrayLike | None = None,
    steps: int | str = "auto",
    *,
    inputs: str | None = None,
    prescribed: Sequence[str] = (),
    f_ext: Wrenches = None,
    external_wrenches: str = "world",
    p: ArrayLike | None = None,
    target: str = "c",
    contacts: bool = False,
) -> Equilibrium:
    """Find a position at rest: 0 = inverse_dynamics(q, 0, 0) - tau - A^T lambda, with the loops closed.

    Load steps begin at q0, where fictitious forces hold the robot. They remove these forces share by share. With
    ``contacts`` the robot is let go at q0 at once, and moves until it rests on its rigid contacts.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`.
    u
        Inputs of the actuators (na,), or numbers by name; others are 0. If the robot has no actuators, or ``inputs`` is
        ``"forces"``, they are generalised forces (nv,) [N m or N].
    q0
        Where the search starts (nq,); neutral by default. Loops are closed first.
    steps
        ``"auto"``: one step, and load steps if Newton's method fails; or a number of equal load steps.
    inputs
        ``"actuators"`` or ``"forces"``: what u is.
    prescribed
        Names of rows of v that keep their position of q0. The forces that keep them there are computed.
    f_ext
        Wrenches of the environment on the bodies (nbodies, 6), or some by name of the body (6,), in the axes of
        ``external_wrenches``.
    external_wrenches
        ``"world"`` or ``"body"``.
    p
        Run-time parameters (np,); the file's values by default.
    target
        As for :func:`symdyn.compile`.
    contacts
        Whether rigid contacts, rigid limits and dry joints act: with J^T lambda on the right, by the laws of Signorini
        and Coulomb. Friction makes the rest depend on the way to it: it is the one where the robot stops that is let
        go at q0 without speed. So begin where it comes from, and load it in parts where that matters.

    Raises
    ------
    RequestError
        What is given does not fit the robot.
    NoEquilibriumError
        No rest was found; ``partial`` has the last one on the way.
    """
    robot = as_robot(robot)
    kind = chosen_inputs(robot, inputs)
    load = given_load(robot, kind, u, f_ext, p)
    axes = given_axes(f_ext, external_wrenches)
    whole = isinstance(steps, int) and not isinstance(steps, bool) and steps > 0
    if not (whole or (isinstance(steps, str) and steps == "auto")):
        raise RequestError(f"steps is 'auto' or a whole number from 1, got {steps!r}")
    contacts = given_flag("contacts", contacts)
    if contacts and not (robot.model.contact_layout and steps == "auto"):
        raise RequestError(
            f"contacts=True is of robots with rigid contacts, limits or dry joints, and takes no steps; robot "
            f"'{robot.name}' has {'some' if robot.model.contact_layout else 'none'}, steps is {steps!r}"
        )
    q = given_start(robot, q0, load.p, prescribed)
    problem = problem_of(robot, kind, prescribed, axes, target)
    state = problem.start(q)
    found = _on_contacts(problem, load, state, axes) if contacts else _found(problem, load, state, steps)
    if said := problem.strained_rods.doubt(found.q):
        warn(f"rest of robot '{robot.name}': {said}")
    return found


def _found(problem: Problem, load: Load, state: State, steps: int | str) -> Equilibrium:
    """The rest without contacts."""
    begun = perf_counter()
    if steps == "auto":
        known = problem.solved(state.q, load, ITERATIONS)
        if known is not None:
            return record(problem, known[0], load, known[1], (1.0,), begun)
        found = rest(problem, load, state)
        if found.rests:
            return record(problem, found.state, load, found.iterations, (1.0,), begun)
        return _stepped(problem, load, state, _FIRST, found.iterations, begun, adaptive=True)
    return _stepped(problem, load, state, 1.0 / int(steps), 0, begun, adaptive=False)


def _on_contacts(problem: Problem, load: Load, state: State, axes: str) -> Equilibrium:
    """The rest that is reached from a state on rigid contacts."""
    begun = perf_counter()
    found = rest_on_contacts(problem, load, state, axes)
    modes = stiffness_modes(problem, found.state, load, found.allowed) if found.rests else None
    reached = record(problem, found.state, load, found.steps, (1.0,), begun, modes)
    reached = replace(reached, residual=found.left, contacts=found.contacts)
    if found.rests:
        return reached
    row = worst_row(problem, found.left)
    raise NoEquilibriumError(
        f"robot '{problem.robot.name}' does not come to rest on its contacts in {found.steps} steps; row '{row}' is "
        "farthest from balance; start nearer to a rest, or look at its motion by simulate",
        1.0,
        row,
        reached,
    )


def _stepped(
    problem: Problem, load: Load, state: State, step: float, iterations: int, begun: float, adaptive: bool
) -> Equilibrium:
    """Rests on the way from where the robot is held to where it is let go."""
    imbalance = problem.residual(state, load)
    if not np.all(np.isfinite(imbalance)):
        row = worst_row(problem, imbalance)
        raise NoEquilibriumError(
            f"robot '{problem.robot.name}' has no forces at the start, row '{row}'; start from another q0"
            f"{wide_rods(problem.robot.model, state.q)}",
            0.0,
            row,
            None,
        )
    share, taken, failed = 0.0, list[float](), None
    while share < 1.0:
        ahead = min(1.0, share + step)
        ahead = 1.0 if 1.0 - ahead < 1e-9 else ahead
        found = rest(problem, load, state, (1.0 - ahead) * imbalance)
        iterations += found.iterations
        if found.rests:
            state, share = found.state, ahead
            taken.append(share)
            step *= _GROWTH if adaptive else 1.0
            continue
        failed, step = found, 0.5 * step
        if not adaptive or step < LEAST:
            raise _given_up(problem, load, state, failed, (iterations, share, tuple(taken)), begun)
    return record(problem, state, load, iterations, tuple(taken), begun)


def _given_up(
    problem: Problem,
    load: Load,
    state: State,
    failed: Found,
    spent: tuple[int, float, tuple[float, ...]],
    begun: float,
) -> NoEquilibriumError:
    iterations, share, taken = spent
    row = worst_row(problem, failed.left)
    partial = record(problem, state, load, iterations, taken, begun) if taken else None
    return NoEquilibriumError(
        f"robot '{problem.robot.name}' finds no rest beyond {share:.4g} of the load; row '{row}' is farthest from "
        "balance; start nearer to a rest, load it less, or follow the path of rests"
        f"{wide_rods(problem.robot.model, failed.state.q)}",
        share,
        row,
        partial,
    )


def record(
    problem: Problem,
    state: State,
    load: Load,
    iterations: int,
    taken: tuple[float, ...],
    begun: float,
    modes: tuple[Array, Array] | None = None,
) -> Equilibrium:
    """What was found, with its stability, by the stiffness along moves that loops allow or by given ``modes``."""
    eigenvalues, moves = stiffness_modes(problem, state, load) if modes is None else modes
    return Equilibrium(
        problem.robot.name,
        state.q,
        load.u,
        state.forces,
        state.multipliers,
        problem.residual(state, load),
        is_stable(eigenvalues),
        eigenvalues,
        iterations,
        taken,
        perf_counter() - begun,
        loose_rows(eigenvalues, moves, problem.robot.velocity_names),
        coordinate_names=problem.robot.coordinate_names,
        locate=Placed(problem.robot, state.q, load.p),
        differentiate=Differentiable(problem, state, load),
    )
