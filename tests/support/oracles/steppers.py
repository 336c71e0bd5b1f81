"""Steppers over NumPy: the arithmetic of the generated C in the same order, without fused products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdyn.compiler.emit.steppers import dop853_table as table
from symdyn.interface.stepping import CoordinateRows, Rates
from symdyn.robot.robot import Robot

Array = np.ndarray
Slope = Callable[[Array], Array]


def rates(rows: Sequence[CoordinateRows], q: Array, v: Array) -> Array:
    """q' = N(q) v by matrices of turns and quaternion products."""
    slope = np.empty_like(q)
    for entry in rows:
        at, row = entry.q, entry.v
        if entry.rates is Rates.EQUAL:
            slope[at : at + entry.count] = v[row : row + entry.count]
        elif entry.rates is Rates.SPHERICAL:
            slope[at : at + 4] = _turned(q[at : at + 4], v[row : row + 3])
        elif entry.rates is Rates.FREE:
            slope[at : at + 3] = _matrix(q[at + 3 : at + 7]) @ v[row : row + 3]
            slope[at + 3 : at + 7] = _turned(q[at + 3 : at + 7], v[row + 3 : row + 6])
        elif entry.rates is Rates.FREE_SPATIAL:
            omega = v[row : row + 3]
            slope[at : at + 3] = v[row + 3 : row + 6] + np.cross(omega, q[at : at + 3])
            slope[at + 3 : at + 7] = _product(np.array([*omega, 0.0]), q[at + 3 : at + 7]) / 2
        elif entry.rates is Rates.SPHERICAL_MUJOCO:
            slope[at : at + 4] = _turned_real_first(q[at : at + 4], v[row : row + 3])
        elif entry.rates is Rates.FREE_MUJOCO:
            slope[at : at + 3] = v[row : row + 3]
            slope[at + 3 : at + 7] = _turned_real_first(q[at + 3 : at + 7], v[row + 3 : row + 6])
        else:
            cosine, sine = np.cos(q[at + 2]), np.sin(q[at + 2])
            slope[at : at + 2] = np.array([[cosine, -sine], [sine, cosine]]) @ v[row : row + 2]
            slope[at + 2] = v[row + 2]
    return slope


def _product(a: Array, b: Array) -> Array:
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.array([*vector, a[3] * b[3] - a[:3] @ b[:3]])


def _turned(quaternion: Array, omega: Array) -> Array:
    return _product(quaternion, np.array([*omega, 0.0])) / 2


def _turned_real_first(quaternion: Array, omega: Array) -> Array:
    return np.roll(_turned(np.roll(quaternion, -1), omega), 1)


def _matrix(quaternion: Array) -> Array:
    u, w = quaternion[:3], quaternion[3]
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def normalised(rows: Sequence[CoordinateRows], state: Array) -> Array:
    """The state with its quaternions at length 1."""
    state = state.copy()
    for entry in rows:
        if entry.rates not in (Rates.EQUAL, Rates.PLANAR):
            at = entry.q + (0 if entry.rates in (Rates.SPHERICAL, Rates.SPHERICAL_MUJOCO) else 3)
            state[at : at + 4] /= np.linalg.norm(state[at : at + 4])
    return state


def slope_of(robot: Robot, rows: Sequence[CoordinateRows], accelerations: Callable[..., Any], *held: Array) -> Slope:
    """The slope of (q; v) for a function that takes q, v and the inputs that are held."""

    def slope(state: Array) -> Array:
        q, v = state[: robot.nq], state[robot.nq :]
        found = accelerations(q, v, *held)
        return np.concatenate([rates(rows, q, v), found[0] if isinstance(found, tuple) else found])

    return slope


def rk4_step(slope: Slope, state: Array, h: float) -> Array:
    """The classical method, in the order of the C."""
    first = slope(state)
    second = slope(state + 0.5 * h * first)
    third = slope(state + 0.5 * h * second)
    fourth = slope(state + h * third)
    return state + h / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)


def dop853_step(slope: Slope, state: Array, h: float) -> Array:
    """One step of DOP853, in the order of the C."""
    slopes = [slope(state)]
    for row in table.STAGE_ROWS:
        slopes.append(slope(state + h * _sum(row, slopes)))
    return state + h * _sum(table.END_ROW, slopes)


def _sum(row: table.Row, slopes: Sequence[Array]) -> Array:
    total = np.zeros_like(slopes[0])
    for stage, factor in row.items():
        total = total + factor * slopes[stage]
    return total
