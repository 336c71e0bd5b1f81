"""The equations of a robot at rest, as compiled functions: what is left of forces and errors, and its Jacobian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symdyn.description.loops import GROWN
from symdyn.dynamics.kinematics.passing import followed, within_passed
from symdyn.generation.generate import compile
from symdyn.interface.argument_words import given_word
from symdyn.interface.solving import STATICS, STATICS_FUNCTIONS, given_to_statics
from symdyn.model import coordinates
from symdyn.model.strained_rods import StrainedRods
from symdyn.robot.robot import Robot
from symdyn.robot.standing import check_rests
from symdyn.robot.state_checks import named_rows

_DEPENDENT = 1e-12
"""Inverse of the condition of the scaled matrix, up to which it counts as singular."""
_NOTHING = 1e-14
"""Of the largest entry, up to which a row or a column is rounding: nothing holds it, and scaled to 1 it would count."""


def solver(matrix: Array) -> Array:
    """The inverse of a matrix of any units; where rows depend on each other, the pseudo-inverse of the scaled one."""
    columns = np.max(np.abs(matrix), axis=0)
    columns[columns <= _NOTHING * np.max(columns, initial=0.0)] = 1.0
    scaled = matrix / columns
    rows = np.max(np.abs(scaled), axis=1)
    rows[rows <= _NOTHING] = 1.0
    scaled = scaled / rows[:, None]
    try:
        inverse = np.linalg.inv(scaled)
        regular = np.abs(inverse).sum(axis=1).max() * np.abs(scaled).sum(axis=1).max() < 1.0 / _DEPENDENT
    except np.linalg.LinAlgError:
        regular = False
    if not regular:
        inverse = np.linalg.pinv(scaled, rcond=_DEPENDENT)
    found: Array = inverse / columns[:, None] / rows
    return found


Array = NDArray[np.float64]
CLOSED = 1e-9
"""Error of loops up to which they are closed [m or rad]; of overconstrained ones it is ``description.loops.GROWN``."""


@dataclass(frozen=True, slots=True)
class Load:
    """What acts: inputs or generalised forces u, wrenches f_ext (nbodies, 6) and run-time parameters p."""

    u: Array
    f_ext: Array
    p: Array

    def towards(self, other: Load, share: float) -> Load:
        """A share of the way to another load."""
        pairs = ((self.u, other.u), (self.f_ext, other.f_ext), (self.p, other.p))
        return Load(*(first + share * (second - first) for first, second in pairs))


@dataclass(frozen=True, slots=True)
class State:
    """What is looked for: q (nq,), the forces (nv,) of prescribed rows, and the multipliers (m,)."""

    q: Array
    forces: Array
    multipliers: Array


class Problem:
    """A robot and what is asked of it, compiled once.

    Parameters
    ----------
    robot
        The robot.
    inputs
        ``actuators`` or ``forces``: what u is.
    prescribed
        Rows of v by name, whose position is given.
    external
        Axes of f_ext: ``body``, ``world``, or empty for none.
    target
        As for :func:`symdyn.compile`.

    Raises
    ------
    RequestError
        Loops that hold velocities alone.
    """

    def __init__(self, robot: Robot, inputs: str, prescribed: tuple[str, ...], external: str, target: str) -> None:
        model = robot.model
        check_rests(model)
        self.robot, self.model, self.inputs = robot, model, inputs
        self.external, self.target = external, target
        self.count, self.held = model.nv, len(model.loop_row_names)
        self.prescribed = sorted(named_rows(model, prescribed))
        self.free = [row for row in range(model.nv) if row not in self.prescribed]
        self._straight = all(joint.kind.commutes for joint in model.independent_joints)
        self._loops, self.strained_rods = robot.loop_closure, StrainedRods(model)
        self.closed = GROWN if self._loops.crowded else CLOSED
        self.row_names = (*model.velocity_names, *model.loop_row_names)
        asked: dict[str, Any] = {"inputs": "actuators"} if inputs == "actuators" else {}
        if self.prescribed:
            asked["prescribed"] = [model.velocity_names[row] for row in self.prescribed]
        if external:
            asked["external_wrenches"] = external
        if target == "c":
            asked["solvers"] = [STATICS]
        module = compile(robot, list(STATICS_FUNCTIONS), target=target, lanes=False, **asked)
        self._residual, self._jacobian = (getattr(module, name) for name in STATICS_FUNCTIONS)
        self._solve = getattr(module, f"solve_{STATICS}", None)
        signatures = [module.signature(name) for name in STATICS_FUNCTIONS]
        self._takes = [[own.name for own in signature.inputs] for signature in signatures]
        self._given = [own.name for own in given_to_statics(signatures[0])]

    def residual(self, state: State, load: Load) -> Array:
        """What is left of the forces, and the errors of loops, (nv + m,)."""
        found = self._residual(*self._arguments(0, state, load))
        return np.concatenate(found) if self.held else np.asarray(found)

    def jacobian(self, state: State, load: Load) -> Array:
        """The derivatives of these by moves of free rows, forces of prescribed ones and multipliers, square."""
        found = self._jacobian(*self._arguments(1, state, load))
        found = found if isinstance(found, tuple) else (found,)
        if not self.held:
            return np.asarray(found[0])
        n = self.count
        whole = np.zeros((n + self.held, n + self.held))
        whole[:n, :n], whole[:n, n:], whole[n:, :n] = found[:3]
        return whole

    def inverse(self, matrix: Array) -> Array:
        """The inverse of the Jacobian, without rows of loops that depend on others where these are overconstrained."""
        if not self._loops.crowded:
            return solver(matrix)
        n, size = self.count, len(matrix)
        sums = self._loops.sizes.part(slice(None), self.free).sums(matrix[n : n + self.held, self.free])
        kept = np.zeros((size - self.held + len(sums), size))
        kept[:n, :n], kept[n : n + len(sums), n : n + self.held] = np.eye(n), sums
        kept[n + len(sums) :, n + self.held :] = np.eye(size - n - self.held)
        return np.asarray(kept.T @ solver(kept @ matrix @ kept.T) @ kept)

    def free_ways(self, matrix: Array) -> Array:
        """Columns (nv, k) of all moves of free rows that keep loops closed, by the Jacobian."""
        ways = np.eye(self.count)[:, self.free]
        if not self.held:
            return ways
        return ways @ self._loops.sizes.part(slice(None), self.free).free_ways(matrix[self.count :][:, self.free])

    def solved(self, q: Array, load: Load, most: int) -> tuple[State, int] | None:
        """The rest near q that the C solver finds without load steps, and its iterations, ``most`` at most; or None."""
        if self._solve is None:
            return None
        given = {"u": load.u, "tau": load.u, "f_ext": load.f_ext, "p": load.p}
        found = self._solve(q, *(given[name] for name in self._given), max_iterations=most)
        if found.code or found.load_steps > 1:
            return None
        return State(found.q, found.forces, found.multipliers), found.iterations

    def input_matrix(self, state: State, load: Load) -> Array:
        """B (nv, na)."""
        found = self._jacobian(*self._arguments(1, state, load))
        return -np.asarray(found[-1])

    def by_inputs(self, state: State, load: Load) -> Array:
        """The derivatives of the residual by inputs or generalised forces, (nv + m, n)."""
        if self.inputs == "actuators":
            own = -self.input_matrix(state, load)
        else:
            own = -np.eye(self.count)
            own[:, self.prescribed] = 0.0
        return np.vstack([own, np.zeros((self.held, own.shape[1]))])

    def led(self, state: State, load: Load, slopes: Array) -> Array:
        """How the unknowns of a rest change with what changes the residual by ``slopes``, a column each."""
        return np.asarray(-(self.inverse(self.jacobian(state, load)) @ slopes))

    def moved(self, state: State, move: Array) -> State:
        """The state after a move of the unknowns."""
        n, q, forces = self.count, state.q, state.forces
        if self.free:
            along = move[:n]
            if self.prescribed:
                along = along.copy()
                along[self.prescribed] = 0.0
            q = q + along if self._straight else coordinates.integrate(self.model, q, along)
        if self.prescribed:
            forces = forces.copy()
            forces[self.prescribed] += move[self.prescribed]
        return replace(state, q=q, forces=forces, multipliers=state.multipliers + move[n:])

    def passes(self, first: State, second: State, load: Load) -> bool:
        """Whether a contact lies on the straight way between two states in which it is open."""
        if not self.model.touches:
            return False
        move = coordinates.difference(self.model, first.q, second.q)
        given = (load.p,) if self.model.slots.names else ()

        def gaps(shares: Array) -> tuple[Array, Array]:
            moves = shares[:, None] * move
            places = coordinates.integrate(self.model, np.broadcast_to(first.q, (len(shares), len(first.q))), moves)
            found = self._gaps(places, np.broadcast_to(move, moves.shape), *given)
            return np.asarray(found[0]), np.asarray(found[1])

        return within_passed(*followed(gaps, 0.0, 1.0)) is not None

    @cached_property
    def _gaps(self) -> Callable[..., tuple[Array, Array]]:
        found: Callable[..., tuple[Array, Array]] = compile(self.robot, ["contact_gaps"], lanes=False).contact_gaps
        return found

    def start(self, q: Array) -> State:
        """The state at a position, without forces and multipliers."""
        return State(q, np.zeros(self.count), np.zeros(self.held))

    def _arguments(self, function: int, state: State, load: Load) -> list[Array]:
        given = {"q": state.q, "u": load.u, "lambda": state.multipliers, "f_ext": load.f_ext, "p": load.p}
        if self.inputs == "actuators":
            given["tau"] = state.forces
        elif self.prescribed:
            given["tau"] = np.where(np.isin(np.arange(self.count), self.prescribed), state.forces, load.u)
        else:
            given["tau"] = load.u
        return [given[name] for name in self._takes[function]]


_KNOWN: WeakKeyDictionary[Robot, dict[tuple[object, ...], Problem]] = WeakKeyDictionary()


def problem_of(robot: Robot, inputs: str, prescribed: Sequence[str], external: str, target: str) -> Problem:
    """The problem, compiled the first time that it is asked for of a robot."""
    known = _KNOWN.setdefault(robot, {})
    key = (inputs, tuple(prescribed), external, given_word("target", target, "c"))
    if key not in known:
        known[key] = Problem(robot, inputs, tuple(prescribed), external, target)
    return known[key]
