"""Rows of errors at a pose at which the loop is open: definitions by hand, and derivatives along a motion by mpmath.

A closed loop has no error, and there a wrong curvature of a turn leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from mpmath import mp

from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.dynamics.loops.constraint_rows import ROWS, Relative

DIGITS = 50
TURN, PLACE, LENGTH = (0.7, -1.1, 0.9), (0.4, -0.3, 0.8), 0.6
NU, OMEGA = (0.5, -0.75, 0.25), (0.875, 0.5, -1.25)
"""Nothing is zero, and the turn of 1.6 rad is about none of the axes."""


def rotation(turn: Sequence[Any]) -> Any:
    """Rodrigues' formula: the matrix of a rotation vector."""
    angle = mp.sqrt(mp.fsum(own * own for own in turn))
    x, y, z = turn
    K = mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return mp.eye(3) + mp.sin(angle) / angle * K + (1 - mp.cos(angle)) / angle**2 * K * K


def at(time: Any, algebra: MpmathAlgebra) -> Relative:
    """The pose of a place whose twist is steady: p' = nu, R' = [omega] R."""
    start = rotation([mp.mpf(own) for own in TURN])
    R = rotation([time * own for own in OMEGA]) * start if time else start
    p = [mp.mpf(own) + time * rate for own, rate in zip(PLACE, NU, strict=True)]
    return Relative(algebra, [[R[i, j] for j in range(3)] for i in range(3)], p, mp.mpf(LENGTH))


def by_hand(name: str) -> Any:
    """The error as docs/closed-loops-explained.md defines it."""
    if name in ("x", "y", "z"):
        return mp.mpf(PLACE["xyz".index(name)])
    if name == "distance":
        return (mp.fsum(mp.mpf(own) ** 2 for own in PLACE) - mp.mpf(LENGTH) ** 2) / (2 * mp.mpf(LENGTH))
    if name in ("rx", "ry", "rz"):
        turn = [mp.mpf(own) for own in TURN]
        angle = mp.sqrt(mp.fsum(own * own for own in turn))
        return 2 * mp.sin(angle / 2) * turn["xyz".index(name[1])] / angle
    axis = {"tilt_x": 0, "tilt_y": 1, "tilt": 2}[name]
    return rotation([mp.mpf(own) for own in TURN])[axis, 2]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_wrench_and_curvature_are_derivatives_of_the_error(name: str) -> None:
    """e' = f . nu + n . omega and e'' = c(nu, omega) along a steady twist; mpmath's differences keep 20 digits."""
    row = ROWS[name]
    with mp.workdps(DIGITS):
        algebra = MpmathAlgebra(DIGITS)

        def error(time: Any) -> Any:
            return row.error(at(time, algebra))

        start = at(0, algebra)
        force, moment = row.wrench(start)
        rate = mp.fsum(mp.mpf(x) * y for x, y in zip((*force, *moment), (*NU, *OMEGA), strict=True))
        found = (error(mp.mpf(0)), rate, row.curvature(start, [mp.mpf(x) for x in NU], [mp.mpf(x) for x in OMEGA]))
        exact = (by_hand(name), mp.diff(error, 0), mp.diff(error, 0, 2))
        assert all(abs(own - true) < mp.mpf(10) ** -20 for own, true in zip(found, exact, strict=True)), name
