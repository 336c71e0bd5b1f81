"""A rod held at its root, over NumPy arrays of states: its mass matrix, its weight and its tip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.exponent import exponent_rates
from symdyn.algebra.spatial.step_pose import far_twist, step_pose, stumpff_terms
from symdyn.model.rod_moments import rod_moments

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import RodTables

Array = np.ndarray[Any, Any]
_FLOATS = FloatAlgebra()
_WIDEST = 2.0 * np.pi


@dataclass(frozen=True, slots=True, eq=False)
class ClampedRod:
    """What a rod does whose root frame stands still, in as many states as were given.

    Attributes
    ----------
    mass
        The mass matrix (states, n, n).
    weight
        Generalised forces (states, n, 3) of a unit field of acceleration along each axis of the root.
    rotation, position
        Of the tip in the root's frame, (states, 3, 3) and (states, 3) [m].
    turn
        The largest angle [rad] that a step turns in any of the states.
    moves
        Of the ends of all steps in the first state: how a unit of each coordinate moves them [m] and, in the last three
        rows, turns them [rad], in the root's axes (steps, 6, n).
    """

    mass: Array
    weight: Array
    rotation: Array
    position: Array
    turn: float
    moves: Array


def clamped_rod(tables: RodTables, states: Array) -> ClampedRod:
    """The rod in states (states, n), at most a turn per step."""
    count, size = states.shape
    functions, reference = _dense(tables)
    at = reference[..., None] + functions @ states.T
    moments = [
        [
            [at[:, j, row, :, None] for row in range(6)],
            [functions[:, j, row, None, :] for row in range(6)],
        ]
        for j in range(functions.shape[1])
    ]
    if any(step.stretch for step in tables.steps):
        _thin(tables, states, moments[0])
    omega, columns = exponent_rates(_FLOATS, moments)
    turn = float(np.sqrt(np.max(omega[3] ** 2 + omega[4] ** 2 + omega[5] ** 2)))
    pose = step_pose(_FLOATS, omega, stumpff_terms(min(turn, _WIDEST)))
    shape = (len(tables.steps), count)
    turns = np.stack([_filled(entry, (*shape, 1)) for row in pose.rotation.entries for entry in row], axis=2)
    turns = turns.reshape(*shape, 3, 3)
    ways = np.stack([_filled(entry, (*shape, 1)) for entry in pose.translation], axis=2)[..., 0]
    own = np.stack([_filled(entry, (*shape, size)) for entry in far_twist(pose.tangent, omega, columns)], axis=2)

    mass, weight = np.zeros((count, size, size)), np.zeros((count, size, 3))
    linear, angular = np.zeros((count, 3, size)), np.zeros((count, 3, size))
    rotation, position = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    moves = np.zeros((len(tables.steps), 6, size))
    for k, step in enumerate(tables.steps):
        if step.point:
            # It shifts against its station, and nothing follows it.
            shift = linear + np.cross(angular, ways[k][:, :, None], axis=1) + own[k][:, :3]
            mass += step.mass * np.swapaxes(shift, 1, 2) @ shift
            weight += step.mass * np.swapaxes(shift, 1, 2) @ np.swapaxes(rotation, 1, 2)
            continue
        back = np.swapaxes(turns[k], 1, 2)
        lever = np.cross(angular, ways[k][:, :, None], axis=1)
        linear = back @ (linear + lever) + own[k][:, :3]
        angular = back @ angular + own[k][:, 3:]
        position = position + np.einsum("sij,sj->si", rotation, ways[k])
        rotation = rotation @ turns[k]
        moves[k] = np.vstack([rotation[0] @ linear[0], rotation[0] @ angular[0]])
        if step.mass:
            inertia = np.array(step.inertia)[:, None]
            mass += step.mass * np.swapaxes(linear, 1, 2) @ linear + np.swapaxes(angular, 1, 2) @ (inertia * angular)
            weight += step.mass * np.swapaxes(linear, 1, 2) @ np.swapaxes(rotation, 1, 2)
    return ClampedRod(mass, weight, rotation, position, turn, moves)


def _thin(tables: RodTables, states: Array, first: list[list[Array]]) -> None:
    """What a first moment has across where sections get thinner as the rod stretches."""
    across = np.array([step.across for step in tables.steps])[:, :, None, None]
    columns = np.array([step.stretch or (0.0,) * states.shape[1] for step in tables.steps])
    stretch = 1.0 + (columns @ states.T)[:, :, None]
    for place, row in enumerate((1, 2)):
        first[0][row] = first[0][row] + across[:, place] / np.sqrt(stretch)
        first[1][row] = first[1][row] - across[:, place] / (2.0 * stretch**1.5) * columns[:, None, :]


def _dense(tables: RodTables) -> tuple[Array, Array]:
    """Moments of functions (steps, moments, 6, n) and at rest (steps, moments, 6)."""
    moments = rod_moments(tables)
    functions = np.zeros((len(moments), tables.order // 2, 6, len(tables.names)))
    for k, step in enumerate(moments):
        for j, row_of_moment in enumerate(step.functions):
            for i, values in enumerate(row_of_moment):
                functions[k, j, list(tables.moved[i]), i] = values
    return functions, np.array([step.reference for step in moments])


def _filled(entry: Any, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(np.asarray(entry, dtype=float), shape)
