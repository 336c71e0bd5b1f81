"""Moves of joints over any scalar are those of integrate, and their slopes those of differences with fifty digits."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.model.joints import JointModel
from symdyn.model.joints.free import FREE
from symdyn.model.joints.free_spatial import FREE_SPATIAL
from symdyn.model.joints.planar import PLANAR
from symdyn.model.joints.revolute import REVOLUTE
from symdyn.model.joints.scalar_first import FREE_MUJOCO, SPHERICAL_MUJOCO
from symdyn.model.joints.spherical import SPHERICAL

JOINTS = (REVOLUTE, SPHERICAL, SPHERICAL_MUJOCO, FREE, FREE_SPATIAL, FREE_MUJOCO, PLANAR)
SIZES = (0.0, 1e-9, 1e-3, 0.4, 1.99, 2.01, 6.0, 40.0)


def _drawn(kind: JointModel, size: float) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(5)
    q = rng.standard_normal(len(kind.coordinates.q))
    if kind.quaternion:
        q[-4:] /= np.linalg.norm(q[-4:])
    move = rng.standard_normal(len(kind.coordinates.v))
    return q.tolist(), (size * move / np.abs(move).max()).tolist()


@pytest.mark.parametrize("kind", JOINTS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("size", SIZES)
def test_moves_over_scalars_are_those_of_arrays(kind: JointModel, size: float) -> None:
    q, move = _drawn(kind, size)
    expected = kind.integrate(np.array(q), np.array(move))
    assert np.abs(kind.moved(FloatAlgebra(), q, move) - expected).max() < 2e-14 * max(1.0, size)


@pytest.mark.parametrize("kind", JOINTS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("size", SIZES)
def test_slopes_of_moves_are_those_of_differences(kind: JointModel, size: float) -> None:
    q, move = _drawn(kind, size)
    with mp.workdps(50):
        algebra, step = MpmathAlgebra(), mp.mpf(10) ** -20
        start, over = [mp.mpf(x) for x in q], [mp.mpf(x) for x in move]
        if kind.quaternion:
            length = mp.sqrt(mp.fsum(x * x for x in start[-4:]))
            start[-4:] = [x / length for x in start[-4:]]
        T, D = kind.move_slopes(algebra, over)
        for column in range(len(move)):
            unit = [step if row == column else mp.mpf(0) for row in range(len(move))]
            end = kind.moved(algebra, start, over)
            by_q = kind.rows_between(algebra, end, kind.moved(algebra, kind.moved(algebra, start, unit), over))
            by_move = kind.rows_between(
                algebra, end, kind.moved(algebra, start, [x + y for x, y in zip(over, unit, strict=True)])
            )
            for found, slopes in ((by_q, T), (by_move, D)):
                off = max(abs(x / step - row[column]) for x, row in zip(found, slopes, strict=True))
                assert off < 1e-15 * max(1.0, size), (column, float(off))
        exact = [[float(entry) for entry in row] for matrix in (T, D) for row in matrix]
    near = [row for matrix in kind.move_slopes(FloatAlgebra(), move) for row in matrix]
    assert np.abs(np.array(near) - np.array(exact)).max() < 1e-13 * max(1.0, size)
