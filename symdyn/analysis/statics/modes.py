"""Small motions of a whole robot about a position: M x'' + D x' + K x = 0 along all moves that its loops allow.

With M = L L^T and y = L^T x units play no part: columns of loops and the stiffness are those of y. The moves that loops
allow are the null space of their slopes. K holds what multipliers exert while the robot moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.statics.given import Inputs, chosen_inputs, given_load, given_start
from symdyn.analysis.statics.mode_records import Mode, Modes
from symdyn.analysis.statics.problem import Load
from symdyn.errors import ModelError
from symdyn.generation.pipeline import float_recursion
from symdyn.interface.argument_words import given_names
from symdyn.interface.keywords import names_keywords
from symdyn.model.model import Model
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import named_rows

Array = NDArray[np.float64]
_RANK = 1e-9
"""Singular value of rows of length one that counts, and the size of a row beside the largest."""
_STILL, _DEFECTIVE = 1e-12, 1e-7
"""Squares of frequencies that count as zero, as shares of the largest. Where the stiffness is not symmetric, the first
goes with the condition of the eigenvalue, and the second is the most: zeros may be off by the root of rounding."""
_SYMMETRIC = 1e-9


@names_keywords
def modes(
    robot: Robot,
    q: ArrayLike | None = None,
    u: Inputs = None,
    *,
    hold: Iterable[str] = (),
    inputs: str | None = None,
    p: ArrayLike | None = None,
) -> Modes:
    """Find the natural modes of a robot about a position.

    The forces that hold the robot there are constant while it moves: u, and additional forces if the position is no
    rest. Without loops and actuators these forces have no effect. Frequencies are those without losses.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`.
    q
        The position (nq,); neutral by default. Loops are closed first.
    hold
        Coordinates that do not move, such as those of motors with brakes: names of rows of v, of rows of q, or of
        joints. Loops are closed without them.
    u, inputs, p
        As for :func:`symdyn.equilibrium`: inputs of actuators or generalised forces, zero by default; run-time
        parameters, such as a payload, by default those of the file.

    Raises
    ------
    RequestError
        What is given does not fit the robot, or no closed position is found.
    ModelError
        The mass matrix is singular, because something without mass moves; or friction jumps with the velocity.
    """
    kind, model, names = chosen_inputs(robot, inputs), robot.model, robot.velocity_names
    hold = given_names("hold", hold, names[0])
    load = given_load(robot, kind, u, None, p)
    start = given_start(robot, q, load.p, hold)
    free = [row for row in range(model.nv) if row not in named_rows(model, hold)]
    system = _System(robot, kind, load, start)
    nothing = np.zeros(system.held)
    damping, every = system.tangent(1, nothing)
    sums = robot.loop_closure.sizes.part(slice(None), free).sums(every[:, free])
    slopes = sums @ every
    mass, needed = system.mass(), system.residual(nothing)
    root = _root(robot, mass[np.ix_(free, free)])
    base = [place for place, row in enumerate(free) if row in _base_rows(model)]
    multipliers = sums.T @ _multipliers(root, slopes[:, free], needed[free], base)
    stiffness, _ = system.tangent(0, multipliers)
    ways = np.zeros((model.nv, len(free)))
    ways[free] = np.linalg.inv(root.T)
    ways = ways @ _null_space(slopes @ ways)
    found, poles = _solved(ways.T @ stiffness @ ways, ways.T @ damping @ ways)
    listed = [_mode(names, mass, damping, pole, ways @ shape) for pole, shape in found]
    order = sorted(listed, key=lambda mode: (-mode.growth, mode.frequency))
    forces = needed - every.T @ multipliers
    return Modes(robot.name, names, start, tuple(order), poles, forces, multipliers, mass, damping, stiffness, ways)


def _root(robot: Robot, mass: Array) -> Array:
    """L with M = L L^T."""
    try:
        return np.asarray(np.linalg.cholesky(mass))
    except np.linalg.LinAlgError as failure:
        raise ModelError(
            f"modes of robot '{robot.name}' at this position: its mass matrix is singular, since something moves that "
            "has no mass; give it inertia, or hold it"
        ) from failure


def _base_rows(model: Model) -> set[int]:
    """Rows of v of bodies that move freely in the world, which no joint can force."""
    joints = [model.bodies[index].joint for index in model.free_bases]
    return {joint.v_index + place for joint in joints for place in range(len(joint.coordinates.v))}


class _System:
    """Matrices and forces at a position and at rest, from the float recursions: each is needed once or twice."""

    def __init__(self, robot: Robot, inputs: str, load: Load, q: Array) -> None:
        self._robot = robot
        self._asked: dict[str, Any] = {"inputs": "actuators"} if inputs == "actuators" else {}
        self.count, self.held = robot.nv, len(robot.model.loop_row_names)
        still = [0.0] * self.count
        drive = "u" if inputs == "actuators" else "tau"
        self._given = {"q": q.tolist(), "v": still, "a": still, drive: load.u.tolist(), "p": load.p.tolist()}
        self._tangent: Callable[..., dict[str, list[float]]] = float_recursion(
            robot, "implicit_jacobian", **self._asked
        )

    def mass(self) -> Array:
        """M (nv, nv)."""
        found = float_recursion(self._robot, "mass_matrix")({"q": self._given["q"], "p": self._given["p"]})
        (matrix,) = found.values()
        return np.array(matrix, dtype=np.float64).reshape(self.count, self.count)

    def residual(self, multipliers: Array) -> Array:
        """What is missing of the forces (nv,)."""
        recursion = float_recursion(self._robot, "implicit_residual", **self._asked)
        return np.array(recursion({**self._given, "lambda": multipliers.tolist()})["R"], dtype=np.float64)

    def tangent(self, place: int, multipliers: Array) -> tuple[Array, Array]:
        """The slopes of missing forces by q (0) or v (1), (nv, nv), and those of the loops' errors, (m, nv)."""
        factors = np.eye(3)[place].tolist()
        found = self._tangent({**self._given, "lambda": multipliers.tolist(), "c": factors})
        size, n = self.count + self.held, self.count
        matrix = np.array(found["S"], dtype=np.float64).reshape(size, size)
        return matrix[:n, :n], matrix[n:, :n]


def _multipliers(root: Array, slopes: Array, needed: Array, base: list[int]) -> Array:
    """The multipliers (m,) that leave the least force to joints, and none to a free base if that can be.

    Least is what would move the robot least: forces count by the inverse of the mass matrix.
    """
    if not len(slopes):
        return np.zeros(0)
    first: Array = np.zeros(len(slopes))
    free: Array = np.eye(len(slopes))
    if base:
        first = np.asarray(np.linalg.lstsq(slopes[:, base].T, needed[base], rcond=_RANK)[0])
        free = _null_space(slopes[:, base].T)
    pulls, left = np.linalg.solve(root, slopes.T @ free), np.linalg.solve(root, needed - slopes.T @ first)
    return np.asarray(first + free @ np.linalg.lstsq(pulls, left, rcond=_RANK)[0])


def _null_space(rows: Array) -> Array:
    """Orthonormal columns (n, k) that all rows (m, n) take to zero."""
    sizes = np.linalg.norm(rows, axis=1)
    large = sizes > _RANK * np.max(sizes, initial=0.0)
    kept = rows[large] / sizes[large, None]
    if not len(kept):
        return np.eye(rows.shape[1])
    _, values, right = np.linalg.svd(kept)
    return np.asarray(right[int(np.sum(values > _RANK)) :].T)


def _solved(stiffness: Array, damping: Array) -> tuple[list[tuple[complex, Array]], NDArray[np.complex128]]:
    """Per mode its pole without losses, that with Re >= 0 and Im >= 0, and its shape; and all poles with losses."""
    count = len(stiffness)
    if not count:
        return [], np.zeros(0, dtype=np.complex128)
    largest = float(np.max(np.abs(stiffness)))
    if float(np.max(np.abs(stiffness - stiffness.T))) <= _SYMMETRIC * largest:
        squares, shapes = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
        still = np.full(count, _STILL)
    else:
        squares, shapes = np.linalg.eig(stiffness)
        still = np.minimum(_STILL * _conditions(shapes), _DEFECTIVE)
    squares = np.where(np.abs(squares) <= still * np.max(np.abs(squares)), 0.0, squares)
    roots = np.sqrt(-squares.astype(np.complex128))
    roots = np.abs(roots.real) + 1j * np.abs(roots.imag)
    found = [
        (complex(root), shape.imag if square.imag < 0.0 else shape.real)
        for root, square, shape in zip(roots, squares.astype(np.complex128), shapes.T, strict=True)
    ]
    if not np.any(damping):
        return found, np.concatenate([roots, -roots])
    zero, one = np.zeros((count, count)), np.eye(count)
    return found, np.linalg.eigvals(np.block([[zero, one], [-stiffness, -damping]])).astype(np.complex128)


def _conditions(shapes: Array) -> Array:
    """By how much each eigenvalue may move with the matrix, infinite where shapes depend on each other."""
    try:
        found = np.linalg.norm(np.linalg.inv(shapes), axis=1)
    except np.linalg.LinAlgError:
        return np.full(len(shapes), np.inf)
    return np.asarray(np.nan_to_num(found, nan=np.inf))


def _mode(names: tuple[str, ...], mass: Array, damping: Array, pole: complex, shape: Array) -> Mode:
    """One mode, its shape scaled to x^T M x = 1, the coordinate that takes part most being positive."""
    shape = shape / np.sqrt(shape @ mass @ shape)
    parts = shape * shape * np.diag(mass)
    parts = parts / np.sum(parts)
    largest = int(np.argmax(parts))
    shape = -shape if shape[largest] < 0.0 else shape
    ratio = float(shape @ damping @ shape) / (2.0 * pole.imag) if pole.imag else 0.0
    order = sorted(range(len(names)), key=lambda row: (-round(float(parts[row]), 9), row))
    return Mode(pole.imag, pole.real, ratio, tuple((names[row], float(parts[row])) for row in order), shape)
